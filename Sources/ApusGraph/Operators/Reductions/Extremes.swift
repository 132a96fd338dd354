import Apus

extension Operators {
  static let extremes: [OperatorDefinition] = [
    OperatorDefinition("ArgMax", .plain(.argument), ArgMax),
    OperatorDefinition("ArgMin", .plain(.argument), ArgMin),
  ]

  /// Where along an axis the greatest element stands: the first of several, or the last where `select_last_index` says
  /// so; what is not a number is greater than all others.
  static func ArgMax(_ node: NodeDescription) throws -> PreparedOperator { try extreme(node, isGreatest: true) }

  /// Where along an axis the smallest element stands; otherwise as ArgMax.
  static func ArgMin(_ node: NodeDescription) throws -> PreparedOperator { try extreme(node, isGreatest: false) }

  private static func extreme(_ node: NodeDescription, isGreatest: Bool) throws -> PreparedOperator {
    let search = Search(
      axis: try node.int("axis", default: 0), keepsAxis: try node.flag("keepdims", default: true),
      isGreatest: isGreatest, isLast: try node.flag("select_last_index"))
    let operation = floating(OnFloating<Float>(search: search), OnFloating<Double>(search: search))
    return { arguments in
      let x = try arguments.tensor(0)
      if x.dataType.isFloatingPoint { return try operation(&arguments) }
      guard let result = try x.dataType.visitWholeNumber(OnWholeNumbers(search: search, x: x)) else {
        throw OperatorError("input 0 is \(ElementType(x.dataType)); numbers are needed")
      }
      return [result]
    }
  }
}

private struct Search: Sendable {
  let axis: Int
  let keepsAxis: Bool
  let isGreatest: Bool
  let isLast: Bool

  func callAsFunction<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Int64> {
    let x = x.rank == 0 ? try x.reshaped([1]) : x
    if isLast { return try lastOrWhole(x) }
    return isGreatest
      ? try x.argmax(axis: axis, keepDims: keepsAxis) : try x.argmin(axis: axis, keepDims: keepsAxis)
  }

  /// A plain loop, for what the kernels do not have.
  func lastOrWhole<Scalar: TensorScalar & Comparable>(_ x: Tensor<Scalar>) throws -> Tensor<Int64> {
    let x = x.rank == 0 ? try x.reshaped([1]) : x
    let plan = try AxisReduction(x.shape, [axis], keepsAxes: keepsAxis, operation: "search")
    guard plan.size > 0 else {
      throw OperatorError("a tensor of shape \(x.shape) has no elements to choose from along axis \(axis)")
    }
    let rows = try x.permuted(plan.order)
    let (width, isGreatest, isLast) = (plan.size, isGreatest, isLast)
    return try withExtendedLifetime(rows) {
      nonisolated(unsafe) let source = rows.pointer
      return try Tensor<Int64>.filled(plan.shape) { destination in
        nonisolated(unsafe) let y = destination
        parallelRows(rows.count / width, width: width) { first, count in
          for row in first..<(first + count) {
            let x = source + row * width
            var best = 0
            for i in 1..<max(width, 1) {
              // What is not a number differs from itself; it wins against all others, and the first of several stays
              // unless the last is wanted.
              let isBetter = x[i] != x[i] ? x[best] == x[best] : isGreatest ? x[best] < x[i] : x[i] < x[best]
              let isAlike = isLast && (x[i] == x[best] || (x[i] != x[i] && x[best] != x[best]))
              if isBetter || isAlike { best = i }
            }
            y[row] = Int64(best)
          }
        }
      }
    }
  }
}

private struct OnFloating<Scalar: FloatingPointScalar>: FloatingOperator {
  let search: Search

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    [GraphValue(try search(arguments.floating(0, as: Scalar.self)))]
  }
}

private struct OnWholeNumbers: WholeNumberVisitor {
  let search: Search
  let x: AnyTensor

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
    GraphValue(try search.lastOrWhole(x.converted(to: type)))
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let argument = ShapeRule.rule { facts in
    var shape = try facts.shape(0)
    if shape.isEmpty { shape = [1] }
    let axis = try Axes.resolve(facts.node.int("axis", default: 0), rank: shape.count)
    let keeps = try facts.node.flag("keepdims", default: true)
    return [InferredType(.int64, reduced(shape, [axis], keepsAxes: keeps))]
  }
}
