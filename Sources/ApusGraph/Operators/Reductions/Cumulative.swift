import Apus

// Running sums and products along an axis: from the front, or from the back with `reverse`; without the element itself
// with `exclusive`. Float and the sixteen-bit types are accumulated in double precision.

extension Operators {
  static let cumulative: [OperatorDefinition] = [
    OperatorDefinition("CumSum", .reduction(.likeInput, terms: .alongAxis, accuracy: .sumOfElements), CumSum),
    OperatorDefinition("CumProd", .plain(.likeInput), CumProd),
  ]

  /// y[i] = x[0] + … + x[i]
  static func CumSum(_ node: NodeDescription) throws -> PreparedOperator { try running(node, isProduct: false) }

  /// y[i] = x[0] · … · x[i]
  static func CumProd(_ node: NodeDescription) throws -> PreparedOperator { try running(node, isProduct: true) }

  private static func running(_ node: NodeDescription, isProduct: Bool) throws -> PreparedOperator {
    let isReversed = try node.flag("reverse")
    let isExclusive = try node.flag("exclusive")
    return { arguments in
      let x = try arguments.tensor(0)
      guard x.rank > 0 else { throw OperatorError("a single value has no axis to go along") }
      let axis = try Shape.axis(arguments.integer(1), in: x.shape, operation: isProduct ? "CumProd" : "CumSum")
      let way = Way(
        outer: x.shape[..<axis].reduce(1, *), size: x.shape[axis], inner: x.shape[(axis + 1)...].reduce(1, *),
        isReversed: isReversed, isExclusive: isExclusive, isProduct: isProduct)
      if x.dataType.isFloatingPoint { return [try evaluate(way, x)] }
      guard let result = try x.dataType.visitWholeNumber(OnWholeNumbers(way: way, x: x)) else {
        throw OperatorError("input 0 is \(ElementType(x.dataType)); numbers are needed")
      }
      return [result]
    }
  }
}

/// `[outer, size, inner]` along the middle.
private struct Way: FloatingFunction {
  let outer: Int
  let size: Int
  let inner: Int
  let isReversed: Bool
  let isExclusive: Bool
  let isProduct: Bool

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    isProduct
      ? try walk(x, from: 1.0, { $0 * Double($1) }, { Real($0) })
      : try walk(x, from: 0.0, { $0 + Double($1) }, { Real($0) })
  }

  func whole<Scalar: WholeNumber>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    isProduct
      ? try walk(x, from: Scalar(1), { $0 &* $1 }, { $0 })
      : try walk(x, from: Scalar(0), { $0 &+ $1 }, { $0 })
  }

  @inline(__always)
  private func walk<Scalar: TensorScalar, Sum>(
    _ x: Tensor<Scalar>, from start: Sum, _ step: (Sum, Scalar) -> Sum, _ result: (Sum) -> Scalar
  ) throws -> Tensor<Scalar> {
    let x = try x.rowMajor
    let y = try Tensor<Scalar>(uninitialized: x.shape)
    guard x.count > 0 else { return y }
    // Pointers: of an array's elements the compiler would make no vectors.
    let source = x.pointer
    let destination = UnsafeMutablePointer(mutating: y.pointer)
    var sums = [Sum](repeating: start, count: inner)
    sums.withUnsafeMutableBufferPointer { room in
      guard let sums = room.baseAddress else { return }
      for outside in 0..<outer {
        sums.update(repeating: start, count: inner)
        for place in 0..<size {
          let row = (outside * size + (isReversed ? size - 1 - place : place)) * inner
          let (from, to) = (source + row, destination + row)
          if isExclusive {
            for i in 0..<inner {
              let sum = sums[i]
              sums[i] = step(sum, from[i])
              to[i] = result(sum)
            }
          } else {
            for i in 0..<inner {
              let sum = step(sums[i], from[i])
              sums[i] = sum
              to[i] = result(sum)
            }
          }
        }
      }
    }
    withExtendedLifetime((x, y)) {}
    return y
  }
}

private struct OnWholeNumbers: WholeNumberVisitor {
  let way: Way
  let x: AnyTensor

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
    GraphValue(try way.whole(x.converted(to: type)))
  }
}
