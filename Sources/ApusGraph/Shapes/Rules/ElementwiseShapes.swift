import Apus

// Functions of single elements, of one tensor or of several that are broadcast over each other.

extension ShapeRules {
  static let elementwise: [ShapeRule] = [
    ShapeRule(
      "Abs", "Neg", "Sign", "Ceil", "Floor", "Round", "Reciprocal", "Sqrt", "Exp", "Log", "Erf", "Sin", "Cos", "Tan",
      "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh", "Relu", "LeakyRelu",
      "ThresholdedRelu", "Clip", "Elu", "Selu", "Celu", "Sigmoid", "HardSigmoid", "HardSwish", "Swish", "SwiGLU",
      "Mish", "Softplus", "Softsign", "Shrink", "Gelu", "BitwiseNot", "Softmax", "LogSoftmax", "Hardmax", "CumSum",
      "CumProd", "Trilu", rule: same),
    ShapeRule("Gelu", "QuickGelu", domain: "com.microsoft", rule: same),
    ShapeRule("IsNaN", "IsInf", "Not") { [InferredType(.bool, try $0.shape(0))] },
    ShapeRule("Add", "Sub", "Mul", "Div", "Mod", "PRelu", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor") {
      [InferredType($0.commonElementType([0, 1]), try broadcast($0))]
    },
    ShapeRule("Pow") { [InferredType($0.elementType(0), try broadcast($0))] },
    ShapeRule("And", "Or", "Xor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual") {
      [InferredType(.bool, try broadcast($0))]
    },
    ShapeRule("Max", "Min", "Sum", "Mean", rule: variadic),
    ShapeRule("Where") { facts in
      let shape = try Shape.broadcast(facts.shape(1), facts.shape(2), operation: "Where")
      return [
        InferredType(facts.commonElementType([1, 2]), try Shape.broadcast(facts.shape(0), shape, operation: "Where"))
      ]
    },
    ShapeRule("Dropout") { facts in
      let x = try facts.input(0)
      // The mask was of the type of the input once.
      return [x, InferredType(facts.opset >= 10 ? .bool : x.elementType, x.shape)]
    },
    ShapeRule("Cast", "BitCast") { [InferredType(try $0.node.optionalElementType("to"), try castShape($0))] },
    ShapeRule("CastLike") { [InferredType($0.elementType(1), try $0.shape(0))] },
  ]

  /// The shape that two operands are broadcast to; before opset 7 the second was made to fit the first.
  private static func broadcast(_ facts: ShapeFacts) throws -> [Int] {
    if facts.opset < 7, facts.node.has(attribute: "broadcast") { return try facts.shape(0) }
    return try Shape.broadcast(facts.shape(0), facts.shape(1), operation: "broadcast")
  }

  @Sendable private static func variadic(_ facts: ShapeFacts) throws -> [InferredType?] {
    let shape = try facts.inputs.indices.reduce([]) { shape, index in
      try Shape.broadcast(shape, facts.shape(index), operation: "broadcast")
    }
    return [InferredType(facts.commonElementType(facts.inputs.indices), shape)]
  }

  private static func castShape(_ facts: ShapeFacts) throws -> [Int] {
    guard facts.node.node.operatorName.type == "BitCast" else { return try facts.shape(0) }
    // Types of other sizes give other shapes.
    guard let from = facts.elementType(0)?.bitCount, from == (try facts.node.optionalElementType("to"))?.bitCount else {
      throw ShapeFacts.Unknown()
    }
    return try facts.shape(0)
  }
}
