import Apus

// Functions of single elements that networks use between layers.

extension Operators {
  static let activations: [OperatorDefinition] = [
    OperatorDefinition(
      "Relu",
      .elementwise(
        results: .overInput, layout: .keepsBlocked, accuracy: .passingErrorsOn, fusion: .activation { _ in .relu }),
      Relu),
    function("LeakyRelu", accuracy: .passingErrorsOn, LeakyRelu),
    OperatorDefinition(
      "PRelu",
      .elementwise(.broadcast, results: .fresh, layout: .keepsBlocked, fusion: .binary(.scaleNegative)), PRelu),
    function("ThresholdedRelu", ThresholdedRelu),
    OperatorDefinition(
      "Clip",
      .elementwise(
        results: .fresh, layout: .keepsBlocked, accuracy: .passingErrorsOn, fusion: .activation(knownBounds)),
      Clip),
    function("Elu", Elu),
    function("Selu", Selu),
    function("Celu", Celu),
    function("Sigmoid", accuracy: .bounded) { _ in .sigmoid },
    function("HardSigmoid", accuracy: .bounded, HardSigmoid),
    function("HardSwish") { _ in .hardSwish },
    function("Swish", Swish),
    OperatorDefinition("SwiGLU", .elementwise(results: .fresh, layout: .rowMajor), SwiGLU),
    function("Mish") { _ in .mish },
    function("Tanh", accuracy: .bounded) { _ in .tanh },
    function("Softplus") { _ in .softplus(beta: 1, threshold: .infinity) },
    function("Softsign", accuracy: .bounded) { _ in .softsign },
    OperatorDefinition("Shrink", .elementwise(results: .fresh, layout: .rowMajor), Shrink),
    function("Gelu", accuracy: cancelling, Gelu),
    function("Gelu", domain: "com.microsoft", accuracy: cancelling) { _ in .gelu(approximate: .none) },
    OperatorDefinition(
      "FastGelu", domain: "com.microsoft", .elementwise(results: .fresh, layout: .rowMajor, axes: .fixed), FastGelu),
    OperatorDefinition(
      "BiasGelu", domain: "com.microsoft", .elementwise(results: .fresh, layout: .rowMajor, axes: .fixed), BiasGelu),
    function("QuickGelu", domain: "com.microsoft", QuickGelu),
  ]

  /// x / 2 and x / 2 · erf(x / √2), which cancel below zero, so that errors go by x; erf is a polynomial of some nine terms.
  private static let cancelling = Accuracy.sumOfProducts(.counted { _ in 9 })

  /// An operator that is one of the functions that convolutions and products can apply to what they give.
  static func function(
    _ type: String, domain: String = "", accuracy: Accuracy = .plain,
    _ function: @escaping @Sendable (NodeDescription) throws -> Activation
  ) -> OperatorDefinition {
    OperatorDefinition(
      type, domain: domain,
      .elementwise(
        results: .overInput, layout: .keepsBlocked, accuracy: accuracy, fusion: .activation { try function($0) })
    ) { node in apply(try function(node)) }
  }

  private static func apply(_ function: Activation) -> PreparedOperator {
    floating(ElementActivation(function: function))
  }

  /// max(0, x), of integers as well.
  static func Relu(_ node: NodeDescription) throws -> PreparedOperator { numbers(Rectifier()) }

  /// x where x ≥ 0, otherwise αx.
  @Sendable static func LeakyRelu(_ node: NodeDescription) throws -> Activation {
    .leakyReLU(negativeSlope: Double(try node.float("alpha", default: 0.01)))
  }

  /// x where x ≥ 0, otherwise slope · x. The slope is stretched over x; before opset 7 a list stands for the channels.
  static func PRelu(_ node: NodeDescription) throws -> PreparedOperator {
    let isForChannels = node.opset < 7
    return { arguments in
      let x = try arguments.tensor(0)
      var slope = try arguments.tensor(1)
      if isForChannels, slope.rank == 1, slope.count > 1, x.rank > 2 {
        slope = try slope.reshaped(slope.shape + [Int](repeating: 1, count: x.rank - 2))
      }
      return [try combine(ScaledWhereNegative(), x, slope)]
    }
  }

  /// x where x > α, otherwise 0.
  @Sendable static func ThresholdedRelu(_ node: NodeDescription) throws -> Activation {
    .threshold(Double(try node.float("alpha", default: 1)))
  }

  /// x where x ≥ 0, otherwise α (eˣ - 1).
  @Sendable static func Elu(_ node: NodeDescription) throws -> Activation {
    .elu(alpha: Double(try node.float("alpha", default: 1)))
  }

  /// γx where x > 0, otherwise γα (eˣ - 1). Opset 6 gave the two constants more digits.
  @Sendable static func Selu(_ node: NodeDescription) throws -> Activation {
    let alpha = try node.float("alpha", default: node.opset < 6 ? 1.6732 : 1.673_263_19)
    let gamma = try node.float("gamma", default: node.opset < 6 ? 1.0507 : 1.050_701_02)
    return .selu(alpha: Double(alpha), gamma: Double(gamma))
  }

  /// x where x ≥ 0, otherwise α (exp(x / α) - 1).
  @Sendable static func Celu(_ node: NodeDescription) throws -> Activation {
    .celu(alpha: Double(try node.float("alpha", default: 1)))
  }

  /// min(max(αx + β, 0), 1)
  @Sendable static func HardSigmoid(_ node: NodeDescription) throws -> Activation {
    .clampedLine(
      slope: Double(try node.float("alpha", default: 0.2)), offset: Double(try node.float("beta", default: 0.5)))
  }

  /// x / (1 + exp(-αx))
  @Sendable static func Swish(_ node: NodeDescription) throws -> Activation {
    swish(try node.float("alpha", default: 1))
  }

  private static func swish(_ alpha: Float) -> Activation { alpha == 1 ? .silu : .swish(beta: Double(alpha)) }

  /// Swish(a) · b, two tensors of one shape.
  static func SwiGLU(_ node: NodeDescription) throws -> PreparedOperator {
    let function = swish(try node.float("alpha", default: 1))
    return floating(GatedActivation<Float>(function: function), GatedActivation<Double>(function: function))
  }

  /// x + bias below -λ, x - bias above λ, 0 in between; of integers the result is cut to a whole one.
  static func Shrink(_ node: NodeDescription) throws -> PreparedOperator {
    let function = Activation.shrink(
      threshold: Double(try node.float("lambd", default: 0.5)), bias: Double(try node.float("bias", default: 0)))
    return throughDouble(ElementActivation(function: function))
  }

  /// x · Φ(x), or its approximation with tanh.
  @Sendable static func Gelu(_ node: NodeDescription) throws -> Activation {
    switch try node.string("approximate", default: "none") {
    case "none": return .gelu(approximate: .none)
    case "tanh": return .gelu(approximate: .tanh)
    case let other: throw OperatorError("attribute 'approximate' is '\(other)'; none or tanh is needed")
    }
  }

  /// x · Φ(x) approximated with tanh, of x + bias where there is a bias.
  static func FastGelu(_ node: NodeDescription) throws -> PreparedOperator { biased(.gelu(approximate: .tanh)) }

  /// x · Φ(x) of x + bias
  static func BiasGelu(_ node: NodeDescription) throws -> PreparedOperator { biased(.gelu(approximate: .none)) }

  /// x / (1 + exp(-αx)), which with α = 1.702 is close to Gelu.
  @Sendable static func QuickGelu(_ node: NodeDescription) throws -> Activation {
    swish(try node.float("alpha", default: 1.702))
  }

  /// `function` of input 0, or of the sum of inputs 0 and 1.
  private static func biased(_ function: Activation) -> PreparedOperator {
    floating(BiasedActivation<Float>(function: function), BiasedActivation<Double>(function: function))
  }
}

private struct ElementActivation: FloatingFunction {
  let function: Activation

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    try activation(x, function)
  }

  func replace<Real: FloatingPointScalar>(_ x: inout Tensor<Real>) throws { try x.apply(function) }
}

private struct GatedActivation<Scalar: FloatingPointScalar>: FloatingOperator {
  let function: Activation

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let gate = try arguments.floating(0, as: Scalar.self)
    let x = try arguments.floating(1, as: Scalar.self)
    guard gate.shape == x.shape else {
      throw OperatorError("the gate has shape \(gate.shape) and the input \(x.shape); both must be the same")
    }
    return [try GraphValue(rounding: activation(gate, function) * x, to: type)]
  }
}

private struct BiasedActivation<Scalar: FloatingPointScalar>: FloatingOperator {
  let function: Activation

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    guard let bias = try arguments.optionalFloating(1, as: Scalar.self) else {
      return [try GraphValue(rounding: activation(x, function), to: type)]
    }
    // Any other shape would be stretched, or stretch the input.
    guard let last = x.shape.last, bias.shape == [last] else {
      throw OperatorError(
        "the bias has shape \(bias.shape), and the input \(x.shape); expected \(x.shape.last.map { "[\($0)]" } ?? "an input with an axis")"
      )
    }
    return [try GraphValue(rounding: activation(x + bias, function), to: type)]
  }
}

private struct Rectifier: NumberFunction {
  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> { try relu(x) }
  func replace<Real: FloatingPointScalar>(_ x: inout Tensor<Real>) throws { try x.apply(Activation.relu) }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ x: Scalar) -> Scalar { x < 0 ? 0 : x }
}

private struct ScaledWhereNegative: ArithmeticFunction {
  var name: String { "PRelu" }
  func callAsFunction<Real: FloatingPointScalar>(_ a: Tensor<Real>, _ b: Tensor<Real>) throws -> Tensor<Real> {
    try prelu(a, slope: b)
  }
  @inline(__always)
  func callAsFunction<Scalar: WholeNumber>(_ a: Scalar, _ b: Scalar) -> Scalar { a < 0 ? a &* b : a }
}

// MARK: - Clip

extension Operators {
  /// min(max(x, low), high), either bound optional; where low > high everything is high. The bounds are attributes
  /// before opset 11 and inputs since.
  static func Clip(_ node: NodeDescription) throws -> PreparedOperator {
    if node.opset < 11 {
      let (low, high) = try attributeBounds(node)
      return apply(.hardTanh(minimum: low, maximum: high))
    }
    return { arguments in
      let x = try arguments.tensor(0)
      let bounds = Bounds(x: x, low: try bound(1, arguments, like: x), high: try bound(2, arguments, like: x))
      if let result = try x.dataType.visitWholeNumber(bounds) { return [result] }
      guard x.dataType.isFloatingPoint else {
        throw OperatorError("input 0 is \(ElementType(x.dataType)); numbers are needed")
      }
      return [try evaluate(bounds, x)]
    }
  }

  /// Clip between bounds that are known, neither of them NaN.
  @Sendable private static func knownBounds(_ node: NodeDescription) throws -> Activation? {
    var (low, high) = (-Double.infinity, Double.infinity)
    if node.opset < 11 {
      (low, high) = try attributeBounds(node)
    } else {
      if node.has(1) {
        guard let number = try node.constantScalar(1) else { return nil }
        low = number
      }
      if node.has(2) {
        guard let number = try node.constantScalar(2) else { return nil }
        high = number
      }
    }
    guard !low.isNaN, !high.isNaN else { return nil }
    return .hardTanh(minimum: low, maximum: high)
  }

  /// The bounds before opset 11, by default the limits of FLOAT, so that no infinity passes.
  private static func attributeBounds(_ node: NodeDescription) throws -> (low: Double, high: Double) {
    let limit = Float.greatestFiniteMagnitude
    return (Double(try node.float("min", default: -limit)), Double(try node.float("max", default: limit)))
  }

  private static func bound(_ index: Int, _ arguments: Arguments, like x: AnyTensor) throws -> AnyTensor? {
    guard let bound = try arguments.optionalTensor(index) else { return nil }
    guard bound.count == 1 else {
      throw OperatorError("input \(index) has shape \(bound.shape); a single number is needed")
    }
    return bound
  }
}

private struct Bounds: FloatingFunction, WholeNumberVisitor {
  let x: AnyTensor
  let low: AnyTensor?
  let high: AnyTensor?

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    // A bound that is no number bounds nothing, as in ONNX Runtime.
    func number(_ bound: AnyTensor?) throws -> Real? {
      try bound.map { try $0.converted(to: Real.self).scalar }.flatMap { $0.isNaN ? nil : $0 }
    }
    return try x.clamp(min: number(low), max: number(high))
  }

  struct Between<Scalar: WholeNumber>: UnaryFunction {
    let low: Scalar
    let high: Scalar
    @inline(__always)
    func callAsFunction(_ x: Scalar) -> Scalar {
      let raised = x < low ? low : x
      return raised > high ? high : raised
    }
  }

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
    let range = Between<Scalar>(
      low: try low?.converted(to: type).scalar ?? .min, high: try high?.converted(to: type).scalar ?? .max)
    return GraphValue(try mapElements(range, x.converted()))
  }
}
