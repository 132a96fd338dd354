import Apus
import ApusGraph

// Elements that indices name, and elements in order.

extension ProgramBuilder {
  static let indexing: [String: Lowering] = [
    "gather": { call in [try gather(call)] },
    "gather_along_axis": { call in
      let x = try call.value("x")
      return [
        try call.emitter.node(
          "GatherElements", [x, indices(call)], ["axis": .int(Int64(call.axis(default: 0, of: x)))])
      ]
    },
    "gather_nd": { call in
      [
        try call.emitter.node(
          "GatherND", [call.value("x"), call.emitter.int64(call.value("indices"))],
          ["batch_dims": .int(Int64(call.int("batch_dims", default: 0)))])
      ]
    },
    "scatter": { call in [try scatter(call)] },
    "scatter_along_axis": { call in
      let axis = try Int64(call.axis(default: 0, of: call.value("data")))
      let indices = try indices(call)
      return [
        try scattered(call) { data, updates, reduction in
          try call.emitter.node(
            "ScatterElements", [data, indices, updates], ["axis": .int(axis), "reduction": reduction])
        }
      ]
    },
    "scatter_nd": { call in
      let indices = try call.emitter.int64(call.value("indices"))
      return [
        try scattered(call) { data, updates, reduction in
          try call.emitter.node("ScatterND", [data, indices, updates], ["reduction": reduction])
        }
      ]
    },
    "non_zero": { call in
      let e = call.emitter
      return [try e.cast(e.transpose(e.node("NonZero", [call.value("x")]), [1, 0]), to: call.outputType())]
    },
    "one_hot": { call in
      let e = call.emitter
      func value(_ name: String, _ number: Float) throws -> Graph.ValueID {
        guard let given = try call.optional(name) else {
          let id = try e.numbers([number])
          return try e.cast(id, to: call.outputType())
        }
        return try e.reshape(given, [1])
      }
      let values = try e.node("Concat", [value("off_value", 0), value("on_value", 1)], ["axis": .int(0)])
      return [
        try e.node(
          "OneHot", [call.value("indices"), call.value("one_hot_vector_size"), values],
          ["axis": .int(Int64(call.int("axis", default: -1)))])
      ]
    },
    "argsort": { call in
      let e = call.emitter
      let x = try call.value("x")
      let axis = try call.axis(default: -1, of: x)
      let sorted = try e.nodes(
        "TopK", [x, e.list([e.extent(x, axis)])], outputs: 2,
        ["axis": .int(Int64(axis)), "largest": .int(call.bool("ascending") ? 0 : 1)])
      return [try e.cast(sorted[1], to: call.outputType())]
    },
    "topk": { call in
      let e = call.emitter
      let x = try call.value("x")
      let axis = try call.axis(default: -1, of: x)
      let count: Graph.ValueID
      if let known = try call.intsIfKnown("k") {
        count = try known == [-1] ? e.list([e.extent(x, axis)]) : e.integers(known.isEmpty ? [1] : known)
      } else {
        count = try call.has("k") ? e.reshape(e.int64(call.value("k")), [1]) : e.integers([1])
      }
      let sorted = try e.nodes(
        "TopK", [x, count], outputs: 2,
        [
          "axis": .int(Int64(axis)), "largest": .int(call.bool("ascending") ? 0 : 1),
          "sorted": .int(call.bool("sort", default: true) ? 1 : 0),
        ])
      guard call.operation.outputs.count > 1 else { return [sorted[0]] }
      return [sorted[0], try e.cast(sorted[1], to: call.outputType(1))]
    },
    "non_maximum_suppression": { call in
      let e = call.emitter
      // Since iOS 17 boxes are the last axis of what is taken and given, and their number is no output.
      let areLast = call.opset >= 7
      func moved(_ x: Graph.ValueID) throws -> Graph.ValueID { try areLast ? e.transpose(x, [0, 2, 1]) : x }
      let outputs = try e.nodes(
        "BoxSuppression",
        [
          moved(call.value("boxes")), moved(call.value("scores")), e.number(call.float("iou_threshold", default: 0)),
          e.number(call.float("score_threshold", default: -.infinity)),
        ], outputs: 4, domain: "apus",
        [
          "max_boxes": .int(Int64(call.int("max_boxes", default: 1))),
          "per_class": .int(call.bool("per_class_suppression") ? 1 : 0),
        ])
      let chosen = try outputs.prefix(2).map { try moved($0) }
      return chosen + outputs.dropFirst(2).prefix(areLast ? 1 : 2)
    },
  ]

  /// The indices of an operation as the standard takes them.
  private static func indices(_ call: Call) throws -> Graph.ValueID {
    let id = try call.value("indices")
    let type = call.emitter.elementType(id)
    return type == .int32 || type == .int64 ? id : try call.emitter.int64(id)
  }

  private static func gather(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    let rank = try e.rank(x)
    let axis = try call.axis(default: 0, of: x)
    let batch = try call.int("batch_dims", default: 0)
    let indices = try indices(call)
    guard batch > 0 else { return try e.node("Gather", [x, indices], ["axis": .int(Int64(axis))]) }
    let indexRank = try e.rank(indices)
    guard batch <= axis, batch <= indexRank else {
      throw OperatorError("\(batch) batch axes do not fit axis \(axis) and indices of rank \(indexRank)")
    }
    // The axis behind those of the batch, where tuples of one index name places; then what lay between goes back in
    // front of the axes of the indices.
    let front = Array(0..<batch) + [axis] + (batch..<rank).filter { $0 != axis }
    let gathered = try e.node(
      "GatherND", [e.transpose(x, front), e.unsqueeze(e.int64(indices), [-1])], ["batch_dims": .int(Int64(batch))])
    let (named, between) = (indexRank - batch, axis - batch)
    let order =
      Array(0..<batch) + (0..<between).map { batch + named + $0 } + (0..<named).map { batch + $0 }
      + ((batch + named + between)..<(rank - 1 + named)).map { $0 }
    return try e.transpose(gathered, order)
  }

  /// The data with the updates put in, which are combined with what is there as the operation says.
  private static func scattered(
    _ call: Call,
    _ scatter: (_ data: Graph.ValueID, _ updates: Graph.ValueID, _ reduction: AttributeValue) throws -> Graph.ValueID
  ) throws -> Graph.ValueID {
    let e = call.emitter
    let (data, updates) = try (call.value("data"), call.value("updates"))
    func reduction(_ name: String) -> AttributeValue { .string(Array(name.utf8)) }
    switch try call.string("mode", default: "add") {
    case "update": return try scatter(data, updates, reduction("none"))
    case "add": return try scatter(data, updates, reduction("add"))
    case "sub": return try scatter(data, e.node("Neg", [updates]), reduction("add"))
    case "mul": return try scatter(data, updates, reduction("mul"))
    case "div":
      guard let type = e.elementType(data), !type.isFloatingPoint else {
        return try scatter(data, e.node("Reciprocal", [updates]), reduction("mul"))
      }
      // Integers have no reciprocal: each is divided by the product of its divisors, which is 1 for most.
      let one = try e.cast(e.integer(1), to: type)
      let ones = try e.node("Expand", [one, e.node("Shape", [data])])
      return try e.node("Div", [data, scatter(ones, updates, reduction("mul"))])
    case "max": return try scatter(data, updates, reduction("max"))
    case "min": return try scatter(data, updates, reduction("min"))
    case let mode: throw OperatorError("mode '\(mode)' is not known")
    }
  }

  /// Slices along an axis combined with others: the axis goes to the front, where ScatterND names slices.
  private static func scatter(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let data = try call.value("data")
    let rank = try e.rank(data)
    let axis = try call.axis(default: 0, of: data)
    let indices = try indices(call)
    let named = try e.rank(indices)
    let front = [axis] + (0..<rank).filter { $0 != axis }
    // In the updates the axes of the indices stand where the axis was.
    let updateRank = rank - 1 + named
    let updateFront =
      (0..<named).map { axis + $0 } + (0..<updateRank).filter { $0 < axis || $0 >= axis + named }
    let places = try e.unsqueeze(e.int64(indices), [-1])
    return try scattered(call) { data, updates, reduction in
      let result = try e.node(
        "ScatterND", [e.transpose(data, front), places, e.transpose(updates, updateFront)], ["reduction": reduction])
      return try e.transpose(result, inverse(front))
    }
  }
}
