import Apus
import ApusNetworks
import ApusTestSupport
import Foundation
import Testing

/// What Hugging Face's classes make of the folders in `Fixtures/pretrained`, from `generate/pretrained.py`.
struct PretrainedGolden {
  let input: TokenInput
  let logits: Tensor<Double>

  init(_ name: String) throws {
    let file = try SafetensorsFile(path: fixture("pretrained/golden.safetensors"))
    input = TokenInput(
      ids: try file.tensor(named: "\(name)/input.input_ids"),
      attentionMask: try file.tensor(named: "\(name)/input.attention_mask"))
    logits = try file.tensor(named: "\(name)/output.logits")
  }

  /// - Parameter tolerance: the largest difference, as a part of the largest value.
  func check(_ found: [Double], within tolerance: Double) throws {
    try #require(found.count == logits.count)
    let expected = try logits.elements
    let largest = expected.reduce(0) { max($0, abs($1)) }
    let difference = zip(found, expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
    #expect(difference <= tolerance * largest)
  }
}

/// A copy of a folder in `Fixtures/pretrained`, removed again with this object.
final class TemporaryFolder {
  private let url = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
  var path: String { url.path(percentEncoded: false) }

  init(copying name: String) throws {
    try FileManager.default.copyItem(at: URL(filePath: fixture("pretrained/\(name)")), to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func remove(_ file: String) throws {
    try FileManager.default.removeItem(at: url.appending(path: file))
  }

  func write(_ file: String, _ text: String) throws {
    try Data(text.utf8).write(to: url.appending(path: file))
  }

  /// Replaces the first `old` by `new`.
  func edit(_ file: String, _ old: String, _ new: String) throws {
    let text = try String(decoding: Data(contentsOf: url.appending(path: file)), as: UTF8.self)
    try #require(text.contains(old))
    try write(file, text.replacing(old, with: new, maxReplacements: 1))
  }
}
