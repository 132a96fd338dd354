import Foundation
import Testing

@Suite struct SuggestCommandTests {
  private static let suggestible: Set<String> = ["you", "how", "are", "hello", "there", "going"]

  private func suggest(_ arguments: String..., input: String? = nil) throws -> CommandResult {
    try KeyboardFolder.with { _, model in
      try Command.run(["suggest", "--model", model] + arguments, input: input)
    }
  }

  @Test func theNextWordsAreWordsOfTheVocabulary() throws {
    let result = try suggest("how are ", "--json")
    #expect(result.status == 0)
    let report = try result.object
    #expect(report["mode"] as? String == "next_word")
    #expect(report["text"] as? String == "how are ")
    let words = try #require(report["suggestions"] as? [[String: Any]])
    #expect(words.count == 3)
    #expect(Set(words.compactMap { $0["word"] as? String }).isSubset(of: Self.suggestible))
    let probabilities = words.compactMap { $0["probability"] as? Double }
    #expect(probabilities == probabilities.sorted(by: >) && probabilities.allSatisfy { (0...1).contains($0) })
    let text = try suggest("how are ")
    #expect(text.lines.count == 3 && text.lines.allSatisfy { $0.hasSuffix(" %") })
  }

  @Test func aWordIsCompletedOrCorrected() throws {
    #expect(try suggest("how are hel", "-k", "1").lines.count == 1)
    #expect(try suggest("Hel").output.contains("Hello"))
    let corrected = try suggest("hallo", "--json").object
    let words = try #require(corrected["suggestions"] as? [[String: Any]])
    #expect(words.map { $0["word"] as? String } == ["hallo", "hello"])
    #expect(words.first?["source"] as? String == "literal")
  }

  @Test func aWholeWordHasNextWordsAsWell() throws {
    let words = try #require(try suggest("how are", "--json").object["suggestions"] as? [[String: Any]])
    #expect(words.count == 3 && words.allSatisfy { $0["next"] as? Bool == true })
    let text = try suggest("how are")
    #expect(text.lines.count == 3 && text.lines.allSatisfy { $0.contains("… ") && $0.hasSuffix(" %") })
    #expect(try suggest("how hel", "--json").output.contains(#""next":false"#))
  }

  /// The words that the network does not know have no probability, and are said to be corrections.
  @Test(arguments: ["dont", "wont", "recieve", "seperate", "accomodate"])
  func theModelThatShipsPutsRight(word: String) throws {
    let meant = ["dont": "don't", "wont": "won't", "recieve": "receive", "seperate": "separate"][word] ?? "accommodate"
    let lines = try Command.run("suggest", "i \(word)").lines
    #expect(lines.count >= 2 && lines[0].contains(word) && lines[0].hasSuffix("as typed"))
    #expect(lines[1].split(separator: " ").first.map(String.init) == meant)
    #expect(lines[1].hasSuffix("correction") || lines[1].hasSuffix(" %") && !lines[1].hasSuffix(" 0.0 %"))
  }

  @Test func eachLineIsARequest() throws {
    let result = try suggest("-", input: "hel\r\n\nsay hel\nthe")
    #expect(result.lines == ["hello", "", "hello", "there"])
    let json = try suggest("-", "--json", input: "hel\n\n")
    #expect(json.lines.count == 2)
    #expect(json.lines[1].contains(#""suggestions":[]"#))
  }

  @Test func bothStylesAndEveryCountAreTaken() throws {
    for style in ["stock", "finetuned"] { #expect(try suggest("how ", "--style", style, "-k", "2").lines.count == 2) }
    #expect(try suggest("how ", "--style", "magic").status == 64)
    #expect(try suggest("how ", "-k", "0").status == 64)
    #expect(try Command.run("suggest").status == 64)
  }

  @Test func whatFollowsTheCursorIsForTheStockStyleAlone() throws {
    #expect(try suggest("how ", "--style", "stock", "--following", " you").status == 0)
    #expect(try suggest("how ", "--style", "finetuned", "--following", "").status == 0)
    let result = try suggest("how ", "--style", "finetuned", "--following", " you")
    #expect(result.status == 64 && result.errors.contains("--following"))
    // The model that ships says its style itself.
    #expect(try Command.run("suggest", "how ", "--following", " you").status == 64)
  }

  @Test func aFolderThatIsNoModelEndsWithItsStatus() throws {
    #expect(try Command.run("suggest", "--model", "/nowhere", "a").status == 66)
    try KeyboardFolder.with { folder, model in
      try Data("[PAD]\n".utf8).write(to: folder.file("model/vocab.txt"))
      let result = try Command.run("suggest", "--model", model, "a")
      #expect(result.status == 65)
      #expect(result.errors.contains("[UNK]"))
      try FileManager.default.removeItem(at: folder.file("model/vocab.txt"))
      #expect(try Command.run("suggest", "--model", model, "a").status == 66)
    }
  }
}

@Suite struct FillCommandTests {
  private func fill(_ arguments: String...) throws -> CommandResult {
    try KeyboardFolder.with { _, model in try Command.run(["fill", "--model", model] + arguments) }
  }

  @Test func everyMaskHasItsPieces() throws {
    let report = try fill("how [MASK] you [MASK]", "-k", "4", "--json").object
    let masks = try #require(report["masks"] as? [[[String: Any]]])
    #expect(masks.map(\.count) == [4, 4])
    for word in masks[0] {
      let piece = try #require(word["piece"] as? String)
      let id = try #require(word["id"] as? Int)
      #expect(id >= KeyboardFolder.words.count || KeyboardFolder.words[id] == piece)
      #expect((word["text"] as? String)?.hasPrefix("how") == true)
      #expect((word["text"] as? String)?.hasSuffix(" you [MASK]") == true)
    }
    #expect(masks[1].allSatisfy { ($0["text"] as? String)?.hasPrefix("how [MASK] you") == true })
    #expect(try fill("how [MASK] you [MASK]", "-k", "1").lines.allSatisfy { $0.isEmpty || $0.contains("[MASK]") })
    #expect(try fill("how [MASK]").lines.count == 5)
  }

  @Test func aTextWithoutAMaskIsBadData() throws {
    let result = try fill("how are you")
    #expect(result.status == 65)
    #expect(result.errors.contains("[MASK]"))
    #expect(try fill(String(repeating: "you ", count: 5000) + "[MASK]").status == 65)
    #expect(try fill("[MASK]", "-k", "0").status == 64)
  }
}
