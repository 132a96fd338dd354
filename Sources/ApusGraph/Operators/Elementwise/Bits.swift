import Apus

// Integers as rows of bits.

extension Operators {
  static let bits: [OperatorDefinition] = [
    OperatorDefinition("BitwiseAnd", .plain(.broadcast), BitwiseAnd),
    OperatorDefinition("BitwiseOr", .plain(.broadcast), BitwiseOr),
    OperatorDefinition("BitwiseXor", .plain(.broadcast), BitwiseXor),
    OperatorDefinition("BitwiseNot", .elementwise(results: .fresh, layout: .rowMajor), BitwiseNot),
    OperatorDefinition("BitShift", .plain(.broadcast), BitShift),
  ]

  static func BitwiseAnd(_ node: NodeDescription) throws -> PreparedOperator { bitwise(BitConjunction()) }
  static func BitwiseOr(_ node: NodeDescription) throws -> PreparedOperator { bitwise(BitDisjunction()) }
  static func BitwiseXor(_ node: NodeDescription) throws -> PreparedOperator { bitwise(BitDifference()) }
  static func BitwiseNot(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let x = try arguments.tensor(0)
      guard let result = try x.dataType.visitWholeNumber(Inverted(x: x)) else { throw noBits(x) }
      return [result]
    }
  }

  /// a moved by b places to the left or right. Signed numbers keep their sign on the way right; what moves too far, or
  /// by a negative number of places, leaves nothing but the sign.
  static func BitShift(_ node: NodeDescription) throws -> PreparedOperator {
    switch try node.optionalString("direction") {
    case "LEFT": return bitwise(ShiftLeft())
    case "RIGHT": return bitwise(ShiftRight())
    case let other:
      throw OperatorError("attribute 'direction' is \(other.map { "'\($0)'" } ?? "missing"); LEFT or RIGHT is needed")
    }
  }

  private static func bitwise<Function: BitFunction>(_ function: Function) -> PreparedOperator {
    { arguments in
      let a = try arguments.tensor(0)
      let b = try arguments.tensor(1)
      guard a.dataType == b.dataType else {
        throw OperatorError("inputs are \(ElementType(a.dataType)) and \(ElementType(b.dataType)); one type is needed")
      }
      guard let result = try a.dataType.visitWholeNumber(Combined(function: function, a: a, b: b)) else {
        throw noBits(a)
      }
      return [result]
    }
  }

  private static func noBits(_ x: AnyTensor) -> OperatorError {
    OperatorError("input 0 is \(ElementType(x.dataType)); integers are needed")
  }
}

/// An operation on the bits of two numbers of one type, whichever it is.
private protocol BitFunction: Sendable {
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar
}

private struct Combined<Function: BitFunction>: WholeNumberVisitor {
  let function: Function
  let a: AnyTensor
  let b: AnyTensor

  struct OfTwo<Scalar: WholeNumber>: BinaryFunction {
    let function: Function
    @inline(__always)
    func callAsFunction(_ a: Scalar, _ b: Scalar) -> Scalar { function(a, b) }
  }

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
    try GraphValue(
      zipElements(
        OfTwo<Scalar>(function: function), a.converted(to: type), b.converted(to: type), operation: "bits"))
  }
}

private struct Inverted: WholeNumberVisitor {
  let x: AnyTensor

  struct OfOne<Scalar: WholeNumber>: UnaryFunction {
    @inline(__always)
    func callAsFunction(_ x: Scalar) -> Scalar { ~x }
  }

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
    GraphValue(try mapElements(OfOne<Scalar>(), x.converted()))
  }
}

private struct BitConjunction: BitFunction {
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a & b }
}

private struct BitDisjunction: BitFunction {
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a | b }
}

private struct BitDifference: BitFunction {
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a ^ b }
}

private struct ShiftLeft: BitFunction {
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar {
    b < 0 || b >= Scalar.bitWidth ? 0 : a &<< b
  }
}

private struct ShiftRight: BitFunction {
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar {
    b < 0 || b >= Scalar.bitWidth ? (a < 0 ? 0 &- 1 : 0) : a &>> b
  }
}
