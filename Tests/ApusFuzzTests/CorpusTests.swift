import Apus
import Foundation
import Testing

@testable import ApusFuzz

/// Inputs that reached new code once, in `Tests/Fixtures/fuzz`, an archive a target.
///
/// They run in a process of their own: targets set limits that hold for the whole process.
@Suite("Kept inputs")
struct CorpusTests {
  private static let names = fuzzTargets.map(\.name)
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/fuzz").path(percentEncoded: false)

  @Test("each input is accepted or refused, and nothing else", arguments: names)
  func nothingIsFound(name: String) throws {
    let target = try #require(fuzzTargets.first { $0.name == name })
    let kept = try Corpus.inputs(at: [Self.folder], for: target)
    #expect(!kept.isEmpty)
    let result = try Self.run(["--target", name, "--input", Self.folder])
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text.contains("\(name): \(kept.count) inputs"), "\(result.text)")
  }

  @Test("each target accepts its own inputs, and what is made of them", arguments: names)
  func seedsAreSound(name: String) throws {
    let result = try Self.run(["--target", name, "--iterations", "20"])
    #expect(result.status == 0, "\(result.text)")
  }

  @Test("what is made of an input depends on seed and number alone", arguments: names)
  func inputsRepeat(name: String) throws {
    let target = try #require(fuzzTargets.first { $0.name == name })
    let mutator = Mutator(target, corpus: try target.seeds())
    for iteration in UInt64(0)..<50 {
      var (first, second) = (random(iteration), random(iteration))
      #expect(mutator.makeInput(using: &first) == mutator.makeInput(using: &second))
    }
    func random(_ iteration: UInt64) -> SplitMix64 { SplitMix64(seed: 1, target: name, iteration: iteration) }
  }

  /// Runs the `apus-fuzz` that was built beside the tests.
  private static func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "apus-fuzz")
    // The peak of memory is inherited from the tests, so that the usual limit would be reached at once.
    process.arguments = arguments + ["--time-limit", "60", "--memory-limit", "65536"]
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationReason == .exit ? process.terminationStatus : -1, text)
  }
}
