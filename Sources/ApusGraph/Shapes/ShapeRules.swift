/// How the types of a node's outputs follow from what is known of its inputs.
struct ShapeRule: Sendable {
  let operators: [OperatorName]
  /// The types of the outputs; nil where one is not known. Throws where nothing is.
  let rule: @Sendable (ShapeFacts) throws -> [InferredType?]

  /// One rule for operators of one domain.
  init(_ types: String..., domain: String = "", rule: @escaping @Sendable (ShapeFacts) throws -> [InferredType?]) {
    operators = types.map { OperatorName(domain: domain, type: $0) }
    self.rule = rule
  }
}

/// The rules by which shapes follow from each other, a family a file.
///
/// A rule must never give a shape that the operator does not: shapes become constants. One that cannot tell throws.
enum ShapeRules {
  private static let families: [[ShapeRule]] = [
    elementwise, reductions, windows, products, normalizations, reshapes, movements, gathers, resamplings, constants,
    quantized, recurrent, attention, fused,
  ]

  static let byName: [OperatorName: ShapeRule] = {
    var result: [OperatorName: ShapeRule] = [:]
    for rule in families.joined() { for name in rule.operators { result[name] = rule } }
    return result
  }()

  /// The first output is as the first input.
  @Sendable static func same(_ facts: ShapeFacts) throws -> [InferredType?] { [try facts.input(0)] }
}
