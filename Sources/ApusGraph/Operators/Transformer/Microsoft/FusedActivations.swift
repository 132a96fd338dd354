import Apus

extension Operators {
  static let microsoftFusions: [OperatorDefinition] = [
    OperatorDefinition(
      "FusedConv", domain: "com.microsoft",
      .product(.convolution, work: .convolution(weights: 1), accuracy: .sum(.filter(weights: 1))),
      MicrosoftFusedConv),
    OperatorDefinition(
      "FusedGemm", domain: "com.microsoft",
      .product(.gemm, work: .matrixProduct, accuracy: .sum(.columnsOrRows)),
      MicrosoftFusedGemm),
  ]

  /// The standard's Conv, plus a tensor `Z` of its result's shape, and an activation of that.
  static func MicrosoftFusedConv(_ node: NodeDescription) throws -> PreparedOperator {
    let convolution = try Conv(node)
    let function = try FusedFunction(
      node.string("activation", default: ""), node.optionalFloats("activation_params") ?? [])
    return { arguments in
      let sum = arguments[3]
      let result = try convolution(&arguments).first ?? nil
      return [try function.applied(result, adding: sum)]
    }
  }

  /// The standard's Gemm and an activation.
  static func MicrosoftFusedGemm(_ node: NodeDescription) throws -> PreparedOperator {
    let product = try Gemm(node)
    let parameters = try ["activation_alpha", "activation_beta", "activation_gamma"].compactMap {
      try node.optionalFloat($0)
    }
    let function = try FusedFunction(node.string("activation", default: ""), parameters)
    return { arguments in [try function.applied(product(&arguments).first ?? nil, adding: nil)] }
  }
}

/// The activation of one of ONNX Runtime's fused nodes.
private struct FusedFunction: Sendable {
  private let function: Activation

  /// - Parameter parameters: the standard's attributes of the activation, in their order.
  init(_ name: String, _ parameters: [Float]) throws {
    func parameter(_ index: Int, default value: Double) -> Double {
      parameters.indices.contains(index) ? Double(parameters[index]) : value
    }
    switch name {
    case "": function = .identity
    case "Relu": function = .relu
    case "Sigmoid": function = .sigmoid
    case "Tanh": function = .tanh
    case "Softplus": function = .softplus(beta: 1, threshold: .infinity)
    case "Softsign": function = .softsign
    case "HardSwish": function = .hardSwish
    case "LeakyRelu": function = .leakyReLU(negativeSlope: parameter(0, default: 0.01))
    case "ThresholdedRelu": function = .threshold(parameter(0, default: 1))
    case "Elu": function = .elu(alpha: parameter(0, default: 1))
    case "Selu":
      function = .selu(alpha: parameter(0, default: 1.673_263_19), gamma: parameter(1, default: 1.050_701_02))
    case "Clip":
      function = .hardTanh(minimum: parameter(0, default: -.infinity), maximum: parameter(1, default: .infinity))
    case "HardSigmoid": function = .clampedLine(slope: parameter(0, default: 0.2), offset: parameter(1, default: 0.5))
    default: throw OperatorError("activation '\(name)' is not supported")
    }
  }

  func applied(_ value: GraphValue?, adding sum: GraphValue?) throws -> GraphValue {
    guard let value, case .tensor(let result) = value, result.dataType.isFloatingPoint else {
      throw OperatorError("activations are of floating-point tensors")
    }
    return try Operators.evaluate(OfSum(function: function, summand: sum), result)
  }

  private struct OfSum: FloatingFunction {
    let function: Activation
    let summand: GraphValue?

    func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
      var x = x
      if case .tensor(let summand)? = summand {
        guard summand.shape == x.shape else {
          throw OperatorError("Z has shape \(summand.shape); \(x.shape) is needed")
        }
        x = try x + summand.converted()
      }
      return try activation(x, function)
    }
  }
}
