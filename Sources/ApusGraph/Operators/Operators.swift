/// The operators, a family a file. Each is a function named as the operator that decodes the node's attributes and
/// gives what it does.
enum Operators {
  /// Every family; an operator that is not listed here does not exist.
  static let families: [[OperatorDefinition]] = Array(
    [
      elementwise, reducing, linearAlgebra, spatial, signal, transformer, quantized, compressed, structure, text,
      machineLearning, training, [fused],
    ].joined())

  static let byName: [OperatorName: OperatorDefinition] = {
    var result: [OperatorName: OperatorDefinition] = [:]
    for definition in families.joined() { result[definition.name] = definition }
    return result
  }()
}
