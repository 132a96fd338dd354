extension Operators {
  /// The families in this folder.
  static let machineLearning: [[OperatorDefinition]] = [
    features, labels, linearModels, treeEnsembles, supportVectors,
  ]
}
