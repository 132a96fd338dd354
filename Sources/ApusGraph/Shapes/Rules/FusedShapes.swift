import Apus

// Operators that passes make. Elementwise is followed part by part: see ``ShapeInference/visit(_:)``.

extension ShapeRules {
  static let fused: [ShapeRule] = [
    ShapeRule("Linear", domain: "apus") { facts in
      let (x, weight) = try (facts.input(0), facts.shape(2))
      let isTransposed = try facts.node.ints("transposed", default: []).first == 1
      guard !x.shape.isEmpty, weight.count == 2 else { throw ShapeFacts.Unknown() }
      return [InferredType(x.elementType, x.shape.dropLast() + [weight[isTransposed ? 0 : 1]])]
    },
    ShapeRule("ConvInteger", domain: "apus") { facts in
      [InferredType(.float, try scaled(facts, convolved(facts.shape(0), weight: facts.shape(1), facts.node)))]
    },
    ShapeRule("MatMulInteger", domain: "apus") { facts in
      [InferredType(.float, try scaled(facts, MatMulShapes(facts.shape(0), facts.shape(1)).result))]
    },
    ShapeRule("Attention", domain: "apus") { facts in
      let (query, value) = try (facts.input(0), facts.shape(2))
      guard let features = value.last, query.shape.count == value.count,
        query.shape.dropLast(2) == value.dropLast(2)
      else { throw ShapeFacts.Unknown() }
      return [InferredType(query.elementType, query.shape.dropLast() + [features])]
    },
  ]
  /// Sums of shape `sums` times a scale, input 4, plus a bias, input 5.
  private static func scaled(_ facts: ShapeFacts, _ sums: [Int]) throws -> [Int] {
    try [4, 5].reduce(sums) { shape, index in
      facts.has(index) ? try Shape.broadcast(shape, facts.shape(index), operation: "broadcast") : shape
    }
  }
}
