import Apus

// Tensors of any rank sampled at other positions, axis by axis.

extension Operators {
  static let resamplings: [OperatorDefinition] = [
    OperatorDefinition(
      "Resize", .movement(.resize, results: .inputIfUnchanged, layout: .keepsBlocked, accuracy: .plain), Resize),
    OperatorDefinition(
      "Upsample", .movement(.upsample, results: .inputIfUnchanged, layout: .keepsBlocked, accuracy: .plain), Upsample),
    OperatorDefinition("GridSample", .plain(.gridSample), GridSample),
    OperatorDefinition("GridSample", domain: "com.microsoft", .plain(.gridSample), GridSample),
    OperatorDefinition("AffineGrid", .plain(.affineGrid), AffineGrid),
  ]

  /// Inputs x, roi, scales and sizes (x and scales in version 10); one of scales and sizes says how large the output
  /// is.
  static func Resize(_ node: NodeDescription) throws -> PreparedOperator {
    let settings = try ResizeSettings(node)
    let isFirst = node.opset < 11
    return { arguments in
      let x = try arguments.value(0)
      let shape = try x.extents
      let axes = try settings.axes(
        of: shape, roi: isFirst ? nil : arguments.scales(1), scales: arguments.scales(isFirst ? 1 : 2),
        sizes: isFirst ? nil : arguments.optionalIntegers(3))
      return [try Resizing(settings: settings, axes: axes, shape: shape).resize(x)]
    }
  }

  /// Resize as it was before version 10: scales are an attribute, since version 9 an input.
  static func Upsample(_ node: NodeDescription) throws -> PreparedOperator {
    let settings = try ResizeSettings(node, isUpsample: true)
    let known = node.opset < 9 ? try node.optionalFloats("scales") : nil
    guard known != nil || node.opset >= 9 else { throw OperatorError("attribute 'scales' is missing") }
    return { arguments in
      let x = try arguments.value(0)
      let shape = try x.extents
      let axes = try settings.axes(of: shape, roi: nil, scales: known ?? arguments.scales(1), sizes: nil)
      return [try Resizing(settings: settings, axes: axes, shape: shape).resize(x)]
    }
  }
}

extension Arguments {
  /// Input `index`, a list of numbers; nil when it is omitted or empty.
  fileprivate func scales(_ index: Int) throws -> [Float]? {
    let numbers = try optionalFloating(index, as: Float.self)?.elements
    return numbers?.isEmpty == true ? nil : numbers
  }
}

/// One resizing of one shape.
private struct Resizing: FloatingFunction {
  let settings: ResizeSettings
  let axes: [ResizeAxis]
  let shape: [Int]

  func resize(_ x: GraphValue) throws -> GraphValue {
    let result = axes.map(\.output)
    let count = try Shape.elementCount(result, operation: "Resize")
    if axes.allSatisfy(\.isIdentity) { return x }
    if count == 0 || shape.contains(0) {
      guard count == 0 else { throw OperatorError("an empty tensor of shape \(shape) cannot become \(result)") }
      return try GraphValue(zeros: x.elementType ?? .float, shape: result)
    }
    guard case .tensor(let tensor) = x else {
      guard settings.mode == .nearest, settings.transformation != .cropAndResize else {
        throw OperatorError("elements of type \(x.type) cannot be interpolated")
      }
      return try NearestMovement(settings: settings, axes: axes).run(x)
    }
    if tensor.dataType.isFloatingPoint { return try Operators.evaluate(self, tensor) }
    if settings.mode == .nearest, settings.transformation != .cropAndResize {
      return try NearestMovement(settings: settings, axes: axes).run(x)
    }
    // Rounded to the nearest, and to what the type holds.
    let numbers = try self(tensor.converted(to: Double.self)).round()
    guard let value = try tensor.dataType.visitWholeNumber(Narrowing(numbers: numbers)) else {
      throw OperatorError("elements of type \(x.type) cannot be interpolated")
    }
    return value
  }

  private struct Narrowing: WholeNumberVisitor {
    let numbers: Tensor<Double>

    func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
      GraphValue(try numbers.converted(to: type))
    }
  }

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    try Shape.checkMemory(axes.map(\.output), of: Real.self, operation: "Resize")
    let samplings = try axes.map { try settings.sampling($0) }
    let y = try sampled(x, samplings)
    guard settings.transformation == .cropAndResize else { return y }
    return try extrapolated(y)
  }

  private func sampled<Scalar: FloatingPointScalar>(
    _ x: Tensor<Scalar>, _ samplings: [AxisSampling]
  ) throws -> Tensor<Scalar> {
    let rank = axes.count
    // Maps of one or two axes go in one step, in the layout they are in.
    if rank == 3 || rank == 4, axes[0].isIdentity, axes[1].isIdentity {
      let x = rank == 3 ? x.withHeight() : x
      let rows = rank == 3 ? settings.identity(1) : samplings[2]
      if let y = try planar(x, rows, samplings[rank - 1]) { return rank == 3 ? y.withoutHeight() : y }
    }
    var y = x
    var shape = x.shape
    // The last two axes together, where they are sampled alike, then each of the others.
    var done = rank
    if rank >= 2, !axes.suffix(2).allSatisfy(\.isIdentity),
      let both = try planar(
        y.reshaped([1, Shape.elementCount(Array(shape.dropLast(2)))] + shape.suffix(2)), samplings[rank - 2],
        samplings[rank - 1])
    {
      shape.replaceSubrange((rank - 2)..., with: axes.suffix(2).map(\.output))
      y = try both.reshaped(shape)
      done = rank - 2
    }
    for axis in (0..<done).reversed() where !axes[axis].isIdentity {
      let outer = try Shape.elementCount(Array(shape[..<axis]))
      let inner = try Shape.elementCount(Array(shape[(axis + 1)...]))
      let maps = try y.reshaped([1, outer, shape[axis], inner])
      shape[axis] = axes[axis].output
      if case .weighted(let taps) = samplings[axis] {
        y = try taps(maps.reshaped([outer, axes[axis].input, inner])).reshaped(shape)
      } else if let lines = try planar(maps, samplings[axis], settings.identity(inner)) {
        y = try lines.reshaped(shape)
      }
    }
    return y
  }

  /// Rows and columns of `[batch, channels, height, width]` in one pass; nil where they need more than two samples
  /// each.
  private func planar<Scalar: FloatingPointScalar>(
    _ x: Tensor<Scalar>, _ rows: AxisSampling, _ columns: AxisSampling
  ) throws -> Tensor<Scalar>? {
    switch (rows, columns) {
    case (.nearest(let rows), .nearest(let columns)): try resample(x, rows: rows, columns: columns)
    case (.linear(let rows), .linear(let columns)): try resample(x, rows: rows, columns: columns)
    default: nil
    }
  }

  /// What lies outside the region is the extrapolation value.
  private func extrapolated<Scalar: FloatingPointScalar>(_ y: Tensor<Scalar>) throws -> Tensor<Scalar> {
    var result = try y.rowMajor
    for (axis, line) in axes.enumerated() {
      let outside = (0..<line.output).filter { settings.isOutside($0, line) }
      guard !outside.isEmpty else { continue }
      let outer = try Shape.elementCount(Array(y.shape[..<axis]))
      let inner = try Shape.elementCount(Array(y.shape[(axis + 1)...]))
      let value = Scalar(settings.extrapolationValue)
      try result.withUnsafeMutableBufferPointer { elements in
        for row in 0..<outer {
          for index in outside {
            let first = (row * line.output + index) * inner
            for i in first..<(first + inner) { elements[i] = value }
          }
        }
      }
    }
    return result
  }
}

/// The nearest elements along each axis, of any type.
private struct NearestMovement: Rearrangement {
  let settings: ResizeSettings
  let axes: [ResizeAxis]

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    var y = x
    for (axis, line) in axes.enumerated() where !line.isIdentity {
      guard case .nearest(let places) = try settings.sampling(line) else { continue }
      y = try y.indexSelect(axis: axis, Tensor(places.map(Int64.init)))
    }
    return y
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let resize = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let isFirst = facts.opset < 11
    let axes = try ResizeSettings(facts.node).axes(
      of: x.shape, roi: isFirst ? nil : facts.numbers(1), scales: facts.numbers(isFirst ? 1 : 2),
      sizes: isFirst ? nil : facts.integers(3))
    return [InferredType(x.elementType, axes.map(\.output))]
  }

  static let upsample = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let scales = try facts.opset < 9 ? facts.node.optionalFloats("scales") : facts.numbers(1)
    let settings = try ResizeSettings(facts.node, isUpsample: true)
    let axes = try settings.axes(of: x.shape, roi: nil, scales: scales, sizes: nil)
    return [InferredType(x.elementType, axes.map(\.output))]
  }
}
