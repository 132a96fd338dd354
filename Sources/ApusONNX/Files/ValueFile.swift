import Apus
import ApusGraph

/// Files that hold one value each (`.pb`), as the tests of the standard and many tools keep inputs and outputs.
public enum ValueFile {
  /// Reads a value of the kind that `type` says; the file itself does not say.
  /// - Returns: the name that the file gives the value, and the value.
  /// - Throws: ``FileError`` when the file cannot be read, ``ONNXFileError`` when something in it is wrong.
  public static func read(
    contentsOf path: String, as type: GraphValueType = .tensor(nil, nil), access: FileAccess = .mapped
  ) throws -> (name: String, value: GraphValue) {
    let (name, value, _) = try readNamingFiles(contentsOf: path, as: type, access: access)
    return (name, value)
  }

  /// The same with the paths of the other files that hold its elements.
  package static func readNamingFiles(
    contentsOf path: String, as type: GraphValueType, access: FileAccess = .mapped
  ) throws -> (name: String, value: GraphValue, externalFiles: [String]) {
    let file = try MappedFile(path: path, access: access)
    let source = FileSource(file: file, externalFiles: ExternalFiles(model: path, access: access))
    let (name, value) = try read(source, as: type)
    return (name, value, source.externalPaths)
  }

  /// Reads a value that is already in memory; `name` is what messages call it.
  /// - Throws: ``ONNXFileError`` when something is wrong.
  public static func read(
    bytes: UnsafeRawBufferPointer, name: String, as type: GraphValueType = .tensor(nil, nil)
  ) throws -> (name: String, value: GraphValue) {
    try read(FileSource(file: MappedFile(copying: bytes, name: name)), as: type)
  }

  private static func read(_ source: FileSource, as type: GraphValueType) throws -> (name: String, value: GraphValue) {
    switch type {
    case .tensor:
      let tensor: TensorProto = try source.message()
      return (tensor.name, try tensor.value())
    case .sequence(let element):
      let sequence: SequenceProto = try source.message()
      return (sequence.name, try sequence.value(element: element))
    case .optional(let element):
      let optional: OptionalProto = try source.message()
      return (optional.name, try optional.value(element: element))
    case .map, .unsupported:
      throw ONNXFileError(file: source.file.name, reason: .unreadableValue("a value of type \(type)"))
    }
  }

  /// Writes a value at `path`, whole or not at all.
  /// - Throws: ``FileError``, ``ONNXFileError``.
  public static func write(_ value: GraphValue, named name: String = "", to path: String) throws {
    try writeMessage(SequenceProto.Element(value, name: name), to: path)
  }

  /// The file that ``write(_:named:to:)`` writes, as bytes.
  /// - Throws: ``ONNXFileError``.
  public static func bytes(of value: GraphValue, named name: String = "") throws -> [UInt8] {
    try messageBytes(SequenceProto.Element(value, name: name), name: "value")
  }
}
