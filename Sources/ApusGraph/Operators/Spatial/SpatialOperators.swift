extension Operators {
  /// The families in this folder.
  static let spatial: [[OperatorDefinition]] = [
    convolutions, poolings, globalPoolings, regionPoolings, normalizations, resamplings, blockMovements,
    boxSelections, crops,
  ]
}
