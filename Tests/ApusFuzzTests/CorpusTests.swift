import Apus
import Testing

@testable import ApusFuzz

/// Inputs that reached new code once, in `Tests/Fixtures/fuzz`, an archive a target.
@Suite("Kept inputs")
struct CorpusTests {
  private static let folder = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/Fixtures/fuzz"
  private static let names = fuzzTargets.map(\.name)

  @Test("each input is accepted or refused, and nothing else", arguments: names)
  func nothingIsFound(name: String) throws {
    let target = try #require(fuzzTargets.first { $0.name == name })
    let kept = try Corpus.inputs(at: [Self.folder], for: target)
    #expect(!kept.isEmpty)
    for input in try target.seeds() + kept {
      try input.withUnsafeBytes { bytes in
        do throws(FuzzFinding) {
          _ = try target.run(bytes)
        } catch {
          Issue.record("\(error.message), of \(input.count) bytes: \(Array(input.prefix(200)))")
        }
      }
    }
  }

  @Test("each target accepts its own inputs", arguments: names)
  func seedsAreSound(name: String) throws {
    let target = try #require(fuzzTargets.first { $0.name == name })
    for seed in try target.seeds() {
      #expect(try seed.withUnsafeBytes { try target.run($0) } == .accepted)
    }
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
}
