import ApusBase

/// Why a file is not a safetensors file, or does not hold what was asked of it.
public struct SafetensorsError: ApusError, Hashable, Sendable {
  /// The file, as it was named when it was opened.
  public let file: String
  /// What is wrong with the file or a tensor of it.
  public let reason: Reason

  /// What a header or its tensors can have wrong with them, or what the file does not hold.
  public enum Reason: Hashable, Sendable {
    /// Fewer bytes than the length of the header takes.
    case tooShort(byteCount: Int)
    /// A header beyond the format's limit.
    case headerTooLong(byteCount: UInt64, limit: Int)
    /// A header that would end after the file does.
    case headerBeyondEnd(byteCount: Int, available: Int)
    /// A header that is not the JSON it should be; in the entry of `tensor`, if it got that far.
    case header(JSONError, tensor: String?)
    /// Two tensors of one name.
    case duplicateName(String)
    /// More entries of metadata than any file needs.
    case tooMuchMetadata(limit: Int)
    /// An entry without `dtype`, `shape` or `data_offsets`, or with one of them twice.
    case badField(tensor: String, field: String)
    /// A dimension below zero.
    case negativeDimension(tensor: String, dimension: Int)
    /// More dimensions than any tensor has.
    case tooManyDimensions(tensor: String, limit: Int)
    /// Offsets that are not two numbers, or whose end comes before their beginning, or that lie outside the data.
    case outOfRange(tensor: String, offsets: [Int], dataByteCount: Int)
    /// Two tensors that share bytes.
    case overlap(tensor: String, other: String)
    /// Bytes that belong to no tensor.
    case hole(offsets: Range<Int>)
    /// More elements than can be counted.
    case shapeOverflow(tensor: String, shape: [Int])
    /// A number of bytes other than shape and type call for.
    case wrongByteCount(tensor: String, dataType: DataType, shape: [Int], expected: Int, found: Int)

    /// No tensor has that name; `similar` is the nearest that one has.
    case noSuchTensor(name: String, similar: String?)
    /// An element type that Apus does not know.
    case unknownType(tensor: String, typeName: String)
    /// An element type that does not become the one asked for.
    case wrongType(tensor: String, found: DataType, expected: DataType)
    /// A Boolean that is neither 0 nor 1.
    case invalidBool(tensor: String, index: Int, byte: UInt8)
    /// An element that does not fit the type asked for, or too little memory.
    case conversion(tensor: String, TensorError)
  }
}

extension SafetensorsError: CustomStringConvertible {
  /// The file, the tensor where it is about one, and what is wrong.
  public var description: String { "\(file): \(reason)" }
}

extension SafetensorsError.Reason: CustomStringConvertible {
  /// What is wrong, without the file.
  public var description: String {
    switch self {
    case .tooShort(let byteCount):
      "not a safetensors file: \(byteCount) bytes, where at least 10 are needed"
    case .headerTooLong(let byteCount, let limit):
      "not a safetensors file: a header of \(byteCount) bytes; at most \(limit) are allowed"
    case .headerBeyondEnd(let byteCount, let available):
      "cut short, or not a safetensors file: a header of \(byteCount) bytes, where \(available) follow"
    case .header(let error, let tensor?): "header, tensor \"\(tensor)\": \(error)"
    case .header(let error, nil): "header: \(error)"
    case .duplicateName(let name): "two tensors are named \"\(name)\""
    case .tooMuchMetadata(let limit): "more than \(limit) entries of metadata"
    case .badField(let tensor, let field): "tensor \"\(tensor)\" must have exactly one \(field)"
    case .negativeDimension(let tensor, let dimension): "tensor \"\(tensor)\" has a dimension of \(dimension)"
    case .tooManyDimensions(let tensor, let limit):
      "tensor \"\(tensor)\" has too many dimensions; at most \(limit) are allowed"
    case .outOfRange(let tensor, let offsets, let dataByteCount):
      "tensor \"\(tensor)\" has the offsets \(offsets), which is not a range of the \(dataByteCount) bytes of data"
    case .overlap(let tensor, let other): "tensors \"\(tensor)\" and \"\(other)\" share bytes"
    case .hole(let offsets):
      "bytes \(offsets.lowerBound) to \(offsets.upperBound) of the data belong to no tensor"
    case .shapeOverflow(let tensor, let shape):
      "tensor \"\(tensor)\" has the shape \(shape): more elements than fit in memory"
    case .wrongByteCount(let tensor, let dataType, let shape, let expected, let found):
      "tensor \"\(tensor)\" has \(found) bytes; \(dataType) elements of shape \(shape) take \(expected)"
    case .noSuchTensor(let name, let similar):
      "no tensor is named \"\(name)\"" + (similar.map { "; the nearest name is \"\($0)\"" } ?? "")
    case .unknownType(let tensor, let typeName): "tensor \"\(tensor)\" has elements of the unknown type \(typeName)"
    case .wrongType(let tensor, let found, let expected):
      "tensor \"\(tensor)\" has \(found) elements, where \(expected) were expected"
    case .invalidBool(let tensor, let index, let byte):
      "tensor \"\(tensor)\" has \(byte) as a Boolean at element \(index); only 0 and 1 are allowed"
    case .conversion(let tensor, let error): "tensor \"\(tensor)\": \(error)"
    }
  }
}

extension SafetensorsError {
  /// ``Fault/data``: the file was opened; its content cannot be used.
  public var fault: Fault { .data }
}
