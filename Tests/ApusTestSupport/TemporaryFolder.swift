import ApusBase
import ApusPlatform
import Foundation

/// A new, empty folder that is removed with everything in it when this goes away.
package final class TemporaryFolder {
  package let path: String

  package init() throws {
    var template = Array("\(temporaryPath())/apus-test-XXXXXX".utf8CString)
    // What `mkdtemp` returns points into the template, which need not outlive a call that takes it by `&`.
    path = try template.withUnsafeMutableBufferPointer { name in
      guard let made = name.baseAddress.flatMap({ mkdtemp($0) }) else {
        throw FileError.unwritable(path: "temporary folder", reason: "mkdtemp")
      }
      return String(cString: made)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The names in the folder, sorted.
  package func contents() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = "\(path)/\(name)"
    try Data(bytes).write(to: URL(filePath: file))
    return file
  }
}

private func temporaryPath() -> String {
  getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
}
