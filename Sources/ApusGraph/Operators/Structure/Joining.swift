import Apus

// Tensors one after the other, and a tensor in parts.

extension Operators {
  static let joins: [OperatorDefinition] = [
    OperatorDefinition(
      "Concat", .movement(.concat, results: .inputIfUnchanged, layout: .joinsBlocked, axes: .axis(of: .all)),
      Concat
    ),
    OperatorDefinition(
      "Split", .movement(.split, results: .partOfInput, layout: .keepsBlocked, axes: .axis(of: .first, default: 0)),
      Split),
  ]

  /// The inputs one after the other along `axis`, which is 1 by default before version 4 and must be given since.
  static func Concat(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = node.opset < 4 ? try node.int("axis", default: 1) : try node.int("axis")
    return { arguments in [try Concatenation(axis: axis).single(arguments.values.compactMap { $0 })] }
  }

  /// Parts along `axis`: of the sizes in input 1 (an attribute from version 2 to 12), or as many as there are outputs
  /// (`num_outputs` since version 18 says the same number), all of the same size but the last, which may be smaller.
  static func Split(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: 0)
    let count = try node.optionalInt("num_outputs") ?? node.outputCount
    let known = try node.optionalInts("split")
    let sizes = try node.integers(1)
    let mayBeUneven = node.opset >= 18
    guard count == node.outputCount else {
      throw OperatorError("num_outputs is \(count); the node has \(node.outputCount) outputs")
    }
    return { arguments in
      let x = try arguments.take(0)
      let shape = try x.extents
      let axis = try Axes.resolve(axis, rank: shape.count)
      let given = try sizes(arguments) ?? known
      // A last part that is smaller came with num_outputs.
      guard given != nil || mayBeUneven || shape[axis].isMultiple(of: max(1, count)) else {
        throw OperatorError("\(shape[axis]) positions cannot be split into \(count) equal parts")
      }
      let sizes = try given ?? evenSizes(shape[axis], parts: count, wanted: node.outputCount)
      guard sizes.count >= node.outputCount else {
        throw OperatorError("\(sizes.count) parts are asked for; the node has \(node.outputCount) outputs")
      }
      return try Division(sizes: sizes, axis: axis).run([x])
    }
  }

  /// The first `wanted` of `parts` sizes that add up to `size`, all ⌈size / parts⌉ as long as there is enough; and the
  /// sum of those that are not wanted.
  static func evenSizes(_ size: Int, parts: Int, wanted: Int) throws -> [Int] {
    guard parts > 0 else { throw OperatorError("the number of outputs is \(parts)") }
    let part = size / parts + (size.isMultiple(of: parts) ? 0 : 1)
    var rest = size
    let sizes = (0..<wanted).map { _ in
      defer { rest -= min(part, rest) }
      return min(part, rest)
    }
    return rest > 0 ? sizes + [rest] : sizes
  }
}

/// Tensors one after the other along an axis.
struct Concatenation: Movement {
  let axis: Int

  func callAsFunction<Scalar: TensorScalar>(_ operands: [Tensor<Scalar>]) throws -> [Tensor<Scalar>] {
    [try concatenate(operands, axis: axis)]
  }
}

/// Tensors of one shape along a new axis.
struct Stacking: Movement {
  let axis: Int

  func callAsFunction<Scalar: TensorScalar>(_ operands: [Tensor<Scalar>]) throws -> [Tensor<Scalar>] {
    [try stack(operands, axis: axis)]
  }
}

/// A tensor in parts along an axis.
struct Division: Movement {
  let sizes: [Int]
  let axis: Int

  func callAsFunction<Scalar: TensorScalar>(_ operands: [Tensor<Scalar>]) throws -> [Tensor<Scalar>] {
    try operands.flatMap { try $0.split(sizes: sizes, axis: axis) }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let concat = ShapeRule.rule { facts in
    let axis = try facts.opset < 4 ? facts.node.int("axis", default: 1) : facts.node.int("axis")
    return [try joined(facts, inputs: Array(facts.inputs.indices), axis: axis)]
  }

  static let split = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let axis = try Axes.resolve(facts.node.int("axis", default: 0), rank: x.shape.count)
    let count = try facts.node.optionalInt("num_outputs") ?? facts.node.outputCount
    let sizes =
      try facts.integers(1) ?? facts.node.optionalInts("split")
      ?? Operators.evenSizes(x.shape[axis], parts: count, wanted: facts.node.outputCount)
    guard try Extent.sum(sizes) == x.shape[axis] else { throw ShapeFacts.Unknown() }
    return sizes.map { InferredType(x.elementType, x.shape.replacing(axis, with: $0)) }
  }

  /// Some inputs one after the other along an axis.
  static func joined(_ facts: ShapeFacts, inputs: [Int], axis: Int) throws -> InferredType {
    let types = try inputs.map { try facts.input($0) }
    guard let first = types.first else { throw ShapeFacts.Unknown() }
    let axis = try Axes.resolve(axis, rank: first.shape.count)
    guard types.allSatisfy({ $0.shape.count == first.shape.count }) else { throw ShapeFacts.Unknown() }
    return InferredType(
      facts.commonElementType(inputs), first.shape.replacing(axis, with: try Extent.sum(types.map { $0.shape[axis] })))
  }
}
