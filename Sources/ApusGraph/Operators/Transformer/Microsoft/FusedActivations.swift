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
    OperatorDefinition(
      "GemmFastGelu", domain: "com.microsoft",
      .product(.matMul, work: .matrixProduct, accuracy: .sum(.columns)), GemmFastGelu),
  ]

  /// The standard's Conv, plus a tensor `Z` of its result's shape, and an activation of that.
  static func MicrosoftFusedConv(_ node: NodeDescription) throws -> PreparedOperator {
    let convolution = try Conv(node)
    var rest = try node.optionalFloats("activation_params")?[...] ?? []
    let function = try FusedFunction(node.string("activation", default: "")) { rest.popFirst() ?? $1 }
    return { arguments in
      let sum = arguments[3]
      let result = try convolution(&arguments).first ?? nil
      return [try function.applied(result, adding: sum)]
    }
  }

  /// The standard's Gemm and an activation.
  static func MicrosoftFusedGemm(_ node: NodeDescription) throws -> PreparedOperator {
    let product = try Gemm(node)
    let given = try ["alpha", "beta", "gamma"].reduce(into: [String: Float]()) { given, name in
      given[name] = try node.optionalFloat("activation_\(name)")
    }
    let function = try FusedFunction(node.string("activation", default: "")) { given[$0] ?? $1 }
    return { arguments in [try function.applied(product(&arguments).first ?? nil, adding: nil)] }
  }

  /// The standard's MatMul, and FastGelu of that plus a bias, input 2, where there is one.
  static func GemmFastGelu(_ node: NodeDescription) throws -> PreparedOperator {
    let (product, function) = (try MatMul(node), try FastGelu(node))
    return { arguments in
      let bias = arguments[2]
      var inner = Arguments([try product(&arguments).first ?? nil, bias], context: arguments.context)
      return try function(&inner)
    }
  }
}

/// The activation of one of ONNX Runtime's fused nodes.
private struct FusedFunction: Sendable {
  private let function: Activation

  /// - Parameter parameter: gives an attribute of the activation, or the standard's default. It is asked in the
  ///   standard's order.
  init(_ name: String, parameter: (_ name: String, _ default: Float) -> Float) throws {
    func number(_ name: String, default value: Float) -> Double { Double(parameter(name, value)) }
    if let common = Activation(attribute: name, parameter: parameter) {
      function = common
      return
    }
    switch name {
    case "": function = .identity
    case "HardSwish": function = .hardSwish
    case "ThresholdedRelu": function = .threshold(number("alpha", default: 1))
    case "Selu":
      function = .selu(alpha: number("alpha", default: 1.673_263_19), gamma: number("gamma", default: 1.050_701_02))
    // FusedGemm has no names of their own for bounds.
    case "Clip":
      function = .hardTanh(
        minimum: number("alpha", default: -.infinity), maximum: number("beta", default: .infinity))
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
