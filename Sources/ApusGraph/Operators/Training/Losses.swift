import Apus

// Losses of classification: scores `[batch, classes, …]` against labels `[batch, …]`, with a weight for each class
// (input 2) if there is one. A label of `ignore_index` counts for nothing. `reduction`: none, sum, or mean, which
// divides by the sum of the weights.

extension Operators {
  static let losses: [OperatorDefinition] = [
    OperatorDefinition(
      "NegativeLogLikelihoodLoss", .reduction(.labelLoss, terms: .elementsPerOutput), NegativeLogLikelihoodLoss),
    OperatorDefinition(
      "SoftmaxCrossEntropyLoss", .reduction(.labelLoss, terms: .elementsPerOutput), SoftmaxCrossEntropyLoss),
  ]

  /// -w[label] x[label]
  static func NegativeLogLikelihoodLoss(_ node: NodeDescription) throws -> PreparedOperator {
    let loss = try LabelLoss(node)
    return { arguments in
      let type = try arguments.floatingType(0)
      let x = try arguments.floating(0, as: Double.self)
      return [try GraphValue(rounding: loss(x, arguments), to: type)]
    }
  }

  /// The same of ln softmax(x) over the classes, which is output 1.
  static func SoftmaxCrossEntropyLoss(_ node: NodeDescription) throws -> PreparedOperator {
    let loss = try LabelLoss(node)
    return { arguments in
      let type = try arguments.floatingType(0)
      let x = try arguments.floating(0, as: Double.self)
      let logarithms = try logSoftmax(x, axis: 1)
      return [
        try GraphValue(rounding: loss(logarithms, arguments), to: type), try GraphValue(rounding: logarithms, to: type),
      ]
    }
  }
}

private struct LabelLoss: Sendable {
  private enum Reduction: String { case none, sum, mean }

  private let reduction: Reduction
  private let ignored: Int?

  init(_ node: NodeDescription) throws {
    let name = try node.string("reduction", default: "mean")
    guard let reduction = Reduction(rawValue: name) else {
      throw OperatorError("attribute 'reduction' is '\(name)'; none, sum or mean is needed")
    }
    self.reduction = reduction
    ignored = try node.optionalInt("ignore_index")
  }

  func callAsFunction(_ x: Tensor<Double>, _ arguments: Arguments) throws -> Tensor<Double> {
    let labels = try arguments.wholeNumbers(1)
    let weights = try arguments.optionalFloating(2, as: Double.self)?.elements
    guard x.rank >= 2, labels.shape == [x.shape[0]] + x.shape[2...] else {
      throw OperatorError(
        "scores of shape \(x.shape) do not go with labels of shape \(labels.shape); "
          + "[batch, classes, …] and [batch, …] are needed")
    }
    let classes = x.shape[1]
    if let weights, weights.count != classes {
      throw OperatorError("there are \(weights.count) weights for \(classes) classes")
    }
    if reduction == .none {
      return try Tensor<Double>.filled(labels.shape) { losses in
        try forEachLoss(x, labels, weights, arguments.context) { index, loss, _ in losses[index] = loss }
      }
    }
    var (sum, total) = (0.0, 0.0)
    try forEachLoss(x, labels, weights, arguments.context) { _, loss, weight in
      sum += loss
      total += weight
    }
    return try Tensor([reduction == .sum ? sum : sum / total], shape: [])
  }

  /// Calls `body` with the loss of each label and the weight of its class, 0 and 0 for one that is ignored.
  private func forEachLoss(
    _ x: Tensor<Double>, _ labels: Tensor<Int64>, _ weights: [Double]?, _ context: RunContext,
    _ body: (_ index: Int, _ loss: Double, _ weight: Double) -> Void
  ) throws {
    let (classes, inner) = (x.shape[1], x.shape[2...].reduce(1, *))
    try x.withUnsafeBufferPointer { scores in
      try labels.withUnsafeBufferPointer { labels in
        for (index, label) in labels.enumerated() {
          if index.isMultiple(of: 1 << 20) { try context.checkCancellation() }
          let label = Int(label)
          if label == ignored {
            body(index, 0, 0)
            continue
          }
          guard (0..<classes).contains(label) else {
            throw OperatorError("label \(label) is outside the \(classes) classes")
          }
          let weight = weights?[label] ?? 1
          body(index, -weight * scores[(index / inner * classes + label) * inner + index % inner], weight)
        }
      }
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  /// The loss, and the logarithms that SoftmaxCrossEntropyLoss gives too.
  static let labelLoss = ShapeRule.rule { facts in
    let x = try facts.input(0)
    guard x.shape.count >= 2 else { throw ShapeFacts.Unknown() }
    let isWhole = try facts.node.string("reduction", default: "mean") != "none"
    return [InferredType(x.elementType, isWhole ? [] : [x.shape[0]] + x.shape.dropFirst(2)), x]
  }
}
