import Apus
import ApusGraph

// Functions of single elements.

extension ProgramBuilder {
  static let elementwise: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    // What the standard has by the same meaning; integers become what the result is first.
    for (name, type) in [
      ("abs", "Abs"), ("acos", "Acos"), ("acosh", "Acosh"), ("asin", "Asin"), ("asinh", "Asinh"), ("atan", "Atan"),
      ("atanh", "Atanh"), ("ceil", "Ceil"), ("cos", "Cos"), ("cosh", "Cosh"), ("erf", "Erf"), ("exp", "Exp"),
      ("floor", "Floor"), ("log", "Log"), ("neg", "Neg"), ("reciprocal", "Reciprocal"), ("sigmoid", "Sigmoid"),
      ("sin", "Sin"), ("sinh", "Sinh"), ("sqrt", "Sqrt"), ("tan", "Tan"),
      ("tanh", "Tanh"), ("arccos", "Acos"), ("arccosh", "Acosh"), ("arcsin", "Asin"), ("arcsinh", "Asinh"),
      ("arctan", "Atan"), ("arctanh", "Atanh"), ("absolute", "Abs"), ("negative", "Neg"), ("special_erf", "Erf"),
      ("special_expit", "Sigmoid"),
    ] {
      result[name] = { call in [try call.emitter.unary(type, call.value(as: call.outputType))] }
    }
    for name in [
      "alias", "clone", "contiguous", "detach", "lift_fresh", "lift_fresh_copy", "lift", "positive", "resolve_conj",
      "resolve_neg", "conj", "conj_physical", "real", "dropout", "feature_dropout", "alpha_dropout",
      "feature_alpha_dropout", "requires_grad", "_conj",
    ] {
      result[name] = { call in
        // A program made in training mode drops elements by chance.
        if name.contains("dropout"), try call.bool("train") || call.bool("training"),
          try call.double("p", default: 0) > 0
        {
          throw OperatorError.dropsByChance
        }
        return [try call.x]
      }
    }
    result["native_dropout"] = { call in
      let e = call.emitter
      let x = try call.x
      guard try !call.bool("train") else { throw OperatorError.dropsByChance }
      return [x, try e.node("Equal", [x, x])]
    }
    // Of a number that is not complex: π for those below 0.
    result["angle"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let x = try call.value(as: out)
      let angle = try e.node(
        "Where", [e.node("Less", [x, e.number(0, as: out)]), e.numbers(.pi, as: out), e.number(0, as: out)])
      return [try e.node("Where", [e.node("IsNaN", [x]), x, angle])]
    }
    // Of NaN, 0.
    for name in ["sgn", "sign"] {
      result[name] = { call in
        let e = call.emitter
        let type = try call.outputType
        let x = try call.value(as: type)
        let sign = try e.unary("Sign", x)
        guard type.isFloatingPoint else { return [sign] }
        return [try e.node("Where", [e.node("IsNaN", [x]), e.number(0, as: type), sign])]
      }
    }
    for name in ["to", "_to_copy", "type_as", "float", "double", "half", "int", "long", "bool"] {
      result[name] = { call in [try call.emitter.cast(call.x, to: call.outputType)] }
    }
    result["copy"] = { call in
      let e = call.emitter
      let source = try call.value("src", as: call.outputType)
      return [try e.expand(source, e.node("Shape", [call.x]))]
    }
    result["exp2"] = { call in
      let type = try call.outputType
      return [try call.emitter.node("Pow", [call.emitter.number(2, as: type), call.value(as: type)])]
    }
    result["special_exp2"] = result["exp2"]
    result["special_ndtr"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let share = try e.node("Erf", [e.node("Mul", [call.value(as: out), e.numbers(0.5.squareRoot(), as: out)])])
      return [try e.node("Mul", [e.node("Add", [share, e.number(1, as: out)]), e.numbers(0.5, as: out)])]
    }
    result["special_entr"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let x = try call.value(as: out)
      let term = try e.node("Neg", [e.node("Mul", [x, e.node("Log", [x])])])
      let above = try e.node("Where", [e.isZero(x), e.number(0, as: out), term])
      return [try e.node("Where", [e.node("Less", [x, e.number(0, as: out)]), e.numbers(-.infinity, as: out), above])]
    }
    result["square"] = { call in
      let x = try call.value(as: call.outputType)
      return [try call.emitter.node("Mul", [x, x])]
    }
    result["rsqrt"] = { call in
      [try call.emitter.node("Reciprocal", [call.emitter.node("Sqrt", [call.value(as: call.outputType)])])]
    }
    for (name, base) in [("log2", 2.0), ("log10", 10.0)] {
      result[name] = { call in
        let e = call.emitter
        let type = try call.outputType
        let (x, base) = (try call.value(as: type), try e.numbers(base, as: type))
        let quotient = try e.node("Div", [e.node("Log", [x]), e.node("Log", [base])])
        // Powers of the base have whole logarithms, which a quotient of rounded numbers may miss.
        let whole = try e.node("Round", [quotient])
        return [try e.node("Where", [e.node("Equal", [e.node("Pow", [base, whole]), x]), whole, quotient])]
      }
    }
    // log(1 + x) where 1 + x is rounded: x · log(u) / (u − 1), and x where u is 1.
    result["log1p"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let x = try call.value(as: type)
      let one = try e.number(1, as: type)
      let u = try e.node("Add", [x, one])
      let rest = try e.node("Sub", [u, one])
      let scaled = try e.node("Mul", [x, e.node("Div", [e.node("Log", [u]), rest])])
      let isPlain = try e.node("Or", [e.isZero(rest), e.node("IsInf", [u])])
      return [try e.node("Where", [isPlain, e.node("Where", [e.node("IsInf", [u]), e.node("Log", [u]), x]), scaled])]
    }
    result["special_log1p"] = result["log1p"]
    // exp(x) − 1 where exp(x) is rounded: (u − 1) · x / log(u), x where u is 1, and −1 where u is 0.
    result["expm1"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let x = try call.value(as: type)
      let one = try e.number(1, as: type)
      let u = try e.node("Exp", [x])
      let rest = try e.node("Sub", [u, one])
      let scaled = try e.node("Mul", [rest, e.node("Div", [x, e.node("Log", [u])])])
      let isPlain = try e.node("Or", [e.isZero(u), e.node("IsInf", [u])])
      return [
        try e.node("Where", [e.isZero(rest), x, e.node("Where", [isPlain, rest, scaled])])
      ]
    }
    result["special_expm1"] = result["expm1"]
    result["erfc"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let x = try call.value(as: type)
      let near = try e.node("Sub", [e.number(1, as: type), e.node("Erf", [x])])
      let isFar = try e.node("Greater", [x, e.numbers(0.5, as: type)])
      return [try e.node("Where", [isFar, e.cast(e.errorTail(e.cast(x, to: .double)), to: type), near])]
    }
    result["special_erfc"] = result["erfc"]
    for name in ["trunc", "fix"] {
      result[name] = { call in [try call.emitter.truncated(call.x)] }
    }
    result["frac"] = { call in
      let x = try call.x
      return [try call.emitter.node("Sub", [x, call.emitter.truncated(x)])]
    }
    result["round"] = { call in
      let e = call.emitter
      let x = try call.x
      guard try call.elementType(of: x).isFloatingPoint else { return [x] }
      guard let decimals = try call.optionalInt("decimals"), decimals != 0 else { return [try e.node("Round", [x])] }
      var scale = 1.0
      for _ in 0..<min(abs(decimals), 400) { scale *= 10 }
      let factor = try e.numbers(scale, as: call.outputType)
      let (there, back) = decimals > 0 ? ("Mul", "Div") : ("Div", "Mul")
      return [try e.node(back, [e.node("Round", [e.node(there, [x, factor])]), factor])]
    }
    result["deg2rad"] = { call in
      let type = try call.outputType
      return [try call.emitter.node("Mul", [call.value(as: type), call.emitter.numbers(.pi / 180, as: type)])]
    }
    result["rad2deg"] = { call in
      let type = try call.outputType
      return [try call.emitter.node("Mul", [call.value(as: type), call.emitter.numbers(180 / .pi, as: type)])]
    }
    result["sinc"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let x = try call.value(as: type)
      let angle = try e.node("Mul", [x, e.numbers(.pi, as: type)])
      let quotient = try e.node("Div", [e.node("Sin", [angle]), angle])
      return [try e.node("Where", [e.isZero(x), e.number(1, as: type), quotient])]
    }
    result["special_sinc"] = result["sinc"]
    result["logit"] = { call in
      let e = call.emitter
      let type = try call.outputType
      var x = try call.value(as: type)
      if let eps = try call.optionalDouble("eps") {
        x = try e.node("Clip", [x, e.numbers(eps, as: type), e.numbers(1 - eps, as: type)])
      }
      return [try e.node("Log", [e.node("Div", [x, e.node("Sub", [e.number(1, as: type), x])])])]
    }
    result["special_logit"] = result["logit"]
    result["nan_to_num"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let x = try call.x
      guard type.isFloatingPoint else { return [x] }
      let most = Self.largest(type)
      let filled = try e.node(
        "Where", [e.node("IsNaN", [x]), e.numbers(call.double("nan", default: 0), as: type), x])
      let above = try e.node("IsInf", [x], ["detect_negative": .int(0)])
      let below = try e.node("IsInf", [x], ["detect_positive": .int(0)])
      let bounded = try e.node(
        "Where", [above, e.numbers(call.double("posinf", default: most), as: type), filled])
      return [
        try e.node("Where", [below, e.numbers(call.double("neginf", default: -most), as: type), bounded])
      ]
    }
    result["signbit"] = { call in
      let e = call.emitter
      let x = try call.x
      return [try e.isNegative(x, as: call.elementType(of: x))]
    }
    return result
  }()

  /// The largest finite number of a type.
  static func largest(_ type: ElementType) -> Double {
    switch type {
    case .double: .greatestFiniteMagnitude
    case .float16: 65504
    case .bfloat16: 0x1.FEp127
    default: Double(Float.greatestFiniteMagnitude)
    }
  }
}

/// The terms of (1 + 2x) · exp(x²) · erfc(x) in (x − 3.75) / (x + 3.75), for x from 0.5 to 28, within 1e-15.
private let errorTailTerms = [
  1.2375126308378275, -0.1402405985855377, 0.0035854154854808988, 0.08227673848920466, -0.10880393014345326,
  0.09230432118843254, -0.05869339853850617, 0.028362277037275483, -0.009746580254611241, 0.001755628678241948,
  0.000293718816336925, -0.0002901664476615747, 5.162662856201888e-05, 2.241731967099939e-05,
  -1.1384417296442882e-05, -1.0272647182179325e-06, 1.655745565493488e-06, -7.128372987970438e-09,
  -1.711198947267439e-07,
]

extension OperatorError {
  /// Of a program that was made in training mode.
  static var dropsByChance: OperatorError { choosesByChance("it drops elements") }

  static func choosesByChance(_ what: String) -> OperatorError {
    OperatorError("\(what) by chance; call module.eval() before the module is exported")
  }
}

extension Emitter {
  /// Which numbers have the sign of negative ones, −0 among them.
  func isNegative(_ x: Graph.ValueID, as type: ElementType) throws -> Graph.ValueID {
    let zero = try number(0, as: type)
    let isBelow = try node("Less", [x, zero])
    guard type.isFloatingPoint else { return isBelow }
    // A negative zero is told by what one divided by it is.
    let inverse = try node("Less", [node("Reciprocal", [x]), zero])
    return try node("Or", [isBelow, node("And", [isZero(x), inverse])])
  }

  /// 1 − erf(x) for x > 0.5, DOUBLE: exp(−x²) / (1 + 2x) times a polynomial of (x − k) / (x + k), after M. Shepherd and
  /// J. Laframboise, "Chebyshev approximation of (1 + 2x) exp(x²) erfc(x) in 0 ≤ x < ∞".
  func errorTail(_ x: Graph.ValueID) throws -> Graph.ValueID {
    // From 28 on it is less than any number of float64.
    let x = try node("Min", [x, numbers(28, as: .double)])
    let (one, k) = (try numbers(1, as: .double), try numbers(3.75, as: .double))
    let t = try node("Div", [node("Sub", [x, k]), node("Add", [x, k])])
    var sum = try numbers(0, as: .double)
    for term in errorTailTerms.reversed() {
      sum = try node("Add", [node("Mul", [sum, t]), numbers(term, as: .double)])
    }
    let scale = try node("Exp", [node("Neg", [node("Mul", [x, x])])])
    return try node("Div", [node("Mul", [scale, sum]), node("Add", [one, node("Add", [x, x])])])
  }

  /// A function of one tensor. What rounds leaves integers as they are.
  func unary(_ type: String, _ x: Graph.ValueID) throws -> Graph.ValueID {
    let isWhole = elementType(x).map { !$0.isFloatingPoint } ?? false
    if isWhole, ["Ceil", "Floor"].contains(type) { return x }
    if isWhole, elementType(x) == .bool, ["Abs", "Sign"].contains(type) { return x }
    return try node(type, [x])
  }

  func isZero(_ x: Graph.ValueID) throws -> Graph.ValueID {
    try node("Equal", [x, number(0, as: elementType(x) ?? .float)])
  }

  /// Rounded towards zero.
  func truncated(_ x: Graph.ValueID) throws -> Graph.ValueID {
    guard elementType(x)?.isFloatingPoint ?? true else { return x }
    return try node("Mul", [node("Sign", [x]), node("Floor", [node("Abs", [x])])])
  }

  func expand(_ x: Graph.ValueID, _ shape: Graph.ValueID) throws -> Graph.ValueID { try node("Expand", [x, shape]) }
}
