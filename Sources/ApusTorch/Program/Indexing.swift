import Apus
import ApusGraph

// Elements by where they are.

extension ProgramBuilder {
  static let indexing: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    result["select"] = { call in
      let e = call.emitter
      let x = try call.x
      let index: Graph.ValueID
      switch try call.extent("index") {
      case .known(let place): index = try e.integer(place)
      case .value(let place): index = try e.squeeze(place, [0])
      }
      return [try e.node("Gather", [x, index], ["axis": .int(call.axis(of: x))])]
    }
    result["slice"] = { call in
      let e = call.emitter
      let x = try call.x
      let axis = try call.axis(default: 0, of: x)
      let start = try call.optionalExtent("start") ?? .known(0)
      let end = try call.optionalExtent("end") ?? .known(TorchSize.limit)
      let step = try call.optionalExtent("step") ?? .known(1)
      if case (.known(0), .known(TorchSize.limit), .known(1)) = (start, end, step) { return [x] }
      return [try e.node("Slice", [x, e.list([start]), e.list([end]), e.integers([axis]), e.list([step])])]
    }
    result["narrow"] = { call in
      let e = call.emitter
      let x = try call.x
      let start = try call.extent("start"), length = try call.extent("length")
      let end: GraphExtent
      if case (.known(let first), .known(let count)) = (start, length) {
        // A place counted from the end, and all that follows it.
        end = .known(first < 0 && first + count >= 0 ? TorchSize.limit : first + count)
      } else {
        end = .value(try e.node("Add", [e.list([start]), e.list([length])]))
      }
      return [
        try e.node("Slice", [x, e.list([start]), e.list([end]), e.integers([call.axis(of: x)])])
      ]
    }
    result["index_select"] = { call in
      let e = call.emitter
      let x = try call.x
      guard try e.rank(x) > 0 else { return [x] }
      let index = try e.reshape(call.value("index"), [-1])
      return [try e.node("Gather", [x, index], ["axis": .int(call.axis(of: x))])]
    }
    result["embedding"] = { call in
      [try call.emitter.node("Gather", [call.value("weight"), call.value("indices")], ["axis": .int(0)])]
    }
    for name in ["embedding_bag", "_embedding_bag", "_embedding_bag_forward_only"] {
      result[name] = { call in
        // What is kept for training is nothing here.
        [try embeddingBag(call), nil, nil, nil]
      }
    }
    result["take"] = { call in
      let e = call.emitter
      return [try e.node("Gather", [e.reshape(call.x, [-1]), call.value("index")], ["axis": .int(0)])]
    }
    result["gather"] = { call in
      let e = call.emitter
      let (x, index) = (try call.x, try call.value("index", as: .int64))
      guard try e.rank(x) > 0, try e.rank(index) > 0 else {
        let flat = try e.node("Gather", [e.reshape(x, [-1]), e.reshape(index, [-1])], ["axis": .int(0)])
        return [try e.node("Reshape", [flat, e.node("Shape", [index])])]
      }
      let axis = try call.axis(of: x)
      return [try e.node("GatherElements", [e.cut(x, to: index, but: axis), index], ["axis": .int(axis)])]
    }
    result["take_along_dim"] = { call in
      let e = call.emitter
      let (x, index) = (try call.x, try call.value("indices"))
      guard call.has("dim") else {
        return [try e.node("Gather", [e.reshape(x, [-1]), e.reshape(index, [-1])], ["axis": .int(0)])]
      }
      let axis = try call.axis(of: x)
      guard var shape = e.knownShape(x), var places = e.knownShape(index), shape.count == places.count else {
        throw OperatorError("the shapes must be known before the program runs")
      }
      for other in shape.indices where other != axis {
        shape[other] = max(shape[other], places[other])
        places[other] = shape[other]
      }
      return [
        try e.node(
          "GatherElements", [e.expand(x, e.integers(shape)), e.expand(index, e.integers(places))],
          ["axis": .int(axis)])
      ]
    }
    result["index"] = { call in
      let plan = try IndexPlan(call, call.x)
      return [try plan.gathered()]
    }
    result["_unsafe_index"] = result["index"]
    for name in ["nonzero", "argwhere"] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        guard try e.rank(x) > 0 else { throw OperatorError("the places of a single number are not supported") }
        return [try e.node("Transpose", [e.node("NonZero", [x])], ["perm": .list([1, 0])])]
      }
    }
    result["nonzero_numpy"] = { call in try call.emitter.places(ofTrue: call.x) }
    result["masked_select"] = { call in
      let e = call.emitter
      let (x, mask) = (try call.x, try call.value("mask"))
      // Each in the shape that both have together.
      let wide = try e.node("Where", [mask, x, x])
      let truth = try e.expand(mask, e.node("Shape", [wide]))
      return [try e.node("Compress", [e.reshape(wide, [-1]), e.reshape(truth, [-1])])]
    }
    result["one_hot"] = { call in
      let e = call.emitter
      let count = try call.int("num_classes", default: -1)
      guard count > 0 else { throw OperatorError("num_classes must be known before the program runs") }
      return [try e.node("OneHot", [call.x, e.integers([count]), e.integers([0, 1])])]
    }
    result["_unique2"] = { call in
      let e = call.emitter
      let x = try call.x
      let results = try e.nodes("Unique", [x], outputs: 4, ["sorted": .int(1)])
      let inverse = try e.node("Reshape", [results[2], e.node("Shape", [x])])
      return [results[0], inverse, results[3]]
    }
    result["isin"] = { call in
      let e = call.emitter
      // Each may be a single number, whose name is another.
      let elements = call.has("elements") ? "elements" : "element"
      let tests = call.has("test_elements") ? "test_elements" : "test_element"
      let common = try call.promoted(elements, tests)
      let column = try call.value(elements, as: common)
      let row = try e.reshape(call.value(tests, as: common), [-1])
      let same = try e.node("Equal", [e.unsqueeze(column, [e.rank(column)]), row])
      let count = try e.reduce("ReduceSum", e.cast(same, to: .int32), axes: [-1], keeps: false, as: .int32)
      return [try e.node(call.bool("invert") ? "Equal" : "Greater", [count, e.number(0, as: .int32)])]
    }
    return result
  }()

  /// The sum, the mean or the largest of the rows of each bag; offsets say where bags begin.
  private static func embeddingBag(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let type = try call.outputType
    let index = try call.value("indices", as: .int64)
    var offsets = try call.value("offsets", as: .int64)
    if try call.bool("include_last_offset") { offsets = try e.slice(offsets, from: [0], to: [-1], axes: [0]) }
    var rows = try e.node("Gather", [call.value("weight"), index], ["axis": .int(0)])
    if let weights = try call.optional("per_sample_weights") {
      rows = try e.node("Mul", [rows, e.unsqueeze(weights, [1])])
    }
    func count(_ x: Graph.ValueID) throws -> Graph.ValueID {
      try e.node("Range", [e.integer(0), e.node("Size", [x]), e.integer(1)])
    }
    // Of each row, how many bags have begun: [bags, rows] says which rows a bag has.
    let hasBegun = try e.node("LessOrEqual", [e.unsqueeze(offsets, [1]), count(index)])
    let begun = try e.reduce("ReduceSum", e.cast(hasBegun, to: .int64), axes: [0], keeps: false, as: .int64)
    let own = try e.node("Sub", [begun, e.integer(1)])
    var isIn = try e.node("Equal", [e.unsqueeze(count(offsets), [1]), own])
    // One row of the table may stand for nothing. Of the overload that has it by its name, it may be counted from the end.
    if var filler = try call.optionalInt("padding_idx"), filler >= 0 || call.node.target.hasSuffix(".padding_idx") {
      if filler < 0 { filler += try call.knownShape(call.value("weight"))[0] }
      let counts = try e.node("Not", [e.node("Equal", [index, e.integer(filler)])])
      isIn = try e.node("And", [isIn, counts])
    }
    let membership = try e.cast(isIn, to: type)
    let sizes = try e.node("ReduceSum", [membership, e.integers([1])])
    switch try call.int("mode", default: 0) {
    case 0: return try e.node("MatMul", [membership, rows])
    case 1:
      return try e.node("Div", [e.node("MatMul", [membership, rows]), e.node("Max", [sizes, e.number(1, as: type)])])
    case 2:
      let kept = try e.node(
        "Where", [e.unsqueeze(isIn, [2]), e.unsqueeze(rows, [0]), e.numbers(-.infinity, as: type)])
      let most = try e.reduce("ReduceMax", kept, axes: [1], keeps: false, as: type)
      return try e.node("Where", [e.isZero(sizes), e.number(0, as: type), most])
    case let mode: throw OperatorError("mode \(mode) is not known")
    }
  }
}

extension Emitter {
  /// The places of what is not zero, a list for each axis.
  func places(ofTrue x: Graph.ValueID) throws -> [Graph.ValueID] {
    let rank = try rank(x)
    let found = try node("NonZero", [rank == 0 ? reshape(x, [1]) : x])
    return try (0..<max(rank, 1)).map { try node("Gather", [found, integer($0)], ["axis": .int(0)]) }
  }

  /// `x` cut to the extents of `other` along all axes but one, unless both are known to be equally long.
  func cut(_ x: Graph.ValueID, to other: Graph.ValueID, but axis: Int?) throws -> Graph.ValueID {
    let axes = try (0..<min(rank(x), rank(other))).filter { try $0 != axis && !isAlike($0, of: x, $0, of: other) }
    guard !axes.isEmpty else { return x }
    let ends = try axes.map { try extent(other, $0) }
    return try node("Slice", [x, integers(axes.map { _ in 0 }), list(ends), integers(axes)])
  }
}

/// `x[i, :, j]` with tensors for places: which axes are told, and where in what comes of it these places stand.
struct IndexPlan {
  private let e: Emitter
  private let x: Graph.ValueID
  private let rank: Int
  /// The axes that places are told of.
  let axes: [Int]
  /// The places, one tensor for each axis.
  private let places: [Graph.ValueID]
  /// How many axes the places have together.
  private let width: Int

  init(_ call: Call, _ x: Graph.ValueID) throws {
    (e, self.x) = (call.emitter, x)
    rank = try e.rank(x)
    var (axes, places): ([Int], [Graph.ValueID]) = ([], [])
    var (axis, width) = (0, 0)
    for index in try call.optionalTensors("indices") {
      guard let index else {
        axis += 1
        continue
      }
      let type = e.elementType(index)
      guard type == .bool || type == .uint8 else {
        axes.append(axis)
        places.append(try e.cast(index, to: .int64))
        width = max(width, try e.rank(index))
        axis += 1
        continue
      }
      // A mask tells the places of its true elements, along as many axes as it has.
      let found = try e.node("NonZero", [index])
      width = max(width, 1)
      for own in 0..<(try e.rank(index)) {
        axes.append(axis)
        places.append(try e.node("Gather", [found, e.integer(own)], ["axis": .int(0)]))
        axis += 1
      }
    }
    guard axis <= rank, !axes.isEmpty else { throw OperatorError("\(axis) indices for \(rank) axes") }
    (self.axes, self.places, self.width) = (axes, places, width)
  }

  /// All axes, those that are told first.
  private var front: [Int] { axes + (0..<rank).filter { !axes.contains($0) } }

  /// The order that brings what stands in front where the result has it: in the place of the told axes, where these
  /// stand side by side.
  private var order: [Int] {
    let isJoined = zip(axes, axes.dropFirst()).allSatisfy { $1 == $0 + 1 }
    let before = isJoined ? axes[0] : 0
    let rest = Array(width..<(width + rank - axes.count))
    return rest.prefix(before) + Array(0..<width) + rest.dropFirst(before)
  }

  /// The places as one tensor, those of an element side by side.
  private func table() throws -> Graph.ValueID {
    var common: Graph.ValueID?
    if places.count > 1 {
      let zero = try e.integer(0)
      for place in places {
        let nothing = try e.node("Mul", [place, zero])
        common = try common.map { try e.node("Add", [$0, nothing]) } ?? nothing
      }
    }
    let columns = try places.map { place in
      try e.unsqueeze(common.map { try e.node("Add", [place, $0]) } ?? place, [width])
    }
    return columns.count == 1 ? columns[0] : try e.node("Concat", columns, ["axis": .int(width)])
  }

  /// The elements.
  func gathered() throws -> Graph.ValueID {
    if axes.count == 1 { return try e.node("Gather", [x, places[0]], ["axis": .int(axes[0])]) }
    return try e.transpose(e.node("GatherND", [e.transpose(x, front), table()]), order)
  }

  /// `x` with other elements there, or with these added.
  func scattered(_ values: Graph.ValueID, adds: Bool) throws -> Graph.ValueID {
    let (data, table) = (try e.transpose(x, front), try table())
    let present = try e.transpose(e.node("GatherND", [data, table]), order)
    let wide = try e.expand(values, e.node("Shape", [present]))
    var back = order
    for (place, axis) in order.enumerated() { back[axis] = place }
    let scattered = try e.node(
      "ScatterND", [data, table, e.transpose(wide, back)], adds ? ["reduction": .text("add")] : [:])
    var home = front
    for (place, axis) in front.enumerated() { home[axis] = place }
    return try e.transpose(scattered, home)
  }
}
