import Apus

// Integers of any width. A loop over elements must be compiled for its type, or it runs tens of times slower: the
// switch below is where a type known only when the program runs becomes one that the compiler knows.

/// The types of integers that tensors hold.
typealias WholeNumber = TensorScalar & FixedWidthInteger

/// What is done with integers of one type, whichever it turns out to be.
protocol WholeNumberVisitor {
  associatedtype Output
  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> Output
}

extension DataType {
  /// What `visitor` gives for this type; nil when it is not one of integers.
  func visitWholeNumber<Visitor: WholeNumberVisitor>(_ visitor: Visitor) throws -> Visitor.Output? {
    switch self {
    case .int64: try visitor(Int64.self)
    case .int32: try visitor(Int32.self)
    case .int16: try visitor(Int16.self)
    case .int8: try visitor(Int8.self)
    case .uint64: try visitor(UInt64.self)
    case .uint32: try visitor(UInt32.self)
    case .uint16: try visitor(UInt16.self)
    case .uint8: try visitor(UInt8.self)
    case .float64, .float32, .float16, .bfloat16, .bool: nil
    }
  }
}

extension FixedWidthInteger {
  /// The quotient without its fraction; 0 for a divisor of 0, and what is left of it in this width otherwise.
  @inline(__always)
  func truncatedQuotient(by divisor: Self) -> Self {
    divisor == 0 ? 0 : dividedReportingOverflow(by: divisor).partialValue
  }

  /// What is left by ``truncatedQuotient(by:)``, with the sign of this number; 0 for a divisor of 0.
  @inline(__always)
  func truncatedRemainder(by divisor: Self) -> Self {
    divisor == 0 ? 0 : remainderReportingOverflow(dividingBy: divisor).partialValue
  }

  /// What is left by the quotient rounded down, with the sign of the divisor; 0 for a divisor of 0.
  @inline(__always)
  func floorRemainder(by divisor: Self) -> Self {
    let remainder = truncatedRemainder(by: divisor)
    return remainder != 0 && (remainder < 0) != (divisor < 0) ? remainder &+ divisor : remainder
  }

  /// The nearest number of this type; 0 for NaN, the ends of the range beyond them.
  @inline(__always)
  init(clamping value: Double) {
    if let exact = Self(exactly: value.rounded(.towardZero)) {
      self = exact
    } else {
      self = value != value ? 0 : value < 0 ? Self.min : Self.max
    }
  }
}
