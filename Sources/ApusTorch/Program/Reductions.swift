import Apus
import ApusGraph

// What makes fewer numbers of many.

extension ProgramBuilder {
  static let reductions: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for (name, type) in [
      ("sum", "ReduceSum"), ("mean", "ReduceMean"), ("prod", "ReduceProd"), ("logsumexp", "ReduceLogSumExp"),
      ("special_logsumexp", "ReduceLogSumExp"), ("amax", "ReduceMax"), ("amin", "ReduceMin"),
    ] {
      result[name] = { call in
        let out = try call.outputType
        let x = try call.value(as: out)
        if name.hasSuffix("logsumexp") { return [try call.emitter.logSumExp(x, call, as: out)] }
        return [try call.emitter.reduce(type, x, axes: call.axes(of: x), keeps: call.bool("keepdim"), as: out)]
      }
    }
    for (name, reduction, choice) in [("max", "ReduceMax", "ArgMax"), ("min", "ReduceMin", "ArgMin")] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        if call.has("other") {
          let operands = [try call.value("self", as: out), try call.value("other", as: out)]
          if out == .bool { return [try e.node(name == "max" ? "Or" : "And", operands)] }
          return [try e.node(name == "max" ? "Max" : "Min", operands)]
        }
        let x = try call.x
        let keeps = try call.bool("keepdim")
        let values = try e.reduce(reduction, x, axes: call.axes(of: x), keeps: keeps, as: out)
        guard call.has("dim") else { return [values] }
        return [values, try e.choice(choice, x, axis: call.axis(of: x), keeps: keeps)]
      }
    }
    for (name, choice) in [("argmax", "ArgMax"), ("argmin", "ArgMin")] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        guard call.has("dim") else {
          let flat = try e.choice(choice, e.reshape(x, [-1]), axis: 0, keeps: false)
          guard try call.bool("keepdim") else { return [flat] }
          return [try e.reshape(flat, [Int](repeating: 1, count: e.rank(x)))]
        }
        return [try e.choice(choice, x, axis: call.axis(of: x), keeps: call.bool("keepdim"))]
      }
    }
    result["aminmax"] = { call in
      let e = call.emitter
      let x = try call.x
      let (axes, keeps, out) = (try call.axes(of: x), try call.bool("keepdim"), try call.outputType)
      return [
        try e.reduce("ReduceMin", x, axes: axes, keeps: keeps, as: out),
        try e.reduce("ReduceMax", x, axes: axes, keeps: keeps, as: out),
      ]
    }
    for (name, type) in [("any", "ReduceMax"), ("all", "ReduceMin")] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        let truth = try e.cast(e.truth(x), to: .int32)
        let axes = try call.axes(of: x)
        // Of none, any is false and all is true: sums and products say so, the largest and the smallest do not.
        let found = try e.reduce(
          type == "ReduceMax" ? "ReduceSum" : "ReduceProd", truth, axes: axes, keeps: call.bool("keepdim"), as: .int32)
        return [try e.cast(e.node("Greater", [found, e.number(0, as: .int32)]), to: call.outputType)]
      }
    }
    result["count_nonzero"] = { call in
      let e = call.emitter
      let x = try call.x
      return [
        try e.reduce("ReduceSum", e.cast(e.truth(x), to: .int64), axes: call.axes(of: x), keeps: false, as: .int64)
      ]
    }
    for (name, addsMean, isRoot) in [
      ("var", false, false), ("std", false, true), ("var_mean", true, false), ("std_mean", true, true),
    ] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        let x = try call.x
        let axes = try call.axes(of: x) ?? Array(0..<e.rank(x))
        let keeps = try call.bool("keepdim")
        let correction = try call.optionalDouble("correction") ?? (call.bool("unbiased", default: true) ? 1 : 0)
        let wide = try e.cast(x, to: out.summed)
        let mean = try e.reduce("ReduceMean", wide, axes: axes, keeps: true, as: out.summed)
        let variance = try e.variance(wide, mean, axes: axes, keeps: keeps, correction: correction, as: out.summed)
        let spread = try e.cast(isRoot ? e.node("Sqrt", [variance]) : variance, to: out)
        guard addsMean else { return [spread] }
        return [spread, try e.cast(keeps || axes.isEmpty ? mean : e.squeeze(mean, axes), to: out)]
      }
    }
    result["nansum"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let x = try call.value(as: out)
      let kept = try e.node("Where", [e.special(x, "IsNaN"), e.number(0, as: out), x])
      return [try e.reduce("ReduceSum", kept, axes: call.axes(of: x), keeps: call.bool("keepdim"), as: out)]
    }
    result["nanmean"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let x = try call.value(as: out)
      let isMissing = try e.special(x, "IsNaN")
      let (axes, keeps) = (try call.axes(of: x), try call.bool("keepdim"))
      let kept = try e.node("Where", [isMissing, e.number(0, as: out), x])
      let count = try e.cast(e.node("Not", [isMissing]), to: out)
      return [
        try e.node(
          "Div",
          [
            e.reduce("ReduceSum", kept, axes: axes, keeps: keeps, as: out),
            e.reduce("ReduceSum", count, axes: axes, keeps: keeps, as: out),
          ])
      ]
    }
    for name in ["norm", "linalg_vector_norm"] {
      result[name] = { call in
        let out = try call.outputType
        let x = try call.value(as: out)
        let p = try call.optionalDouble(name == "norm" ? "p" : "ord") ?? 2
        return [try call.emitter.norm(x, p, axes: call.axes(of: x), keeps: call.bool("keepdim"), as: out)]
      }
    }
    for name in ["linalg_norm", "linalg_matrix_norm"] {
      result[name] = { call in
        let e = call.emitter
        let out = try call.outputType
        let x = try call.value(as: out)
        let keeps = try call.bool("keepdim")
        // One that is not asked for is that of all numbers in a row.
        let isPlain = !call.has("ord") && name == "linalg_norm"
        let axes = try call.has("dim") || isPlain ? call.axes(of: x) : Array(max(0, e.rank(x) - 2)..<e.rank(x))
        if case .string("fro")? = call.argument("ord") { return [try e.norm(x, 2, axes: axes, keeps: keeps, as: out)] }
        if case .string(let order)? = call.argument("ord") { throw OperatorError("the matrix norm '\(order)'") }
        let order = try call.optionalDouble("ord")
        guard let order, let axes, axes.count == 2 else {
          return [try e.norm(x, order ?? 2, axes: axes, keeps: keeps, as: out)]
        }
        return [try e.matrixNorm(x, order, rows: axes[0], columns: axes[1], keeps: keeps, as: out)]
      }
    }
    // How many numbers lie in each of so many parts of a range, whose end belongs to the last.
    result["histc"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let count = try call.int("bins", default: 100)
      let (least, most) = (try call.double("min", default: 0), try call.double("max", default: 0))
      guard least < most, 1...(1 << 20) ~= count else {
        throw OperatorError("\(count) parts of a range from \(least) to \(most), which must be known")
      }
      let x = try e.reshape(call.value(as: out), [-1])
      let (first, last) = (try e.numbers(least, as: out), try e.numbers(most, as: out))
      let distance = try e.node("Mul", [e.node("Sub", [x, first]), e.number(count, as: out)])
      let part = try e.node("Floor", [e.node("Div", [distance, e.numbers(most - least, as: out)])])
      let place = try e.node("Min", [part, e.number(count - 1, as: out)])
      let isInside = try e.node("And", [e.node("GreaterOrEqual", [x, first]), e.node("LessOrEqual", [x, last])])
      let kept = try e.node("Where", [isInside, place, e.number(-1, as: out)])
      let parts = try e.row((0..<count).map(Double.init), as: out)
      let isThere = try e.cast(e.node("Equal", [e.unsqueeze(kept, [1]), parts]), to: out)
      return [try e.reduce("ReduceSum", isThere, axes: [0], keeps: false, as: out)]
    }
    for (name, type) in [("cumsum", "CumSum"), ("cumprod", "CumProd")] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.value(as: call.outputType)
        guard try e.rank(x) > 0 else { return [x] }
        return [try e.node(type, [x, e.integer(call.axis(of: x))])]
      }
    }
    result["logcumsumexp"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let x = try call.value(as: out.summed)
      guard try e.rank(x) > 0 else { return [try e.cast(x, to: out)] }
      return [try e.cast(e.logSums(x, axis: call.axis(of: x), as: out.summed), to: out)]
    }
    result["trace"] = { call in
      let e = call.emitter
      let out = try call.outputType
      return [
        try e.reduce(
          "ReduceSum", e.diagonal(call.value(as: out), offset: 0, 0, 1), axes: nil, keeps: false, as: out)
      ]
    }
    return result
  }()
}

extension Call {
  /// The axes that `dim` names; nil where it names none, which stands for all.
  func axes(of x: Graph.ValueID) throws -> [Int]? {
    guard let list = try optionalInts("dim"), !list.isEmpty else { return nil }
    let rank = try emitter.rank(x)
    return try list.map { try emitter.axis($0, rank: rank) }
  }
}

extension ElementType {
  /// What PyTorch adds up numbers of this type in: squares of those of sixteen bits may be beyond what these hold.
  var summed: ElementType { self == .float16 || self == .bfloat16 ? .float : self }
}

extension Emitter {
  /// A reduction over some axes, or all. A single number stays what it is.
  func reduce(
    _ type: String, _ x: Graph.ValueID, axes: [Int]?, keeps: Bool, as element: ElementType
  ) throws -> Graph.ValueID {
    let isSingle = try rank(x) == 0
    // The standard's largest and smallest know no Booleans.
    let isTruth = element == .bool
    let operand = isTruth ? try cast(x, to: .uint8) : x
    let list = isSingle ? nil : try axes.map { try integers($0) }
    let result = try node(type, [operand, list], ["keepdims": .flag(keeps)])
    return isTruth ? try cast(result, to: .bool) : result
  }

  /// Where the largest or the smallest is, the first of several.
  func choice(_ type: String, _ x: Graph.ValueID, axis: Int, keeps: Bool) throws -> Graph.ValueID {
    let operand = elementType(x) == .bool ? try cast(x, to: .int32) : x
    guard try rank(x) > 0 else { return try number(0, as: .int64) }
    return try node(type, [operand], ["axis": .int(axis), "keepdims": .flag(keeps)])
  }

  /// log(exp(x₀) + … + exp(xᵢ)) along an axis. Each sum is scaled by the largest of its own terms: by the largest of all,
  /// what lies far below that would vanish.
  func logSums(_ x: Graph.ValueID, axis: Int, as type: ElementType) throws -> Graph.ValueID {
    guard let count = try shape(x)[axis] else {
      // Of an open axis, each place with all that lie before it.
      let rank = try rank(x)
      let row = try unsqueeze(transpose(x, order(moving: [axis], to: [rank - 1], rank: rank)), [rank - 1])
      let places = try node("Range", [integer(0), squeeze(list([extent(x, axis)]), [0]), integer(1)])
      let isBefore = try node("LessOrEqual", [places, unsqueeze(places, [1])])
      let terms = try node("Where", [isBefore, row, numbers(-.infinity, as: type)])
      let sums = try reduce("ReduceLogSumExp", terms, axes: [rank], keeps: false, as: type)
      return try transpose(sums, order(moving: [rank - 1], to: [axis], rank: rank))
    }
    // Sums of 1, 2, 4 … terms, each of two of the ones before.
    var sums = x
    var reach = 1
    while reach < count {
      let begin = try slice(sums, from: [0], to: [reach], axes: [axis])
      let before = try slice(sums, from: [0], to: [count - reach], axes: [axis])
      let rest = try slice(sums, from: [reach], to: [count], axes: [axis])
      sums = try node("Concat", [begin, logSum(before, rest, as: type)], ["axis": .int(axis)])
      reach *= 2
    }
    return sums
  }

  func logSumExp(_ x: Graph.ValueID, _ call: Call, as type: ElementType) throws -> Graph.ValueID {
    guard try rank(x) > 0 else { return x }
    return try reduce("ReduceLogSumExp", x, axes: call.axes(of: x), keeps: call.bool("keepdim"), as: type)
  }

  /// The mean square of what is left when the mean is taken away, of `correction` numbers fewer.
  func variance(
    _ x: Graph.ValueID, _ mean: Graph.ValueID, axes: [Int], keeps: Bool, correction: Double, as type: ElementType
  ) throws -> Graph.ValueID {
    let difference = try node("Sub", [x, mean])
    let square = try node("Mul", [difference, difference])
    guard correction != 0 else { return try reduce("ReduceMean", square, axes: axes, keeps: keeps, as: type) }
    let sum = try reduce("ReduceSum", square, axes: axes, keeps: keeps, as: type)
    var count = GraphExtent.known(1)
    for axis in axes where try rank(x) > 0 { count = try product(count, extent(x, axis)) }
    switch count {
    case .known(let size): return try node("Div", [sum, numbers(max(0, Double(size) - correction), as: type)])
    case .value(let id):
      let size = try cast(squeeze(id, [0]), to: type)
      return try node("Div", [sum, node("Sub", [size, numbers(correction, as: type)])])
    }
  }

  /// The p-norm over some axes, or all.
  func norm(
    _ x: Graph.ValueID, _ p: Double, axes: [Int]?, keeps: Bool, as type: ElementType
  ) throws -> Graph.ValueID {
    guard type == type.summed else {
      return try cast(norm(cast(x, to: type.summed), p, axes: axes, keeps: keeps, as: type.summed), to: type)
    }
    let size = try node("Abs", [x])
    switch p {
    case .infinity: return try reduce("ReduceMax", size, axes: axes, keeps: keeps, as: type)
    case -.infinity: return try reduce("ReduceMin", size, axes: axes, keeps: keeps, as: type)
    case 0:
      return try reduce("ReduceSum", cast(truth(x), to: type), axes: axes, keeps: keeps, as: type)
    case 1: return try reduce("ReduceSum", size, axes: axes, keeps: keeps, as: type)
    case 2:
      let sum = try reduce("ReduceSum", node("Mul", [x, x]), axes: axes, keeps: keeps, as: type)
      return try node("Sqrt", [sum])
    default:
      let sum = try reduce("ReduceSum", node("Pow", [size, numbers(p, as: type)]), axes: axes, keeps: keeps, as: type)
      return try node("Pow", [sum, numbers(1 / p, as: type)])
    }
  }

  /// The largest sum of sizes of a column (±1: the smallest) or of a row (±∞).
  func matrixNorm(
    _ x: Graph.ValueID, _ order: Double, rows: Int, columns: Int, keeps: Bool, as type: ElementType
  ) throws -> Graph.ValueID {
    guard abs(order) == 1 || abs(order) == .infinity else { throw OperatorError("the matrix norm of order \(order)") }
    let rank = try rank(x)
    let (summed, compared) = abs(order) == 1 ? (rows, columns) : (columns, rows)
    let sums = try norm(x, 1, axes: [axis(summed, rank: rank)], keeps: true, as: type)
    let extreme = try reduce(
      order > 0 ? "ReduceMax" : "ReduceMin", sums, axes: [axis(compared, rank: rank)], keeps: true, as: type)
    return keeps ? extreme : try squeeze(extreme, [axis(rows, rank: rank), axis(columns, rank: rank)].sorted())
  }
}
