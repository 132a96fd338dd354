import Apus
import ApusGraph

// Two tensors, element by element.

extension ProgramBuilder {
  static let arithmetic: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for (name, type) in [("add", "Add"), ("sub", "Sub"), ("subtract", "Sub"), ("rsub", "Sub")] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        guard out != .bool else { return [try e.node("Or", [call.value("self"), call.value("other", as: .bool)])] }
        let a = try call.value("self", as: out)
        var b = try call.value("other", as: out)
        if let alpha = call.argument("alpha") {
          if case .int(1) = alpha {} else { b = try e.node("Mul", [b, call.value("alpha", as: out)]) }
        }
        if name == "rsub" {
          let scaled = try call.has("alpha") ? e.node("Mul", [a, call.value("alpha", as: out)]) : a
          return [try e.node("Sub", [call.value("other", as: out), scaled])]
        }
        return [try e.node(type, [a, b])]
      }
    }
    for name in ["mul", "multiply"] {
      result[name] = { call in
        let out = try call.outputType
        return [
          try call.emitter.node(
            out == .bool ? "And" : "Mul", [call.value("self", as: out), call.value("other", as: out)])
        ]
      }
    }
    for name in ["div", "divide", "true_divide", "floor_divide"] {
      result[name] = { call in
        let out = try call.operandType
        let mode = name == "floor_divide" ? "floor" : try call.string("rounding_mode", default: "")
        return [
          try call.emitter.quotient(call.value("self", as: out), call.value("other", as: out), mode, as: out)
        ]
      }
    }
    result["remainder"] = { call in
      let out = try call.operandType
      let a = try call.value("self", as: out)
      return [try call.emitter.remainder(a, call.value("other", as: out), as: out)]
    }
    result["fmod"] = { call in
      let out = try call.operandType
      return [
        try call.emitter.node("Mod", [call.value("self", as: out), call.value("other", as: out)], ["fmod": .int(1)])
      ]
    }
    result["pow"] = { call in
      let out = try call.outputType
      return [try call.emitter.node("Pow", [call.value("self", as: out), call.value("exponent", as: out)])]
    }
    result["float_power"] = result["pow"]
    for (name, type) in [("maximum", "Max"), ("minimum", "Min")] {
      result[name] = { call in
        let out = try call.outputType
        let (a, b) = (try call.value("self", as: out), try call.value("other", as: out))
        if out == .bool { return [try call.emitter.node(type == "Max" ? "Or" : "And", [a, b])] }
        return [try call.emitter.node(type, [a, b])]
      }
    }
    // Of a number and NaN, the number.
    for (name, type) in [("fmax", "Max"), ("fmin", "Min")] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        let (a, b) = (try call.value("self", as: out), try call.value("other", as: out))
        guard out.isFloatingPoint else {
          return [try e.node(out == .bool ? (type == "Max" ? "Or" : "And") : type, [a, b])]
        }
        let most = try e.node(type, [a, b])
        let withoutB = try e.node("Where", [e.node("IsNaN", [b]), a, most])
        return [try e.node("Where", [e.node("IsNaN", [a]), b, withoutB])]
      }
    }
    for name in ["clamp", "clip"] {
      result[name] = { call in try clamped(call, least: "min", most: "max") }
    }
    result["clamp_min"] = { call in try clamped(call, least: "min", most: nil) }
    result["clamp_max"] = { call in try clamped(call, least: nil, most: "max") }
    for name in ["atan2", "arctan2"] {
      result[name] = { call in
        let out = try call.outputType
        return [try call.emitter.arctangent(call.value("self", as: out), call.value("other", as: out), as: out)]
      }
    }
    result["hypot"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let (a, b) = (try e.node("Abs", [call.value("self", as: out)]), try e.node("Abs", [call.value("other", as: out)]))
      // Scaled by the larger, so that no square is beyond what the type can hold.
      let most = try e.node("Max", [a, b])
      let isPlain = try e.node("Or", [e.isZero(most), e.node("IsInf", [most])])
      let scale = try e.node("Where", [isPlain, e.number(1, as: out), most])
      let (p, q) = (try e.node("Div", [a, scale]), try e.node("Div", [b, scale]))
      let sum = try e.node("Add", [e.node("Mul", [p, p]), e.node("Mul", [q, q])])
      return [try e.node("Mul", [scale, e.node("Sqrt", [sum])])]
    }
    result["lerp"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let (a, b) = (try call.value("self", as: out), try call.value("end", as: out))
      let weight = try call.value("weight", as: out)
      let step = try e.node("Sub", [b, a])
      let near = try e.node("Add", [a, e.node("Mul", [weight, step])])
      // From half the way on, PyTorch goes back from the end.
      let known = (try? call.optionalDouble("weight")).map(abs)
      if let known, known < 0.5 { return [near] }
      let back = try e.node("Sub", [e.number(1, as: out), weight])
      let far = try e.node("Sub", [b, e.node("Mul", [back, step])])
      guard known == nil else { return [far] }
      let isNear = try e.node("Less", [e.node("Abs", [weight]), e.numbers(0.5, as: out)])
      return [try e.node("Where", [isNear, near, far])]
    }
    for (name, type) in [("addcmul", "Mul"), ("addcdiv", "Div")] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        var term = try e.node(type, [call.value("tensor1", as: out), call.value("tensor2", as: out)])
        if let factor = try call.optional("value", as: out) { term = try e.node("Mul", [term, factor]) }
        return [try e.node("Add", [call.value("self", as: out), term])]
      }
    }
    // Of neighbours, as often as asked.
    result["diff"] = { call in
      let e = call.emitter
      let out = try call.outputType
      var x = try call.value("self", as: out)
      let count = try call.int("n", default: 1)
      guard 0...64 ~= count else { throw OperatorError("differences of order \(count)") }
      if count == 0 { return [x] }
      let axis = try call.axis(default: -1, of: x)
      let ends = [try call.optional("prepend", as: out), x, try call.optional("append", as: out)].compactMap { $0 }
      if ends.count > 1 { x = try e.joined(ends, axis: axis, as: out) }
      for _ in 0..<count {
        let next = try e.slice(x, from: [1], to: [TorchSize.limit], axes: [axis])
        x = try e.node(out == .bool ? "Xor" : "Sub", [next, e.slice(x, from: [0], to: [-1], axes: [axis])])
      }
      return [x]
    }
    result["ldexp"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let power = try e.node("Pow", [e.number(2, as: out), call.value("other", as: out)])
      return [try e.node("Mul", [call.value("self", as: out), power])]
    }
    result["copysign"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let b = try call.value("other", as: out)
      let size = try e.node("Abs", [call.value("self", as: out)])
      return [try e.node("Where", [e.isNegative(b, as: out), e.node("Neg", [size]), size])]
    }
    result["heaviside"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let x = try call.value("self", as: out)
      let above = try e.cast(e.node("Greater", [x, e.number(0, as: out)]), to: out)
      return [try e.node("Where", [e.isZero(x), call.value("values", as: out), above])]
    }
    for name in ["xlogy", "special_xlogy"] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        let (x, y) = (try call.value("self", as: out), try call.value("other", as: out))
        let product = try e.node("Mul", [x, e.node("Log", [y])])
        let cleared = try e.node("Where", [e.isZero(x), e.number(0, as: out), product])
        return [try e.node("Where", [e.node("IsNaN", [y]), y, cleared])]
      }
    }
    result["logaddexp"] = { call in
      let out = try call.outputType
      return [try call.emitter.logSum(call.value("self", as: out), call.value("other", as: out), as: out)]
    }
    result["logaddexp2"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let scale = try e.node("Log", [e.number(2, as: out)])
      let (a, b) = (try call.value("self", as: out), try call.value("other", as: out))
      let sum = try e.logSum(e.node("Mul", [a, scale]), e.node("Mul", [b, scale]), as: out)
      return [try e.node("Div", [sum, scale])]
    }
    result["dist"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let difference = try e.node("Sub", [call.value("self", as: out), call.value("other", as: out)])
      return [try e.norm(difference, call.double("p", default: 2), axes: nil, keeps: false, as: out)]
    }
    result["mse_loss"] = { call in try [loss(call) { e, difference, _ in try e.node("Mul", [difference, difference]) }]
    }
    result["l1_loss"] = { call in try [loss(call) { e, difference, _ in try e.node("Abs", [difference]) }] }
    for name in ["smooth_l1_loss", "huber_loss"] {
      result[name] = { call in
        let beta = try call.double(name == "huber_loss" ? "delta" : "beta", default: 1)
        return try [
          loss(call) { e, difference, out in
            let size = try e.node("Abs", [difference])
            let half = try e.node("Mul", [e.node("Mul", [size, size]), e.numbers(0.5, as: out)])
            let edge = try e.node("Sub", [size, e.numbers(beta / 2, as: out)])
            let isNear = try e.node("Less", [size, e.numbers(beta, as: out)])
            if name == "huber_loss" {
              return try e.node("Where", [isNear, half, e.node("Mul", [edge, e.numbers(beta, as: out)])])
            }
            guard beta != 0 else { return size }
            return try e.node("Where", [isNear, e.node("Div", [half, e.numbers(beta, as: out)]), edge])
          }
        ]
      }
    }
    return result
  }()

  /// A function of the difference of two tensors, and its mean, its sum or itself.
  private static func loss(
    _ call: Call, _ function: (Emitter, Graph.ValueID, ElementType) throws -> Graph.ValueID
  ) throws -> Graph.ValueID {
    let e = call.emitter
    let out = try call.outputType
    let each = try function(e, e.node("Sub", [call.value("self", as: out), call.value("target", as: out)]), out)
    switch try call.int("reduction", default: 1) {
    case 1: return try e.node("ReduceMean", [each], ["keepdims": .int(0)])
    case 2: return try e.node("ReduceSum", [each], ["keepdims": .int(0)])
    default: return each
    }
  }

  /// What lies between two arguments, of which each may be missing: numbers, or tensors, whose elements are bounds of their own.
  private static func clamped(_ call: Call, least: String?, most: String?) throws -> [Graph.ValueID] {
    let e = call.emitter
    let out = try call.outputType
    let x = try call.value("self", as: out)
    func bound(_ name: String?) throws -> Graph.ValueID? { try name.flatMap { try call.optional($0, as: out) } }
    let (low, high) = (try bound(least), try bound(most))
    if [least, most].allSatisfy({ isKnownBound(call, $0) }) { return [try e.node("Clip", [x, low, high])] }
    let raised = try low.map { try e.node("Max", [x, $0]) } ?? x
    return [try high.map { try e.node("Min", [raised, $0]) } ?? raised]
  }

  /// Whether an argument is a number, or missing.
  private static func isKnownBound(_ call: Call, _ name: String?) -> Bool {
    switch name.flatMap({ call.argument($0) }) {
    case nil, .none?, .int?: true
    case .float(let number)?: !number.isNaN
    default: false
    }
  }
}

extension Emitter {
  /// a / b; rounded down, towards zero, or not at all.
  func quotient(
    _ a: Graph.ValueID, _ b: Graph.ValueID, _ mode: String, as type: ElementType
  ) throws -> Graph.ValueID {
    switch (mode, type.isFloatingPoint) {
    case ("", _), ("trunc", false): return try node("Div", [a, b])
    case ("trunc", true): return try truncated(node("Div", [a, b]))
    case ("floor", false):
      // One less than what is cut off, where that is: the dividend less its remainder may be beyond the type.
      let zero = try number(0, as: type)
      let differ = try node("Xor", [node("Less", [a, zero]), node("Less", [b, zero])])
      let isMoved = try node("And", [differ, node("Not", [isZero(node("Mod", [a, b]))])])
      return try node("Sub", [node("Div", [a, b]), cast(isMoved, to: type)])
    case ("floor", true):
      let rest = try node("Mod", [a, b], ["fmod": .int(1)])
      // The difference is a multiple of b but for rounding, which a quotient rounded down would show.
      let cut = try node("Round", [node("Div", [node("Sub", [a, rest]), b])])
      let whole = try node("Sub", [cut, cast(hasOtherSign(rest, than: b, as: type), to: type)])
      return try node("Where", [isZero(b), node("Div", [a, b]), whole])
    default: throw OperatorError("the rounding_mode '\(mode)' is not known")
    }
  }

  /// What is left of a, with the sign of b.
  func remainder(_ a: Graph.ValueID, _ b: Graph.ValueID, as type: ElementType) throws -> Graph.ValueID {
    guard type.isFloatingPoint else { return try node("Mod", [a, b]) }
    let rest = try node("Mod", [a, b], ["fmod": .int(1)])
    return try node("Where", [hasOtherSign(rest, than: b, as: type), node("Add", [rest, b]), rest])
  }

  /// Whether a remainder is left that lies on the other side of zero.
  private func hasOtherSign(
    _ rest: Graph.ValueID, than b: Graph.ValueID, as type: ElementType
  ) throws -> Graph.ValueID {
    let zero = try number(0, as: type)
    let differ = try node("Xor", [node("Less", [rest, zero]), node("Less", [b, zero])])
    return try node("And", [differ, node("Not", [isZero(rest)])])
  }

  /// The angle of the point (x, y).
  func arctangent(_ y: Graph.ValueID, _ x: Graph.ValueID, as type: ElementType) throws -> Graph.ValueID {
    let (height, width) = (try node("Abs", [y]), try node("Abs", [x]))
    // The quotient says nothing at the origin, and where both lie beyond all numbers.
    let isOrigin = try node("And", [isZero(y), isZero(x)])
    let isBeyond = try node("And", [node("IsInf", [y]), node("IsInf", [x])])
    let quotient = try node("Where", [isBeyond, number(1, as: type), node("Div", [height, width])])
    let angle = try node("Atan", [node("Where", [isOrigin, number(0, as: type), quotient])])
    let turned = try node(
      "Where", [isNegative(x, as: type), node("Sub", [numbers(.pi, as: type), angle]), angle])
    return try node("Where", [isNegative(y, as: type), node("Neg", [turned]), turned])
  }

  /// log(exp(a) + exp(b)).
  func logSum(_ a: Graph.ValueID, _ b: Graph.ValueID, as type: ElementType) throws -> Graph.ValueID {
    let most = try node("Max", [a, b])
    let apart = try node("Neg", [node("Abs", [node("Sub", [a, b])])])
    let sum = try node("Add", [most, node("Softplus", [apart])])
    return try node("Where", [node("IsInf", [most]), most, sum])
  }
}
