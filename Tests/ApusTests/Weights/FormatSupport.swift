import ApusTestSupport

@testable import Apus

/// The path of a file in `Tests/Fixtures/formats`.
func formatFixture(_ name: String) -> String { fixture("formats/" + name) }

func bytes(ofFormatFixture name: String) throws -> [UInt8] {
  try MappedFile(path: formatFixture(name), access: .copied).withUnsafeBytes { Array($0) }
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
