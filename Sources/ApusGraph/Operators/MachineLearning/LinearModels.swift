import Apus

// Linear models of `ai.onnx.ml`: scores are x · coefficientsᵀ + intercepts.

extension Operators {
  static let linearModels: [OperatorDefinition] = [
    OperatorDefinition(ml: "LinearClassifier", .plain(.linearClassifier), LinearClassifier),
    OperatorDefinition(ml: "LinearRegressor", .plain(.linearRegressor), LinearRegressor),
  ]

  /// A score for each target, `[N, targets]`, FLOAT.
  static func LinearRegressor(_ node: NodeDescription) throws -> PreparedOperator {
    let model = try LinearModel(node, scores: node.int("targets", default: 1))
    let transform = try ScoreTransform(node)
    return { arguments in
      var scores = try model.scores(arguments)
      try scores.forEachRow { scores in transform.apply(to: scores) }
      return [try scores.value()]
    }
  }

  /// The label of the class with the best score, `[N]`, and the scores of all classes, `[N, classes]`, FLOAT. With one
  /// row of coefficients there are two classes, the second of them where the score is positive.
  static func LinearClassifier(_ node: NodeDescription) throws -> PreparedOperator {
    let labels = try ClassLabels(node, numbers: "classlabels_ints", texts: "classlabels_strings")
    let intercepts = try node.optionalFloats("intercepts") ?? []
    let model = try LinearModel(node, scores: intercepts.isEmpty ? max(labels.count, 1) : intercepts.count)
    let transform = try ScoreTransform(node)
    let isBinary = model.count == 1 && labels.count == 2
    return { arguments in
      var scores = try model.scores(arguments)
      var classes: [Int] = []
      try scores.forEachRow { scores in
        classes.append(model.count == 1 ? (scores[0] > 0 ? 1 : 0) : indexOfLargest(scores))
      }
      if isBinary { scores = try scores.withOpposites() }
      try scores.forEachRow { scores in transform.apply(to: scores) }
      return try [labels.values(classes), scores.value()]
    }
  }
}

private struct LinearModel: Sendable {
  /// The scores of a row.
  let count: Int
  private let coefficientCount: Int
  private let layer: Linear<Double>

  init(_ node: NodeDescription, scores: Int) throws {
    count = scores
    let coefficients = try node.optionalFloats("coefficients")?.map { Double($0) } ?? []
    coefficientCount = coefficients.count
    let intercepts = try node.optionalFloats("intercepts")?.map { Double($0) } ?? []
    guard count >= 1, count <= max(coefficients.count, 1), [0, count].contains(intercepts.count) else {
      throw OperatorError(
        "\(intercepts.count) intercepts and \(coefficients.count) coefficients do not make \(count) scores")
    }
    // What does not come out even fits no rows.
    let width = coefficients.count / count
    layer = try Linear(
      weight: Tensor(coefficients[..<(count * width)], shape: [count, width]),
      bias: intercepts.isEmpty ? nil : Tensor(intercepts))
  }

  func scores(_ arguments: Arguments) throws -> Scores {
    let (x, rows, width) = try arguments.rows(0)
    guard coefficientCount == count.multipliedReportingOverflow(by: width).partialValue else {
      throw OperatorError("\(coefficientCount) coefficients do not fit \(count) scores of \(width) features")
    }
    return Scores(try layer(x.reshaped([rows, width])))
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let linearRegressor = ShapeRule.rule { facts in
    [InferredType(.float, [try facts.rows(0), try facts.node.int("targets", default: 1)])]
  }

  static let linearClassifier = ShapeRule.rule { facts in
    let labels = try ClassLabels(facts.node, numbers: "classlabels_ints", texts: "classlabels_strings")
    let intercepts = try facts.node.optionalFloats("intercepts") ?? []
    let scores = intercepts.isEmpty ? max(labels.count, 1) : intercepts.count
    // One row of coefficients decides between two classes.
    return try classifier(facts, labels: labels, scores: scores == 1 && labels.count == 2 ? 2 : scores)
  }
}
