import Foundation
import Testing

@Suite struct TokenizeCommandTests {
  private static let vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nwalk\n##ed\n[\nmask\n]\n"

  private func tokenize(_ arguments: String..., input: String? = nil) throws -> CommandResult {
    try TemporaryFolder.with { folder in
      try Data(Self.vocabulary.utf8).write(to: folder.file("vocab.txt"))
      let process = ["tokenize", "--vocab", folder.path("vocab.txt")] + arguments
      return try Command.run(process, input: input)
    }
  }

  @Test func textsAreArgumentsOrLines() throws {
    let expected = "[CLS] hello walk ##ed [SEP]\n2 5 6 7 3\n[CLS] [UNK] [SEP]\n2 1 3\n"
    #expect(try tokenize("Hello walked", "yes").output == expected)
    #expect(try tokenize(input: "Hello walked\r\nyes").output == expected)
    #expect(try tokenize("-", input: "Hello walked\nyes\n").output == expected)
    #expect(try tokenize(input: "").output.isEmpty)
  }

  @Test func jsonHasIdsPiecesAndOffsets() throws {
    let result = try tokenize("--json", "walked [MASK]")
    let expected = ##"""
      {"ids":[2,6,7,4,3],"offsets":[null,[0,4],[4,6],[7,13],null],"pieces":["[CLS]","walk","##ed","[MASK]","[SEP]"]}

      """##
    #expect(result.output == expected)
    #expect(try tokenize("--json", "--plain-text", "[MASK]").object["ids"] as? [Int] == [2, 8, 9, 10, 3])
  }

  @Test func aByteOrderMarkIsNoPartOfTheFirstPiece() throws {
    try TemporaryFolder.with { folder in
      try Data(("\u{FEFF}" + Self.vocabulary).utf8).write(to: folder.file("vocab.txt"))
      let result = try Command.run("tokenize", "--vocab", folder.path("vocab.txt"), "--json", "walked [MASK]")
      #expect(try result.object["ids"] as? [Int] == [2, 6, 7, 4, 3], "\(result.errors)")
    }
  }

  @Test func badInputEndsWithItsStatus() throws {
    #expect(try Command.run("tokenize", "--vocab", "/nowhere/vocab.txt", "a").status == 66)
    #expect(try Command.run("tokenize", "a").status == 64)
    try TemporaryFolder.with { folder in
      try Data("[PAD]\n".utf8).write(to: folder.file("vocab.txt"))
      let result = try Command.run("tokenize", "--vocab", folder.path("vocab.txt"), "a")
      #expect(result.status == 65)
      #expect(result.errors.contains("[UNK]"))
      try Data(Self.vocabulary.utf8).write(to: folder.file("vocab.txt"))
      try Data("{\"do_lower_case\": 3}".utf8).write(to: folder.file("config.json"))
      #expect(
        try Command.run(
          "tokenize", "--vocab", folder.path("vocab.txt"), "--config", folder.path("config.json"), "a"
        ).status == 65)
      try Data("{".utf8).write(to: folder.file("config.json"))
      let broken = try Command.run(
        "tokenize", "--vocab", folder.path("vocab.txt"), "--config", folder.path("config.json"), "a")
      #expect(broken.status == 65 && broken.errors.contains("config.json: is not JSON"), "\(broken.errors)")
    }
  }

  @Test func textThatIsNotUTF8IsBadData() throws {
    let result = try tokenize(input: "hello\n")
    #expect(result.status == 0)
    try TemporaryFolder.with { folder in
      try Data(Self.vocabulary.utf8).write(to: folder.file("vocab.txt"))
      try Data([0x61, 0x0A, 0xFF, 0x0A]).write(to: folder.file("input"))
      let process = Command.process(["tokenize", "--vocab", folder.path("vocab.txt")])
      process.standardInput = try FileHandle(forReadingFrom: folder.file("input"))
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 65)
    }
  }
}
