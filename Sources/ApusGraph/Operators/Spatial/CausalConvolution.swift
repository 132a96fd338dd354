import Apus

extension Operators {
  /// A convolution of every channel by itself that looks back only, over a sequence that may come in pieces.
  ///
  /// Inputs x `[batch, channels, time]`, weight `[channels, 1, kernel]`, bias `[channels]`, and the last `kernel - 1`
  /// steps before x, zeros by default. Outputs y of x's shape, and the steps to go on from.
  static func CausalConvWithState(_ node: NodeDescription) throws -> PreparedOperator {
    let form = try CausalForm(node)
    return floating(CausalConvolution<Float>(form: form), CausalConvolution<Double>(form: form))
  }

  /// The same of ONNX Runtime, with places between the taps, and with the channels last where `channels_last` says so:
  /// `[batch, time, …]`, where all axes but the first two are channels.
  static func MicrosoftCausalConvWithState(_ node: NodeDescription) throws -> PreparedOperator {
    for (name, supported) in [("ndim", 1), ("state_window", 0), ("state_length", 0), ("state_update_capacity", 0)] {
      let value = try node.int(name, default: supported)
      guard value == supported else { throw OperatorError("\(name) is \(value); \(supported) is supported") }
    }
    guard !node.wants(2) else { throw OperatorError("updates of the state as an output are not supported") }
    var form = try CausalForm(node)
    form.dilation = try node.int("dilation", default: 1)
    form.isChannelsLast = try node.flag("channels_last")
    guard form.dilation >= 1 else { throw OperatorError("dilation is \(form.dilation); at least 1 is needed") }
    return floating(CausalConvolution<Float>(form: form), CausalConvolution<Double>(form: form))
  }
}

private struct CausalForm: Sendable {
  let activation: Activation
  var dilation = 1
  var isChannelsLast = false

  init(_ node: NodeDescription) throws {
    let name = try node.string("activation", default: "none")
    guard let activation: Activation = ["none": .identity, "silu": .silu, "swish": .silu][name] else {
      throw OperatorError("activation '\(name)' is not known; it is none, silu or swish")
    }
    self.activation = activation
  }

  /// `[batch, channels, time]` of a sequence or of a state.
  func sequence<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard isChannelsLast, x.rank >= 3 else { return x }
    let channels = try Shape.elementCount(Array(x.shape.dropFirst(2)), operation: "CausalConvWithState")
    return try x.reshaped([x.shape[0], x.shape[1], channels]).permuted([0, 2, 1])
  }

  /// The way back, with the axes of `x`.
  func restored<Scalar: FloatingPointScalar>(_ y: Tensor<Scalar>, like x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard isChannelsLast else { return y }
    return try y.permuted([0, 2, 1]).reshaped([y.shape[0], y.shape[2]] + x.shape.dropFirst(2))
  }
}

private struct CausalConvolution<Scalar: FloatingPointScalar>: FloatingOperator {
  let form: CausalForm

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let input = try arguments.floating(0, as: Scalar.self)
    let x = try form.sequence(input)
    let weight = try arguments.floating(1, as: Scalar.self)
    guard x.rank == 3, weight.rank == 3, weight.shape[0] == x.shape[1], weight.shape[1] == 1, weight.shape[2] >= 1
    else {
      throw OperatorError(
        "an input of shape \(input.shape) and a weight of shape \(weight.shape) are not [batch, channels, time] and "
          + "[channels, 1, kernel]")
    }
    let (memory, isTooLarge) = (weight.shape[2] - 1).multipliedReportingOverflow(by: form.dilation)
    guard !isTooLarge else { throw OperatorError("dilation is \(form.dilation), which is too large") }
    let shape = [x.shape[0], x.shape[1], memory]
    let given = try arguments.optionalFloating(3, as: Scalar.self)
    let past = try given.map(form.sequence) ?? Tensor(zeros: shape)
    guard past.shape == shape else {
      throw OperatorError("the past state has shape \(given?.shape ?? []); \(memory) steps of the input are needed")
    }
    let sequence = try concatenate([past, x], axis: 2)
    let state = try form.restored(sequence.sliced(axis: 2, from: x.shape[2]), like: input)
    guard x.count > 0 else {
      return [try GraphValue(rounding: input, to: type), try GraphValue(rounding: state, to: type)]
    }
    let convolution = try Conv1d(
      weight: weight, bias: arguments.optionalFloating(2, as: Scalar.self), dilation: form.dilation,
      groups: weight.shape[0])
    // As in the standard's function, the activation sees the convolution rounded to the type.
    let sum = try convolution(sequence).rounded(to: type)
    let y = try form.restored(Apus.activation(sum, form.activation), like: input)
    return [try GraphValue(rounding: y, to: type), try GraphValue(rounding: state, to: type)]
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let causalConvolution = ShapeRule.rule { facts in
    let (x, weight) = try (facts.input(0), facts.shape(1))
    guard x.shape.count >= 3, weight.count == 3 else { throw ShapeFacts.Unknown() }
    let memory = try Extent.product(weight[2] - 1, facts.node.int("dilation", default: 1))
    let axis = try facts.node.flag("channels_last") ? 1 : 2
    return [x, InferredType(x.elementType, x.shape.replacing(axis, with: memory))]
  }
}
