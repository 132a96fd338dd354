import Apus

/// How the types of a node's outputs follow from what is known of its inputs.
///
/// A rule must never give a shape that the operator does not: shapes become constants. One that cannot infer a shape
/// throws.
enum ShapeRule: Sendable {
  /// The types of the outputs; nil where one is not known. Throws where nothing is.
  case rule(@Sendable (ShapeFacts) throws -> [InferredType?])
  /// The one output itself, which follows from shapes alone.
  case sizes(@Sendable (ShapeFacts) throws -> GraphValue)
  /// The outputs of the nodes that a node is made of (``Node/parts``).
  case parts
  /// Shapes that are known only after the node ran, and why.
  case unknown(String)
}

// MARK: - Rules that operators share

extension ShapeRule {
  /// The first output is as the first input.
  static let likeInput = ShapeRule.rule { [try $0.input(0)] }

  /// A Boolean for each element of the first input.
  static let boolLikeInput = ShapeRule.rule { [InferredType(.bool, try $0.shape(0))] }

  /// The shape of the first input, and its element type unless the attribute `dtype` names another.
  static let typedLikeInput = ShapeRule.rule { facts in
    [InferredType(try facts.node.optionalElementType("dtype") ?? facts.elementType(0), try facts.shape(0))]
  }

  /// Two operands of one type broadcast over each other.
  static let broadcast = ShapeRule.rule { [InferredType($0.commonElementType([0, 1]), try broadcastShape($0))] }

  /// A Boolean for each pair of elements.
  static let comparison = ShapeRule.rule { [InferredType(.bool, try broadcastShape($0))] }

  /// Any number of operands of one type broadcast over each other.
  static let variadic = ShapeRule.rule { facts in
    let shape = try facts.inputs.indices.reduce([]) { shape, index in
      try Shape.broadcast(shape, facts.shape(index), operation: "broadcast")
    }
    return [InferredType(facts.commonElementType(facts.inputs.indices), shape)]
  }

  /// The shape that two operands are broadcast to; before opset 7 the second was made to fit the first.
  static func broadcastShape(_ facts: ShapeFacts) throws -> [Int] {
    if facts.opset < 7, facts.node.has(attribute: "broadcast") { return try facts.shape(0) }
    return try Shape.broadcast(facts.shape(0), facts.shape(1), operation: "broadcast")
  }
}
