import ApusKernelInterface

/// How ``gelu(_:approximate:)`` is computed.
public enum GELUApproximation: String, Sendable, Hashable, CaseIterable {
  /// `x * Φ(x)` with the normal distribution function Φ.
  case none
  /// `x / 2 * (1 + tanh(√(2/π) * (x + 0.044715 * x³)))`, as the original BERT has it.
  case tanh
}

/// GELU written out as a product: `x * (1 + erf(factor * x / divisor)) / 2`.
public struct GELUProduct: Sendable, Hashable {
  /// Which of the steps halves.
  public enum Half: String, Sendable, Hashable, CaseIterable {
    /// `(x / 2) * (1 + erf(…))`.
    case input
    /// `x * ((1 + erf(…)) / 2)`.
    case distribution
    /// `(x * (1 + erf(…))) / 2`.
    case product
  }

  /// What `x` is multiplied by under erf; 1 where it is divided.
  public var factor: Double
  /// What `x` is divided by under erf; 1 where it is multiplied.
  public var divisor: Double
  /// Where the product is halved.
  public var half: Half

  /// Without arguments of its own erf takes `x` itself.
  public init(factor: Double = 1, divisor: Double = 1, half: Half) {
    self.factor = factor
    self.divisor = divisor
    self.half = half
  }

  fileprivate var scales: SIMD3<Double> {
    switch half {
    case .input: [0.5, 1, 1]
    case .distribution: [1, 0.5, 1]
    case .product: [1, 1, 0.5]
    }
  }
}

/// An activation function with its parameters, for layers that take it as an argument.
///
/// Names and defaults are PyTorch's.
public enum Activation: Sendable, Hashable {
  /// `x`.
  case identity
  /// `max(x, 0)`.
  case relu
  /// `min(max(x, 0), 6)`.
  case relu6
  /// `x` above zero, `negativeSlope * x` below.
  case leakyReLU(negativeSlope: Double = 0.01)
  /// `x` above zero, `alpha * (eˣ - 1)` below.
  case elu(alpha: Double = 1)
  /// `1 / (1 + e⁻ˣ)`.
  case sigmoid
  /// `log(sigmoid(x))`.
  case logSigmoid
  /// The hyperbolic tangent.
  case tanh
  /// `x * sigmoid(x)`, also called swish.
  case silu
  /// ``silu`` in two roundings, `x` times the rounded `sigmoid(x)`: bit for bit what one operator after the other
  /// gives.
  case sigmoidProduct
  /// `x` times the share of a normal distribution below it.
  case gelu(approximate: GELUApproximation = .none)
  /// GELU with a rounding at each step, as exporters write it out: bit for bit what one operator after the other gives.
  case geluProduct(GELUProduct)
  /// `x * tanh(softplus(x))`.
  case mish
  /// `log(1 + exp(beta * x)) / beta`, and `x` itself where `beta * x > threshold`.
  case softplus(beta: Double = 1, threshold: Double = 20)
  /// `relu6(x + 3) / 6`.
  case hardSigmoid
  /// `x * relu6(x + 3) / 6`.
  case hardSwish
  /// `min(max(x, minimum), maximum)`.
  case hardTanh(minimum: Double = -1, maximum: Double = 1)
  /// `min(max(slope * x + offset, 0), 1)`: a hard sigmoid with parameters.
  case clampedLine(slope: Double, offset: Double)
  /// `x * sigmoid(beta * x)`.
  case swish(beta: Double)
  /// `gamma * x` above zero, `gamma * alpha * (eˣ - 1)` below.
  case selu(alpha: Double = 1.6732632423543772, gamma: Double = 1.0507009873554805)
  /// `x` above zero, `alpha * (exp(x / alpha) - 1)` below.
  case celu(alpha: Double = 1)
  /// `x / (1 + |x|)`.
  case softsign
  /// `x` above the threshold, 0 elsewhere.
  case threshold(Double)
  /// `x + bias` below `-threshold`, `x - bias` above `threshold`, 0 in between.
  case shrink(threshold: Double, bias: Double)
  /// `x`, and the given number where `x` is NaN; infinities stay.
  case nanToNum(Double)

  /// The function's name, without its parameters. Spelled out, since a program need not know what its cases are called.
  package var name: String {
    switch self {
    case .identity: "identity"
    case .relu: "relu"
    case .relu6: "relu6"
    case .leakyReLU: "leakyReLU"
    case .elu: "elu"
    case .sigmoid: "sigmoid"
    case .logSigmoid: "logSigmoid"
    case .tanh: "tanh"
    case .silu: "silu"
    case .sigmoidProduct: "sigmoidProduct"
    case .gelu: "gelu"
    case .geluProduct: "geluProduct"
    case .mish: "mish"
    case .softplus: "softplus"
    case .hardSigmoid: "hardSigmoid"
    case .hardSwish: "hardSwish"
    case .hardTanh: "hardTanh"
    case .clampedLine: "clampedLine"
    case .swish: "swish"
    case .selu: "selu"
    case .celu: "celu"
    case .softsign: "softsign"
    case .threshold: "threshold"
    case .shrink: "shrink"
    case .nanToNum: "nanToNum"
    }
  }

  /// The kernel that computes it; nil for the identity.
  package var operation: UnaryOperation? {
    switch self {
    case .identity: nil
    case .relu: .relu
    case .relu6: .clamp(minimum: 0, maximum: 6)
    case .leakyReLU(let negativeSlope): .leakyReLU(negativeSlope: negativeSlope)
    case .elu(let alpha): .elu(alpha: alpha)
    case .sigmoid: .sigmoid
    case .logSigmoid: .logSigmoid
    case .tanh: .tanh
    case .silu: .silu
    case .sigmoidProduct: .sigmoidProduct
    case .gelu(.none): .gelu
    case .geluProduct(let steps): .geluProduct(factor: steps.factor, divisor: steps.divisor, scales: steps.scales)
    case .gelu(.tanh): .geluTanh
    case .mish: .mish
    case .softplus(let beta, let threshold): .softplus(beta: beta, threshold: threshold)
    case .hardSigmoid: .hardSigmoid
    case .hardSwish: .hardSwish
    case .hardTanh(let minimum, let maximum): .clamp(minimum: minimum, maximum: maximum)
    case .clampedLine(let slope, let offset): .clampedLine(slope: slope, offset: offset)
    case .swish(let beta): .swish(beta: beta)
    case .selu(let alpha, let gamma): .selu(alpha: alpha, gamma: gamma)
    case .celu(let alpha): .celu(alpha: alpha)
    case .softsign: .softsign
    case .threshold(let threshold): .threshold(threshold)
    case .shrink(let threshold, let bias): .shrink(threshold: threshold, bias: bias)
    case .nanToNum(let number): .nanToNum(number)
    }
  }
}

/// `function` of every element. The layout is kept.
public func activation<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, _ function: Activation
) throws -> Tensor<Scalar> {
  guard let operation = function.operation else { return x }
  return try x.mapped(operation)
}

/// `max(x, 0)`; a NaN stays one.
public func relu<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try activation(x, .relu)
}

/// `min(max(x, 0), 6)`.
public func relu6<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try activation(x, .relu6)
}

/// `x` above zero, `negativeSlope * x` below.
public func leakyReLU<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, negativeSlope: Double = 0.01
) throws -> Tensor<Scalar> {
  try activation(x, .leakyReLU(negativeSlope: negativeSlope))
}

/// `x` above zero, `alpha * (eˣ - 1)` below.
public func elu<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>, alpha: Double = 1) throws -> Tensor<Scalar> {
  try activation(x, .elu(alpha: alpha))
}

/// The logistic function `1 / (1 + e⁻ˣ)`.
public func sigmoid<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try activation(x, .sigmoid)
}

/// `log(sigmoid(x))`, without underflow.
public func logSigmoid<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try activation(x, .logSigmoid)
}

/// The hyperbolic tangent.
public func tanh<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try activation(x, .tanh)
}

/// `x * sigmoid(x)`, also called swish. As in PyTorch, minus infinity gives NaN.
public func silu<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try activation(x, .silu)
}

/// The Gaussian error linear unit, `x * Φ(x)`. As in PyTorch, minus infinity gives NaN.
public func gelu<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, approximate: GELUApproximation = .none
) throws -> Tensor<Scalar> {
  try activation(x, .gelu(approximate: approximate))
}

/// `x * tanh(softplus(x))`. As in PyTorch, minus infinity gives NaN.
public func mish<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try activation(x, .mish)
}

/// `log(1 + exp(beta * x)) / beta`, and `x` itself where `beta * x > threshold`.
public func softplus<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, beta: Double = 1, threshold: Double = 20
) throws -> Tensor<Scalar> {
  try activation(x, .softplus(beta: beta, threshold: threshold))
}

/// `relu6(x + 3) / 6`.
public func hardSigmoid<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try activation(x, .hardSigmoid)
}

/// `x * relu6(x + 3) / 6`. As in PyTorch, minus infinity gives NaN.
public func hardSwish<Scalar: FloatingPointScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
  try activation(x, .hardSwish)
}

/// `min(max(x, minimum), maximum)`.
public func hardTanh<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, minimum: Double = -1, maximum: Double = 1
) throws -> Tensor<Scalar> {
  try activation(x, .hardTanh(minimum: minimum, maximum: maximum))
}
