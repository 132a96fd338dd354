import Apus
import ApusGraph

extension NetworkBuilder {
  static let elementwiseLayers: [Int: Layer] = {
    var result: [Int: Layer] = [:]
    for (number, type) in [
      (665, "Ceil"), (670, "Floor"), (680, "Sign"), (685, "Round"), (710, "Sin"), (715, "Cos"), (720, "Tan"),
      (730, "Asin"), (735, "Acos"), (740, "Atan"), (750, "Sinh"), (755, "Cosh"), (760, "Tanh"), (770, "Asinh"),
      (775, "Acosh"), (780, "Atanh"), (790, "Erf"), (600, "Identity"),
    ] {
      result[number] = { c in [try c.e.node(type, [c.x])] }
    }
    for (number, type) in [
      (870, "Min"), (875, "Max"), (880, "Add"), (885, "Pow"), (890, "Div"), (900, "Mul"), (905, "Sub"),
    ] {
      result[number] = { c in [try c.e.node(type, [c.input(0), c.input(1)])] }
    }
    for (number, type, field) in [
      (815, "Equal", 1), (820, "Equal", 1), (825, "Less", 2), (827, "LessOrEqual", 2), (830, "Greater", 2),
      (832, "GreaterOrEqual", 2),
    ] {
      result[number] = { c in
        let other = try c.inputs.count > 1 ? c.input(1) : c.e.number(c.p.float(field))
        let isSo = try c.e.node(type, [c.x, other])
        return [try c.floats(number == 820 ? c.e.node("Not", [isSo]) : isSo)]
      }
    }
    for (number, type) in [(840, "Or"), (845, "Xor"), (855, "And")] {
      result[number] = { c in [try c.floats(c.e.node(type, [c.truth(0), c.truth(1)]))] }
    }
    result[850] = { c in [try c.floats(c.e.node("Not", [c.truth(0)]))] }
    result[700] = { c in [try c.e.node("Pow", [c.e.number(2), c.x])] }
    result[660] = { c in
      [try c.e.node("Clip", [c.x, c.e.number(c.p.float(1)), c.e.number(c.p.float(2))])]
    }
    result[795] = { c in
      switch try c.p.int(1) {
      case 0: return [try c.e.node("Gelu", [c.x])]
      case 1: return [try c.e.node("Gelu", [c.x], ["approximate": .string(Array("tanh".utf8))])]
      default: return [try c.e.node("QuickGelu", [c.x], domain: "com.microsoft", ["alpha": .float(1.702)])]
      }
    }
    result[865] = { c in
      let whole = try c.e.node("Floor", [c.e.node("Div", [c.input(0), c.input(1)])])
      return [try c.e.node("Sub", [c.x, c.e.node("Mul", [whole, c.input(1)])])]
    }
    result[895] = { c in [try c.e.node("Floor", [c.e.node("Div", [c.input(0), c.input(1)])])] }
    result[1460] = { c in
      let leaky = try c.e.node("LeakyRelu", [c.x], ["alpha": .float(c.p.float(1))])
      return [try c.e.node("Min", [leaky, c.e.number(c.p.float(2))])]
    }
    result[1330] = { c in [try c.e.node("Where", [c.truth(0), c.input(1), c.input(2)])] }
    // Any number of inputs, or one and a number.
    for (number, type) in [(230, "Add"), (231, "Mul")] {
      result[number] = { c in
        if c.inputs.count == 1 { return [try c.e.node(type, [c.x, c.e.number(c.p.float(1))])] }
        return [try c.inputs.dropFirst().reduce(c.x) { try c.e.node(type, [$0, $1]) }]
      }
    }
    for (number, type) in [(240, "Mean"), (260, "Max"), (261, "Min")] {
      result[number] = { c in [try c.e.node(type, c.inputs)] }
    }
    result[220] = { c in [try unary(c)] }
    result[130] = { c in [try activation(c, c.p, c.x)] }
    result[245] = { c in
      let scale = try c.builder.weights(c.p, 2, stretchedShape(c.p.ints(1)))
      let product = try c.e.node("Mul", [c.x, scale])
      guard try c.p.bool(3) else { return [product] }
      return [try c.e.node("Add", [product, c.builder.weights(c.p, 5, stretchedShape(c.p.ints(4)))])]
    }
    result[250] = { c in
      [try c.e.node("Add", [c.x, c.builder.weights(c.p, 2, stretchedShape(c.p.ints(1)))])]
    }
    return result
  }()

  /// A shape of one number stands for channels, in front of two axes of a map.
  private static func stretchedShape(_ shape: [Int]) -> [Int] {
    shape.count == 1 && shape != [1] ? shape + [1, 1] : shape
  }

  /// f(scale · x + shift)
  private static func unary(_ c: LayerCall) throws -> Graph.ValueID {
    let e = c.e
    let (scale, shift) = try (c.p.float(5), c.p.float(4))
    let epsilon = try c.p.float(3) == 0 ? 1e-6 : c.p.float(3)
    let alpha = try c.p.float(2)
    var x = try c.x
    // Zero, what a missing field reads as, is no scale.
    if scale != 0, scale != 1 { x = try e.node("Mul", [x, e.number(scale)]) }
    if shift != 0 { x = try e.node("Add", [x, e.number(shift)]) }
    switch try c.p.int(1) {
    case 0: return try e.node("Sqrt", [x])
    case 1: return try e.node("Reciprocal", [e.node("Sqrt", [e.node("Add", [x, e.number(epsilon)])])])
    case 2: return try e.node("Reciprocal", [e.node("Add", [x, e.number(epsilon)])])
    case 3: return try e.node("Pow", [x, e.number(alpha)])
    case 4: return try e.node("Exp", [x])
    // The format says log x, and coremltools' own tests that what is written there is added.
    case 5: return try e.node("Log", [c.p.float(3) == 0 ? x : e.node("Add", [x, e.number(epsilon)])])
    case 6: return try e.node("Abs", [x])
    case 7: return try e.node("Max", [x, e.number(alpha)])
    case let type: throw OperatorError("the function \(type) is not known")
    }
  }

  /// One of the functions of `ActivationParams`.
  static func activation(_ c: LayerCall, _ fields: Fields, _ x: Graph.ValueID) throws -> Graph.ValueID {
    let e = c.e
    guard let number = fields.numbers.last else { throw OperatorError("it names no function") }
    let p = try fields.message(number, "Activation") ?? Fields(empty: "Activation", of: fields.source)
    func perChannel(_ number: Int) throws -> Graph.ValueID {
      let count = try p.message(number, "WeightParams").map { try $0.floats(1).count } ?? 0
      return try c.builder.weights(p, number, [max(count, 1), 1, 1])
    }
    switch number {
    case 5:
      return try e.node("Add", [e.node("Mul", [x, e.number(p.float(1))]), e.number(p.float(2))])
    case 10: return try e.node("Relu", [x])
    case 15: return try e.node("LeakyRelu", [x], ["alpha": .float(p.float(1))])
    case 20:
      return try e.node("Where", [e.node("GreaterOrEqual", [x, e.number(p.float(1))]), x, e.number(0)])
    case 25: return try e.node("PRelu", [x, perChannel(1)])
    case 30: return try e.node("Tanh", [x])
    case 31:
      return try e.node("Mul", [e.node("Tanh", [e.node("Mul", [x, e.number(p.float(2))])]), e.number(p.float(1))])
    case 40: return try e.node("Sigmoid", [x])
    case 41: return try e.node("HardSigmoid", [x], ["alpha": .float(p.float(1)), "beta": .float(p.float(2))])
    case 50: return try e.node("Elu", [x], ["alpha": .float(p.float(1))])
    case 60: return try e.node("Softsign", [x])
    case 70: return try e.node("Softplus", [x])
    case 71:
      return try e.node("Mul", [e.node("Softplus", [e.node("Mul", [x, perChannel(2)])]), perChannel(1)])
    default: throw OperatorError("the function \(number) is not known")
    }
  }
}
