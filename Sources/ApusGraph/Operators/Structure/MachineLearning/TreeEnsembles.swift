import Apus

// Ensembles of decision trees of `ai.onnx.ml`: random forests, boosted trees.

extension Operators {
  static let treeEnsembles: [OperatorDefinition] = [
    OperatorDefinition(ml: "TreeEnsemble", .plain(.treeEnsemble), TreeEnsemble),
    OperatorDefinition(ml: "TreeEnsembleClassifier", .plain(.treeEnsembleClassifier), TreeEnsembleClassifier),
    OperatorDefinition(ml: "TreeEnsembleRegressor", .plain(.treeEnsembleRegressor), TreeEnsembleRegressor),
  ]

  /// A score for each target, `[N, targets]`, in the input's type.
  static func TreeEnsemble(_ node: NodeDescription) throws -> PreparedOperator {
    let trees = try DecisionTrees(ensemble: node)
    let targets = try node.int("n_targets", default: 1)
    let number = try node.int("aggregate_function", default: 1)
    guard let aggregation = [0: VoteAggregation.average, 1: .sum, 2: .least, 3: .most][number] else {
      throw OperatorError("aggregate_function \(number) is not known")
    }
    return try regression(
      trees, targets, aggregation, base: [], ScoreTransform(number: node.int("post_transform", default: 0)),
      type: nil)
  }

  /// The same with `base_values` added, FLOAT.
  static func TreeEnsembleRegressor(_ node: NodeDescription) throws -> PreparedOperator {
    let trees = try DecisionTrees(node, votes: "target")
    let name = try node.string("aggregate_function", default: "SUM")
    guard let aggregation = ["AVERAGE": VoteAggregation.average, "SUM": .sum, "MIN": .least, "MAX": .most][name] else {
      throw OperatorError("aggregate_function '\(name)' is not known")
    }
    return try regression(
      trees, node.int("n_targets", default: 1), aggregation, base: node.numbers("base_values") ?? [],
      ScoreTransform(node), type: .float)
  }

  private static func regression(
    _ trees: DecisionTrees, _ targets: Int, _ aggregation: VoteAggregation, base: [Double],
    _ transform: ScoreTransform, type: ElementType?
  ) throws -> PreparedOperator {
    guard targets >= 1, [0, 1, targets].contains(base.count) else {
      throw OperatorError("\(base.count) base values are given for \(targets) targets")
    }
    try trees.check(targets: targets)
    return { arguments in
      let inputType = ElementType(try arguments.tensor(0).dataType)
      let rows = try scores(arguments, trees, aggregation, targets).map { scores in
        transform(scores.enumerated().map { ($1 ?? 0) + (base.isEmpty ? 0 : base[base.count == 1 ? 0 : $0]) })
      }
      let result = try Tensor(rows.flatMap { $0 }, shape: [rows.count, targets])
      return [
        try GraphValue(roundingThroughFloat: result, to: type ?? (inputType.isFloatingPoint ? inputType : .float))
      ]
    }
  }

  /// The scores of every row, nil where no tree voted for a target.
  private static func scores(
    _ arguments: Arguments, _ trees: DecisionTrees, _ aggregation: VoteAggregation, _ targets: Int
  ) throws -> [[Double?]] {
    let (x, rows, width) = try arguments.rows(0)
    try Shape.checkMemory([rows, targets, 3], of: Double.self, operation: "scores")
    return try x.withUnsafeBufferPointer { x in
      try (0..<rows).map { row in
        try arguments.context.checkCancellation()
        let features = UnsafeBufferPointer(rebasing: x[(row * width)..<((row + 1) * width)])
        return try aggregation.scores(of: features, by: trees, targets: targets)
      }
    }
  }

  /// The label of the class with the best score, `[N]`, and the scores of all classes, `[N, classes]`, FLOAT.
  ///
  /// Trees that vote for one of two classes only give the score of the second. The first has its opposite, or what is
  /// left of 1 where no vote is negative and nothing transforms it.
  static func TreeEnsembleClassifier(_ node: NodeDescription) throws -> PreparedOperator {
    let trees = try DecisionTrees(node, votes: "class")
    let labels = try ClassLabels(node, numbers: "classlabels_int64s", texts: "classlabels_strings")
    let base = try node.numbers("base_values") ?? []
    let transform = try ScoreTransform(node)
    let votes = trees.leaves.joined()
    let classes = max(labels.count, 1)
    guard [0, 1, classes].contains(base.count) else {
      throw OperatorError("\(base.count) base values are given for \(classes) classes")
    }
    try trees.check(targets: classes)
    let isBinary = classes == 2 && Set(votes.map(\.target)).count == 1
    let isProbability = votes.allSatisfy { $0.weight >= 0 }
    return { arguments in
      var best: [Int] = []
      let rows = try scores(arguments, trees, .sum, classes).map { scores -> [Double] in
        guard isBinary else {
          let sums = scores.enumerated().map { ($1 ?? 0) + (base.isEmpty ? 0 : base[base.count == 1 ? 0 : $0]) }
          let transformed = transform(sums)
          best.append(indexOfLargest(transformed))
          return transformed
        }
        let score = scores.reduce(0) { $0 + ($1 ?? 0) } + (base.last ?? 0)
        best.append(score > (isProbability ? 0.5 : 0) ? 1 : 0)
        return transform == .none && isProbability ? [1 - score, score] : transform([-score, score])
      }
      return try [labels.values(best), scoreTensor(rows, width: classes)]
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let treeEnsemble = ShapeRule.rule { facts in
    let type = facts.elementType(0).map { $0.isFloatingPoint ? $0 : .float }
    return [InferredType(type, [try facts.rows(0), try facts.node.int("n_targets", default: 1)])]
  }

  static let treeEnsembleRegressor = ShapeRule.rule { facts in
    [InferredType(.float, [try facts.rows(0), try facts.node.int("n_targets", default: 1)])]
  }

  static let treeEnsembleClassifier = ShapeRule.rule { facts in
    let labels = try ClassLabels(facts.node, numbers: "classlabels_int64s", texts: "classlabels_strings")
    return try classifier(facts, labels: labels, scores: max(labels.count, 1))
  }
}
