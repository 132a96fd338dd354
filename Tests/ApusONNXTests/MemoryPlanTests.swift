import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

@Suite struct MemoryPlanTests {
  @Test func tensorsThatNeverMeetShareAPlace() throws {
    let buffers = [
      PlannedBuffer(sizes: [65_536], firstStep: 0, lastStep: 1),
      PlannedBuffer(sizes: [32_768], firstStep: 1, lastStep: 2),
      PlannedBuffer(sizes: [65_536], firstStep: 2, lastStep: 3),
      PlannedBuffer(sizes: [16_384], firstStep: 3, lastStep: PlannedBuffer.forever),
    ]
    let plan = MemoryPlan(buffers, stepCount: 4)
    #expect(plan.byteCount == 98_304)
    #expect(plan.tensorByteCount == 163_840)
    #expect((0..<4).map { plan.places[plan.places(of: $0)].map(\.offset) } == [[0], [65_536], [0], []])
  }

  @Test func placesOfTensorsThatMeetNeverOverlap() throws {
    var random = SplitMix64(seed: 7)
    let buffers = (0..<300).map { _ in
      let first = Int.random(in: 0..<100, using: &random)
      return PlannedBuffer(
        sizes: [Int.random(in: 4096..<100_000, using: &random)], firstStep: first,
        lastStep: first + Int.random(in: 0..<20, using: &random))
    }
    let plan = MemoryPlan(buffers, stepCount: 100)
    let places = (0..<100).flatMap { step in
      plan.places[plan.places(of: step)].compactMap { place -> (PlannedBuffer, Range<Int>)? in
        guard let buffer = buffers.first(where: { $0.firstStep == step && $0.sizes == [place.byteCount] })
        else { return nil }
        return (buffer, place.offset..<(place.offset + buffer.byteCount))
      }
    }
    #expect(places.count == 300)
    for (index, (buffer, range)) in places.enumerated() {
      #expect(range.upperBound <= plan.byteCount && range.lowerBound % MemoryArena.alignment == 0)
      for (other, place) in places[..<index] where other.isAlive(with: buffer) { #expect(!place.overlaps(range)) }
    }
  }

  /// Two matrix products with a softmax in between and behind.
  private func products() throws -> ONNXModel {
    var graph = SmallGraph()
    graph.input("x", [.symbol("rows"), .size(64)])
    try graph.constant("w", GraphValue(Tensor<Float>(repeating: 0.25, shape: [64, 64])))
    graph.node("MatMul", ["x", "w"], ["a"])
    graph.node("Softmax", ["a"], ["b"])
    graph.node("MatMul", ["b", "w"], ["c"])
    graph.node("Softmax", ["c"], ["y"])
    return try graph.model(outputs: ["y"])
  }

  @Test func memoryIsCounted() throws {
    let session = try InferenceSession(products())
    // Of a, b and c, 16 kB each, two are alive at a time.
    let usage = try session.memoryUsage(for: ["x": [64, 64]])
    #expect(usage.plannedByteCount == 32_768)
    #expect(usage.tensorByteCount == 49_152)
    #expect(usage.tensorCount == 3)
    #expect(usage.unknownCount == 0)
    #expect(usage.constantByteCount == 16_384)
    #expect(try session.memoryUsage().unknownCount == 4)
    #expect(try session.memoryUsage(for: ["x": [0, 64]]).tensorByteCount == 0)
    #expect(throws: GraphError.self) { try session.memoryUsage(for: ["z": [1]]) }
    for shape in [[64, 65], [64], [64, 64, 1], [], [-1, 64], [.min, 64]] {
      #expect(throws: GraphError.self) { try session.memoryUsage(for: ["x": shape]) }
    }
  }

  @Test func namedExtentsAreTheSameInAllInputs() throws {
    var graph = SmallGraph()
    graph.input("a", [.symbol("rows"), .size(2)])
    graph.input("b", [.symbol("rows"), .size(2)])
    graph.node("Add", ["a", "b"], ["y"])
    let session = try InferenceSession(graph.model(outputs: ["y"]))
    #expect(try session.memoryUsage(for: ["a": [3, 2], "b": [3, 2]]).unknownCount == 0)
    #expect(throws: GraphError.self) { try session.memoryUsage(for: ["a": [3, 2], "b": [4, 2]]) }
  }

  @Test func plansAreKeptForEachShape() throws {
    let session = try InferenceSession(products())
    for rows in [64, 3, 64, 200, 3] {
      let x = try Tensor<Float>(range: rows * 64).reshaped([rows, 64])
      let y = try #require(try session.run(["x": GraphValue(x)])["y"])
      // Every row is a softmax of equal numbers.
      guard case .tensor(.float32(let tensor)) = y else { throw Unexpected("\(y.type)") }
      #expect(tensor.shape == [rows, 64])
      #expect(try tensor.elements.allSatisfy { $0 == 1 / 64 })
    }
  }

  @Test(arguments: FixtureCase.all)
  func planningMemoryChangesNoBit(fixture: FixtureCase) throws {
    let test = try fixture.test.get()
    var pooled = InferenceSession.Options()
    pooled.plansMemory = false
    for (expected, actual) in zip(try test.outputs(options: pooled), try test.outputs(options: .init())) {
      for (name, value) in expected { #expect(try actual[name]?.hasSameBits(as: value) == true, "\(name)") }
    }
  }

  @Test func runsOnSeveralThreadsHaveMemoryOfTheirOwn() async throws {
    let session = try InferenceSession(products())
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          let x = try Tensor<Float>(repeating: Float(task), shape: [256, 64])
          return try (0..<20).allSatisfy { _ in
            guard case .tensor(.float32(let y))? = try session.run(["x": GraphValue(x)])["y"] else { return false }
            return try y.elements.allSatisfy { $0 == 1 / 64 }
          }
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}
