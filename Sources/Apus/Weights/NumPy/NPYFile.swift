import ApusBase
import FoundationEssentials

/// Arrays as NumPy's `save` writes them.
///
/// Versions 1 to 3 are read, in either byte order and either order of axes; what comes out is row-major. An array that
/// lies in the file as a tensor lies in memory, as nearly all do, is a view of the file. Python objects, structured
/// types, text, times and complex numbers are refused by name. Nothing may follow the array.
public enum NPYFile {
  /// Reads the array in the file at `url`.
  /// - Throws: ``FileError``, ``NumPyError``.
  public static func read(contentsOf url: URL, access: FileAccess = .mapped) throws -> AnyTensor {
    try read(path: url.systemPath, access: access)
  }

  /// Reads the array in the file at `path`.
  /// - Throws: ``FileError``, ``NumPyError``.
  public static func read(path: String, access: FileAccess = .mapped) throws -> AnyTensor {
    let file = try MappedFile(path: path, access: access)
    return try read(file.unownedBytes, in: file, array: nil)
  }

  /// Reads an array that is already in memory; `name` is what messages call it.
  public static func read(bytes: UnsafeRawBufferPointer, name: String) throws -> AnyTensor {
    let file = try MappedFile(copying: bytes, name: name)
    return try read(file.unownedBytes, in: file, array: nil)
  }

  /// Reads the array in `bytes`, which `file` keeps valid.
  static func read(_ bytes: UnsafeRawBufferPointer, in file: MappedFile, array: String?) throws -> AnyTensor {
    do {
      return try withExtendedLifetime(file) { try tensor(bytes, in: file) }
    } catch let reason as NumPyError.Reason {
      throw NumPyError(file: file.name, array: array, reason: reason)
    } catch let error as StoredTensor.InvalidBool {
      throw NumPyError(
        file: file.name, array: array, reason: .invalidBool(index: error.index, byte: error.byte))
    } catch let error as TensorError {
      throw NumPyError(file: file.name, array: array, reason: .conversion(error))
    }
  }

  private static func tensor(_ bytes: UnsafeRawBufferPointer, in file: MappedFile) throws -> AnyTensor {
    let header = try NPYHeader(reading: bytes)
    guard let count = try? Shape.elementCount(header.shape) else {
      throw NumPyError.Reason.shapeOverflow(shape: header.shape)
    }
    let (expected, overflow) = count.multipliedReportingOverflow(by: header.dataType.byteCount)
    guard !overflow else { throw NumPyError.Reason.shapeOverflow(shape: header.shape) }
    let data = UnsafeRawBufferPointer(rebasing: bytes[header.dataOffset...])
    guard data.count == expected else {
      throw NumPyError.Reason.wrongByteCount(
        dataType: header.dataType, shape: header.shape, expected: expected, found: data.count)
    }
    let isTransposed = header.isFortranOrder && header.shape.count > 1
    let isSwapped = header.isBigEndian && header.dataType.byteCount > 1
    guard isTransposed || isSwapped else {
      return try StoredTensor(
        dataType: header.dataType, shape: header.shape, count: count, bytes: data, file: file
      ).anyTensor()
    }
    let reordered = try MappedFile(name: file.name, byteCount: expected) { memory in
      reorder(
        data, into: memory, elementSize: header.dataType.byteCount,
        fortranShape: isTransposed ? header.shape : [count], swapped: isSwapped)
    }
    return try StoredTensor(
      dataType: header.dataType, shape: header.shape, count: count, bytes: reordered.unownedBytes, file: reordered
    ).anyTensor()
  }
}

// MARK: - Writing

extension NPYFile {
  /// Writes a tensor at `url`, whole or not at all.
  /// - Throws: ``FileError``; ``NumPyError`` for bfloat16 and for more than 64 axes, which NumPy does not have.
  public static func write(_ tensor: AnyTensor, to url: URL) throws {
    try write(tensor, toPath: url.systemPath)
  }

  /// Writes a tensor at `path`, whole or not at all.
  /// - Throws: ``FileError``; ``NumPyError`` for bfloat16 and for more than 64 axes, which NumPy does not have.
  public static func write(_ tensor: AnyTensor, toPath path: String) throws {
    let header = try header(of: tensor, file: path)
    try AtomicFile.create(at: path) { file in
      try header.withUnsafeBytes { try file.append($0) }
      try tensor.withUnsafeBytes { try file.append($0) }
    }
  }

  /// The file as bytes.
  /// - Throws: ``NumPyError`` for bfloat16 and for more than 64 axes, which NumPy does not have.
  public static func bytes(of tensor: AnyTensor) throws -> [UInt8] {
    try header(of: tensor, file: "memory") + tensor.withUnsafeBytes { Array($0) }
  }

  private static func header(of tensor: AnyTensor, file: String) throws -> [UInt8] {
    guard let name = tensor.dataType.numPyName else {
      throw NumPyError(file: file, array: nil, reason: .unwritableType(tensor.dataType))
    }
    return try header((tensor.dataType.byteCount == 1 ? "|" : "<") + name, shape: tensor.shape, file: file)
  }

  /// Version 1.0, padded so that the data begins at a multiple of 64 bytes. Its length, which has two bytes, is bounded
  /// by the limit of the axes.
  /// - Throws: ``NumPyError`` about `file`, for more axes than NumPy allows.
  static func header(_ type: String, shape: [Int], file: String) throws -> [UInt8] {
    guard shape.count <= NPYHeader.rankLimit else {
      throw NumPyError(file: file, array: nil, reason: .tooManyDimensions(limit: NPYHeader.rankLimit))
    }
    let extents = shape.map(String.init).joined(separator: ", ") + (shape.count == 1 ? "," : "")
    var text = Array("{'descr': '\(type)', 'fortran_order': False, 'shape': (\(extents)), }".utf8)
    while (10 + text.count + 1) % 64 != 0 { text.append(UInt8(ascii: " ")) }
    text.append(UInt8(ascii: "\n"))
    return NPYHeader.magic + [1, 0, UInt8(text.count & 0xFF), UInt8(text.count >> 8)] + text
  }
}
