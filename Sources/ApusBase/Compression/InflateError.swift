/// Why compressed data cannot be decoded, and where.
public struct InflateError: ApusError, Hashable, Sendable {
  /// The byte of the compressed data at which decoding stopped, or one shortly after it.
  public let offset: Int
  /// What is wrong there.
  public let reason: Reason

  /// What deflate and zlib data can have wrong with it.
  public enum Reason: Hashable, Sendable {
    /// The data ends before the last block does.
    case truncated
    /// A block of the kind the format reserves.
    case badBlockType
    /// A stored block whose length and its complement disagree.
    case badStoredLength
    /// Code lengths that make no prefix code, or none with an end of block.
    case badCode
    /// A code that stands for nothing.
    case badSymbol
    /// A repetition of bytes from before the beginning.
    case badDistance
    /// More output than was allowed for.
    case outputTooLong(limit: Int)
    /// Not the beginning of zlib data, or one that needs a preset dictionary.
    case badZlibHeader
    /// The decoded bytes have another checksum than they should.
    case badChecksum
  }
}

extension InflateError: CustomStringConvertible {
  /// What is wrong, and at which byte of the compressed data.
  public var description: String { "\(reason) at byte \(offset) of the compressed data" }
}

extension InflateError.Reason: CustomStringConvertible {
  /// What is wrong, without the place.
  public var description: String {
    switch self {
    case .truncated: "the data ends early"
    case .badBlockType: "a block of a reserved kind"
    case .badStoredLength: "a stored block with a damaged length"
    case .badCode: "a damaged table of codes"
    case .badSymbol: "a code without meaning"
    case .badDistance: "a repetition of bytes from before the beginning"
    case .outputTooLong(let limit): "more than \(limit) bytes of output"
    case .badZlibHeader: "no zlib data"
    case .badChecksum: "a wrong checksum"
    }
  }
}

extension InflateError {
  /// ``Fault/data``: the compressed bytes are damaged or too many.
  public var fault: Fault { .data }
}
