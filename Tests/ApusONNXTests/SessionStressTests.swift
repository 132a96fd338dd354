import Foundation
import Testing

@testable import Apus
@testable import ApusGraph
@testable import ApusONNX

/// One session, many tasks and many runs: the same bits, and no memory that stays.
///
/// APUS_STRESS_RUNS says how many runs there are; with it, memory is looked at too, which other tests would disturb.
@Suite struct SessionStressTests {
  private static let runs = ProcessInfo.processInfo.environment["APUS_STRESS_RUNS"].flatMap(Int.init)

  /// A product, a convolution and a loop, so that the pools, the plans and the limits all take part.
  private static func model(batch: Int = 2, side: Int = 12) throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.size(batch), .size(3), .size(side), .size(side)])
    try graph.constant("w", .noise([side + 4, 3, 3, 3], seed: 2))
    try graph.constant("m", .noise([side, 3 * side + 4], seed: 3))
    graph.node("MatMul", ["x", "m"], ["p"])
    graph.node("Conv", ["p", "w"], ["c"])
    graph.node("Relu", ["c"], ["r"])
    graph.node("Softmax", ["r"], ["s"])
    graph.node("ReduceMean", ["s"], ["y"])
    return try graph.model(outputs: ["s", "y"])
  }

  private static func bits(_ outputs: [String: GraphValue]) throws -> [UInt32] {
    try ["s", "y"].flatMap { name in
      try #require(outputs[name]?.tensor(of: Float.self)).elements.map(\.bitPattern)
    }
  }

  /// Bytes of the process that are in memory.
  private static func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[1])) * 4096
  }

  @Test func sixtyFourTasksThatAreCancelledAtRandomGiveTheSameBits() async throws {
    let session = try InferenceSession(Self.model())
    let inputs = try (0..<8).map { ["x": try GraphValue.noise([2, 3, 12, 12], seed: UInt64($0))] }
    var expected: [[UInt32]] = []
    for input in inputs { expected.append(try Self.bits(await session.run(input))) }
    let (tasks, runs) = (64, max(1, (Self.runs ?? 640) / 64))
    let counts = Locked((finished: 0, cancelled: 0))
    let before = try Self.residentBytes()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask { [expected] in
          var generator = SplitMix64(seed: UInt64(task))
          for _ in 0..<runs {
            let index = Int.random(in: 0..<8, using: &generator)
            let run = Task { try await session.run(inputs[index]) }
            if Int.random(in: 0..<3, using: &generator) == 0 {
              try await Task.sleep(for: .microseconds(Int.random(in: 0..<300, using: &generator)))
              run.cancel()
            }
            do {
              let outputs = try await run.value
              #expect(try Self.bits(outputs) == expected[index])
              counts.withLock { $0.finished += 1 }
            } catch GraphError.cancelled {
              counts.withLock { $0.cancelled += 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let (finished, cancelled) = counts.withLock { $0 }
    #expect(finished + cancelled == tasks * runs)
    #expect(finished > 0)
    let last = try await session.run(inputs[0])
    #expect(try Self.bits(last) == expected[0])
    // What 64 tasks hold at once, and no more however many runs there are.
    if Self.runs != nil { #expect(try Self.residentBytes() - before < 128 << 20) }
  }

  @Test func predictionsLeaveNoMemoryBehind() throws {
    // Small: what may grow is what a run takes beside its numbers.
    let session = try InferenceSession(Self.model(batch: 1, side: 4))
    let input = ["x": try GraphValue.noise([1, 3, 4, 4])]
    let expected = try Self.bits(session.run(input))
    let runs = Self.runs.map { $0 * 100 } ?? 500
    for _ in 0..<(runs / 100) { _ = try session.run(input) }
    let before = try Self.residentBytes()
    for _ in 0..<runs { _ = try session.run(input) }
    #expect(try Self.bits(session.run(input)) == expected)
    if Self.runs != nil { #expect(try Self.residentBytes() - before < 4 << 20) }
  }
}
