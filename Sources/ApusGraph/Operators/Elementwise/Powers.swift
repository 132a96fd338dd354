import Apus

extension Operators {
  static let powers: [OperatorDefinition] = [
    OperatorDefinition("Pow", .plain(.pow, axes: .free), Pow)
  ]

  /// a to the power b, with the type of a. Powers of integers that are whole themselves wrap around; negative ones
  /// are 0 but for 1 and -1.
  static func Pow(_ node: NodeDescription) throws -> PreparedOperator {
    let stretch = try OldBroadcast(node)
    return { arguments in
      let base = try arguments.tensor(0)
      let exponent = try stretch(arguments.tensor(1), against: base)
      if base.dataType.isFloatingPoint {
        if DataType.working(base.dataType, exponent.dataType) == .float64 {
          let power = try power(base.converted(to: Double.self), exponent.converted(to: Double.self))
          return [.tensor(try AnyTensor(power).converted(to: base.dataType))]
        }
        let power = try power(base.converted(to: Float.self), exponent.converted(to: Float.self))
        return [try GraphValue(rounding: power, to: ElementType(base.dataType))]
      }
      if exponent.dataType.isFloatingPoint {
        let power = try power(base.converted(to: Double.self), exponent.converted(to: Double.self))
        return [.tensor(try AnyTensor(power).converted(to: base.dataType))]
      }
      let exponents = try exponent.converted(to: Int64.self)
      guard let result = try base.dataType.visitWholeNumber(WholePower(base: base, exponents: exponents)) else {
        throw OperatorError("powers of \(ElementType(base.dataType)) do not exist; numbers are needed")
      }
      return [result]
    }
  }

  /// One exponent for all has kernels of its own: squares and roots need no power.
  private static func power<Scalar: FloatingPointScalar>(
    _ base: Tensor<Scalar>, _ exponent: Tensor<Scalar>
  ) throws -> Tensor<Scalar> {
    exponent.count == 1 && exponent.rank <= base.rank ? try base.pow(exponent.scalar) : try base.pow(exponent)
  }
}

private struct WholePower: WholeNumberVisitor {
  let base: AnyTensor
  let exponents: Tensor<Int64>

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
    let base = try base.converted(to: Scalar.self)
    let walk = try BroadcastWalk([base.shape, exponents.shape], operation: "Pow")
    let (bases, exponents) = (try base.rowMajor, try exponents.rowMajor)
    return try withExtendedLifetime((bases, exponents)) {
      nonisolated(unsafe) let x = bases.pointer
      nonisolated(unsafe) let n = exponents.pointer
      let (xStep, nStep) = (walk.step(of: 0), walk.step(of: 1))
      return GraphValue(
        try Tensor<Scalar>.filled(walk.shape) { destination in
          nonisolated(unsafe) let y = destination
          walk.forRowsInParallel { position, count, offsets in
            for i in 0..<count {
              y[position + i] = wholePower(x[offsets[0] + i * xStep], n[offsets[1] + i * nStep])
            }
          }
        })
    }
  }
}

/// `base` to the power `exponent`, in at most 64 steps.
@inline(__always)
private func wholePower<Scalar: FixedWidthInteger>(_ base: Scalar, _ exponent: Int64) -> Scalar {
  if exponent < 0 {
    if base == 1 { return 1 }
    if Scalar.isSigned, base == 0 &- 1 { return exponent & 1 == 0 ? 1 : base }
    return 0
  }
  var result: Scalar = 1
  var square = base
  var rest = exponent
  while rest > 0 {
    if rest & 1 == 1 { result = result &* square }
    square = square &* square
    rest >>= 1
  }
  return result
}

// MARK: - Shapes

extension ShapeRule {
  static let pow = ShapeRule.rule { [InferredType($0.elementType(0), try broadcastShape($0))] }
}
