import Apus
import ApusGraph

extension ModelProto {
  /// Reads the model at `path`. Its weights stay in the file until they are used.
  /// - Throws: ``FileError`` when the file cannot be read, ``FileFormatError`` when it is of another format,
  ///   ``ONNXFileError`` when something in it is wrong.
  public static func read(contentsOf path: String, access: FileAccess = .mapped) throws -> ModelProto {
    let file = try MappedFile(path: path, access: access)
    return try read(FileSource(file: file, externalFiles: ExternalFiles(model: path, access: access)))
  }

  /// Reads a model that is already in memory; `name` is what messages call it.
  /// - Parameter folder: where files lie that hold tensors of the model; nil when it has none.
  /// - Throws: ``FileError/empty(path:)`` for no bytes, ``FileFormatError`` for another format, ``ONNXFileError`` when
  ///   something is wrong.
  public static func read(
    bytes: UnsafeRawBufferPointer, name: String, folder: String? = nil, access: FileAccess = .mapped
  ) throws -> ModelProto {
    guard !bytes.isEmpty else { throw FileError.empty(path: name) }
    let external = folder.map { ExternalFiles(folder: $0, access: access) }
    return try read(FileSource(file: MappedFile(copying: bytes, name: name), externalFiles: external))
  }

  private static func read(_ source: FileSource) throws -> ModelProto {
    do {
      var model: ModelProto = try source.message()
      model.source = source
      return model
    } catch let error as ONNXFileError {
      // Looked at only now: a model could begin as a file of another format does.
      if let other = FileFormatError(source.file, expecting: [.onnx]) { throw other }
      throw error
    }
  }

  /// The model as a file holds it, data of other files included.
  /// - Throws: ``ONNXFileError``.
  public func encode() throws -> [UInt8] {
    try messageBytes(self, name: "model")
  }

  /// Writes the model at `path`, whole or not at all, data of other files included.
  /// - Throws: ``FileError``, ``ONNXFileError``.
  public func write(to path: String) throws {
    try writeMessage(self, to: path)
  }
}

extension FileSource {
  /// The message that the whole file is.
  func message<Message: ONNXMessage>(_ type: Message.Type = Message.self) throws -> Message {
    try withExtendedLifetime(self) {
      var reader = ProtobufReader(source: self, message: Message.messageName)
      do throws(ProtobufError) {
        return try Message(from: &reader)
      } catch {
        throw ONNXFileError(file: file.name, reason: .protobuf(error))
      }
    }
  }
}

/// Writes a message as a file, whole or not at all.
func writeMessage(_ message: some ProtobufWritable, to path: String) throws {
  try writingFailures(of: path) {
    try AtomicFile.create(at: path) { file in
      try ProtobufWriter.write(message, limit: ONNXFileError.byteLimit, begin: { _ in }, to: { try file.append($0) })
    }
  }
}

/// A message as the bytes of a file, which errors call `name`.
func messageBytes(_ message: some ProtobufWritable, name: String) throws -> [UInt8] {
  try writingFailures(of: name) {
    var result: [UInt8] = []
    try ProtobufWriter.write(
      message, limit: ONNXFileError.byteLimit, begin: { result.reserveCapacity($0) },
      to: { result.append(contentsOf: $0) })
    return result
  }
}

/// Adds the name of the file to what cannot be written.
private func writingFailures<Result>(of name: String, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let reason as ONNXFileError.Reason {
    throw ONNXFileError(file: name, reason: reason)
  }
}
