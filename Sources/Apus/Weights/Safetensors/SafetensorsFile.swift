import ApusBase
import FoundationEssentials

/// A file of named tensors in the safetensors format, which PyTorch's `save_file` writes.
///
/// Opening reads and checks the header and nothing else. Tensors are views of the file wherever the processor can read
/// them in place, so a file of any size opens in the time its header takes, and memory is used for what is touched.
///
/// ```swift
/// let file = try SafetensorsFile(contentsOf: url)
/// let weight = try file.tensor(named: "encoder.0.weight", as: Float.self)   // [64, 48, 7]
/// ```
///
/// The file must be right in everything: the length of the header, its JSON, every shape, type and offset; no two
/// tensors of one name or with bytes in common, no byte that belongs to none. An unknown element type alone is not an
/// error until that tensor is asked for. Little-endian machines only, which is all that Swift runs on.
///
/// A mapped file that another process cuts short takes this one down: see ``FileAccess``.
public struct SafetensorsFile: Sendable {
  /// What is known of a tensor without looking at its elements.
  public struct TensorInfo: Hashable, Sendable {
    /// The name, unique in the file.
    public let name: String
    /// The element type; `nil` for one that Apus does not know.
    public let dataType: DataType?
    /// The element type as the file spells it: `F32`, `BOOL`, `F8_E4M3` ….
    public let typeName: String
    /// The extent of each axis; empty for a scalar.
    public let shape: [Int]
    /// The size of its data.
    public let byteCount: Int
  }

  private let file: MappedFile
  private let header: SafetensorsHeader
  private let index: [UTF8Key: Int]

  /// Opens the file at `url`.
  /// - Throws: ``FileError`` when it cannot be read, ``SafetensorsError`` when something in it is wrong.
  public init(contentsOf url: URL, access: FileAccess = .mapped) throws {
    try self.init(path: url.systemPath, access: access)
  }

  /// Opens the file at `path`, which may be relative to the working directory.
  /// - Throws: ``FileError`` when it cannot be read, ``FileFormatError`` when it is of another format,
  ///   ``SafetensorsError`` when something in it is wrong.
  public init(path: String, access: FileAccess = .mapped) throws {
    let file = try MappedFile(path: path, access: access)
    do {
      try self.init(file)
    } catch let error as SafetensorsError {
      let format = FileFormat(file)
      guard format == .safetensors || format == .unknown else {
        throw FileFormatError(path: path, found: format, purpose: .weights)
      }
      throw error
    }
  }

  /// Reads a file that is already in memory; `name` is what messages call it.
  public init(bytes: UnsafeRawBufferPointer, name: String) throws {
    try self.init(MappedFile(copying: bytes, name: name))
  }

  init(_ file: MappedFile) throws {
    self.file = file
    do {
      header = try file.withUnsafeBytes { try SafetensorsHeader(reading: $0) }
    } catch let reason as SafetensorsError.Reason {
      throw SafetensorsError(file: file.name, reason: reason)
    }
    var index: [UTF8Key: Int] = [:]
    index.reserveCapacity(header.entries.count)
    for (position, entry) in header.entries.enumerated() { index[UTF8Key(entry.name)] = position }
    self.index = index
  }

  /// What messages call the file.
  public var name: String { file.name }
  /// The names of the tensors, in the order of their data.
  public var tensorNames: [String] { header.entries.map(\.name) }
  /// What the writer said of the file.
  public var metadata: [String: String] { header.metadata }
}

// MARK: - Tensors

extension SafetensorsFile {
  /// Whether the file has a tensor of that name.
  public func contains(_ name: String) -> Bool {
    index[UTF8Key(name)] != nil
  }

  /// The element type, shape and size of a tensor.
  /// - Throws: ``SafetensorsError/Reason/noSuchTensor(name:similar:)``.
  public func info(_ name: String) throws -> TensorInfo {
    let entry = try entry(name)
    switch entry.type {
    case .known(let dataType): return info(entry, dataType, dataType.safetensorsName)
    case .unknown(let typeName): return info(entry, nil, typeName)
    }
  }

  /// A tensor whose element type is known only now. A view of the file where it is aligned or large; Booleans and
  /// small tensors at odd addresses are copied.
  /// - Throws: ``SafetensorsError`` for a missing tensor, an unknown element type, or a Boolean other than 0 and 1.
  public func anyTensor(named name: String) throws -> AnyTensor {
    let entry = try entry(name)
    switch entry.type {
    case .unknown(let typeName): throw failure(.unknownType(tensor: name, typeName: typeName))
    case .known(let dataType):
      let start = header.dataOffset + entry.extent.lowerBound
      let stored = StoredTensor(
        dataType: dataType, shape: entry.shape, count: entry.extent.count / dataType.byteCount,
        bytes: UnsafeRawBufferPointer(rebasing: file.unownedBytes[start..<start + entry.extent.count]), file: file)
      do {
        return try stored.anyTensor()
      } catch let error as StoredTensor.InvalidBool {
        throw failure(.invalidBool(tensor: name, index: error.index, byte: error.byte))
      } catch let error as TensorError {
        throw failure(.conversion(tensor: name, error))
      }
    }
  }

  /// A tensor of a given element type.
  ///
  /// Where the file stores that type the tensor is a view of it. Any floating-point type becomes `Float` or `Double`,
  /// in a copy, rounded to the nearest. Integers and Booleans stay what they are, unless `converting`.
  ///
  /// - Throws: ``SafetensorsError`` for a missing tensor or another element type.
  public func tensor<Scalar: TensorScalar>(
    named name: String, as type: Scalar.Type = Scalar.self, converting: Bool = false
  ) throws -> Tensor<Scalar> {
    let stored = try anyTensor(named: name)
    do {
      if let tensor = try stored.tensor(as: type, converting: converting) { return tensor }
    } catch let error as TensorError {
      throw failure(.conversion(tensor: name, error))
    }
    throw failure(.wrongType(tensor: name, found: stored.dataType, expected: Scalar.dataType))
  }

  private func entry(_ name: String) throws -> SafetensorsHeader.Entry {
    guard let position = index[UTF8Key(name)] else {
      throw failure(.noSuchTensor(name: name, similar: nearestName(to: name, in: tensorNames)))
    }
    return header.entries[position]
  }

  private func info(_ entry: SafetensorsHeader.Entry, _ dataType: DataType?, _ typeName: String) -> TensorInfo {
    TensorInfo(
      name: entry.name, dataType: dataType, typeName: typeName, shape: entry.shape, byteCount: entry.extent.count)
  }

  private func failure(_ reason: SafetensorsError.Reason) -> SafetensorsError {
    SafetensorsError(file: file.name, reason: reason)
  }
}
