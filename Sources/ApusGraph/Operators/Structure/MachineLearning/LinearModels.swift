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
      let scores = try model.scores(arguments).map(transform.callAsFunction)
      return [try scoreTensor(scores, width: model.count)]
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
      let scores = try model.scores(arguments)
      let classes = scores.map { model.count == 1 ? ($0[0] > 0 ? 1 : 0) : indexOfLargest($0) }
      let transformed = scores.map { transform(isBinary ? [-$0[0], $0[0]] : $0) }
      return try [labels.values(classes), scoreTensor(transformed, width: isBinary ? 2 : model.count)]
    }
  }

  /// Rows of scores as a tensor of FLOAT.
  static func scoreTensor(_ rows: [[Double]], width: Int) throws -> GraphValue {
    try GraphValue(roundingThroughFloat: Tensor(rows.flatMap { $0 }, shape: [rows.count, width]), to: .float)
  }
}

private struct LinearModel {
  /// The scores of a row.
  let count: Int
  private let coefficients: [Double]
  private let intercepts: [Double]

  init(_ node: NodeDescription, scores: Int) throws {
    count = scores
    coefficients = try node.optionalFloats("coefficients")?.map { Double($0) } ?? []
    let intercepts = try node.optionalFloats("intercepts")?.map { Double($0) } ?? []
    guard count >= 1, count <= max(coefficients.count, 1), [0, count].contains(intercepts.count) else {
      throw OperatorError(
        "\(intercepts.count) intercepts and \(coefficients.count) coefficients do not make \(count) scores")
    }
    self.intercepts = intercepts.isEmpty ? [Double](repeating: 0, count: count) : intercepts
  }

  func scores(_ arguments: Arguments) throws -> [[Double]] {
    let (x, rows, width) = try arguments.rows(0)
    guard coefficients.count == count.multipliedReportingOverflow(by: width).partialValue else {
      throw OperatorError("\(coefficients.count) coefficients do not fit \(count) scores of \(width) features")
    }
    try Shape.checkMemory([rows, count], of: Double.self, operation: "scores")
    return try x.withUnsafeBufferPointer { x in
      (0..<rows).map { row in
        (0..<count).map { score in
          var sum = intercepts[score]
          for column in 0..<width { sum += x[row * width + column] * coefficients[score * width + column] }
          return sum
        }
      }
    }
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
