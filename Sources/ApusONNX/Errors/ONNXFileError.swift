import Apus
import ApusGraph

/// Why a file is not an ONNX file, or does not hold what was asked of it.
public struct ONNXFileError: ApusError, Hashable, Sendable {
  /// The file, as it was named when it was opened.
  public let file: String
  /// What is wrong with the file, or with a tensor of it.
  public let reason: Reason

  /// The most bytes that a protocol buffer can have, and so such a file.
  static let byteLimit = Int(Int32.max)

  /// What reading or writing a file can fail with.
  public enum Reason: Error, Hashable, Sendable {
    /// Bytes that are not a message of the format.
    case protobuf(ProtobufError)
    /// A tensor that is not what it should be.
    case tensor(String, TensorReason)
    /// A value of a kind that Apus does not read.
    case unreadableValue(String)
    /// A type that cannot be written.
    case unwritableType(String)
    /// More bytes than a protocol buffer can have.
    case tooLargeToWrite(byteCount: Int)
  }

  /// What can be wrong with a tensor.
  public enum TensorReason: Error, Hashable, Sendable {
    /// An element type that Apus does not know.
    case unknownElementType(Int32)
    /// An element type that Apus knows and has no tensors of.
    case unsupportedElementType(ElementType)
    /// More dimensions than any tensor has.
    case tooManyDimensions(Int, limit: Int)
    /// A dimension below zero.
    case negativeDimension(Int64)
    /// More elements than can be counted.
    case tooLarge([Int64])
    /// A number of bytes other than type and shape call for.
    case wrongByteCount(ElementType, [Int], expected: Int, found: Int)
    /// A number of elements other than the shape calls for.
    case wrongElementCount(ElementType, [Int], field: String, expected: Int, found: Int)
    /// A number that the element type does not have.
    case outOfRange(index: Int, value: Int64, ElementType)
    /// Bytes that are not a number.
    case badNumber(index: Int, offset: Int)
    /// A Boolean that is neither 0 nor 1.
    case invalidBool(index: Int, byte: UInt8)
    /// A text that is not UTF-8.
    case notUTF8(index: Int)
    /// A piece of a tensor, whose other pieces are elsewhere.
    case segment
    /// A sparse tensor whose places make no sense.
    case sparse(String)
    /// Texts in another file, which the standard does not have.
    case externalStrings
    /// Data in another file, where it is not known in which folder.
    case noFolder(location: String)
    /// A name of another file that must not be opened.
    case badLocation(String, why: String)
    /// An offset or length that is not a number.
    case badExternalNumber(key: String, text: String)
    /// Data that would lie beyond the end of the other file.
    case beyondExternalFile(location: String, offset: Int, length: Int, fileSize: Int)
    /// The other file cannot be opened, or there is too little memory.
    case externalFile(FileError)
    /// Too little memory.
    case tensor(TensorError)
  }
}

extension ONNXFileError: CustomStringConvertible {
  /// The file, the tensor where it is about one, and what is wrong.
  public var description: String { "\(file): \(reason)" }
}

extension ONNXFileError.Reason: CustomStringConvertible {
  /// What is wrong, without the file.
  public var description: String {
    switch self {
    case .protobuf(let error): "not an ONNX file, or damaged: \(error)"
    case .tensor(let name, let reason): "tensor \"\(name)\" \(reason)"
    case .unreadableValue(let what): "holds \(what), which Apus does not read"
    case .unwritableType(let type): "\(type) cannot be written"
    case .tooLargeToWrite(let byteCount):
      "would have \(byteCount) bytes; an ONNX file has at most \(ONNXFileError.byteLimit)"
    }
  }
}

extension ONNXFileError.TensorReason: CustomStringConvertible {
  /// What is wrong, in words that follow the tensor's name.
  public var description: String {
    switch self {
    case .unknownElementType(let number): "has elements of the unknown type \(number)"
    case .unsupportedElementType(let type): "has \(type) elements, which Apus does not compute with"
    case .tooManyDimensions(let count, let limit): "has \(count) dimensions; at most \(limit) are allowed"
    case .negativeDimension(let dimension): "has a dimension of \(dimension)"
    case .tooLarge(let dims): "has the shape \(dims): more elements than fit in memory"
    case .wrongByteCount(let type, let shape, let expected, let found):
      "has \(found) bytes; \(type) elements of shape \(shape) take \(expected)"
    case .wrongElementCount(let type, let shape, let field, let expected, let found):
      "has \(found) numbers in \(field); \(type) elements of shape \(shape) take \(expected)"
    case .outOfRange(let index, let value, let type): "has \(value) at index \(index), which \(type) does not have"
    case .badNumber(let index, let offset): "has no number at index \(index), byte \(offset)"
    case .invalidBool(let index, let byte):
      "has \(byte) as a Boolean at element \(index); only 0 and 1 are allowed"
    case .notUTF8(let index): "has a text at index \(index) that is not UTF-8"
    case .segment: "is a piece of a tensor; only whole ones are read"
    case .sparse(let what): "is sparse and has \(what)"
    case .externalStrings: "has texts in another file; they must be in the model's own"
    case .noFolder(let location):
      "lies in another file, \"\(location)\", and the model was not read from a folder in which to look for it"
    case .badLocation(let location, let why): "lies in another file whose name \"\(location)\" \(why)"
    case .badExternalNumber(let key, let text): "lies in another file at the \(key) \"\(text)\", which is not a number"
    case .beyondExternalFile(let location, let offset, let length, let fileSize):
      "lies in bytes \(offset)..<\(offset.addingClamped(length)) of \"\(location)\", which has \(fileSize)"
    case .externalFile(.notFound(let path)):
      "lies in another file, and there is no \(path); keep \(path.split(separator: "/").last ?? "it") beside the model"
    case .externalFile(let error): "lies in another file: \(error)"
    case .tensor(let error): "cannot be read: \(error)"
    }
  }
}

extension ONNXFileError {
  /// ``Fault/data``: the content of the file, or of one beside it; ``Fault/missing`` where that is not there.
  public var fault: Fault {
    if case .tensor(_, .externalFile(.notFound)) = reason { .missing } else { .data }
  }

  /// Whether a limit on memory is the reason, and not what the file holds.
  var isOfMemory: Bool {
    switch reason {
    case .tensor(_, .tensor(.memory)), .tensor(_, .tensor(.growth)), .tensor(_, .tensor(.environment)): true
    default: false
    }
  }
}
