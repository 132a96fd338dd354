import ApusBase
import FoundationEssentials

/// Named arrays as NumPy's `savez` and `savez_compressed` write them: a ZIP archive of `.npy` files.
///
/// Opening reads the archive's directory; an array is decompressed and checked when it is asked for. An array that is
/// stored as it is, at an address where the processor can read it, is a view of the file. Entries that are not `.npy`
/// files are ignored.
public struct NPZFile: Sendable {
  private let file: MappedFile
  let archive: ZipArchive
  private let index: [UTF8Key: Int]

  /// The names of the arrays, without `.npy`, in the order of the archive's directory.
  public let arrayNames: [String]

  /// Opens the file at `url`.
  /// - Throws: ``FileError``, ``NumPyError``.
  public init(contentsOf url: URL, access: FileAccess = .mapped) throws {
    try self.init(path: url.systemPath, access: access)
  }

  /// Opens the file at `path`.
  /// - Throws: ``FileError``, ``NumPyError``.
  public init(path: String, access: FileAccess = .mapped) throws {
    try self.init(MappedFile(path: path, access: access))
  }

  /// Reads a file that is already in memory; `name` is what messages call it.
  public init(bytes: UnsafeRawBufferPointer, name: String) throws {
    try self.init(MappedFile(copying: bytes, name: name))
  }

  init(_ file: MappedFile) throws {
    self.file = file
    do {
      archive = try ZipArchive(file)
    } catch let error as ZipError {
      throw NumPyError(file: file.name, array: nil, reason: .archive(error))
    }
    var names: [String] = []
    var index: [UTF8Key: Int] = [:]
    for (position, entry) in archive.entries.enumerated() where entry.name.utf8.reversed().starts(with: "ypn.".utf8) {
      let name = String(decoding: entry.name.utf8.dropLast(4), as: UTF8.self)
      names.append(name)
      index[UTF8Key(name)] = position
    }
    self.index = index
    arrayNames = names
  }

  /// What messages call the file.
  public var name: String { file.name }

  /// Whether the file has an array of that name.
  public func contains(_ name: String) -> Bool {
    index[UTF8Key(name)] != nil
  }

  /// An array whose element type is known only now.
  /// - Throws: ``NumPyError`` for a missing or damaged array, or elements that are not plain numbers; ``FileError``.
  public func anyTensor(named name: String) throws -> AnyTensor {
    guard let position = index[UTF8Key(name)] else {
      throw failure(name, .noSuchArray(similar: nearestName(to: name, in: arrayNames)))
    }
    do {
      let (bytes, owner) = try archive.contents(of: archive.entries[position])
      return try NPYFile.read(bytes, in: owner, array: name)
    } catch let error as ZipError {
      throw failure(name, .archive(error))
    }
  }

  /// An array of a given element type. Floating-point types become `Float` or `Double`; integers and Booleans
  /// stay what they are, unless `converting`.
  /// - Throws: ``NumPyError``, ``FileError``.
  public func tensor<Scalar: TensorScalar>(
    named name: String, as type: Scalar.Type = Scalar.self, converting: Bool = false
  ) throws -> Tensor<Scalar> {
    let stored = try anyTensor(named: name)
    do {
      if let tensor = try stored.tensor(as: type, converting: converting) { return tensor }
    } catch let error as TensorError {
      throw failure(name, .conversion(error))
    }
    throw failure(name, .wrongType(found: stored.dataType, expected: Scalar.dataType))
  }

  /// Calls `body` with the bytes of an array's file, and names that in what it throws.
  func withContents<Result>(of name: String, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    try withEntry(named: name) { entry in
      let (bytes, owner) = try archive.contents(of: entry)
      return try withExtendedLifetime(owner) { try body(bytes) }
    }
  }

  /// Calls `body` with an array's entry, and names the array in what it throws.
  func withEntry<Result>(named name: String, _ body: (ZipArchive.Entry) throws -> Result) throws -> Result {
    guard let position = index[UTF8Key(name)] else {
      throw failure(name, .noSuchArray(similar: nearestName(to: name, in: arrayNames)))
    }
    do {
      return try body(archive.entries[position])
    } catch let error as ZipError {
      throw failure(name, .archive(error))
    } catch let reason as NumPyError.Reason {
      throw failure(name, reason)
    }
  }

  private func failure(_ name: String, _ reason: NumPyError.Reason) -> NumPyError {
    NumPyError(file: file.name, array: name, reason: reason)
  }
}
