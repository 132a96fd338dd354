import Apus

// Tensors whose sizes are what goes in.

extension ShapeRules {
  static let constants: [ShapeRule] = [
    ShapeRule("Constant") { facts in
      guard let value = try Operators.constantValue(facts.node.node), let shape = value.shape else {
        throw ShapeFacts.Unknown()
      }
      return [InferredType(value.elementType, shape)]
    },
    ShapeRule("ConstantOfShape") { facts in
      guard let shape = try facts.integers(0) else { throw ShapeFacts.Unknown() }
      let value = try facts.node.optionalTensor("value")
      return [InferredType(value.map(\.elementType) ?? .float, shape)]
    },
    ShapeRule("Shape") { facts in
      let extents = try Operators.extents(
        facts.shape(0), from: facts.node.int("start", default: 0), to: facts.node.optionalInt("end"))
      return [InferredType(.int64, [extents.count])]
    },
    ShapeRule("Size") { facts in
      _ = try facts.shape(0)
      return [InferredType(.int64, [])]
    },
    ShapeRule("Range") { facts in
      // Of whole numbers only: how many others there are is a matter of rounding.
      let bounds = try (0..<3).flatMap { try facts.integers($0) ?? [] }
      guard bounds.count == 3, bounds[2] != 0, bounds.allSatisfy({ $0.magnitude < 1 << 40 }) else {
        throw ShapeFacts.Unknown()
      }
      let (distance, step) = (bounds[2] > 0 ? bounds[1] - bounds[0] : bounds[0] - bounds[1], abs(bounds[2]))
      return [InferredType(facts.elementType(0), [max(0, (distance + step - 1) / step)])]
    },
    ShapeRule("EyeLike") { facts in
      [InferredType(try facts.node.optionalElementType("dtype") ?? facts.elementType(0), try facts.shape(0))]
    },
  ]
}
