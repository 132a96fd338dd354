import Apus

// Integers that stand for numbers.

extension ShapeRules {
  static let quantized: [ShapeRule] = [
    ShapeRule("QuantizeLinear", rule: quantization),
    ShapeRule("QuantizeLinear", domain: "com.microsoft", rule: quantization),
    ShapeRule("DequantizeLinear", rule: dequantization),
    ShapeRule("DequantizeLinear", domain: "com.microsoft", rule: dequantization),
    ShapeRule("DynamicQuantizeLinear") { facts in
      [InferredType(.uint8, try facts.shape(0)), InferredType(scaleType(facts), []), InferredType(.uint8, [])]
    },
    ShapeRule("MatMulInteger") { facts in
      [InferredType(.int32, try MatMulShapes(facts.shape(0), facts.shape(1)).result)]
    },
    ShapeRule("QLinearMatMul") { facts in
      [InferredType(facts.elementType(7), try MatMulShapes(facts.shape(0), facts.shape(3)).result)]
    },
    ShapeRule("ConvInteger") { facts in
      [InferredType(.int32, try convolved(facts.shape(0), weight: facts.shape(1), facts.node))]
    },
    ShapeRule("QLinearConv") { facts in
      [InferredType(facts.elementType(7), try convolved(facts.shape(0), weight: facts.shape(3), facts.node))]
    },
    ShapeRule("QLinearAdd", "QLinearMul", domain: "com.microsoft") { facts in
      [InferredType(facts.elementType(0), try Shape.broadcast(facts.shape(0), facts.shape(3), operation: "broadcast"))]
    },
    ShapeRule("QLinearSigmoid", "QLinearLeakyRelu", domain: "com.microsoft", rule: same),
    ShapeRule("QLinearConcat", domain: "com.microsoft") { facts in
      let inputs = Array(stride(from: 2, to: facts.inputs.count, by: 3))
      var type = try joined(facts, inputs: inputs, axis: facts.node.int("axis"))
      type.elementType = facts.elementType(1)
      return [type]
    },
  ]

  @Sendable private static func quantization(_ facts: ShapeFacts) throws -> [InferredType?] {
    let type = try facts.has(2) ? facts.elementType(2) : facts.node.optionalElementType("output_dtype") ?? .uint8
    return [InferredType(type, try facts.shape(0))]
  }

  @Sendable private static func dequantization(_ facts: ShapeFacts) throws -> [InferredType?] {
    [InferredType(try facts.node.optionalElementType("output_dtype") ?? facts.elementType(1), try facts.shape(0))]
  }

  private static func scaleType(_ facts: ShapeFacts) -> ElementType? {
    facts.elementType(0).map { $0 == .double ? .double : .float }
  }
}
