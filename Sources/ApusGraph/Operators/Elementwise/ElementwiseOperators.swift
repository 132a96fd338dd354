extension Operators {
  /// The families in this folder.
  static let elementwise: [[OperatorDefinition]] = [
    arithmetic, powers, accumulations, elementMath, activations, softmaxes, comparisons, logic, bits, choices,
    casts, reductions, extremes, cumulative, matrices, dropouts, random, signals, windows, losses, optimizers,
    experimental,
  ]
}
