import Apus
import ApusNetworks
import ApusTestSupport
import ApusText
import Foundation
import Testing

/// The language model that ships: against PyTorch, and what its 8-bit form suggests beside itself.
@Suite struct ShippedKeyboardTests {
  private static let folder = shipped("keyboard/shipped")

  @Test func itsScoresAreThoseOfPyTorch() throws {
    let golden = try SafetensorsFile(path: fixture("keyboard_model.safetensors"))
    let folder = try PretrainedFolder(path: Self.folder)
    let (single, double) = (try folder.maskedLanguageModel(), try folder.maskedLanguageModel(as: Double.self))
    let cases = Set(golden.tensorNames.compactMap { $0.split(separator: "/").first }).sorted()
    #expect(cases.count >= 5)
    func largest(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { max($0, abs($1.0 - $1.1)) } }
    var (own, peer, wide, scale) = (0.0, 0.0, 0.0, 0.0)
    for name in cases {
      let prefix = "\(name)/0"
      let ids: Tensor<Int64> = try golden.tensor(named: "\(prefix)/input.ids")
      let positions: Tensor<Int64> = try golden.tensor(named: "\(prefix)/input.positions")
      let truth: Tensor<Double> = try golden.tensor(named: "\(prefix)/output.logits")
      let float: Tensor<Float> = try golden.tensor(named: "\(prefix)/output32.logits")
      let input = TokenInput(ids: ids)
      let expected = try truth.elements
      own = max(own, largest(try single.logits(input, at: positions).elements.map(Double.init), expected))
      wide = max(wide, largest(try double.logits(input, at: positions).elements, expected))
      peer = max(peer, largest(try float.elements.map(Double.init), expected))
      scale = expected.reduce(scale) { max($0, abs($1)) }
    }
    #expect(own <= 1.5 * peer, "error \(own), PyTorch's \(peer)")
    #expect(wide <= 1e-12 * scale)
  }

  /// Each line of the list has a beginning, and the words of which any is useful.
  @Test func everydayBeginningsHaveAUsefulWordAmongThree() throws {
    let keyboard = try KeyboardSuggester(folder: Self.folder)
    let lines = try String(contentsOf: URL(filePath: shipped("keyboard/samples/everyday.tsv")), encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: "\t") }
    #expect(lines.count == 30 && lines.allSatisfy { $0.count == 2 })
    let missed = try lines.filter { line in
      let found = try keyboard.suggestions(for: KeyboardRequest(String(line[0]))).suggestions
      #expect(found.count <= 3)
      return Set(found.map(\.word)).isDisjoint(with: line[1].split(separator: " ").map(String.init))
    }
    #expect(missed.count <= 3, "nothing useful for \(missed.map { $0[0] })")
  }

  /// In 96 of 100 texts that the network was not trained on, the same three words; after a whole word, next ones count.
  @Test func eightBitsSuggestTheSameWords() throws {
    let target = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
      .path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: target) }
    let source = try PretrainedFolder(path: Self.folder)
    try EightBitForm(of: source).write(to: target, from: source)
    // One in four: all thousand take four times as long and say the same.
    let prompts = try String(contentsOf: URL(filePath: shipped("keyboard/samples/prompts.txt")), encoding: .utf8)
      .split(separator: "\n").enumerated().filter { $0.offset % 4 == 0 }.map(\.element)
    #expect(prompts.count == 250)
    func words(_ folder: String) throws -> [Set<String>] {
      let keyboard = try KeyboardSuggester(folder: folder)
      return try prompts.map { prompt in
        Set(try keyboard.suggestions(for: KeyboardRequest(String(prompt))).suggestions.map(\.word))
      }
    }
    let (full, eight) = try (words(Self.folder), words(target))
    #expect(full.filter { $0.count == 3 }.count > 225)
    let same = zip(full, eight).filter { $0 == $1 }.count
    #expect(same >= 240, "the same three words for \(same) of 250 prompts")
  }
}
