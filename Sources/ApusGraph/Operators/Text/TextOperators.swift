extension Operators {
  /// The families in this folder.
  static let text: [[OperatorDefinition]] = [strings, tokenizers, ngrams]
}
