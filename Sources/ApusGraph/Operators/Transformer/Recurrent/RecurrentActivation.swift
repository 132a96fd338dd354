import Apus

/// An activation function of LSTM, GRU and RNN with its parameters.
enum RecurrentActivation: Sendable, Hashable {
  case common(Activation)
  /// `αx + β`
  case affine(alpha: Float, beta: Float)
  /// `x` from α on, 0 below. The operator of that name leaves α out.
  case thresholdedRelu(alpha: Float)
  /// `α tanh(βx)`
  case scaledTanh(alpha: Float, beta: Float)

  static let relu = common(.relu)
  static let tanh = common(.tanh)
  static let sigmoid = common(.sigmoid)

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
      case "affine": return .affine(alpha: alpha(1), beta: beta(0))
      case "thresholdedrelu": return .thresholdedRelu(alpha: alpha(1))
      case "scaledtanh": return .scaledTanh(alpha: alpha(1), beta: beta(1))
      default:
        guard let function = Activation(attribute: name, parameter: { $0 == "alpha" ? alpha($1) : beta($1) }) else {
          throw OperatorError("'\(name)' is not an activation function of recurrent operators")
        }
        return .common(function)
      }
    }
    let count = defaults.count
    return (0..<directions).map { direction in Array(all[(direction * count)..<((direction + 1) * count)]) }
  }

  /// The function of every element, which is cut to `-clip...clip` before.
  func callAsFunction<Scalar: FloatingPointScalar>(_ input: Tensor<Scalar>, clip: Scalar?) throws -> Tensor<Scalar> {
    let x = try clip.map { try input.clamp(min: -$0, max: $0) } ?? input
    switch self {
    case .common(let function): return try activation(x, function)
    case .affine(let alpha, let beta): return try x * Scalar(alpha) + Scalar(beta)
    case .thresholdedRelu(let alpha):
      let threshold = try Tensor([Scalar(alpha)], shape: [])
      return try Tensor(where: x.ge(threshold), then: x, else: Tensor([0], shape: []))
    case .scaledTanh(let alpha, let beta): return try activation(x * Scalar(beta), .tanh) * Scalar(alpha)
    }
  }
}
