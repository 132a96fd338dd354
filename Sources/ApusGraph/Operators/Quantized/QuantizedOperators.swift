extension Operators {
  /// The families in this folder.
  static let quantized: [[OperatorDefinition]] = [
    linearQuantizations, integerProducts, integerConvolutions, quantizedFunctions, quantizedAttentions, blockQuantized,
    bitsAndBytes,
  ]
}
