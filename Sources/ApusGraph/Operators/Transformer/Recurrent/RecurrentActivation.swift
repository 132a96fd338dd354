import Apus

/// An activation function of LSTM, GRU and RNN with its parameters.
enum RecurrentActivation: Sendable, Hashable {
  case relu, tanh, sigmoid, softsign, softplus
  /// `αx + β`
  case affine(alpha: Float, beta: Float)
  /// `x`, below zero `αx`.
  case leakyRelu(alpha: Float)
  /// `x` from α on, 0 below.
  case thresholdedRelu(alpha: Float)
  /// `α tanh(βx)`
  case scaledTanh(alpha: Float, beta: Float)
  /// `min(max(αx + β, 0), 1)`
  case hardSigmoid(alpha: Float, beta: Float)
  /// `x`, below zero `α(eˣ - 1)`.
  case elu(alpha: Float)

  /// The functions of a node, a list for each direction.
  ///
  /// Parameters are taken from `activation_alpha` and `activation_beta` in the order of the functions that have any.
  /// - Parameter defaults: the functions of one direction where the node names none.
  static func list(
    _ node: NodeDescription, directions: Int, defaults: [RecurrentActivation]
  ) throws -> [[RecurrentActivation]] {
    var alphas = (try node.optionalFloats("activation_alpha") ?? [])[...]
    var betas = (try node.optionalFloats("activation_beta") ?? [])[...]
    guard let names = try node.optionalStrings("activations"), !names.isEmpty else {
      return Array(repeating: defaults, count: directions)
    }
    // Files of a single direction exist that name the functions of two.
    guard names.count >= directions * defaults.count else {
      throw OperatorError(
        "\(names.count) activations are named; \(defaults.count) are needed for each of \(directions) directions")
    }
    let all = try names.prefix(directions * defaults.count).map { name -> RecurrentActivation in
      func alpha(_ value: Float) -> Float { alphas.popFirst() ?? value }
      func beta(_ value: Float) -> Float { betas.popFirst() ?? value }
      switch name.lowercased() {
      case "relu": return .relu
      case "tanh": return .tanh
      case "sigmoid": return .sigmoid
      case "softsign": return .softsign
      case "softplus": return .softplus
      case "affine": return .affine(alpha: alpha(1), beta: beta(0))
      case "leakyrelu": return .leakyRelu(alpha: alpha(0.01))
      case "thresholdedrelu": return .thresholdedRelu(alpha: alpha(1))
      case "scaledtanh": return .scaledTanh(alpha: alpha(1), beta: beta(1))
      case "hardsigmoid": return .hardSigmoid(alpha: alpha(0.2), beta: beta(0.5))
      case "elu": return .elu(alpha: alpha(1))
      default: throw OperatorError("'\(name)' is not an activation function of recurrent operators")
      }
    }
    let count = defaults.count
    return (0..<directions).map { direction in Array(all[(direction * count)..<((direction + 1) * count)]) }
  }

  /// The function of every element, which is cut to `-clip...clip` before.
  func callAsFunction<Scalar: FloatingPointScalar>(_ input: Tensor<Scalar>, clip: Scalar?) throws -> Tensor<Scalar> {
    let x = try clip.map { try input.clamp(min: -$0, max: $0) } ?? input
    switch self {
    case .relu: return try activation(x, .relu)
    case .tanh: return try activation(x, .tanh)
    case .sigmoid: return try activation(x, .sigmoid)
    case .softsign: return try x / (x.abs() + 1)
    // Beyond the threshold the logarithm adds less than half a digit, in both working types.
    case .softplus: return try activation(x, .softplus(beta: 1, threshold: 40))
    case .affine(let alpha, let beta): return try x * Scalar(alpha) + Scalar(beta)
    case .leakyRelu(let alpha): return try activation(x, .leakyReLU(negativeSlope: Double(alpha)))
    case .thresholdedRelu(let alpha):
      let threshold = try Tensor([Scalar(alpha)], shape: [])
      return try Tensor(where: x.ge(threshold), then: x, else: Tensor([0], shape: []))
    case .scaledTanh(let alpha, let beta): return try activation(x * Scalar(beta), .tanh) * Scalar(alpha)
    case .hardSigmoid(let alpha, let beta): return try (x * Scalar(alpha) + Scalar(beta)).clamp(min: 0, max: 1)
    case .elu(let alpha): return try activation(x, .elu(alpha: Double(alpha)))
    }
  }
}
