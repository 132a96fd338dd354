import Apus
import ApusGraph

// Tensors with some elements replaced.

extension ProgramBuilder {
  static let scattering: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for name in ["index_put", "_unsafe_index_put", "_index_put_impl"] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        let values = try call.value("values", as: call.outputType)
        let adds = try call.bool("accumulate")
        // One number wherever a mask is true.
        if case .some(let masks) = try? call.optionalTensors("indices"), masks.count == 1, let mask = masks[0],
          e.elementType(mask) == .bool, try e.rank(mask) == e.rank(x), try e.rank(values) == 0, !adds
        {
          return [try e.node("Where", [mask, values, x])]
        }
        return [try IndexPlan(call, x).scattered(values, adds: adds)]
      }
    }
    for name in ["scatter", "scatter_add", "scatter_reduce"] {
      result[name] = { call in
        let e = call.emitter
        let type = try call.outputType
        let (x, index) = (try call.x, try call.value("index", as: .int64))
        let source = try call.value(call.has("src") ? "src" : "value", as: type)
        let kind = name == "scatter_add" ? "sum" : try call.string("reduce", default: "")
        guard try e.rank(x) > 0 else {
          let row = try e.scattered(
            e.reshape(x, [1]), e.reshape(index, [-1]), e.reshape(source, [-1]), axis: 0, kind,
            includesSelf: call.bool("include_self", default: true), as: type)
          return [try e.reshape(row, [Int]())]
        }
        let places = try e.rank(index) == 0 ? e.reshape(index, [1]) : index
        let updates =
          try e.rank(source) == 0 ? e.expand(source, e.node("Shape", [places])) : e.cut(source, to: places, but: nil)
        return [
          try e.scattered(
            x, places, updates, axis: call.axis(of: x), kind, includesSelf: call.bool("include_self", default: true),
            as: type)
        ]
      }
    }
    for (name, source) in [
      ("index_add", "source"), ("index_copy", "source"), ("index_fill", "value"), ("index_reduce", "source"),
    ] {
      result[name] = { call in
        let e = call.emitter
        let type = try call.outputType
        let x = try call.x
        let isSingle = try e.rank(x) == 0
        let data = isSingle ? try e.reshape(x, [1]) : x
        let axis = try call.axis(of: x)
        let index = try e.reshape(call.value("index", as: .int64), [-1])
        var others = Array(0..<(try e.rank(data)))
        others.remove(at: axis)
        let shape = try e.node("Shape", [e.node("Gather", [data, index], ["axis": .int(axis)])])
        let places = try e.expand(others.isEmpty ? index : e.unsqueeze(index, others), shape)
        var updates = try call.value(source, as: type)
        if let alpha = try call.optional("alpha", as: type) { updates = try e.node("Mul", [updates, alpha]) }
        updates = try e.expand(isSingle ? e.reshape(updates, [-1]) : updates, shape)
        let kind = name == "index_add" ? "sum" : name == "index_reduce" ? try call.string("reduce") : ""
        let scattered = try e.scattered(
          data, places, updates, axis: axis, kind, includesSelf: call.bool("include_self", default: true), as: type)
        return [isSingle ? try e.reshape(scattered, [Int]()) : scattered]
      }
    }
    result["put"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let x = try call.x
      let flat = try e.scattered(
        e.reshape(x, [-1]), e.reshape(call.value("index"), [-1]), e.reshape(call.value("source", as: type), [-1]),
        axis: 0, call.bool("accumulate") ? "sum" : "", includesSelf: true, as: type)
      return [try e.node("Reshape", [flat, e.node("Shape", [x])])]
    }
    // The elements of a list, one for each true place of a mask.
    result["masked_scatter"] = { call in
      let e = call.emitter
      let source = try call.value("source", as: call.outputType)
      // Each in the shape that both have together.
      let x = try e.node("Where", [call.value("mask"), call.x, call.x])
      let mask = try e.expand(call.value("mask"), e.node("Shape", [x]))
      let flat = try e.reshape(e.cast(mask, to: .int64), [-1])
      let count = try e.node("Sub", [e.node("CumSum", [flat, e.integer(0)]), e.integer(1)])
      let place = try e.node("Max", [count, e.integer(0)])
      let chosen = try e.node("Gather", [e.reshape(source, [-1]), place], ["axis": .int(0)])
      return [try e.node("Where", [mask, e.node("Reshape", [chosen, e.node("Shape", [x])]), x])]
    }
    result["select_scatter"] = { call in
      let e = call.emitter
      let x = try call.x
      let axis = try call.axis(of: x)
      let (start, end): (GraphExtent, GraphExtent)
      switch try call.extent("index") {
      case .known(let place):
        if case .known(let size) = try e.extent(x, axis), !(-size..<size ~= place) {
          throw OperatorError("index \(place) of an axis of \(size)")
        }
        (start, end) = (.known(place), .known(place == -1 ? TorchSize.limit : place + 1))
      case .value(let place): (start, end) = (.value(place), .value(try e.node("Add", [place, e.integers([1])])))
      }
      let source = try e.unsqueeze(call.value("src", as: call.outputType), [axis])
      return [try e.overwritten(x, axis: axis, from: start, to: end, by: .known(1), with: source)]
    }
    result["slice_scatter"] = { call in
      let e = call.emitter
      let x = try call.x
      let step = try call.optionalExtent("step") ?? .known(1)
      if case .known(let step) = step, step < 1 { throw OperatorError("a step of \(step)") }
      return [
        try e.overwritten(
          x, axis: call.axis(default: 0, of: x), from: call.optionalExtent("start") ?? .known(0),
          to: call.optionalExtent("end") ?? .known(TorchSize.limit), by: step,
          with: call.value("src", as: call.outputType))
      ]
    }
    result["diagonal_scatter"] = { call in
      let e = call.emitter
      let x = try call.x
      let shape = try call.knownShape(x)
      try Shape.checkMemory(shape, of: Int64.self, operation: "diagonal_scatter")
      let count = try Shape.elementCount(shape, operation: "diagonal_scatter")
      let numbers = e.constant(GraphValue(try Tensor((0..<count).map(Int64.init), shape: shape)))
      let places = try e.diagonal(
        numbers, offset: call.int("offset", default: 0), call.axis("dim1", default: 0, of: x),
        call.axis("dim2", default: 1, of: x))
      let flat = try e.node(
        "ScatterElements",
        [e.reshape(x, [-1]), e.reshape(places, [-1]), e.reshape(call.value("src", as: call.outputType), [-1])],
        ["axis": .int(0)])
      return [try e.reshape(flat, shape)]
    }
    return result
  }()
}

extension Emitter {
  /// `x` with others at some places along an axis.
  func overwritten(
    _ x: Graph.ValueID, axis: Int, from start: GraphExtent, to end: GraphExtent, by step: GraphExtent,
    with source: Graph.ValueID
  ) throws -> Graph.ValueID {
    let order = try order(moving: [axis], to: [0], rank: rank(x))
    var back = order
    for (place, axis) in order.enumerated() { back[axis] = place }
    let all = try counting(extent(x, axis))
    let places = try node("Slice", [all, list([start]), list([end]), integers([0]), list([step])])
    return try transpose(
      node("ScatterND", [transpose(x, order), unsqueeze(places, [1]), transpose(source, order)]), back)
  }

  /// Elements put at places along an axis, or joined with what is there: `sum`, `prod`, `mean`, `amax`, `amin`.
  func scattered(
    _ x: Graph.ValueID, _ index: Graph.ValueID, _ updates: Graph.ValueID, axis: Int, _ kind: String,
    includesSelf: Bool, as type: ElementType
  ) throws -> Graph.ValueID {
    let kinds: [String: (name: String, neutral: Double)] = [
      "": ("none", 0), "sum": ("add", 0), "add": ("add", 0), "mean": ("add", 0), "prod": ("mul", 1),
      "multiply": ("mul", 1), "amax": ("max", -.infinity), "amin": ("min", .infinity),
    ]
    guard let reduction = kinds[kind] else { throw OperatorError("the reduction '\(kind)' is not known") }
    func scatter(_ x: Graph.ValueID, _ updates: Graph.ValueID, _ kind: String) throws -> Graph.ValueID {
      try node("ScatterElements", [x, index, updates], ["axis": .int(axis), "reduction": .text(kind)])
    }
    var start = x
    if !includesSelf, !kind.isEmpty {
      guard type.isFloatingPoint || reduction.neutral.isFinite else {
        throw OperatorError("\(kind) of \(type) without what is there is not supported")
      }
      start = try scatter(x, expand(numbers(reduction.neutral, as: type), node("Shape", [index])), "none")
    }
    let result = try scatter(start, updates, reduction.name)
    guard kind == "mean" else { return result }
    let one = try number(1, as: type)
    let ones = try expand(one, node("Shape", [index]))
    var counts = try expand(one, node("Shape", [x]))
    if !includesSelf { counts = try scatter(counts, expand(number(0, as: type), node("Shape", [index])), "none") }
    return try quotient(result, scatter(counts, ones, "add"), type.isFloatingPoint ? "" : "floor", as: type)
  }
}
