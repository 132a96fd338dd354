extension Operators {
  /// The families in this folder: what goes along axes.
  static let reducing: [[OperatorDefinition]] = [reductions, extremes, cumulative, softmaxes]
}
