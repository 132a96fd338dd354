import Apus
import ApusGraph

// Sorting, and places in what is sorted.

extension ProgramBuilder {
  static let orders: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    result["sort"] = { call in
      let x = try call.x
      return try call.emitter.sorted(
        x, axis: call.axis(default: -1, of: x), descending: call.bool("descending")
      ).map { $0 }
    }
    result["argsort"] = { call in
      let x = try call.x
      return [
        try call.emitter.sorted(x, axis: call.axis(default: -1, of: x), descending: call.bool("descending"))[1]
      ]
    }
    result["msort"] = { call in
      [try call.emitter.sorted(call.x, axis: 0, descending: false)[0]]
    }
    result["topk"] = { call in
      let e = call.emitter
      let x = try call.x
      guard try e.rank(x) > 0 else { return [x, try e.number(0, as: .int64)] }
      return try e.nodes(
        "TopK", [x, e.list([call.extent("k")])], outputs: 2,
        [
          "axis": .int(call.axis(default: -1, of: x)), "largest": .flag(call.bool("largest", default: true)),
          "sorted": .int(1),
        ]
      ).map { $0 }
    }
    result["kthvalue"] = { call in
      let e = call.emitter
      let x = try call.x
      let k = try call.int("k")
      guard try e.rank(x) > 0 else { return [x, try e.number(0, as: .int64)] }
      return try e.ranked(x, k, axis: call.axis(default: -1, of: x), keeps: call.bool("keepdim")).map { $0 }
    }
    // The lower of the two in the middle.
    result["median"] = { call in
      let e = call.emitter
      let x = try call.x
      guard try e.rank(x) > 0 else { return [x, try e.number(0, as: .int64)] }
      let rows = call.has("dim") ? x : try e.reshape(x, [-1])
      let axis = try call.has("dim") ? call.axis(of: x) : 0
      let count = try call.has("dim") ? call.knownExtent(x, axis) : Shape.elementCount(call.knownShape(x))
      var found = try e.ranked(rows, count / 2 + count % 2, axis: axis, keeps: call.bool("keepdim"))
      // NaN has no place in an order: where there is one, the median is the first.
      if try call.elementType(of: rows).isFloatingPoint {
        let isNaN = try e.node("IsNaN", [rows])
        let first = try e.choice("ArgMax", e.cast(isNaN, to: .int32), axis: axis, keeps: call.bool("keepdim"))
        let any = try e.reduce("ReduceMax", isNaN, axes: [axis], keeps: call.bool("keepdim"), as: .bool)
        found[0] = try e.node("Where", [any, e.numbers(.nan, as: call.elementType(of: rows)), found[0]])
        found[1] = try e.node("Where", [any, first, found[1]])
      }
      return call.has("dim") ? found.map { $0 } : [found[0]]
    }
    // Between the places that parts of a row's length lie at.
    result["quantile"] = { call in
      let e = call.emitter
      let out = try call.outputType
      let (x, q) = (try call.x, try call.value("q", as: out))
      let isWhole = try !call.has("dim") || e.rank(x) == 0
      let rows = isWhole ? try e.reshape(x, [-1]) : x
      let axis = isWhole ? 0 : try call.axis(of: x)
      let (rank, parts) = (try e.rank(rows), try e.rank(q))
      let last: Graph.ValueID
      switch try isWhole
        ? e.knownShape(x).map({ .known(try Shape.elementCount($0)) }) ?? e.extent(rows, 0)
        : e.extent(x, axis)
      {
      case .known(let count):
        guard count > 0 else { throw OperatorError("quantiles of nothing") }
        last = try e.number(count - 1, as: out)
      case .value(let count): last = try e.cast(e.squeeze(e.node("Sub", [count, e.integers([1])]), [0]), to: out)
      }
      let row = try e.transpose(
        e.sorted(rows, axis: axis, descending: false)[0], e.order(moving: [axis], to: [0], rank: rank))
      let place = try e.node("Mul", [q, last])
      func value(_ place: Graph.ValueID) throws -> Graph.ValueID {
        try e.node("Gather", [row, e.cast(place, to: .int64)], ["axis": .int(0)])
      }
      let below = try e.node("Floor", [place])
      let (lower, upper) = (try value(below), try value(e.node("Ceil", [place])))
      var found: Graph.ValueID
      switch try call.string("interpolation", default: "linear") {
      case "linear":
        let weight = try e.unsqueeze(e.node("Sub", [place, below]), Array(parts..<(parts + rank - 1)))
        found = try e.node("Add", [lower, e.node("Mul", [weight, e.node("Sub", [upper, lower])])])
      case "lower": found = lower
      case "higher": found = upper
      case "nearest": found = try value(e.node("Round", [place]))
      case "midpoint": found = try e.node("Mul", [e.node("Add", [lower, upper]), e.numbers(0.5, as: out)])
      case let other: throw OperatorError("the interpolation '\(other)' is not known")
      }
      // NaN has no place in an order.
      let isNaN = try e.reduce(
        "ReduceMax", e.cast(e.node("IsNaN", [rows]), to: out), axes: [axis], keeps: false, as: out)
      let nan = try e.node("Equal", [isNaN, e.number(1, as: out)])
      found = try e.node("Where", [nan, e.numbers(.nan, as: out), found])
      guard try call.bool("keepdim") else { return [found] }
      return [try e.unsqueeze(found, isWhole ? (0..<e.rank(x)).map { $0 + parts } : [axis + parts])]
    }
    for name in ["bucketize", "searchsorted"] {
      result[name] = { call in
        let e = call.emitter
        let isBucket = name == "bucketize"
        let values = try call.value("self")
        let edges = try call.value(isBucket ? "boundaries" : "sorted_sequence")
        let common = try call.promoted("self", isBucket ? "boundaries" : "sorted_sequence")
        // How many edges lie below, one axis more.
        let column = try e.unsqueeze(e.cast(values, to: common), [e.rank(values)])
        let rank = try e.rank(edges)
        let row = try e.cast(rank > 1 ? e.unsqueeze(edges, [rank - 1]) : edges, to: common)
        var isRight = try call.bool("right")
        if try call.string("side") == "right" { isRight = true }
        let isBelow = try e.node(isRight ? "LessOrEqual" : "Less", [row, column])
        let count = try e.reduce("ReduceSum", e.cast(isBelow, to: .int64), axes: [-1], keeps: false, as: .int64)
        return [try e.cast(count, to: call.outputType)]
      }
    }
    return result
  }()
}

extension Emitter {
  /// The elements in order along an axis, and where they were.
  func sorted(_ x: Graph.ValueID, axis: Int, descending: Bool) throws -> [Graph.ValueID] {
    guard try rank(x) > 0 else { return [x, try number(0, as: .int64)] }
    let isTruth = elementType(x) == .bool
    let operand = isTruth ? try cast(x, to: .uint8) : x
    var results = try nodes(
      "TopK", [operand, list([extent(x, axis)])], outputs: 2,
      ["axis": .int(axis), "largest": .flag(descending), "sorted": .int(1)])
    if isTruth { results[0] = try cast(results[0], to: .bool) }
    return results
  }

  /// The k-th smallest along an axis, and where it was.
  func ranked(_ x: Graph.ValueID, _ k: Int, axis: Int, keeps: Bool) throws -> [Graph.ValueID] {
    let least = try nodes(
      "TopK", [x, integers([k])], outputs: 2, ["axis": .int(axis), "largest": .int(0), "sorted": .int(1)])
    return try least.map { list in
      let last = try slice(list, from: [-1], to: [TorchSize.limit], axes: [axis])
      return keeps ? last : try squeeze(last, [axis])
    }
  }
}
