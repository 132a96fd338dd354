import ApusBase
import FoundationEssentials

/// Writes named tensors as a safetensors file, laid out as the reference implementation lays it out: the widest types
/// first, then by name, the header padded with spaces to a multiple of eight bytes. So every tensor is aligned, and
/// equal tensors give equal files.
///
/// ```swift
/// var writer = SafetensorsWriter(metadata: ["made by": "apus"])
/// try writer.add(logits, named: "output.logits")
/// try writer.write(to: url)
/// ```
public struct SafetensorsWriter: Sendable {
  /// What the file says of itself.
  public var metadata: [String: String]
  private var tensors: [UTF8Key: AnyTensor] = [:]

  /// A file without tensors so far.
  public init(metadata: [String: String] = [:]) {
    self.metadata = metadata
  }

  /// Adds a tensor.
  /// - Throws: ``SafetensorsWriterError`` for a name that is taken, too long, or kept by the format for itself, and for
  ///   more than 64 axes.
  public mutating func add(_ tensor: AnyTensor, named name: String) throws {
    guard name != "__metadata__" else { throw SafetensorsWriterError.reservedName(name) }
    try checkLength(of: name, limit: JSONReader.keyLimit)
    guard tensor.shape.count <= SafetensorsHeader.rankLimit else {
      throw SafetensorsWriterError.tooManyDimensions(tensor: name, limit: SafetensorsHeader.rankLimit)
    }
    guard tensors.updateValue(tensor, forKey: UTF8Key(name)) == nil else {
      throw SafetensorsWriterError.duplicateName(name)
    }
  }

  /// Adds a tensor.
  /// - Throws: ``SafetensorsWriterError`` for a name that is taken, too long, or kept by the format for itself, and for
  ///   more than 64 axes.
  public mutating func add(_ tensor: Tensor<some TensorScalar>, named name: String) throws {
    try add(AnyTensor(tensor), named: name)
  }

  /// Writes the file at `url`, whole or not at all.
  /// - Throws: ``FileError``, ``SafetensorsWriterError``.
  public func write(to url: URL) throws {
    try write(toPath: url.systemPath)
  }

  /// Writes the file at `path`, whole or not at all.
  /// - Throws: ``FileError``, ``SafetensorsWriterError``.
  public func write(toPath path: String) throws {
    let ordered = inFileOrder()
    let header = try header(of: ordered)
    try AtomicFile.create(at: path) { file in
      try withUnsafeBytes(of: UInt64(header.count).littleEndian) { try file.append($0) }
      try header.withUnsafeBytes { try file.append($0) }
      for (_, tensor) in ordered { try tensor.withUnsafeBytes { try file.append($0) } }
    }
  }

  /// The file as bytes.
  /// - Throws: ``SafetensorsWriterError``.
  public func bytes() throws -> [UInt8] {
    let ordered = inFileOrder()
    let header = try header(of: ordered)
    var bytes = withUnsafeBytes(of: UInt64(header.count).littleEndian) { Array($0) }
    bytes += header
    for (_, tensor) in ordered { try tensor.withUnsafeBytes { bytes.append(contentsOf: $0) } }
    return bytes
  }
}

/// What a safetensors file cannot hold.
public enum SafetensorsWriterError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// A name that another tensor has.
  case duplicateName(String)
  /// The name that the format keeps for metadata.
  case reservedName(String)
  /// A name, or a key of the metadata, that the reader would refuse.
  case nameTooLong(String, limit: Int)
  /// More axes than the reader allows.
  case tooManyDimensions(tensor: String, limit: Int)
  /// More entries of metadata than the reader allows.
  case tooMuchMetadata(limit: Int)
  /// A header beyond the format's limit.
  case headerTooLong(byteCount: Int, limit: Int)

  /// What the format does not allow, and the limit where there is one.
  public var description: String {
    switch self {
    case .duplicateName(let name): "a safetensors file cannot hold two tensors named \"\(name)\""
    case .reservedName(let name): "a tensor of a safetensors file cannot be named \"\(name)\""
    case .nameTooLong(let name, let limit):
      "a name of a safetensors file takes \(quoted(name).utf8.count - 2) bytes; at most \(limit) are allowed"
    case .tooManyDimensions(let tensor, let limit):
      "tensor \"\(tensor)\" has too many dimensions for a safetensors file; at most \(limit) are allowed"
    case .tooMuchMetadata(let limit): "a safetensors file has at most \(limit) entries of metadata"
    case .headerTooLong(let byteCount, let limit):
      "the header of a safetensors file would have \(byteCount) bytes; at most \(limit) are allowed"
    }
  }
}

// MARK: - Layout

extension SafetensorsWriter {
  private func checkLength(of name: String, limit: Int) throws {
    guard quoted(name).utf8.count - 2 <= limit else { throw SafetensorsWriterError.nameTooLong(name, limit: limit) }
  }

  private typealias Named = (name: String, tensor: AnyTensor)

  private func inFileOrder() -> [Named] {
    tensors.map { ($0.key.string, $0.value) }.sorted { a, b in
      let (x, y) = (a.tensor.dataType.fileRank, b.tensor.dataType.fileRank)
      return x == y ? a.name.utf8.lexicographicallyPrecedes(b.name.utf8) : x > y
    }
  }

  private func header(of ordered: [Named]) throws -> [UInt8] {
    var members: [String] = []
    guard metadata.count <= SafetensorsHeader.metadataLimit else {
      throw SafetensorsWriterError.tooMuchMetadata(limit: SafetensorsHeader.metadataLimit)
    }
    if !metadata.isEmpty {
      let pairs = metadata.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      for (key, _) in pairs { try checkLength(of: key, limit: SafetensorsHeader.metadataKeyLimit) }
      let fields = pairs.map { "\(quoted($0.key)):\(quoted($0.value))" }
      members.append("\"__metadata__\":{\(fields.joined(separator: ","))}")
    }
    var offset = 0
    for (name, tensor) in ordered {
      let end = offset + tensor.count * tensor.dataType.byteCount
      let shape = tensor.shape.map(String.init).joined(separator: ",")
      members.append(
        #"\#(quoted(name)):{"dtype":"\#(tensor.dataType.safetensorsName)","shape":[\#(shape)],"#
          + #""data_offsets":[\#(offset),\#(end)]}"#)
      offset = end
    }
    var header = Array("{\(members.joined(separator: ","))}".utf8)
    while !header.count.isMultiple(of: 8) { header.append(UInt8(ascii: " ")) }
    guard header.count <= SafetensorsHeader.byteLimit else {
      throw SafetensorsWriterError.headerTooLong(byteCount: header.count, limit: SafetensorsHeader.byteLimit)
    }
    return header
  }
}

extension DataType {
  /// The order in which the reference implementation writes its types, the last first: wide ones before narrow ones.
  fileprivate var fileRank: Int {
    switch self {
    case .bool: 0
    case .uint8: 1
    case .int8: 2
    case .int16: 3
    case .uint16: 4
    case .float16: 5
    case .bfloat16: 6
    case .int32: 7
    case .uint32: 8
    case .float32: 9
    case .float64: 10
    case .int64: 11
    case .uint64: 12
    }
  }
}

extension SafetensorsWriterError {
  /// ``Fault/data``: names or metadata are at fault, not the disk; that is ``FileError/unwritable(path:reason:)``.
  public var fault: Fault { .data }
}

/// `text` as a JSON string.
private func quoted(_ text: String) -> String { JSONObject.quoted(text, usesLetters: true) }
