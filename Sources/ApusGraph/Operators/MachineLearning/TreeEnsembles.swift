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
    let ensemble = try Ensemble(trees, aggregation, targets: targets)
    return { arguments in
      let inputType = ElementType(try arguments.dataType(0))
      var scores = try ensemble(arguments)
      try scores.forEachRow { scores in
        for index in base.isEmpty ? 0..<0 : scores.indices { scores[index] += base[base.count == 1 ? 0 : index] }
        transform.apply(to: scores)
      }
      return [try scores.value(type ?? (inputType.isFloatingPoint ? inputType : .float))]
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
    let ensemble = try Ensemble(trees, .sum, targets: classes)
    let isBinary = classes == 2 && Set(votes.map(\.target)).count == 1
    let isProbability = votes.allSatisfy { $0.weight >= 0 }
    return { arguments in
      var scores = try ensemble(arguments)
      var best: [Int] = []
      try scores.forEachRow { scores in
        guard isBinary else {
          for index in base.isEmpty ? 0..<0 : scores.indices { scores[index] += base[base.count == 1 ? 0 : index] }
          transform.apply(to: scores)
          best.append(indexOfLargest(scores))
          return
        }
        let score = scores[0] + scores[1] + (base.last ?? 0)
        best.append(score > (isProbability ? 0.5 : 0) ? 1 : 0)
        let isLeftOver = transform == .none && isProbability
        (scores[0], scores[1]) = (isLeftOver ? 1 - score : -score, score)
        if !isLeftOver { transform.apply(to: scores) }
      }
      return try [labels.values(best), scores.value()]
    }
  }
}

/// Trees whose votes become the scores of rows.
private struct Ensemble: Sendable {
  private let trees: DecisionTrees
  private let compact: CompactTrees?
  private let aggregation: VoteAggregation
  private let targets: Int

  init(_ trees: DecisionTrees, _ aggregation: VoteAggregation, targets: Int) throws {
    try trees.check(targets: targets)
    (self.trees, self.aggregation, self.targets) = (trees, aggregation, targets)
    compact = aggregation == .sum || aggregation == .average ? CompactTrees(trees) : nil
  }

  /// Rows that one thread takes through all trees: each tree is fetched once for them.
  private static let rowsPerTask = 256

  /// The scores of the rows of input 0, 0 where no tree votes for a target.
  func callAsFunction(_ arguments: Arguments) throws -> Scores {
    let (x, rows, width) = try arguments.rows(0)
    let shape = [rows, targets]
    try Shape.checkMemory(shape + [3], of: Double.self, operation: "scores")
    guard let compact, let (features, step) = try compact.features(x, width: width) else {
      return Scores(try Tensor(rowByRow(x, rows, width, arguments.context), shape: shape))
    }
    let divisor = aggregation == .average ? Double(max(trees.roots.count, 1)) : 1
    var scores = try Tensor<Double>(zeros: shape)
    try features.withUnsafeBufferPointer { x in
      try scores.withUnsafeMutableBufferPointer { scores in
        guard let features = x.baseAddress, let sums = scores.baseAddress else { return }
        nonisolated(unsafe) let (x, y) = (features, sums)
        parallelRanges(rows, grain: Self.rowsPerTask) { first, count in
          let sums = y + first * targets
          compact.addVotes(x + first * step, rows: count, width: step, to: sums, targets: targets)
          if divisor != 1 { for index in 0..<count * targets { sums[index] /= divisor } }
        }
      }
    }
    return Scores(scores)
  }

  private func rowByRow(_ x: Tensor<Double>, _ rows: Int, _ width: Int, _ context: RunContext) throws -> [Double] {
    try x.withUnsafeBufferPointer { x in
      try (0..<rows).flatMap { row in
        try context.checkCancellation()
        let features = UnsafeBufferPointer(rebasing: x[(row * width)..<((row + 1) * width)])
        return try aggregation.scores(of: features, by: trees, targets: targets).map { $0 ?? 0 }
      }
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
