extension Operators {
  /// The families in this folder.
  static let linearAlgebra: [[OperatorDefinition]] = [matrixProducts, matrices]
}
