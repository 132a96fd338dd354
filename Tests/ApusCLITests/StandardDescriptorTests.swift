import ApusTestSupport
import Foundation
import Testing

/// A program may be started with standard input, output or error closed.
@Suite struct StandardDescriptorTests {
  /// Runs `apus` as a shell does with these redirections.
  private func run(_ redirections: String, _ arguments: [String]) throws -> Int32 {
    let shell = Command.process([])
    shell.executableURL = URL(filePath: "/bin/sh")
    let program = Command.executable.path(percentEncoded: false)
    shell.arguments = ["-c", "exec \"$0\" \"$@\" \(redirections)", program] + arguments
    (shell.standardOutput, shell.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try shell.run()
    shell.waitUntilExit()
    return shell.terminationStatus
  }

  @Test(arguments: [">&-", "2>&-", ">&- 2>&-"])
  func whatIsPrintedStaysOutOfFiles(closed: String) throws {
    try TemporaryFolder.with { (folder) throws in
      let clip = shipped("behavior/samples/walking.jsonl")
      #expect(try Command.run("behavior", clip, "--csv", folder.path("open.csv")).status == 0)
      #expect(try run("< '\(clip)' \(closed)", ["behavior", "-", "--csv", folder.path("closed.csv")]) == 0)
      #expect(try Data(contentsOf: folder.file("closed.csv")) == Data(contentsOf: folder.file("open.csv")))
    }
  }

  @Test func closedInputIsEmptyInput() throws {
    try TemporaryFolder.with { (folder) throws in
      let clip = shipped("behavior/samples/walking.jsonl")
      #expect(try run("<&-", ["behavior", clip, "--csv", folder.path("dog.csv")]) == 0)
      #expect(try run("<&-", ["behavior", "-", "--csv", folder.path("none.csv")]) == 65)
      #expect(try run("<&- >&- 2>&-", ["behavior", clip, "--csv", folder.path("all.csv")]) == 0)
      #expect(try Data(contentsOf: folder.file("all.csv")) == Data(contentsOf: folder.file("dog.csv")))
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).sorted() == ["all.csv", "dog.csv"])
    }
  }
}
