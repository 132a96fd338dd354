import ApusBase

/// Named tensors in several safetensors files of one folder, as Hugging Face divides large models: an index,
/// `model.safetensors.index.json`, says which file holds which tensor.
///
///     {"metadata": {…}, "weight_map": {"encoder.weight": "model-00001-of-00002.safetensors", …}}
///
/// Index and files must agree: every tensor that is listed is where the index says, no file holds another, and files
/// lie beside the index. What `metadata` says is not looked at.
public struct SafetensorsShards: Sendable {
  /// What messages call the index.
  public let name: String
  /// The files, in the order of their names.
  public let files: [SafetensorsFile]
  private let index: [UTF8Key: Int]

  /// The longest index that is read, in bytes, and the most files it may name.
  static let byteLimit = 1 << 26, fileLimit = 4096

  /// Opens an index and the files it names.
  /// - Throws: ``FileError`` for a file that cannot be read; ``SafetensorsError`` for one that is wrong in itself;
  ///   ``SafetensorsShardsError`` for an index that is wrong, or contradicts its files.
  public init(indexPath path: String, access: FileAccess = .mapped) throws {
    let file = try MappedFile(path: path, access: access)
    let places = try file.withUnsafeBytes { try Self.places($0, name: path) }
    let names = Set(places.values).sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
    let folder = parentFolder(of: path)
    files = try names.map { try SafetensorsFile(path: "\(folder)/\($0.string)", access: access) }
    name = path

    let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    index = places.compactMapValues { numbers[$0] }
    for (tensor, number) in index where !files[number].contains(tensor.string) {
      throw SafetensorsShardsError(
        file: path, reason: .notInShard(tensor: tensor.string, shard: names[number].string))
    }
    for (number, file) in files.enumerated() {
      for tensor in file.tensorNames where index[UTF8Key(tensor)] != number {
        throw SafetensorsShardsError(
          file: path,
          reason: .contradiction(
            tensor: tensor, shard: names[number].string, listed: places[UTF8Key(tensor)]?.string))
      }
    }
  }

  /// Which tensor is in which file, as the index says.
  package static func places(_ text: UnsafeRawBufferPointer, name: String) throws -> [UTF8Key: UTF8Key] {
    func failure(_ reason: SafetensorsShardsError.Reason) -> SafetensorsShardsError {
      SafetensorsShardsError(file: name, reason: reason)
    }
    guard text.count <= byteLimit else { throw failure(.tooLong(byteCount: text.count, limit: byteLimit)) }
    var places: [UTF8Key: UTF8Key]?
    var shards: Set<UTF8Key> = []
    do {
      var reader = JSONReader(text)
      try reader.object { reader, key in
        guard key == "weight_map" else { return try reader.skip() }
        guard places == nil else { throw reader.error(.duplicateKey(key)) }
        var found: [UTF8Key: UTF8Key] = [:]
        try reader.object { reader, tensor in
          let shard = try reader.string(limit: JSONReader.keyLimit)
          guard isFileName(shard) else { throw failure(.badFileName(shard)) }
          shards.insert(UTF8Key(shard))
          guard shards.count <= fileLimit else { throw failure(.tooManyFiles(limit: fileLimit)) }
          guard found.updateValue(UTF8Key(shard), forKey: UTF8Key(tensor)) == nil else {
            throw reader.error(.duplicateKey(tensor))
          }
        }
        places = found
      }
      try reader.end()
    } catch let error as JSONError {
      throw failure(.json(error))
    }
    guard let places, !places.isEmpty else { throw failure(.noTensors) }
    return places
  }

  /// Whether `name` is that of a safetensors file in the folder itself.
  private static func isFileName(_ name: String) -> Bool {
    name.hasSuffix(".safetensors") && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}

extension SafetensorsShards {
  /// The names of the tensors of all files.
  var tensorNames: [String] { index.keys.map(\.string) }

  /// The file that holds a tensor; nil when none does.
  func file(holding tensor: UTF8Key) -> SafetensorsFile? {
    index[tensor].map { files[$0] }
  }
}

/// Why an index of safetensors files cannot be used.
public struct SafetensorsShardsError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The index.
  public let file: String
  /// What is wrong with the index, or between it and a file it names.
  public let reason: Reason

  /// What an index can have wrong with it.
  public enum Reason: Hashable, Sendable {
    /// An index beyond what is read into memory.
    case tooLong(byteCount: Int, limit: Int)
    /// Text that is not the JSON it should be.
    case json(JSONError)
    /// No `weight_map`, or an empty one.
    case noTensors
    /// A name that is not that of a safetensors file beside the index.
    case badFileName(String)
    /// More shards than any model has.
    case tooManyFiles(limit: Int)
    /// A tensor that is not in the file that should hold it.
    case notInShard(tensor: String, shard: String)
    /// A tensor in a file where the index does not have it; `listed` is where it has it, if anywhere.
    case contradiction(tensor: String, shard: String, listed: String?)
  }

  /// An error about the index at the path `file`.
  public init(file: String, reason: Reason) {
    self.file = file
    self.reason = reason
  }

  /// The index and what is wrong, on one line.
  public var description: String {
    let text =
      switch reason {
      case .tooLong(let byteCount, let limit): "has \(byteCount) bytes; at most \(limit) are read"
      case .json(let error): "\(error)"
      case .noTensors: "lists no tensors; \"weight_map\" should be an object of file names by tensor"
      case .badFileName(let name): "names the file \"\(name)\"; expected a .safetensors file of the same folder"
      case .tooManyFiles(let limit): "names more than \(limit) files"
      case .notInShard(let tensor, let shard): "lists the tensor \"\(tensor)\" in \(shard), which does not hold it"
      case .contradiction(let tensor, let shard, nil): "does not list the tensor \"\(tensor)\", which \(shard) holds"
      case .contradiction(let tensor, let shard, let listed?):
        "lists the tensor \"\(tensor)\" in \(listed), and \(shard) holds one of that name too"
      }
    return "\(file): \(text)"
  }
}

extension SafetensorsShardsError {
  /// ``Fault/data``: the index or its files cannot be used as they are.
  public var fault: Fault { .data }
}
