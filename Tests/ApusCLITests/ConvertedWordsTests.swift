import ApusTestSupport
import Foundation
import Testing

/// The commands of the keyboard with a MobileBERT that coremltools converted (`generate/coreml_language_model.py`).
@Suite struct ConvertedWordsTests {
  private static let folder = fixture("coreml-words")

  private struct Filled: Decodable {
    struct Word: Decodable {
      var id: Int
      var probability: Double
    }
    var text: String
    var masks: [[Word]]
  }

  /// One model takes as many tokens as there are, the other pads them under a mask.
  @Test(arguments: ["Words", "Open"]) func masksAreFilledAsPyTorchFillsThem(model: String) throws {
    let text = try Data(contentsOf: URL(filePath: Self.folder + "/expected.json"))
    let cases = try JSONDecoder().decode([Filled].self, from: text)
    #expect(cases.map(\.masks.count) == [1, 2])
    for expected in cases {
      let result = try Command.run("fill", "--model", "\(Self.folder)/\(model).mlpackage", "--json", expected.text)
      #expect(result.status == 0, "\(result.errors)")
      let found = try JSONDecoder().decode(Filled.self, from: Data(result.output.utf8))
      #expect(found.masks.map { $0.map(\.id) } == expected.masks.map { $0.map(\.id) })
      for (found, expected) in zip(found.masks.joined(), expected.masks.joined()) {
        #expect(abs(found.probability - expected.probability) < 1e-5)
      }
    }
  }

  @Test func suggestionsAreThoseOfTheFolderThatWasConverted() throws {
    try KeyboardFolder.with { folder, original in
      func suggestions(_ model: String...) throws -> NSArray {
        let result = try Command.run(["suggest", "how are ", "--json", "--model"] + model)
        #expect(result.status == 0, "\(result.errors)")
        return try #require(try result.object["suggestions"] as? NSArray)
      }
      let (words, right) = (
        try suggestions(Self.folder + "/Words.mlpackage/", "--vocab", original + "/vocab.txt"),
        try suggestions(original)
      )
      func list(_ array: NSArray) -> [String] { array.compactMap { ($0 as? [String: Any])?["word"] as? String } }
      #expect(list(words) == list(right) && words.count == 3)
      #expect(try list(suggestions(original, "--vocab", Self.folder)) == list(right))
    }
  }

  @Test func whatIsNoLanguageModelIsRefused() throws {
    func refusal(_ arguments: String...) throws -> String {
      let result = try Command.run(["fill", "how [MASK]", "--vocab", Self.folder, "--model"] + arguments)
      #expect(result.status == 65, "\(result.output)")
      return result.errors
    }
    let coreml = fixture("coreml")
    #expect(try refusal("\(coreml)/network-layers/model.mlmodel").contains("is none of a masked-language model"))
    // Twelve tokens are all that it takes.
    let long = Array(repeating: "how", count: 12).joined(separator: " ") + " [MASK]"
    let result = try Command.run("fill", long, "--model", Self.folder + "/Words.mlpackage")
    #expect(result.status == 65 && result.errors.contains("reads 12 at most"), "\(result.errors)")
    #expect(
      try Command.run("fill", "[MASK]", "--model", Self.folder + "/Words.mlpackage", "--vocab", "/nowhere").status == 66
    )
  }

  // MARK: Report of weights

  private func weights(_ model: String) throws -> [String: [String: Any]] {
    let result = try Command.run("quantize", model, "--json")
    #expect(result.status == 0, "\(result.errors)")
    let forms = try #require(try result.object["weights"] as? [[String: Any]])
    return try forms.reduce(into: [:]) { $0[try #require($1["form"] as? String)] = $1 }
  }

  @Test func weightsAreReportedAsTheFileStoresThem() throws {
    let model = Self.folder + "/Words.mlpackage"
    let plain = try weights(model)
    #expect(plain.keys.sorted() == ["FLOAT"])
    #expect(plain["FLOAT"]?["bits"] as? Double == 32)
    let text = try Command.run("quantize", model)
    #expect(text.output.contains("linear_quantize_weights"))
    let refused = try Command.run("quantize", model, "/nowhere/out")
    #expect(refused.status == 64 && refused.errors.contains("--calibrate"), "\(refused.errors)")
    let folder = try Command.run("quantize", fixture("pretrained/bert"))
    #expect(folder.status == 64 && folder.errors.contains("IN OUT"), "\(folder.errors)")
  }
}
