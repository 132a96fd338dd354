import Apus

// Elements added around a tensor, or taken away.

extension Operators {
  static let paddings: [OperatorDefinition] = [
    OperatorDefinition("Pad", .movement(.pad, results: .inputIfUnchanged, layout: .rowMajor, axes: .pad), Pad),
    OperatorDefinition(
      "Pad", domain: "com.microsoft", .plain(.unknown("it depends on how much is added")), MicrosoftPad),
    OperatorDefinition("CenterCropPad", .plain(.centerCropPad), CenterCropPad),
  ]

  /// With elements added before and after each axis, or taken away where an amount is negative: a constant, the edge
  /// repeated, or the elements mirrored at the edge or from the other end, as often as needed.
  ///
  /// The amounts are the attribute `paddings` in version 1, `pads` until 10, then input 1; the constant is the
  /// attribute `value`, then input 2. Since version 18 input 3 may name the axes that the amounts are for.
  static func Pad(_ node: NodeDescription) throws -> PreparedOperator {
    let value = node.opset < 11 ? try node.float("value", default: 0) : nil
    return try padding(
      node, by: node.integers(1, attribute: node.opset < 2 ? "paddings" : "pads", inputSince: 11), value: value)
  }

  /// The same of ONNX Runtime, whose amounts are an input.
  static func MicrosoftPad(_ node: NodeDescription) throws -> PreparedOperator {
    try padding(node, by: node.integers(1), value: nil)
  }

  private static func padding(
    _ node: NodeDescription, by amounts: IntegerList, value: Float?
  ) throws -> PreparedOperator {
    let axes = try node.integers(3)
    let mode = try node.string("mode", default: "constant")
    guard ["constant", "edge", "reflect", "wrap"].contains(mode) else {
      throw OperatorError("mode '\(mode)' is not known; it is constant, edge, reflect or wrap")
    }
    return { arguments in
      guard let amounts = try amounts(arguments) else { throw OperatorError("the amounts are missing") }
      let axes = try axes(arguments)
      let x = try arguments.take(0)
      let padding = try PaddedAxes(amounts, axes: axes, shape: x.extents)
      if padding.isNothing { return [x] }
      if mode == "constant" {
        return [try ConstantPadding(padding: padding).single([x, constant(arguments, value, like: x)])]
      }
      return [try EdgePadding(padding: padding, mode: mode).run(x)]
    }
  }

  private static func constant(_ arguments: Arguments, _ value: Float?, like x: GraphValue) throws -> GraphValue {
    if let value, value != 0 {
      return try GraphValue(rounding: Tensor([value]), to: x.elementType ?? .float)
    }
    guard let value = arguments[2] else { return try GraphValue(zeros: x.elementType ?? .float, shape: []) }
    return try value.reshaped([])
  }

  /// Cut to the extents in input 1 or padded with zeros to them, evenly on both sides.
  static func CenterCropPad(_ node: NodeDescription) throws -> PreparedOperator {
    let axes = try node.optionalInts("axes")
    let sizes = try node.integers(1)
    return { arguments in
      guard let sizes = try sizes(arguments) else { throw OperatorError("the shape is missing") }
      let x = try arguments.take(0)
      let shape = try x.extents
      let axes = try Axes.resolve(axes ?? Array(shape.indices), rank: shape.count)
      guard axes.count == sizes.count, sizes.allSatisfy({ $0 >= 0 }) else {
        throw OperatorError("shape \(sizes) does not fit axes \(axes) of a tensor of shape \(shape)")
      }
      var amounts = [Int](repeating: 0, count: 2 * axes.count)
      for (index, axis) in axes.enumerated() {
        let missing = sizes[index] - shape[axis]
        // The odd one is taken or added at the end, and half of what is taken is rounded down.
        amounts[index] = missing / 2
        amounts[axes.count + index] = missing - missing / 2
      }
      let padding = try PaddedAxes(amounts, axes: axes, shape: shape)
      let zero = try GraphValue(zeros: x.elementType ?? .float, shape: [])
      return [try ConstantPadding(padding: padding).single([x, zero])]
    }
  }
}

/// How much is added before and after every axis.
private struct PaddedAxes {
  var before: [Int]
  var after: [Int]

  /// - Parameters:
  ///   - amounts: those before the axes, then those after.
  ///   - axes: every axis when nil.
  init(_ amounts: [Int], axes: [Int]?, shape: [Int]) throws {
    let axes = try Axes.resolve(axes ?? Array(shape.indices), rank: shape.count)
    guard amounts.count == 2 * axes.count else {
      throw OperatorError("\(amounts.count) amounts are given for \(axes.count) axes of a tensor of shape \(shape)")
    }
    before = [Int](repeating: 0, count: shape.count)
    after = before
    for (index, axis) in axes.enumerated() {
      before[axis] = amounts[index]
      after[axis] = amounts[axes.count + index]
    }
  }

  var isNothing: Bool { before.allSatisfy { $0 == 0 } && after.allSatisfy { $0 == 0 } }

  /// Pairs from the last axis to the first, as ``Apus/pad(_:_:mode:value:)`` takes them.
  var backwards: [Int] { before.indices.reversed().flatMap { [before[$0], after[$0]] } }
}

private struct ConstantPadding: Movement {
  let padding: PaddedAxes

  func callAsFunction<Scalar: TensorScalar>(_ operands: [Tensor<Scalar>]) throws -> [Tensor<Scalar>] {
    guard operands.count == 2 else { throw OperatorError("the constant is missing") }
    return [try pad(operands[0], padding.backwards, value: operands[1].scalar)]
  }
}

private struct EdgePadding: Rearrangement {
  let padding: PaddedAxes
  let mode: String

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    // Amounts below zero cut; what is added comes from what is left.
    var result = try pad(x, padding.backwards.map { min($0, 0) })
    for axis in x.shape.indices where padding.before[axis] > 0 || padding.after[axis] > 0 {
      let size = result.shape[axis]
      let (before, after) = (max(0, padding.before[axis]), max(0, padding.after[axis]))
      let places = try places(size: size, before: before, after: after)
      // Rows are moved as a whole, and single elements of the last axis where they are few.
      let isFramed = axis == x.rank - 1 && before + after < size
      result = try isFramed ? framed(result, before, after, places) : result.indexSelect(axis: axis, places)
    }
    return result
  }

  /// With elements before and after those of the last axis, each taken from its place among them.
  private func framed<Scalar: TensorScalar>(
    _ x: Tensor<Scalar>, _ before: Int, _ after: Int, _ places: Tensor<Int64>
  ) throws -> Tensor<Scalar> {
    var result = try pad(x, [before, after])
    let added = Array(0..<before) + Array((places.count - after)..<places.count)
    try places.withUnsafeBufferPointer { places in
      try result.withUnsafeMutableBufferPointer { elements in
        for row in stride(from: 0, to: elements.count, by: places.count) {
          for index in added { elements[row + index] = elements[row + before + Int(places[index])] }
        }
      }
    }
    return result
  }

  /// For each place along the padded axis the place it is taken from.
  private func places(size: Int, before: Int, after: Int) throws -> Tensor<Int64> {
    guard size > 0 else { throw OperatorError("nothing is there to pad an axis of extent 0 with (mode '\(mode)')") }
    let (sum, overflow) = size.addingReportingOverflow(before)
    let (count, overflowToo) = sum.addingReportingOverflow(after)
    guard !overflow, !overflowToo else { throw OperatorError("amounts \(before) and \(after) are too large") }
    let stop = Execution.current.stop
    return try Tensor<Int64>.filled([count]) { places in
      for index in 0..<count {
        // Whoever put up the sign says why; places that are not written must not be looked up.
        if index.isMultiple(of: 1 << 20), let stop, stop.check() { throw CancellationError() }
        let place = index - before
        switch mode {
        case "edge": places[index] = Int64(min(max(place, 0), size - 1))
        case "wrap": places[index] = Int64(modulo(place, size))
        default:
          // To the last element and back: a period of 2 (size - 1).
          let period = max(1, 2 * (size - 1))
          let phase = modulo(place, period)
          places[index] = Int64(min(phase, period - phase))
        }
      }
    }
  }

  private func modulo(_ a: Int, _ b: Int) -> Int {
    let rest = a % b
    return rest < 0 ? rest + b : rest
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let pad = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let name = facts.opset < 2 ? "paddings" : "pads"
    guard let amounts = try facts.integers(1, attribute: name, inputSince: 11) else { throw ShapeFacts.Unknown() }
    let axes = try Axes.resolve(facts.integers(3) ?? Array(x.shape.indices), rank: x.shape.count)
    guard amounts.count == 2 * axes.count else { throw ShapeFacts.Unknown() }
    var shape = x.shape
    for (index, axis) in axes.enumerated() {
      shape[axis] = try Extent.sum([shape[axis], amounts[index], amounts[axes.count + index]])
    }
    return [InferredType(x.elementType, shape)]
  }

  static let centerCropPad = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let axes = try Axes.resolve(facts.node.optionalInts("axes") ?? Array(x.shape.indices), rank: x.shape.count)
    guard let sizes = try facts.integers(1), sizes.count == axes.count else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, zip(axes, sizes).reduce(x.shape) { $0.replacing($1.0, with: $1.1) })]
  }
}

// MARK: - Axes

extension AxisRule {
  /// Amounts, those before the axes and then those after, for all axes or for those that are named.
  static let pad = AxisRule.named(.first, exactly: true) { facts, order in
    let name = facts.opset < 2 ? "paddings" : "pads"
    guard let amounts = try facts.integers(1, attribute: name, inputSince: 11) else { throw ShapeFacts.Unknown() }
    var renaming = Renaming(order)
    if let axes = try facts.integers(3) {
      renaming.set(try axes.map { try order($0) }, 3, attribute: "axes", inputSince: 11, facts)
      return renaming
    }
    guard amounts.count == 2 * order.rank else { throw ShapeFacts.Unknown() }
    let stored = order.inverse.axes
    let reordered = stored.map { amounts[$0] } + stored.map { amounts[order.rank + $0] }
    renaming.set(reordered, 1, attribute: name, inputSince: 11, facts)
    return renaming
  }
}
