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
  private enum Kind: Sendable {
    case plain(Activation)
    case hardSigmoid(alpha: Float, beta: Float)
  }

  private let kind: Kind

  init(_ name: String, _ parameters: [Float]) throws {
    func parameter(_ index: Int, default value: Float) -> Float {
      parameters.indices.contains(index) ? parameters[index] : value
    }
    switch name {
    case "": kind = .plain(.identity)
    case "Relu": kind = .plain(.relu)
    case "Sigmoid": kind = .plain(.sigmoid)
    case "Tanh": kind = .plain(.tanh)
    case "LeakyRelu": kind = .plain(.leakyReLU(negativeSlope: Double(parameter(0, default: 0.01))))
    case "Elu": kind = .plain(.elu(alpha: Double(parameter(0, default: 1))))
    case "Clip":
      kind = .plain(
        .hardTanh(
          minimum: Double(parameter(0, default: -.infinity)), maximum: Double(parameter(1, default: .infinity))))
    case "HardSigmoid": kind = .hardSigmoid(alpha: parameter(0, default: 0.2), beta: parameter(1, default: 0.5))
    default: throw OperatorError("activation '\(name)' is not supported")
    }
  }

  func applied(_ value: GraphValue?, adding sum: GraphValue?) throws -> GraphValue {
    guard let value, case .tensor(let result) = value, result.dataType.isFloatingPoint else {
      throw OperatorError("activations are of floating-point tensors")
    }
    return try Operators.evaluate(OfSum(kind: kind, summand: sum), result)
  }

  private struct OfSum: FloatingFunction {
    let kind: Kind
    let summand: GraphValue?

    func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
      var x = x
      if case .tensor(let summand)? = summand {
        guard summand.shape == x.shape else {
          throw OperatorError("Z has shape \(summand.shape); \(x.shape) is needed")
        }
        x = try x + summand.converted()
      }
      switch kind {
      case .plain(let function): return try activation(x, function)
      case .hardSigmoid(let alpha, let beta): return try (x * Real(alpha) + Real(beta)).clamp(min: 0, max: 1)
      }
    }
  }
}
