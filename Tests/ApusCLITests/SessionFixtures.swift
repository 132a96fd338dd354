import Foundation
import Testing

/// Folders of sessions, looked at without Apus where that can be.
enum SessionFixtures {
  /// What `sha256sum` says of a file: the system is asked, not Apus.
  static func systemHash(_ path: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sha256sum", path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output.prefix(64), as: UTF8.self)
  }

  /// The names in a folder.
  static func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  /// The path of the only session in a folder.
  static func only(_ runs: String) throws -> String {
    let names = try names(runs)
    try #require(names.count == 1)
    return "\(runs)/\(names[0])"
  }

  /// What `apus history --json` says of a folder.
  static func listing(_ arguments: String...) throws -> [[String: Any]] {
    let result = try Command.run(["history"] + arguments + ["--json"])
    #expect(result.status == 0)
    return try result.lines.map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  /// The inputs of a session, by what they were read for.
  static func inputs(of session: [String: Any]) throws -> [String: [String: Any]] {
    let inputs = try #require(session["inputs"] as? [[String: Any]])
    return Dictionary(try inputs.map { (try #require($0["role"] as? String), $0) }) { first, _ in first }
  }
}
