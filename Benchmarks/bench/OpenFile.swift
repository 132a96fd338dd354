import Apus
import ApusPlatform

/// Opens a weights file of 150 MB many times, and says how long it takes and what stays in memory.
func measureOpening() throws {
  let file = try LargeFile()
  defer { file.remove() }
  try printLine("a file of \(megabytes(file.byteCount)) with \(LargeFile.tensorCount) tensors, in the system's cache")

  // Once before, so that nothing is counted that any first use would allocate.
  _ = try SafetensorsFile(path: file.path)
  let timing = try Timing.of(calls: 100) { _ = try SafetensorsFile(path: file.path) }
  try printLine("opening it takes \(duration(timing.median)), at least \(duration(timing.minimum)), of 100 times")

  let before = try residentBytes()
  let weights = Weights(try SafetensorsFile(path: file.path))
  let opened = try residentBytes()
  try printLine("resident memory grows by \(megabytes(opened - before)) when it is opened,")
  var tensors: [Tensor<Float>] = []
  for index in 0..<LargeFile.tensorCount { tensors.append(try weights.tensor(LargeFile.name(index))) }
  let asked = try residentBytes()
  try printLine("by \(megabytes(asked - before)) when all tensors have been asked for,")
  // Reading a tensor of 1 MB brings it into memory, and the system reads ahead.
  let sum = try tensors[7].withUnsafeBufferPointer { $0.reduce(0, +) }
  let touched = try residentBytes()
  try printLine("and by \(megabytes(touched - before)) when one of \(megabytes(LargeFile.tensorBytes)) has been read")
  guard sum == Float(tensors[7].count) else { throw BenchmarkUnavailable("the file holds other numbers than written") }
}

/// A safetensors file of ones, removed when no longer needed.
private struct LargeFile {
  static let tensorCount = 150
  static let tensorBytes = 1_000_000
  static func name(_ index: Int) -> String { "encoder.\(index).weight" }

  let path: String
  let byteCount: Int

  init() throws {
    let entries = (0..<Self.tensorCount).map { index in
      let offsets = "[\(index * Self.tensorBytes),\((index + 1) * Self.tensorBytes)]"
      return "\"\(Self.name(index))\":{\"dtype\":\"F32\",\"shape\":[500,500],\"data_offsets\":\(offsets)}"
    }
    var header = "{" + entries.joined(separator: ",") + "}"
    header = header.padded(to: (header.utf8.count + 7) / 8 * 8)
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array("\(folder)/bench-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard descriptor >= 0 else { throw OutputError(description: "\(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    byteCount = 8 + header.utf8.count + Self.tensorCount * Self.tensorBytes
    do {
      try withUnsafeBytes(of: UInt64(header.utf8.count).littleEndian) { try write($0, to: descriptor) }
      try header.withUTF8 { try write(UnsafeRawBufferPointer($0), to: descriptor) }
      let ones = [Float](repeating: 1, count: Self.tensorBytes / 4)
      for _ in 0..<Self.tensorCount { try ones.withUnsafeBytes { try write($0, to: descriptor) } }
    } catch {
      remove()
      throw OutputError(description: "\(path): \(error)")
    }
  }

  func remove() { unlink(path) }
}
