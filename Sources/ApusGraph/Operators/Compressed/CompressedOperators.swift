extension Operators {
  /// The families in this folder: weights as files keep them to save room, made into tensors.
  static let compressed: [[OperatorDefinition]] = [compressedWeights]
}
