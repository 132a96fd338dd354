import Apus

// What ONNX Runtime makes one node of around linear attention.

extension Operators {
  static let gates: [OperatorDefinition] = [
    OperatorDefinition(
      "GatedRMSNorm", domain: "com.microsoft", .reduction(.likeInput, terms: .scales), GatedRMSNorm),
    OperatorDefinition("LinearAttentionGate", domain: "com.microsoft", .plain(.attentionGate), LinearAttentionGate),
    OperatorDefinition("ScaledSiLU", domain: "com.microsoft", .plain(.likeInput), ScaledSiLU),
    OperatorDefinition("GatedAdd", domain: "com.microsoft", .plain(.likeInput), GatedAdd),
  ]

  /// `x / √(mean(x²) + epsilon) · scale · f(gate)` over as many neighbouring features as there are scales; f is the logistic
  /// function, or its argument times it.
  static func GatedRMSNorm(_ node: NodeDescription) throws -> PreparedOperator {
    let name = try node.string("activation", default: "silu")
    guard let activation: Activation = ["silu": .silu, "swish": .silu, "sigmoid": .sigmoid][name] else {
      throw OperatorError("activation '\(name)' is not known; it is silu, swish or sigmoid")
    }
    let epsilon = Double(try node.float("epsilon", default: 1e-5))
    return floating(
      GatedNormalization<Float>(epsilon: epsilon, activation: activation),
      GatedNormalization<Double>(epsilon: epsilon, activation: activation))
  }

  /// The decay of linear attention, `decay_scale · softplus(a + dt_bias)`, and its rate, `sigmoid(b)`.
  static func LinearAttentionGate(_ node: NodeDescription) throws -> PreparedOperator {
    let wantsRate = node.wants(1)
    guard !wantsRate || node.has(3) else { throw OperatorError("input 3 is missing, of which output 1 is computed") }
    return floating(
      AttentionGate<Float>(wantsRate: wantsRate), AttentionGate<Double>(wantsRate: wantsRate))
  }

  /// `z · sigmoid(z)` of `z = alpha · x`, or of input 1 times x; each of them rounded.
  static func ScaledSiLU(_ node: NodeDescription) throws -> PreparedOperator {
    let alpha = try node.float("alpha", default: 1)
    return floating(ScaledLogistic<Float>(alpha: alpha), ScaledLogistic<Double>(alpha: Double(alpha)))
  }

  /// `x + y · gate`, with a gate for each row.
  static func GatedAdd(_ node: NodeDescription) throws -> PreparedOperator {
    guard !node.has(3) else { throw OperatorError("a gate that is projected is not supported") }
    return floating(GatedSum<Float>(), GatedSum<Double>())
  }
}

private struct GatedNormalization<Scalar: FloatingPointScalar>: FloatingOperator {
  let epsilon: Double
  let activation: Activation

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let scale = try arguments.floating(1, as: Scalar.self)
    let gate = try arguments.floating(2, as: Scalar.self)
    guard let features = x.shape.last, scale.rank == 1, scale.count > 0, features.isMultiple(of: scale.count),
      gate.shape == x.shape
    else {
      throw OperatorError(
        "scales of shape \(scale.shape) and a gate of shape \(gate.shape) do not fit an input of shape \(x.shape)")
    }
    let groups = Array(x.shape.dropLast()) + [features / scale.count, scale.count]
    let normalized = try rmsNorm(
      x.reshaped(groups), normalizedShape: scale.shape, weight: scale, epsilon: epsilon)
    return [try GraphValue(rounding: normalized.reshaped(x.shape) * Apus.activation(gate, activation), to: type)]
  }
}

private struct AttentionGate<Scalar: FloatingPointScalar>: FloatingOperator {
  let wantsRate: Bool

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let a = try arguments.floating(0, as: Scalar.self)
    let bias = try arguments.floating(1, as: Scalar.self)
    let scale = try arguments.floating(2, as: Scalar.self)
    guard let heads = a.shape.last, bias.shape == [heads], scale.shape == [heads] else {
      throw OperatorError(
        "dt_bias of shape \(bias.shape) and decay_scale of shape \(scale.shape) do not fit an input of shape \(a.shape)"
      )
    }
    let decay = try scale * softplus(a + bias)
    let rate = try wantsRate ? sigmoid(arguments.floating(3, as: Scalar.self)) : nil
    return [try GraphValue(rounding: decay, to: type), try rate.map { try GraphValue(rounding: $0, to: type) }]
  }
}

private struct ScaledLogistic<Scalar: FloatingPointScalar>: FloatingOperator {
  let alpha: Scalar

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    var factor = alpha
    if let given = try arguments.optionalFloating(1, as: Scalar.self) {
      guard given.count == 1 else { throw OperatorError("scale has shape \(given.shape); one number is needed") }
      factor = try given.reshaped([]).scalar
    }
    let z = try (arguments.floating(0, as: Scalar.self) * factor).rounded(to: type)
    return [try GraphValue(rounding: z * sigmoid(z).rounded(to: type), to: type)]
  }
}

private struct GatedSum<Scalar: FloatingPointScalar>: FloatingOperator {
  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let y = try arguments.floating(1, as: Scalar.self)
    let gate = try arguments.floating(2, as: Scalar.self)
    guard y.shape == x.shape, gate.shape == Array(x.shape.dropLast()) + [1] else {
      throw OperatorError(
        "an input of shape \(y.shape) and a gate of shape \(gate.shape) do not fit the first input's shape \(x.shape)")
    }
    return [try GraphValue(rounding: x + (y * gate).rounded(to: type), to: type)]
  }
}

// MARK: - Shapes and terms

extension ShapeRule {
  static let attentionGate = ShapeRule.rule { facts in
    let decay = try facts.input(0)
    return [decay, decay]
  }
}

extension TermCount {
  /// The elements of input 1.
  static let scales: TermCount = .counted { $0.shape(1).last ?? 1 }
}
