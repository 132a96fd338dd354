import Apus

// Tensors joined, cut, padded and repeated.

extension ShapeRules {
  static let movements: [ShapeRule] = [
    ShapeRule("Concat") { facts in
      let axis = try facts.opset < 4 ? facts.node.int("axis", default: 1) : facts.node.int("axis")
      return [try joined(facts, inputs: Array(facts.inputs.indices), axis: axis)]
    },
    ShapeRule("Split") { facts in
      let x = try facts.input(0)
      let axis = try Axes.resolve(facts.node.int("axis", default: 0), rank: x.shape.count)
      let count = try facts.node.optionalInt("num_outputs") ?? facts.node.outputCount
      let sizes = try facts.integers(1) ?? facts.node.optionalInts("split")
        ?? Operators.evenSizes(x.shape[axis], parts: count, wanted: facts.node.outputCount)
      guard try Extent.sum(sizes) == x.shape[axis] else { throw ShapeFacts.Unknown() }
      return sizes.map { InferredType(x.elementType, x.shape.replacing(axis, with: $0)) }
    },
    ShapeRule("Slice") { facts in
      let x = try facts.input(0)
      guard let starts = try facts.integers(1, attribute: "starts", inputSince: 10),
        let ends = try facts.integers(2, attribute: "ends", inputSince: 10)
      else { throw ShapeFacts.Unknown() }
      let axes = try facts.integers(3, attribute: "axes", inputSince: 10) ?? Array(starts.indices)
      let steps = try facts.integers(4, attribute: "steps", inputSince: 10) ?? [Int](repeating: 1, count: starts.count)
      let resolved = try Axes.resolve(axes, rank: x.shape.count)
      guard ends.count == starts.count, resolved.count == starts.count, steps.count == starts.count else {
        throw ShapeFacts.Unknown()
      }
      var cut = Cut(whole: x.shape)
      for (index, axis) in resolved.enumerated() {
        try cut.take(axis, from: starts[index], to: ends[index], step: steps[index])
      }
      return [InferredType(x.elementType, cut.counts)]
    },
    ShapeRule("Pad") { facts in
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
    },
    ShapeRule("CenterCropPad") { facts in
      let x = try facts.input(0)
      let axes = try Axes.resolve(facts.node.optionalInts("axes") ?? Array(x.shape.indices), rank: x.shape.count)
      guard let sizes = try facts.integers(1), sizes.count == axes.count else { throw ShapeFacts.Unknown() }
      return [InferredType(x.elementType, zip(axes, sizes).reduce(x.shape) { $0.replacing($1.0, with: $1.1) })]
    },
    ShapeRule("Expand") { facts in
      guard let wanted = try facts.integers(1) else { throw ShapeFacts.Unknown() }
      let x = try facts.input(0)
      return [InferredType(x.elementType, try Shape.broadcast(x.shape, wanted, operation: "Expand"))]
    },
    ShapeRule("Tile") { facts in
      let x = try facts.input(0)
      guard let repeats = try facts.integers(1), repeats.count == x.shape.count else { throw ShapeFacts.Unknown() }
      return [InferredType(x.elementType, try zip(x.shape, repeats).map { try Extent.product($0, $1) })]
    },
  ]

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
