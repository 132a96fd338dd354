import Apus

// Matrix products.

extension ShapeRules {
  static let products: [ShapeRule] = [
    ShapeRule("MatMul") { facts in
      [InferredType(facts.elementType(0), try MatMulShapes(facts.shape(0), facts.shape(1)).result)]
    },
    ShapeRule("Gemm") { facts in
      let (a, b) = try (facts.shape(0), facts.shape(1))
      guard a.count == 2, b.count == 2 else { throw ShapeFacts.Unknown() }
      let rows = try facts.node.flag("transA") ? a[1] : a[0]
      let columns = try facts.node.flag("transB") ? b[0] : b[1]
      return [InferredType(facts.elementType(0), [rows, columns])]
    },
    ShapeRule("Einsum") { facts in
      let shapes = try facts.inputs.indices.map { try facts.shape($0) }
      let names = try EinsumEquation(facts.node.string("equation", default: "")).names(ranks: shapes.map(\.count))
      var extents: [Int: Int] = [:]
      for (shape, operand) in zip(shapes, names.operands) {
        for (name, size) in zip(operand, shape) where extents[name, default: 1] == 1 { extents[name] = size }
      }
      return [InferredType(facts.elementType(0), names.result.map { extents[$0, default: 1] })]
    },
  ]
}
