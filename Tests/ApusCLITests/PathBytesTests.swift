import Foundation
import Testing

@testable import Apus

/// Names of files are bytes: on the command line, to the system, and in messages.
@Suite struct PathBytesTests {
  /// Runs a command line of the shell, in which `$apus` is the command and `$1` what `argument` says.
  private func shell(_ script: String, in folder: TemporaryFolder) throws -> CommandResult {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "apus=\"$1\"; cd \"$2\"; \(script)", "sh", Command.executable.path(), folder.path("")]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return CommandResult(
      status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
      errors: String(decoding: complaint, as: UTF8.self))
  }

  @Test func namesThatAreNotUTF8AreReadAndWrittenAsTheyAre() throws {
    try TemporaryFolder.with { folder in
      try ImageCommandTests.ppm.write(to: folder.file("in.ppm"))
      let result = try shell(
        #"n=$(printf 'b\351se'); cp in.ppm "$n.ppm"; "$apus" image "$n.ppm" "$n.png" && ls | od -An -tx1"#, in: folder)
      #expect(result.status == 0, "\(result.errors)")
      // b, the byte E9, s, e, .png: once, and no other new file.
      let listing = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(listing.contains("62 e9 73 65 2e 70 6e 67 0a"))
      #expect(try folderNames(at: folder.path("")).count == 3)
    }
  }

  @Test func namesAreEscapedInMessages() throws {
    try TemporaryFolder.with { folder in
      let result = try shell(#""$apus" inspect "$(printf 'b\351se.onnx')""#, in: folder)
      #expect(result.status == 66)
      #expect(result.errors == "apus: b\\xE9se.onnx: no such file\n")
    }
  }

  @Test(arguments: [0x202E, 0x202A, 0x2066, 0x2069, 0x200E, 0x200F, 0x061C, 0x2028])
  func charactersThatTurnTextRoundAreEscaped(value: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(value))
    let result = try Command.run("inspect", "gpj\(scalar)xnno.onnx")
    #expect(result.status == 66)
    #expect(!result.errors.unicodeScalars.contains(scalar))
    #expect(result.errors.uppercased().contains(String(value, radix: 16, uppercase: true)))
  }

  /// Without /proc the standard library knows no arguments, and every command would be help.
  @Test func argumentsAreKnownWithoutProc() throws {
    try TemporaryFolder.with { folder in
      let probe = try shell("unshare -rm sh -c 'mount -t tmpfs none /proc && ! test -e /proc/self'", in: folder)
      // Where nobody may make a namespace, what reads the arguments is tested by SystemPathTests alone.
      guard probe.status == 0 else { return }
      let result = try shell(
        "unshare -rm sh -c 'mount -t tmpfs none /proc; exec \"$0\" inspect absent.onnx' \"$apus\"", in: folder)
      #expect(result.status == 66)
      #expect(result.errors.contains("absent.onnx: no such file"))
    }
  }
}
