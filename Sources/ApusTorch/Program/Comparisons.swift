import Apus
import ApusGraph

// What gives Booleans, and what chooses by them.

extension ProgramBuilder {
  static let comparisons: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for (names, type, isNegated) in [
      (["eq"], "Equal", false), (["ne", "not_equal"], "Equal", true), (["lt", "less"], "Less", false),
      (["le", "less_equal"], "LessOrEqual", false), (["gt", "greater"], "Greater", false),
      (["ge", "greater_equal"], "GreaterOrEqual", false),
    ] {
      for name in names {
        result[name] = { call in
          let e = call.emitter
          var common = try call.promoted("self", "other")
          if common == .bool, type != "Equal" { common = .int32 }
          let compared = try e.node(type, [call.value("self", as: common), call.value("other", as: common)])
          return [isNegated ? try e.node("Not", [compared]) : compared]
        }
      }
    }
    for (name, type) in [("logical_and", "And"), ("logical_or", "Or"), ("logical_xor", "Xor")] {
      result[name] = { call in
        [try call.emitter.node(type, [call.truth("self"), call.truth("other")])]
      }
    }
    result["logical_not"] = { call in [try call.emitter.node("Not", [call.truth("self")])] }
    for (name, logical, bitwise) in [
      ("bitwise_and", "And", "BitwiseAnd"), ("bitwise_or", "Or", "BitwiseOr"), ("bitwise_xor", "Xor", "BitwiseXor"),
      ("__and__", "And", "BitwiseAnd"), ("__or__", "Or", "BitwiseOr"), ("__xor__", "Xor", "BitwiseXor"),
    ] {
      result[name] = { call in
        let out = try call.outputType
        return [
          try call.emitter.node(
            out == .bool ? logical : bitwise, [call.value("self", as: out), call.value("other", as: out)])
        ]
      }
    }
    for (name, isLeft) in [
      ("bitwise_left_shift", true), ("__lshift__", true), ("bitwise_right_shift", false), ("__rshift__", false),
    ] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        guard !out.isFloatingPoint, out != .bool else { throw OperatorError("bits of elements of type \(out)") }
        // By powers of two, and rounded down: the standard shifts no integers that have signs.
        let (x, places) = (try call.value("self", as: out), try call.value("other", as: out))
        guard isLeft else { return [try e.shiftedRight(x, by: places, as: out)] }
        return [try e.node("Mul", [x, e.node("Pow", [e.number(2, as: out), places])])]
      }
    }
    result["bitwise_not"] = { call in
      [try call.emitter.node(call.outputType == .bool ? "Not" : "BitwiseNot", [call.x])]
    }
    result["isnan"] = { call in try [call.emitter.special(call.x, "IsNaN")] }
    result["isinf"] = { call in try [call.emitter.special(call.x, "IsInf")] }
    result["isposinf"] = { call in try [call.emitter.special(call.x, "IsInf", ["detect_negative": .int(0)])] }
    result["isneginf"] = { call in try [call.emitter.special(call.x, "IsInf", ["detect_positive": .int(0)])] }
    result["isfinite"] = { call in
      let e = call.emitter
      let x = try call.x
      return [try e.node("Not", [e.node("Or", [e.special(x, "IsNaN"), e.special(x, "IsInf")])])]
    }
    result["isreal"] = { call in
      let x = try call.x
      return [try call.emitter.node("Or", [call.emitter.special(x, "IsNaN"), call.emitter.node("Equal", [x, x])])]
    }
    result["isclose"] = { call in
      let e = call.emitter
      let common = try call.promoted("self", "other")
      let (a, b) = (try call.value("self", as: common), try call.value("other", as: common))
      let same = try e.node("Equal", [a, b])
      guard common.isFloatingPoint else { return [same] }
      let reach = try e.node(
        "Add",
        [
          e.numbers(call.double("atol", default: 1e-8), as: common),
          e.node("Mul", [e.numbers(call.double("rtol", default: 1e-5), as: common), e.node("Abs", [b])]),
        ])
      let difference = try e.node("Abs", [e.node("Sub", [a, b])])
      let isNear = try e.node(
        "And", [e.node("LessOrEqual", [difference, reach]), e.node("Not", [e.special(difference, "IsInf")])])
      let close = try e.node("Or", [same, isNear])
      guard try call.bool("equal_nan") else { return [close] }
      return [try e.node("Or", [close, e.node("And", [e.special(a, "IsNaN"), e.special(b, "IsNaN")])])]
    }
    result["where"] = { call in
      guard call.has("self") else { return try call.emitter.places(ofTrue: call.value("condition")) }
      let out = try call.outputType
      let e = call.emitter
      let shape = try call.outputShape
      var (a, b) = (try call.value("self", as: out), try call.value("other", as: out))
      // Of a number over and over the number is enough, where what is beside it has the whole shape.
      if !shape.contains(nil) {
        if let number = e.repeatedNumbers[a], try e.shape(b) == shape { a = number }
        if let number = e.repeatedNumbers[b], try e.shape(a) == shape { b = number }
      }
      return [try e.node("Where", [call.value("condition", as: .bool), a, b])]
    }
    result["masked_fill"] = { call in
      let out = try call.outputType
      return [
        try call.emitter.node("Where", [call.value("mask"), call.value("value", as: out), call.value("self", as: out)])
      ]
    }
    return result
  }()
}

extension Call {
  /// Whether the elements of an argument are anything but zero.
  func truth(_ name: String) throws -> Graph.ValueID {
    let x = try value(name)
    return try emitter.truth(x)
  }
}

extension Emitter {
  /// Integers divided by powers of two and rounded down. As in PyTorch, what is shifted by more places than there are, or
  /// by fewer than none, keeps its sign alone.
  fileprivate func shiftedRight(
    _ x: Graph.ValueID, by places: Graph.ValueID, as type: ElementType
  ) throws -> Graph.ValueID {
    let two = try number(2, as: type)
    let isUnsigned = [.uint8, .uint16, .uint32, .uint64].contains(type)
    let most = try number((type.bitCount ?? 64) - (isUnsigned ? 0 : 1), as: type)
    let isBelow = try node("Less", [places, number(0, as: type)])
    let count = try node("Where", [isBelow, most, node("Min", [places, most])])
    // In two steps, since the type may not hold the whole power.
    let half = try node("Div", [count, two])
    let first = try quotient(x, node("Pow", [two, half]), "floor", as: type)
    return try quotient(first, node("Pow", [two, node("Sub", [count, half])]), "floor", as: type)
  }

  func truth(_ x: Graph.ValueID) throws -> Graph.ValueID {
    elementType(x) == .bool ? x : try node("Not", [isZero(x)])
  }

  /// Which numbers are NaN or infinite; of integers, none.
  func special(
    _ x: Graph.ValueID, _ type: String, _ attributes: [String: AttributeValue] = [:]
  ) throws -> Graph.ValueID {
    guard elementType(x)?.isFloatingPoint ?? true else { return try node("Not", [node("Equal", [x, x])]) }
    return try node(type, [x], attributes)
  }
}
