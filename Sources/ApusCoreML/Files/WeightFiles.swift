import Apus
import ApusGraph

/// Files that hold the large constants of ML programs, mapped when they are first asked for.
final class WeightFiles: Sendable {
  /// The folder that the model's own file lies in.
  private let folder: String
  private let access: FileAccess
  private let files = Locked<[String: MappedFile]>([:])

  init(folder: String, access: FileAccess) {
    self.folder = folder
    self.access = access
  }

  /// The paths of the files that were read so far, sorted.
  var paths: [String] { files.withLock { $0.values.map(\.name) }.sorted() }

  /// The elements of a constant: where they lie, and how many bits of the last byte mean nothing.
  struct Blob {
    let file: MappedFile
    let range: Range<Int>
    let paddingBits: Int
  }

  /// What messages say of a place in a file.
  private static let prefix = "@model_path/"
  private static let headerByteCount = 64
  private static let sentinel: UInt32 = 0xDEAD_BEEF

  /// The constant whose record lies at `offset` in the file called `name` (`@model_path/weights/weight.bin`).
  /// - Throws: ``OperatorError`` for a name that leaves the package and a record that makes no sense, ``FileError``.
  func blob(_ name: String, at offset: UInt64, type: MILType) throws -> Blob {
    let file = try self.file(name)
    let place = "\(name), byte \(offset)"
    guard offset >= UInt64(Self.headerByteCount), offset <= UInt64(file.count),
      UInt64(file.count) - offset >= UInt64(Self.headerByteCount)
    else {
      throw OperatorError("\(place): no record of 64 bytes lies there; the file has \(file.count) bytes")
    }
    return try file.withUnsafeBytes { bytes in
      func number<Number: FixedWidthInteger>(_ at: Int, _: Number.Type) -> Number {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: Int(offset) + at, as: Number.self))
      }
      guard number(0, UInt32.self) == Self.sentinel else {
        throw OperatorError("\(place): the record begins with other bytes than a record does")
      }
      let code = number(4, UInt32.self)
      guard code == type.blobCode else {
        throw OperatorError("\(place): the record is of type \(code); \(type) has \(type.blobCode ?? 0)")
      }
      let (count, start, padding) = (number(8, UInt64.self), number(16, UInt64.self), number(24, UInt64.self))
      guard start <= UInt64(file.count), count <= UInt64(file.count) - start else {
        throw OperatorError(
          "\(place): \(count) bytes from byte \(start) on lie beyond the end of a file of \(file.count) bytes")
      }
      return Blob(
        file: file, range: Int(start)..<Int(start + count), paddingBits: type.bitCount < 8 ? Int(min(padding, 7)) : 0)
    }
  }

  private func file(_ name: String) throws -> MappedFile {
    guard name.hasPrefix(Self.prefix) else {
      throw OperatorError("'\(name)' is no file of the package: its name does not begin with \(Self.prefix)")
    }
    let path = try ModelPackage.checked(String(name.dropFirst(Self.prefix.count)), of: folder)
    if let file = files.withLock({ $0[path] }) { return file }
    let file = try MappedFile(path: "\(folder)/\(path)", access: access)
    guard file.count >= Self.headerByteCount else {
      throw OperatorError("'\(name)' has \(file.count) bytes and no header")
    }
    let version = file.withUnsafeBytes {
      UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }
    guard version == 2 else { throw OperatorError("'\(name)' is of version \(version) of the format; 2 is known") }
    return files.withLock { files in
      if let other = files[path] { return other }
      files[path] = file
      return file
    }
  }
}
