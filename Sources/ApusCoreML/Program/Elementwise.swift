import Apus
import ApusGraph

// Functions of single elements.

extension ProgramBuilder {
  static let elementwise: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    // What the standard has by the same meaning.
    for (name, type) in [
      ("abs", "Abs"), ("acos", "Acos"), ("asin", "Asin"), ("atan", "Atan"), ("atanh", "Atanh"), ("ceil", "Ceil"),
      ("cos", "Cos"), ("cosh", "Cosh"), ("erf", "Erf"), ("exp", "Exp"), ("floor", "Floor"), ("round", "Round"),
      ("sign", "Sign"), ("sin", "Sin"), ("sinh", "Sinh"), ("sqrt", "Sqrt"), ("tan", "Tan"), ("tanh", "Tanh"),
      ("sigmoid", "Sigmoid"), ("relu", "Relu"), ("softsign", "Softsign"), ("softplus", "Softplus"),
      ("identity", "Identity"), ("logical_not", "Not"),
    ] {
      result[name] = { call in [try call.emitter.node(type, [call.value("x")])] }
    }
    result["exp2"] = { call in
      let x = try call.value("x")
      return [try call.emitter.node("Pow", [call.emitter.number(2), x])]
    }
    result["square"] = { call in
      let x = try call.value("x")
      return [try call.emitter.node("Mul", [x, x])]
    }
    result["silu"] = { call in [try call.emitter.node("Swish", [call.value("x")])] }
    result["relu6"] = { call in
      let e = call.emitter
      return [try e.node("Clip", [call.value("x"), e.number(0), e.number(6)])]
    }
    result["log"] = { call in
      let e = call.emitter
      return [try e.node("Log", [shifted(call, default: .leastNonzeroMagnitude)])]
    }
    result["rsqrt"] = { call in
      let e = call.emitter
      return [try e.node("Reciprocal", [e.node("Sqrt", [shifted(call, default: 1e-12)])])]
    }
    result["inverse"] = { call in [try call.emitter.node("Reciprocal", [shifted(call, default: 1e-4)])] }
    result["threshold"] = { call in
      let x = try call.value("x")
      return [try call.emitter.node("Max", [x, call.value("alpha")])]
    }
    result["clip"] = { call in
      [try call.emitter.node("Clip", [call.value("x"), call.value("alpha"), call.value("beta")])]
    }
    result["leaky_relu"] = { call in
      [try call.emitter.node("LeakyRelu", [call.value("x")], ["alpha": .float(call.float("alpha", default: 0.01))])]
    }
    result["elu"] = { call in
      [try call.emitter.node("Elu", [call.value("x")], ["alpha": .float(call.float("alpha", default: 1))])]
    }
    result["sigmoid_hard"] = { call in
      [
        try call.emitter.node(
          "HardSigmoid", [call.value("x")],
          ["alpha": .float(call.float("alpha", default: 0.2)), "beta": .float(call.float("beta", default: 0.5))])
      ]
    }
    result["scaled_tanh"] = { call in
      let e = call.emitter
      let scaled = try e.node("Mul", [call.value("x"), e.number(call.float("beta", default: 1))])
      return [try e.node("Mul", [e.node("Tanh", [scaled]), e.number(call.float("alpha", default: 1))])]
    }
    result["linear_activation"] = { call in
      let e = call.emitter
      let scaled = try e.node("Mul", [call.value("x"), e.number(call.float("alpha", default: 1))])
      return [try e.node("Add", [scaled, e.number(call.float("beta", default: 0))])]
    }
    result["clamped_relu"] = { call in
      let e = call.emitter
      let x = try e.node("LeakyRelu", [call.value("x")], ["alpha": .float(call.float("alpha", default: 1))])
      return [try e.node("Min", [x, e.number(call.float("beta", default: 1))])]
    }
    // The standard's keeps what is greater than alpha, and not what is equal.
    result["thresholded_relu"] = { call in
      let e = call.emitter
      let x = try call.value("x")
      let isKept = try e.node("GreaterOrEqual", [x, e.number(call.float("alpha", default: 1))])
      return [try e.node("Where", [isKept, x, e.number(0)])]
    }
    result["gelu"] = { call in
      let x = try call.value("x")
      switch try call.string("mode", default: "EXACT") {
      case "EXACT": return [try call.emitter.node("Gelu", [x])]
      case "TANH_APPROXIMATION":
        return [try call.emitter.node("Gelu", [x], ["approximate": .string(Array("tanh".utf8))])]
      case "SIGMOID_APPROXIMATION":
        return [try call.emitter.node("QuickGelu", [x], domain: "com.microsoft", ["alpha": .float(1.702)])]
      case let mode: throw OperatorError("mode '\(mode)' is not known")
      }
    }
    result["prelu"] = { call in
      let x = try call.value("x")
      return [try call.emitter.node("PRelu", [x, perChannel(call, "alpha", of: x)])]
    }
    result["softplus_parametric"] = { call in
      let e = call.emitter
      let x = try call.value("x")
      let inner = try e.node("Softplus", [e.node("Mul", [x, perChannel(call, "beta", of: x)])])
      return [try e.node("Mul", [inner, perChannel(call, "alpha", of: x)])]
    }
    result["cast"] = { call in
      let name = try call.string("dtype", default: "")
      guard let type = MILType(name: name) else { throw OperatorError("the type '\(name)' is not known") }
      let x = try call.value("x")
      return [
        try call.emitter.node("Cast", [x], ["to": .int(Int64(call.builder.computed(type).rawValue))])
      ]
    }
    return result
  }()

  /// x + epsilon.
  private static func shifted(_ call: Call, default epsilon: Float) throws -> Graph.ValueID {
    let x = try call.value("x")
    let epsilon = try call.float("epsilon", default: epsilon)
    return epsilon == 0 ? x : try call.emitter.node("Add", [x, call.emitter.number(epsilon)])
  }

  /// A parameter with a number for each channel, axis 1 of x, so that it is stretched over x.
  private static func perChannel(_ call: Call, _ name: String, of x: Graph.ValueID) throws -> Graph.ValueID {
    let rank = try call.emitter.rank(x)
    return try call.emitter.reshape(call.value(name), [-1] + [Int](repeating: 1, count: max(0, rank - 2)))
  }

  // MARK: Two operands

  static let binary: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for (name, type) in [
      ("add", "Add"), ("sub", "Sub"), ("mul", "Mul"), ("real_div", "Div"), ("maximum", "Max"),
      ("minimum", "Min"), ("equal", "Equal"), ("greater", "Greater"), ("greater_equal", "GreaterOrEqual"),
      ("less", "Less"), ("less_equal", "LessOrEqual"), ("logical_and", "And"), ("logical_or", "Or"),
      ("logical_xor", "Xor"),
    ] {
      result[name] = { call in [try call.emitter.node(type, [call.value("x"), call.value("y")])] }
    }
    result["not_equal"] = { call in
      [try call.emitter.node("Not", [call.emitter.node("Equal", [call.value("x"), call.value("y")])])]
    }
    result["floor_div"] = { call in
      let e = call.emitter
      let (x, y) = try (call.value("x"), call.value("y"))
      if e.isFloating(x) { return [try e.node("Floor", [e.node("Div", [x, y])])] }
      return [try e.node("Div", [e.node("Sub", [x, e.node("Mod", [x, y])]), y])]
    }
    // The operations' reference has the sign of y; Core ML itself, and so a converted model, has that of x.
    result["mod"] = { call in
      [try call.emitter.node("Mod", [call.value("x"), call.value("y")], ["fmod": .int(1)])]
    }
    // Core ML takes a base that is the constant 2 for an exponent, and squares.
    result["pow"] = { call in
      let e = call.emitter
      let (x, y) = try (call.value("x"), call.value("y"))
      guard case .tensor(let base)? = e.constant(x), base.count == 1, e.isFloating(x), e.constant(y) == nil,
        try base.converted(to: Float.self).elements == [2]
      else { return [try e.node("Pow", [x, y])] }
      return [try e.node("Pow", [y, x])]
    }
    result["select"] = { call in
      let e = call.emitter
      return [try e.node("Where", [e.cast(call.value("cond"), to: .bool), call.value("a"), call.value("b")])]
    }
    return result
  }()
}
