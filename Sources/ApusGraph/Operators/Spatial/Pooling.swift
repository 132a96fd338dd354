import Apus

// Windows over maps `[batch, channels, …]`, reduced to one number each.

extension Operators {
  static let poolings: [OperatorDefinition] = [
    OperatorDefinition("MaxPool", .movement(.pooling, results: .fresh, layout: .keepsBlocked), MaxPool),
    OperatorDefinition(
      "AveragePool", .reduction(.pooling, terms: .window, layout: .keepsBlocked, accuracy: .sumOfElements), AveragePool),
    OperatorDefinition("LpPool", .reduction(.pooling, terms: .window), LpPool),
    OperatorDefinition("MaxUnpool", .plain(.maxUnpool), MaxUnpool),
  ]

  /// The greatest element of every window, and where it was found when the second output is wanted: the first of equals,
  /// numbered through the whole tensor, with `storage_order` 1 the columns of each map before its rows.
  static func MaxPool(_ node: NodeDescription) throws -> PreparedOperator {
    let pool = try Pool(node)
    let isColumnMajor = try node.flag("storage_order")
    let wantsIndices = node.wants(1)
    let operation = floating(
      GreatestWithPlaces<Float>(pool: pool, isColumnMajor: isColumnMajor),
      GreatestWithPlaces<Double>(pool: pool, isColumnMajor: isColumnMajor))
    return { arguments in
      let x = try arguments.tensor(0)
      let axes = try pool.axes(x.shape)
      if !wantsIndices, x.dataType.isFloatingPoint { return [try evaluate(GreatestOfWindows(axes: axes), x)] }
      let maximum = IndexedMaximum(axes: axes, shape: x.shape, isColumnMajor: isColumnMajor)
      func outputs<Scalar: TensorScalar>(_ found: (Tensor<Scalar>, Tensor<Int64>)) -> [GraphValue?] {
        [GraphValue(found.0), GraphValue(found.1)]
      }
      func greatest<Scalar: ByteScalar>(_ x: Tensor<Scalar>) throws -> [GraphValue?] {
        if wantsIndices { return outputs(try maximum(x, least: .min)) }
        return [GraphValue(try x.overPlanes(axes) { try maxPool($0, rows: $1, columns: $2) })]
      }
      switch x {
      case .int8(let tensor): return try greatest(tensor)
      case .uint8(let tensor): return try greatest(tensor)
      default: return try operation(&arguments)
      }
    }
  }

  /// The mean of every window. Padding counts as zeros with `count_include_pad`, and not at all without.
  static func AveragePool(_ node: NodeDescription) throws -> PreparedOperator {
    floating(
      MeanOfWindows(pool: try Pool(node), divisor: try node.flag("count_include_pad") ? .padded : .covered))
  }

  /// `(Σ |x|ᵖ)^(1/p)` over every window.
  static func LpPool(_ node: NodeDescription) throws -> PreparedOperator {
    floating(NormOfWindows(pool: try Pool(node), norm: try LpNorm(node)))
  }
}

private struct GreatestOfWindows: FloatingFunction {
  let axes: [PoolingAxis]

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    try x.overPlanes(axes) { try maxPool($0, rows: $1, columns: $2) }
  }
}

private struct GreatestWithPlaces<Scalar: FloatingPointScalar>: FloatingOperator {
  let pool: Pool
  let isColumnMajor: Bool

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let maximum = IndexedMaximum(axes: try pool.axes(x.shape), shape: x.shape, isColumnMajor: isColumnMajor)
    let (y, places) = try maximum(x, least: -.infinity)
    return [try GraphValue(rounding: y, to: type), GraphValue(places)]
  }
}

private struct MeanOfWindows: FloatingFunction {
  let pool: Pool
  let divisor: PoolingDivisor

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    try x.overPlanes(pool.axes(x.shape)) { try averagePool($0, rows: $1, columns: $2, divisor: divisor) }
  }
}

private struct NormOfWindows: FloatingFunction {
  let pool: Pool
  let norm: LpNorm

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    let sums = try norm.powers(x).overPlanes(pool.axes(x.shape)) {
      try averagePool($0, rows: $1, columns: $2, divisor: .one)
    }
    return try norm.root(sums)
  }
}

extension Tensor {
  /// `body` over the last two axes of maps, then over each of the others by itself: maxima, sums and means of boxes are
  /// those of their rows.
  fileprivate func overPlanes(
    _ axes: [PoolingAxis], _ body: (_ x: Tensor, _ rows: PoolingAxis, _ columns: PoolingAxis) throws -> Tensor
  ) throws -> Tensor {
    if axes.count == 1 { return try body(withHeight(), .identity(1), axes[0]).withoutHeight() }
    var y = self
    var shape = shape
    let (last, rest) = (Array(axes.suffix(2)), axes.dropLast(2))
    if !rest.isEmpty {
      let maps = try Shape.elementCount(Array(shape.dropLast(2)))
      y = try y.reshaped([1, maps] + shape.suffix(2))
    }
    y = try body(y, last[0], last[1])
    shape.replaceSubrange((shape.count - 2)..., with: last.map(\.outputs))
    for index in rest.indices.reversed() {
      let (outer, inner) = (shape[..<(2 + index)], shape[(3 + index)...])
      let width = try Shape.elementCount(Array(inner))
      y = try body(
        y.reshaped([1, Shape.elementCount(Array(outer)), shape[2 + index], width]), axes[index], .identity(width))
      shape[2 + index] = axes[index].outputs
    }
    return rest.isEmpty ? y : try y.reshaped(shape)
  }
}

/// The windows of a pooling operator.
private struct Pool: Sendable {
  private let windows: WindowAttributes
  private let numbers: [WindowAxis]

  init(_ node: NodeDescription) throws {
    windows = try WindowAttributes(node)
    guard let kernel = windows.kernel else { throw OperatorError("attribute 'kernel_shape' is missing") }
    numbers = try windows.axes(kernel: kernel)
  }

  /// The windows over maps of `shape`.
  func axes(_ shape: [Int]) throws -> [PoolingAxis] {
    guard shape.count == numbers.count + 2 else {
      throw OperatorError("windows of \(numbers.count) axes do not fit an input of shape \(shape)")
    }
    return try zip(numbers, shape[2...]).map { axis, size in
      let axis = try windows.padded(axis, size: size)
      let outputs = try windows.outputs(axis, size: size)
      guard outputs > 0 else { throw OperatorError("no window fits into \(size) positions") }
      return PoolingAxis(
        kernel: axis.kernel, stride: axis.stride, dilation: axis.dilation, before: axis.before, after: axis.after,
        outputs: outputs)
    }
  }
}

/// `(Σ |x|ᵖ)^(1/p)` in two steps, around the sum.
struct LpNorm: Sendable {
  private let order: Int

  init(_ node: NodeDescription) throws {
    // A number with a fraction in the first version.
    if node.opset < 2, let p = try node.optionalFloat("p") {
      guard let order = Int(exactly: p) else { throw OperatorError("p is \(p); an integer is needed") }
      self.order = order
    } else {
      order = try node.int("p", default: 2)
    }
    guard order > 0 else { throw OperatorError("p is \(order); a norm needs a positive one") }
  }

  /// `|x|ᵖ`
  func powers<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    switch order {
    case 1: try x.abs()
    case 2: try x.square()
    default: try x.abs().pow(Scalar(order))
    }
  }

  /// `sum^(1/p)`
  func root<Scalar: FloatingPointScalar>(_ sums: Tensor<Scalar>) throws -> Tensor<Scalar> {
    switch order {
    case 1: sums
    case 2: try sums.sqrt()
    default: try sums.pow(1 / Scalar(order))
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let pooling = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let shape = try pooled(x.shape, facts.node)
    return [InferredType(x.elementType, shape), InferredType(.int64, shape)]
  }

  /// What pooling maps of shape `x` gives.
  static func pooled(_ x: [Int], _ node: NodeDescription) throws -> [Int] {
    let windows = try WindowAttributes(node)
    guard x.count >= 3, let kernel = windows.kernel else { throw ShapeFacts.Unknown() }
    return try x.prefix(2) + windows.outputs(kernel: kernel, sizes: Array(x.dropFirst(2)))
  }
}
