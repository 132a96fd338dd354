import Apus

extension Operators {
  /// A convolution of every channel by itself that looks back only, over a sequence that may come in pieces.
  ///
  /// Inputs x `[batch, channels, time]`, weight `[channels, 1, kernel]`, bias `[channels]`, and the last `kernel - 1`
  /// steps before x, zeros by default. Outputs y of x's shape, and the steps to go on from.
  static func CausalConvWithState(_ node: NodeDescription) throws -> PreparedOperator {
    let name = try node.string("activation", default: "none")
    guard let activation: Activation = ["none": .identity, "silu": .silu, "swish": .silu][name] else {
      throw OperatorError("activation '\(name)' is not known; it is none, silu or swish")
    }
    return floating(
      CausalConvolution<Float>(activation: activation), CausalConvolution<Double>(activation: activation))
  }
}

private struct CausalConvolution<Scalar: FloatingPointScalar>: FloatingOperator {
  let activation: Activation

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let weight = try arguments.floating(1, as: Scalar.self)
    guard x.rank == 3, weight.rank == 3, weight.shape[0] == x.shape[1], weight.shape[1] == 1, weight.shape[2] >= 1
    else {
      throw OperatorError(
        "an input of shape \(x.shape) and a weight of shape \(weight.shape) are not [batch, channels, time] and "
          + "[channels, 1, kernel]")
    }
    let memory = weight.shape[2] - 1
    let shape = [x.shape[0], x.shape[1], memory]
    let past = try arguments.optionalFloating(3, as: Scalar.self) ?? Tensor(zeros: shape)
    guard past.shape == shape else {
      throw OperatorError("the past state has shape \(past.shape); \(shape) is needed")
    }
    let sequence = try concatenate([past, x], axis: 2)
    let state = try sequence.sliced(axis: 2, from: x.shape[2])
    guard x.count > 0 else {
      return [try GraphValue(rounding: x, to: type), try GraphValue(rounding: state, to: type)]
    }
    let convolution = try Conv1d(
      weight: weight, bias: arguments.optionalFloating(2, as: Scalar.self), groups: weight.shape[0])
    // As in the standard's function, the activation sees the convolution rounded to the type.
    let sum = try convolution(sequence).rounded(to: type)
    let y = try Apus.activation(sum, activation)
    return [try GraphValue(rounding: y, to: type), try GraphValue(rounding: state, to: type)]
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let causalConvolution = ShapeRule.rule { facts in
    let (x, weight) = try (facts.input(0), facts.shape(1))
    guard x.shape.count == 3, weight.count == 3 else { throw ShapeFacts.Unknown() }
    return [x, InferredType(x.elementType, x.shape.replacing(2, with: weight[2] - 1))]
  }
}
