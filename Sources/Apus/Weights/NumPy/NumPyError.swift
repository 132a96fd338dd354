import ApusBase

/// Why a `.npy` or `.npz` file cannot be read or written, or does not hold what was asked of it.
public struct NumPyError: ApusError, Hashable, Sendable {
  /// The file, as it was named when it was opened.
  public let file: String
  /// The array of an `.npz` file.
  public let array: String?
  /// What is wrong with the file or the array.
  public let reason: Reason

  /// What a `.npy` header, its data or the archive around them can have wrong with it, or what it does not hold.
  public enum Reason: Hashable, Sendable {
    /// Not the six bytes that every `.npy` file begins with.
    case notNPY
    /// A version of the format that does not exist yet.
    case unknownVersion(major: Int, minor: Int)
    /// A file that ends before its header does.
    case truncatedHeader
    /// A header beyond what any array of numbers needs.
    case headerTooLong(byteCount: Int, limit: Int)
    /// A header that is not the Python dictionary it should be, at this byte of it.
    case badHeader(offset: Int, expected: String)
    /// Elements that are not plain numbers or Booleans, as NumPy names them.
    case unsupportedType(String)
    /// More dimensions than NumPy allows.
    case tooManyDimensions(limit: Int)
    /// More elements than can be counted.
    case shapeOverflow(shape: [Int])
    /// A number of bytes other than shape and type call for.
    case wrongByteCount(dataType: DataType, shape: [Int], expected: Int, found: Int)
    /// A Boolean that is neither 0 nor 1.
    case invalidBool(index: Int, byte: UInt8)

    /// No array has the name that was asked for; `similar` is the nearest that one has.
    case noSuchArray(similar: String?)
    /// Elements that do not become the type asked for.
    case wrongType(found: DataType, expected: DataType)
    /// An element that does not fit the type asked for, or too little memory.
    case conversion(TensorError)
    /// An element type that NumPy does not have.
    case unwritableType(DataType)
    /// Something wrong with the archive around the arrays.
    case archive(ZipError)
  }
}

extension NumPyError: CustomStringConvertible {
  /// The file, the array where there are several, and what is wrong.
  public var description: String {
    "\(file): \(array.map { "array \"\($0)\": " } ?? "")\(reason)"
  }
}

extension NumPyError.Reason: CustomStringConvertible {
  /// What is wrong, without the file.
  public var description: String {
    switch self {
    case .notNPY: "not a .npy file"
    case .unknownVersion(let major, let minor): "version \(major).\(minor) of the .npy format; 1.0 to 3.0 are known"
    case .truncatedHeader: "cut short: the file ends inside its header"
    case .headerTooLong(let byteCount, let limit):
      "a header of \(byteCount) bytes; at most \(limit) are allowed for an array of numbers"
    case .badHeader(let offset, let expected): "a damaged header: \(expected) was expected at byte \(offset)"
    case .unsupportedType(let name): "elements of the type \(name); only plain numbers and Booleans are supported"
    case .tooManyDimensions(let limit): "too many dimensions; at most \(limit) are allowed"
    case .shapeOverflow(let shape): "the shape \(shape): more elements than fit in memory"
    case .wrongByteCount(let dataType, let shape, let expected, let found):
      "\(found) bytes of data; \(dataType) elements of shape \(shape) take \(expected)"
    case .invalidBool(let index, let byte):
      "\(byte) as a Boolean at element \(index); only 0 and 1 are allowed"
    case .noSuchArray(let similar):
      "there is no such array" + (similar.map { "; the nearest name is \"\($0)\"" } ?? "")
    case .wrongType(let found, let expected): "\(found) elements, where \(expected) were expected"
    case .conversion(let error): "\(error)"
    case .unwritableType(let dataType): "NumPy has no \(dataType) elements; convert them first"
    case .archive(let error): "\(error)"
    }
  }
}

extension NumPyError.Reason: Error {}

extension NumPyError {
  /// ``Fault/data``: the file was opened; its content cannot be used.
  public var fault: Fault { .data }
}
