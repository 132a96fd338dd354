extension Graph {
  /// The element types and shapes of all values that follow from those of the inputs, node by node.
  ///
  /// Values whose shapes depend on what flows through the graph, and outputs of operators that no rule is known for,
  /// are missing.
  ///
  /// - Parameter inputs: shapes of inputs; an input that is not among them counts if the model declares every extent.
  package func inferredTypes(inputs: [ValueID: [Int]] = [:]) -> [ValueID: InferredType] {
    var inference = ShapeInference(self, inputs: inputs)
    for node in nodes { inference.visit(node) }
    return inference.types
  }

  /// ``inferredTypes(inputs:)``, with the values that are known.
  ///
  /// - Parameter isWhole: whether this is a model's graph, whose inputs are checked against what it declares: a state of a
  ///   loop may outgrow that.
  /// - Throws: ``GraphError/cancelled``, ``GraphError/timeLimit(_:)``.
  func inference(inputs: [ValueID: [Int]] = [:], isWhole: Bool = true) throws -> ShapeInference {
    var inference = ShapeInference(self, inputs: inputs, trustsDeclarations: isWhole)
    for (index, node) in nodes.enumerated() {
      if index.isMultiple(of: 64) { try TimeLimit.check() }
      inference.visit(node)
    }
    return inference
  }

  /// What the model declares of a value, when that leaves nothing open.
  func declaredType(of value: ValueID) -> InferredType? {
    values[value].type?.extents.map { InferredType(declaredElementType(of: value), $0) }
  }

  /// What the model declares of a value's elements.
  func declaredElementType(of value: ValueID) -> ElementType? {
    guard case .tensor(let elementType, _)? = values[value].type else { return nil }
    return elementType
  }
}
