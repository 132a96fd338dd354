import Apus

// Tensors one after the other, and a tensor in parts.

extension Operators {
  static let joins: [OperatorDefinition] = [
    OperatorDefinition("Concat", Concat),
    OperatorDefinition("Split", Split),
  ]

  /// The inputs one after the other along `axis`, which is 1 by default before version 4 and must be given since.
  static func Concat(_ node: NodeDescription) throws -> Operation {
    let axis = node.opset < 4 ? try node.int("axis", default: 1) : try node.int("axis")
    return { arguments in [try Concatenation(axis: axis).single(arguments.values.compactMap { $0 })] }
  }

  /// Parts along `axis`: of the sizes in input 1 (an attribute from version 2 to 12), or as many as there are outputs
  /// (`num_outputs` since version 18), all of the same size but the last, which may be smaller.
  static func Split(_ node: NodeDescription) throws -> Operation {
    let axis = try node.int("axis", default: 0)
    let count = try node.optionalInt("num_outputs") ?? node.outputCount
    let known = try node.optionalInts("split")
    let sizes = try node.integers(1)
    guard count >= node.outputCount else {
      throw OperatorError("num_outputs is \(count); the node has \(node.outputCount) outputs")
    }
    return { arguments in
      let x = try arguments.take(0)
      let shape = try x.extents
      let axis = try Axes.resolve(axis, rank: shape.count)
      let sizes = try sizes(arguments) ?? known ?? evenSizes(shape[axis], parts: count, wanted: node.outputCount)
      guard sizes.count >= node.outputCount else {
        throw OperatorError("\(sizes.count) parts are asked for; the node has \(node.outputCount) outputs")
      }
      return try Division(sizes: sizes, axis: axis).run([x])
    }
  }

  /// The first `wanted` of `parts` sizes that add up to `size`, all ⌈size / parts⌉ as long as there is enough; and the
  /// sum of those that nobody wants.
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
