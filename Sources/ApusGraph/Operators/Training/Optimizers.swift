import Apus
import ApusPlatform

// One step of training. Inputs are the rate R, the number of steps so far T, then all tensors that are trained, all
// their gradients, and all of each kind of state; outputs are the new tensors and states.

extension Operators {
  static let optimizers: [OperatorDefinition] = [
    OperatorDefinition("Adagrad", domain: previewDomain, .plain(.trainingStep(states: 1)), Adagrad),
    OperatorDefinition("Adam", domain: previewDomain, .plain(.trainingStep(states: 2)), Adam),
    OperatorDefinition("Momentum", domain: previewDomain, .plain(.trainingStep(states: 1)), Momentum),
  ]

  private static let previewDomain = "ai.onnx.preview.training"

  /// g = G + norm · X, H' = H + g², X' = X - r g / (√H' + ε) with r = R / (1 + T · decay)
  static func Adagrad(_ node: NodeDescription) throws -> PreparedOperator {
    let rule = AdagradStep(
      norm: Double(try node.float("norm_coefficient", default: 0)),
      decay: Double(try node.float("decay_factor", default: 0)),
      epsilon: Double(try node.float("epsilon", default: 1e-6)))
    return optimizer(rule)
  }

  /// g = G + norm · X, V' = αV + (1 - α) g, H' = βH + (1 - β) g², X' = (1 - post) (X - r V' / (√H' + ε)) with
  /// r = R √(1 - βᵀ) / (1 - αᵀ), or R for T = 0
  static func Adam(_ node: NodeDescription) throws -> PreparedOperator {
    let rule = AdamStep(
      norm: Double(try node.float("norm_coefficient", default: 0)),
      post: Double(try node.float("norm_coefficient_post", default: 0)),
      alpha: Double(try node.float("alpha", default: 0.9)), beta: Double(try node.float("beta", default: 0.999)),
      epsilon: Double(try node.float("epsilon", default: 1e-6)))
    return optimizer(rule)
  }

  /// g = G + norm · X, V' = αV + βg, X' = X - R V', or X - R (g + αV') with Nesterov's momentum; β is 1 for T = 0.
  static func Momentum(_ node: NodeDescription) throws -> PreparedOperator {
    func number(_ name: String) throws -> Double {
      guard let value = try node.optionalFloat(name) else { throw OperatorError("attribute '\(name)' is missing") }
      return Double(value)
    }
    let mode = try node.string("mode", default: "standard")
    guard mode == "standard" || mode == "nesterov" else {
      throw OperatorError("attribute 'mode' is '\(mode)'; standard or nesterov is needed")
    }
    let rule = MomentumStep(
      norm: try number("norm_coefficient"), alpha: try number("alpha"), beta: try number("beta"),
      isNesterov: mode == "nesterov")
    return optimizer(rule)
  }

  private static func optimizer<Rule: TrainingRule>(_ rule: Rule) -> PreparedOperator {
    { arguments in
      let kinds = rule.stateCount + 2
      guard arguments.count > 2, (arguments.count - 2).isMultiple(of: kinds) else {
        throw OperatorError(
          "there are \(arguments.count) inputs; a rate, a count, and \(kinds) for each tensor are needed")
      }
      let rate = try arguments.floating(0, as: Double.self).scalar
      let steps = Double(try arguments.integer(1))
      let count = (arguments.count - 2) / kinds
      var results = [GraphValue?](repeating: nil, count: count * (kinds - 1))
      for index in 0..<count {
        let inputs = (0..<kinds).map { 2 + index + $0 * count }
        let type = try arguments.floatingType(inputs[0])
        let tensors = try inputs.map { try arguments.floating($0, as: Double.self) }
        for (kind, tensor) in try rule(tensors, rate: rate, steps: steps).enumerated() {
          results[index + kind * count] = try GraphValue(rounding: tensor, to: type)
        }
      }
      return results
    }
  }
}

/// How one tensor, its gradient and its states become the next tensor and states.
private protocol TrainingRule: Sendable {
  var stateCount: Int { get }
  func callAsFunction(_ x: [Tensor<Double>], rate: Double, steps: Double) throws -> [Tensor<Double>]
}

private struct AdagradStep: TrainingRule {
  let norm: Double
  let decay: Double
  let epsilon: Double
  var stateCount: Int { 1 }

  func callAsFunction(_ x: [Tensor<Double>], rate: Double, steps: Double) throws -> [Tensor<Double>] {
    let gradient = try x[0] * norm + x[1]
    let squares = try x[2] + gradient.square()
    let change = try gradient * (rate / (1 + steps * decay)) / (squares.sqrt() + epsilon)
    return [try x[0] - change, squares]
  }
}

private struct AdamStep: TrainingRule {
  let norm: Double
  let post: Double
  let alpha: Double
  let beta: Double
  let epsilon: Double
  var stateCount: Int { 2 }

  func callAsFunction(_ x: [Tensor<Double>], rate: Double, steps: Double) throws -> [Tensor<Double>] {
    let gradient = try x[0] * norm + x[1]
    let velocity = try x[2] * alpha + gradient * (1 - alpha)
    let squares = try x[3] * beta + gradient.square() * (1 - beta)
    let rate = steps > 0 ? rate * (1 - pow(beta, steps)).squareRoot() / (1 - pow(alpha, steps)) : rate
    let next = try x[0] - velocity * rate / (squares.sqrt() + epsilon)
    return [try next * (1 - post), velocity, squares]
  }
}

private struct MomentumStep: TrainingRule {
  let norm: Double
  let alpha: Double
  let beta: Double
  let isNesterov: Bool
  var stateCount: Int { 1 }

  func callAsFunction(_ x: [Tensor<Double>], rate: Double, steps: Double) throws -> [Tensor<Double>] {
    let gradient = try x[0] * norm + x[1]
    let velocity = try x[2] * alpha + gradient * (steps > 0 ? beta : 1)
    return [try x[0] - (isNesterov ? gradient + velocity * alpha : velocity) * rate, velocity]
  }
}

// MARK: - Shapes

extension ShapeRule {
  /// The new tensors and states, each as the tensor that it belongs to.
  static func trainingStep(states: Int) -> ShapeRule {
    .rule { facts in
      let kinds = states + 2
      guard facts.inputs.count > 2, (facts.inputs.count - 2).isMultiple(of: kinds) else { throw ShapeFacts.Unknown() }
      let count = (facts.inputs.count - 2) / kinds
      let tensors = try (2..<(2 + count)).map { try facts.input($0) }
      // A gradient or state of another shape would be stretched, or would stretch the tensor.
      for index in 2..<facts.inputs.count where try facts.shape(index) != tensors[(index - 2) % count].shape {
        throw ShapeFacts.Unknown()
      }
      return (0...states).flatMap { _ in tensors }
    }
  }
}
