import ApusPlatform
import FoundationEssentials

@testable import Apus

/// The path of a file in `Tests/Fixtures/formats`.
func formatFixture(_ name: String, source: StaticString = #filePath) -> String {
  var path = "\(source)".split(separator: "/", omittingEmptySubsequences: false)
  path.removeLast(3)
  return path.joined(separator: "/") + "/Fixtures/formats/" + name
}

func bytes(ofFormatFixture name: String) throws -> [UInt8] {
  try MappedFile(path: formatFixture(name), access: .copied).withUnsafeBytes { Array($0) }
}

/// A new, empty folder that is removed with everything in it when this goes away.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("\(temporaryPath())/apus-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw FileError.unwritable(path: "temporary folder", reason: "mkdtemp") }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The names in the folder, sorted.
  func contents() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = "\(path)/\(name)"
    try Data(bytes).write(to: URL(filePath: file))
    return file
  }
}

private func temporaryPath() -> String {
  getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
}

/// A safetensors file in memory: the length of `header`, `header`, `data`.
func safetensorsBytes(_ header: String, data: [UInt8] = []) -> [UInt8] {
  let text = Array(header.utf8)
  return withUnsafeBytes(of: UInt64(text.count).littleEndian) { Array($0) } + text + data
}

func openSafetensors(_ bytes: [UInt8]) throws -> SafetensorsFile {
  try bytes.withUnsafeBytes { try SafetensorsFile(bytes: $0, name: "memory") }
}

/// Why `bytes` are refused; `nil` when they are not, or for another kind of error.
func safetensorsRefusal(_ bytes: [UInt8]) -> SafetensorsError.Reason? {
  do {
    _ = try openSafetensors(bytes)
    return nil
  } catch {
    return (error as? SafetensorsError)?.reason
  }
}

func safetensorsRefusal(_ header: String, data: [UInt8] = []) -> SafetensorsError.Reason? {
  safetensorsRefusal(safetensorsBytes(header, data: data))
}
