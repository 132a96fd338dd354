import Apus

// Reductions over some axes. They are an attribute before opset 18 (ReduceSum: 13) and an input since; none mean all,
// or, where `noop_with_empty_axes` says so, that every element is reduced by itself.

extension Operators {
  static let reductions: [OperatorDefinition] = [
    OperatorDefinition(
      "ReduceSum", .reduction(.reduction, terms: .elementsPerOutput, axes: .summing, accuracy: .sumOfElements),
      ReduceSum),
    OperatorDefinition(
      "ReduceMean", .reduction(.reduction, terms: .elementsPerOutput, axes: .summing, accuracy: .sumOfElements),
      ReduceMean),
    OperatorDefinition("ReduceProd", .reduction(.reduction, terms: .elementsPerOutput, axes: .summing), ReduceProd),
    OperatorDefinition("ReduceMax", .reduction(.reduction, terms: .elementsPerOutput, axes: .choosing), ReduceMax),
    OperatorDefinition("ReduceMin", .reduction(.reduction, terms: .elementsPerOutput, axes: .choosing), ReduceMin),
    OperatorDefinition("ReduceL1", .reduction(.reduction, terms: .elementsPerOutput, axes: .summing), ReduceL1),
    OperatorDefinition("ReduceL2", .reduction(.reduction, terms: .elementsPerOutput, axes: .summing), ReduceL2),
    OperatorDefinition(
      "ReduceSumSquare", .reduction(.reduction, terms: .elementsPerOutput, axes: .summing), ReduceSumSquare),
    OperatorDefinition("ReduceLogSum", .reduction(.reduction, terms: .elementsPerOutput, axes: .summing), ReduceLogSum),
    OperatorDefinition(
      "ReduceLogSumExp", .reduction(.reduction, terms: .elementsPerOutput, axes: .summing), ReduceLogSumExp),
  ]

  /// Σ x
  static func ReduceSum(_ node: NodeDescription) throws -> PreparedOperator { try reduction(node, TotalSum()) }
  /// Σ x / n, of integers without its fraction
  static func ReduceMean(_ node: NodeDescription) throws -> PreparedOperator { try reduction(node, Average()) }
  /// Π x
  static func ReduceProd(_ node: NodeDescription) throws -> PreparedOperator { try reduction(node, Product()) }
  /// The greatest; the smallest number there is where there is nothing to choose from. Of Booleans: any.
  static func ReduceMax(_ node: NodeDescription) throws -> PreparedOperator { try reduction(node, Maximum()) }
  /// The smallest; the greatest number there is where there is nothing to choose from. Of Booleans: all.
  static func ReduceMin(_ node: NodeDescription) throws -> PreparedOperator { try reduction(node, Minimum()) }
  /// Σ |x|
  static func ReduceL1(_ node: NodeDescription) throws -> PreparedOperator { try reduction(node, SumOfMagnitudes()) }
  /// √Σ x²
  static func ReduceL2(_ node: NodeDescription) throws -> PreparedOperator { try reduction(node, Length()) }
  /// Σ x²
  static func ReduceSumSquare(_ node: NodeDescription) throws -> PreparedOperator {
    try reduction(node, SumOfSquares())
  }
  /// ln Σ x
  static func ReduceLogSum(_ node: NodeDescription) throws -> PreparedOperator { try reduction(node, LogarithmOfSum()) }
  /// ln Σ eˣ
  static func ReduceLogSumExp(_ node: NodeDescription) throws -> PreparedOperator {
    try reduction(node, LogarithmOfExponentials())
  }

  private static func reduction<Function: ReductionFunction>(
    _ node: NodeDescription, _ function: Function
  ) throws -> PreparedOperator {
    let keepsAxes = try node.flag("keepdims", default: true)
    let skipsWithoutAxes = try node.flag("noop_with_empty_axes")
    let list = try node.integers(1, orAttribute: "axes")
    return { arguments in
      let x = try arguments.tensor(0)
      var axes = try list(arguments)
      // An empty list means what a missing one does.
      if axes?.isEmpty == true { axes = nil }
      if axes == nil, skipsWithoutAxes { axes = [] }
      let plan = try AxisReduction(x.shape, axes, keepsAxes: keepsAxes, operation: "reduction")
      if x.dataType.isFloatingPoint { return [try evaluate(OnFloating(function: function, plan: plan), x)] }
      if case .bool(let x) = x, let result = try function(x.converted(to: UInt8.self), plan, isTruth: true) {
        return [GraphValue(try result.converted(to: Bool.self))]
      }
      if let result = try x.dataType.visitWholeNumber(OnWholeNumbers(function: function, x: x, plan: plan)) {
        return [result]
      }
      throw OperatorError("input 0 is \(ElementType(x.dataType)), which cannot be reduced like this")
    }
  }
}

/// A reduction of numbers of any type.
private protocol ReductionFunction: Sendable {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real>
  /// What integers begin with.
  func start<Scalar: WholeNumber>(_ type: Scalar.Type) -> Scalar
  func step<Scalar: WholeNumber>(_ sum: Scalar, _ x: Scalar) -> Scalar
  func finish<Scalar: WholeNumber>(_ sum: Scalar, count: Int) -> Scalar
  /// Whether integers are reduced as `Double`, and the result cut to a whole one.
  var goesThroughDouble: Bool { get }
  /// Whether integers of fewer bits are reduced as `Int64`: what comes out fits them where steps on the way may not.
  var goesThroughInt64: Bool { get }
  /// Whether Booleans can be reduced.
  var takesTruth: Bool { get }
}

extension ReductionFunction {
  func start<Scalar: WholeNumber>(_ type: Scalar.Type) -> Scalar { 0 }
  func step<Scalar: WholeNumber>(_ sum: Scalar, _ x: Scalar) -> Scalar { sum &+ x }
  func finish<Scalar: WholeNumber>(_ sum: Scalar, count: Int) -> Scalar { sum }
  var goesThroughDouble: Bool { false }
  var goesThroughInt64: Bool { false }
  var takesTruth: Bool { false }

  /// The reduction of integers; nil of Booleans that cannot be reduced.
  func callAsFunction<Scalar: WholeNumber>(
    _ x: Tensor<Scalar>, _ plan: AxisReduction, isTruth: Bool = false
  ) throws -> Tensor<Scalar>? {
    if isTruth, !takesTruth { return nil }
    if goesThroughDouble {
      return try callAsFunction(x.converted(to: Double.self), plan).converted()
    }
    if goesThroughInt64, Scalar.bitWidth < Int64.bitWidth {
      return try callAsFunction(x.converted(to: Int64.self), plan)?.converted()
    }
    let rows = try plan.isOfRows ? x.rowMajor : x.permuted(plan.order)
    let width = plan.size
    return try withExtendedLifetime(rows) {
      nonisolated(unsafe) let source = rows.pointer
      return try Tensor<Scalar>.filled(plan.shape) { destination in
        nonisolated(unsafe) let y = destination
        // The count of the result, not of the source, which may be empty.
        let count = plan.shape.reduce(1, *)
        parallelRows(count, width: width) { first, count in
          for row in first..<(first + count) {
            var sum = start(Scalar.self)
            let x = source + row * width
            for i in 0..<width { sum = step(sum, x[i]) }
            y[row] = finish(sum, count: width)
          }
        }
      }
    }
  }
}

private struct OnFloating<Function: ReductionFunction>: FloatingFunction {
  let function: Function
  let plan: AxisReduction

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> { try function(x, plan) }
}

private struct OnWholeNumbers<Function: ReductionFunction>: WholeNumberVisitor {
  let function: Function
  let x: AnyTensor
  let plan: AxisReduction

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue? {
    try function(x.tensor(of: type) ?? x.converted(), plan).map { GraphValue($0) }
  }
}

private struct TotalSum: ReductionFunction {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real> {
    try x.sum(plan)
  }
}

private struct Average: ReductionFunction {
  var goesThroughInt64: Bool { true }
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real> {
    try x.mean(plan)
  }
  @inline(__always)
  func finish<Scalar: WholeNumber>(_ sum: Scalar, count: Int) -> Scalar {
    sum.truncatedQuotient(by: Scalar(clamping: count))
  }
}

private struct Product: ReductionFunction {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real> {
    try x.product(plan)
  }
  func start<Scalar: WholeNumber>(_ type: Scalar.Type) -> Scalar { 1 }
  @inline(__always)
  func step<Scalar: WholeNumber>(_ sum: Scalar, _ x: Scalar) -> Scalar { sum &* x }
}

private struct Maximum: ReductionFunction {
  var takesTruth: Bool { true }
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real> {
    plan.size == 0
      ? try Tensor(repeating: -.infinity, shape: plan.shape) : try x.amax(plan)
  }
  func start<Scalar: WholeNumber>(_ type: Scalar.Type) -> Scalar { .min }
  @inline(__always)
  func step<Scalar: WholeNumber>(_ sum: Scalar, _ x: Scalar) -> Scalar { sum < x ? x : sum }
}

private struct Minimum: ReductionFunction {
  var takesTruth: Bool { true }
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real> {
    plan.size == 0
      ? try Tensor(repeating: .infinity, shape: plan.shape) : try x.amin(plan)
  }
  func start<Scalar: WholeNumber>(_ type: Scalar.Type) -> Scalar { .max }
  @inline(__always)
  func step<Scalar: WholeNumber>(_ sum: Scalar, _ x: Scalar) -> Scalar { x < sum ? x : sum }
}

private struct SumOfMagnitudes: ReductionFunction {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real> {
    try x.abs().sum(plan)
  }
  @inline(__always)
  func step<Scalar: WholeNumber>(_ sum: Scalar, _ x: Scalar) -> Scalar { x < 0 ? sum &- x : sum &+ x }
}

private struct SumOfSquares: ReductionFunction {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real> {
    try x.square().sum(plan)
  }
  @inline(__always)
  func step<Scalar: WholeNumber>(_ sum: Scalar, _ x: Scalar) -> Scalar { sum &+ x &* x }
}

private struct Length: ReductionFunction {
  var goesThroughDouble: Bool { true }
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real> {
    try x.square().sum(plan).sqrt()
  }
}

private struct LogarithmOfSum: ReductionFunction {
  var goesThroughDouble: Bool { true }
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real> {
    try x.sum(plan).log()
  }
}

private struct LogarithmOfExponentials: ReductionFunction {
  var goesThroughDouble: Bool { true }
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>, _ plan: AxisReduction) throws -> Tensor<Real> {
    try x.logSumExp(plan)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static func reduced(_ shape: [Int], _ axes: Set<Int>, keepsAxes: Bool) -> [Int] {
    shape.indices.compactMap { axes.contains($0) ? (keepsAxes ? 1 : nil) : shape[$0] }
  }

  static let reduction = ShapeRule.rule { facts in
    let x = try facts.input(0)
    var axes = try facts.node.optionalInts("axes") ?? facts.integers(1)
    // None mean all, or none where the node says so.
    if axes?.isEmpty == true { axes = nil }
    if axes == nil, try facts.node.flag("noop_with_empty_axes") { return [x] }
    let chosen = try axes?.map { try Axes.resolve($0, rank: x.shape.count) } ?? Array(x.shape.indices)
    let keeps = try facts.node.flag("keepdims", default: true)
    return [InferredType(x.elementType, reduced(x.shape, Set(chosen), keepsAxes: keeps))]
  }
}

// MARK: - Axes

extension AxisRule {
  /// Of sums, which come out a little different in another order.
  fileprivate static let summing = AxisRule.named(.first, exactly: false, reducing)
  /// Of choices, which do not.
  fileprivate static let choosing = AxisRule.named(.first, exactly: true, reducing)

  /// The axes that go, all of them where none are named.
  @Sendable
  private static func reducing(_ facts: ShapeFacts, _ order: AxisPermutation) throws -> Renaming {
    let attribute = try facts.node.optionalInts("axes")
    guard let axes = try attribute ?? facts.integers(1), !axes.isEmpty else { throw ShapeFacts.Unknown() }
    var renaming = try Renaming(facts.node.flag("keepdims", default: true) ? order : order.without(axes))
    renaming.set(
      try axes.map { try order($0) }, 1, attribute: "axes", inputSince: attribute == nil ? 1 : .max, facts)
    return renaming
  }
}
