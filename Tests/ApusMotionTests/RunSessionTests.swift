import Foundation
import Testing

@testable import Apus
@testable import ApusMotion

@Suite struct RunSessionTests {
  private static let hash = String(repeating: "5e", count: 32)

  private static var session: RunSession {
    RunSession(
      apusVersion: "0.1.0", command: "barpath", started: "2026-11-22T08:21:03Z", seconds: 1.25,
      machine: RunSession.Machine(processor: "A \"quoted\" maker", variant: "avx2", threads: 4),
      inputs: [SessionInput(role: "input", path: "a\\b\n.jsonl", kind: .file, byteCount: 12, sha256: hash)],
      settings: [
        SessionEntry("gapFillFrames", .number(8)), SessionEntry("smoothingType", .text("ema")),
        SessionEntry("elbowFallback", .flag(true)),
      ],
      summary: [SessionEntry("rom", .number(39.99999037935244)), SessionEntry("reps", .number(3))],
      headline: "3 reps, 40.0 cm", failure: "line 7: „bad“\u{1B}[2J")
  }

  private static func read(_ text: String) throws -> RunSession {
    try Array(text.utf8).withUnsafeBytes { try RunSession(json: $0) }
  }

  @Test func whatIsWrittenReadsBack() throws {
    #expect(try Self.read(Self.session.jsonLine) == Self.session)
    var sound = Self.session
    sound.failure = nil
    #expect(try Self.read(sound.jsonLine) == sound)
  }

  @Test func keysOfLaterVersionsArePassedOver() throws {
    let text = Self.session.jsonLine.dropLast() + #","later":{"deep":[[[1,{"a":null}]]]}}"#
    #expect(try Self.read(String(text)) == Self.session)
  }

  @Test func theFolderIsNamedAfterTimeCommandAndInputs() {
    // printf '%s  input\n' 5e5e…5e | sha256sum
    #expect(Self.session.folderName == "20261122T082103Z-barpath-0da3f2")
  }

  @Test func theListingOfAFolderIsThatOfSha256sum() {
    let listing = SessionInput.listing(of: [("b.png", "22"), ("a\n.png", "11"), ("B.png", "33"), ("c\\.png", "44")])
    #expect(listing == "33  B.png\n\\11  a\\n.png\n22  b.png\n\\44  c\\\\.png\n")
  }

  /// Every text is the sound one with a part replaced.
  @Test(arguments: [
    ("{\"apus_session\":1", "{\"something\":1"), ("\"apus_session\":1", "\"apus_session\":2"),
    ("\"apus_session\":1", "\"apus_session\":1.5"), ("\"apus_session\":1", "\"apus_session\":99999999999999999999"),
    ("\"seconds\":1.25", "\"seconds\":NaN"), ("\"seconds\":1.25", "\"seconds\":1e999"),
    ("\"seconds\":1.25", "\"seconds\":-1"), ("\"seconds\":1.25", "\"seconds\":\"1\""),
    ("\"threads\":4", "\"threads\":null"), ("\"threads\":4,", ""), ("\"threads\":4", "\"threads\":4,\"threads\":4"),
    ("2026-11-22T08", "2026-11-22 08"), ("2026-11-22T08", "2026-11-2xT08"), ("\"kind\":\"file\"", "\"kind\":\"disk\""),
    ("\"bytes\":12", "\"bytes\":-12"), ("\"bytes\":12", "\"bytes\":12e0"), ("5e5e\"", "5E5E\""), ("5e5e\"", "5e\""),
    ("\"gapFillFrames\":8", "\"gapFillFrames\":[8]"), ("\"gapFillFrames\":8", "\"smoothingType\":8"),
    ("\"status\":\"failed\"", "\"status\":\"fine\""), ("\"summary\":{", "\"summary\":[{"),
    ("\"command\":\"barpath\"", "\"command\":7"), ("\"settings\":{", "\"settings\":\"{"),
  ])
  func whatIsWrongIsRefusedByName(part: String, replacement: String) throws {
    let sound = Self.session.jsonLine
    try #require(sound.contains(part))
    let text = sound.replacing(part, with: replacement, maxReplacements: 1)
    #expect(throws: SessionError.self) { try Self.read(text) }
  }

  @Test func everyCutTextIsRefused() {
    let line = Array(Self.session.jsonLine.utf8)
    for count in 0..<line.count {
      #expect(throws: SessionError.self) { try line.prefix(count).withUnsafeBytes { try RunSession(json: $0) } }
    }
  }

  @Test func deepAndLongTextIsRefused() {
    let deep = "{\"later\":" + String(repeating: "[", count: 100_000)
    #expect(throws: SessionError.self) { try Self.read(deep) }
    let long = Self.session.jsonLine.replacing("3 reps", with: String(repeating: "x", count: 100_000))
    #expect(throws: SessionError.self) { try Self.read(long) }
  }

  @Test func aFolderHoldsWholeSessionsAlone() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let path = root.appending(path: "a/b").path(percentEncoded: false)
    let folder = SessionFolder(path: path + "//")
    #expect(folder.path == path)
    let files = [(name: "results.json", bytes: Array("{}".utf8))]
    let name = Self.session.folderName
    #expect(try folder.add(Self.session, files: files) == name)
    // As if another run were writing, or had been killed.
    try FileManager.default.createDirectory(atPath: "\(path)/.\(name)-2.partial", withIntermediateDirectories: false)
    #expect(try folder.add(Self.session, files: files) == "\(name)-3")
    #expect(try folder.contents().sessions.map(\.name) == [name, "\(name)-3"])
    #expect(try folder.contents().sessions.allSatisfy { $0.session == Self.session })
    #expect(try folder.contents().skipped.map(\.name) == [".\(name)-2.partial"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(name)-3").sorted()
        == ["results.json", "session.json"])

    // What could not be read again is not written, and a file that cannot be written leaves nothing.
    var long = Self.session
    long.headline = String(repeating: "x", count: 100_000)
    #expect(throws: SessionError.self) { try folder.add(long, files: files) }
    #expect(throws: FileError.self) { try folder.add(Self.session, files: [("no/where", [])]) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 3)
  }

  @Test func aComparisonTellsWhatDiffers() throws {
    let old = Self.session
    #expect(SessionComparison(old: old, new: old).isEqual)
    var new = old
    new.summary[0].value = .number(44)
    new.settings[1].value = .text("kalman")
    new.settings.append(SessionEntry("fps", .number(30)))
    new.machine.threads = 1
    let comparison = SessionComparison(old: old, new: new)
    #expect(!comparison.isEqual)
    #expect(comparison.hasEqualInputs)
    #expect(comparison.settings.map(\.key) == ["smoothingType", "fps"])
    #expect(comparison.settings[1].old == nil)
    let rom = try #require(comparison.summary.first)
    #expect(comparison.summary.count == 1)
    #expect(try abs(#require(rom.absolute) - 4.00000962064756) < 1e-12)
    #expect(try abs(#require(rom.relative) - 0.100000264567) < 1e-11)
    #expect(comparison.surroundings.map(\.key) == ["threads"])
    // The machine alone makes no difference.
    new = old
    new.machine.variant = "baseline"
    #expect(SessionComparison(old: old, new: new).isEqual)
    new.inputs[0].sha256 = String(repeating: "5f", count: 32)
    #expect(!SessionComparison(old: old, new: new).hasEqualInputs)
    new.inputs = []
    #expect(!SessionComparison(old: old, new: new).isEqual)
  }
}
