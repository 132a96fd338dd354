import ApusTestSupport
import Foundation
import Testing

@testable import Apus

/// A folder with a small MobileBERT of random weights, and a vocabulary of words for its numbers.
struct KeyboardFolder {
  static let words = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "you", "how", "are", "hello", "there", "going",
  ]

  static func with<Result>(_ body: (TemporaryFolder, String) throws -> Result) throws -> Result {
    try TemporaryFolder.with { folder in
      let model = folder.file("model")
      let original = packageFolder.appending(path: "Tests/Fixtures/pretrained/mobilebert")
      try FileManager.default.copyItem(at: original, to: model)
      let configuration = try #require(
        JSONSerialization.jsonObject(with: Data(contentsOf: model.appending(path: "config.json"))) as? [String: Any])
      let size = try #require(configuration["vocab_size"] as? Int)
      let lines = words + (words.count..<size).map { "[unused\($0)]" }
      try Data(lines.joined(separator: "\n").utf8).write(to: model.appending(path: "vocab.txt"))
      return try body(folder, folder.path("model"))
    }
  }
}
