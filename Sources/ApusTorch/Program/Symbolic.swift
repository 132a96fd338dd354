import Apus
import ApusGraph

// Sizes that are known only when the program runs, and arithmetic on them. All are INT64 of shape [].

extension ProgramBuilder {
  static let symbolic: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    result["aten.sym_size"] = { call in
      let e = call.emitter
      let x = try call.x
      switch try e.extent(x, call.axis(default: 0, of: x)) {
      case .known(let size): return [try e.integer(size)]
      case .value(let id): return [try e.squeeze(id, [0])]
      }
    }
    for name in ["aten.sym_numel", "aten.numel"] {
      result[name] = { call in [try call.emitter.node("Size", [call.x])] }
    }
    for name in ["aten.item", "aten._local_scalar_dense"] {
      result[name] = { call in [try call.emitter.reshape(call.x, [Int]())] }
    }
    for (name, type) in [
      ("_operator.add", "Add"), ("_operator.sub", "Sub"), ("_operator.mul", "Mul"), ("torch.sym_max", "Max"),
      ("torch.sym_min", "Min"), ("_operator.eq", "Equal"), ("_operator.lt", "Less"), ("_operator.le", "LessOrEqual"),
      ("_operator.gt", "Greater"), ("_operator.ge", "GreaterOrEqual"), ("_operator.and_", "And"),
      ("_operator.or_", "Or"),
    ] {
      result[name] = { call in
        let (a, b) = try call.operands
        return [try call.emitter.node(type, [a, b])]
      }
    }
    result["_operator.ne"] = { call in
      let (a, b) = try call.operands
      return [try call.emitter.node("Not", [call.emitter.node("Equal", [a, b])])]
    }
    result["_operator.neg"] = { call in [try call.emitter.node("Neg", [call.operand(0)])] }
    for name in ["_operator.not_", "torch.sym_not"] {
      result[name] = { call in [try call.emitter.node("Not", [call.operand(0)])] }
    }
    result["_operator.pow"] = { call in
      let (a, b) = try call.operands
      return [try call.emitter.node("Pow", [a, b])]
    }
    result["_operator.mod"] = { call in
      let (a, b) = try call.operands
      return [try call.emitter.remainder(a, b, as: call.emitter.elementType(a) ?? .int64)]
    }
    result["_operator.floordiv"] = { call in
      let (a, b) = try call.operands
      return [try call.emitter.quotient(a, b, "floor", as: call.emitter.elementType(a) ?? .int64)]
    }
    result["_operator.truediv"] = { call in
      let e = call.emitter
      let (a, b) = try call.operands
      return [try e.node("Div", [e.cast(a, to: .double), e.cast(b, to: .double)])]
    }
    result["torch.sym_float"] = { call in [try call.emitter.cast(call.operand(0), to: .double)] }
    result["torch.sym_sqrt"] = { call in
      [try call.emitter.node("Sqrt", [call.emitter.cast(call.operand(0), to: .double)])]
    }
    result["torch._sym_sqrt"] = result["torch.sym_sqrt"]
    for (name, type) in [
      ("math.floor", "Floor"), ("math.ceil", "Ceil"), ("math.trunc", ""), ("torch.sym_int", ""),
      ("builtins.round", "Round"),
    ] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.operand(0)
        let isWhole = e.elementType(x).map { !$0.isFloatingPoint } ?? false
        return [try e.cast(isWhole || type.isEmpty ? x : e.node(type, [x]), to: .int64)]
      }
    }
    result["torch.sym_ite"] = { call in
      [try call.emitter.node("Where", [call.operand(0), call.operand(1), call.operand(2)])]
    }
    result["torch.sym_sum"] = { call in
      let e = call.emitter
      let first = call.node.inputs.first?.name
      guard let list = try call.optionalExtents(first ?? ""), !list.isEmpty else { return [try e.integer(0)] }
      return [try e.reduce("ReduceSum", e.list(list), axes: [0], keeps: false, as: .int64)]
    }
    return result
  }()
}

extension Call {
  /// An argument by its place, for functions of Python, whose arguments have no names.
  func operand(_ index: Int) throws -> Graph.ValueID {
    guard node.inputs.indices.contains(index) else { throw OperatorError("argument \(index) is missing") }
    let e = emitter
    switch node.inputs[index].argument {
    case .tensor(let name), .symbol(let name): return try resolve(name)
    case .int(let value): return try e.integer(value.bounded)
    case .float(let value): return try e.numbers(value, as: .double)
    case .bool(let value): return try e.number(value ? 1 : 0, as: .bool)
    default: throw OperatorError("argument \(index) is no number")
    }
  }

  /// Both arguments; as DOUBLE where one of them is.
  var operands: (Graph.ValueID, Graph.ValueID) {
    get throws {
      let (a, b) = (try operand(0), try operand(1))
      guard emitter.elementType(a) == .double || emitter.elementType(b) == .double else { return (a, b) }
      return (try emitter.cast(a, to: .double), try emitter.cast(b, to: .double))
    }
  }
}
