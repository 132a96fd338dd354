import Apus
import ApusGraph

// Layers that move elements and compute nothing, and those that make tensors of nothing.

extension NetworkBuilder {
  static let shapeLayers: [Int: Layer] = {
    var result: [Int: Layer] = [:]
    result[300] = { c in
      var shape = try c.p.ints(1)
      // Three numbers are those of one map.
      if c.builder.hasFiveAxes {
        if shape.count == 3 { shape = [1, 1] + shape }
        if shape.count == 4 { shape.insert(1, at: 1) }
      }
      let outer = shape.count - 3
      guard try c.p.int(2) == 1, outer >= 0 else { return [try c.e.reshape(c.x, shape)] }
      // The elements are in the order height, width, channels before and after.
      let y = try c.e.reshape(channelLast(c), shape[..<outer] + shape[(outer + 1)...] + [shape[outer]])
      return [try c.e.transpose(y, Array(0..<outer) + [outer + 2, outer, outer + 1])]
    }
    result[301] = { c in
      let x = try c.p.int(1) == 1 ? channelLast(c) : c.x
      let rank = try c.e.rank(x)
      guard rank >= 3 else { return [x] }
      let outer = try (0..<(rank - 3)).map { try c.e.extent(x, $0) }
      let inner = try ((rank - 3)..<rank).map { try c.e.extent(x, $0) }
      let size = try inner.dropFirst().reduce(inner[0]) { try c.e.product($0, $1) }
      return [try c.e.reshape(x, outer + [size, .known(1), .known(1)])]
    }
    result[310] = { c in
      let order = try c.p.ints(1)
      if order.isEmpty { return [try c.x] }
      let rank = try c.e.rank(c.x)
      guard Shape.isPermutation(order, rank: order.count), order.count == 4 || order.count == rank else {
        throw OperatorError("\(order) is no order of axes")
      }
      // Sequence, channel, height and width are named; the batch stays.
      if rank == 5, order.count == 4 {
        let places = [0, 2, 3, 4]
        return [try c.e.transpose(c.x, [places[order[0]], 1] + order.dropFirst().map { places[$0] })]
      }
      return [try c.e.transpose(c.x, order)]
    }
    result[320] = { c in
      let axis = try c.p.bool(100) ? -5 : -3
      let rank = try c.e.rank(c.x)
      return [try c.e.node("Concat", c.inputs, ["axis": .int(Int64(max(axis, -rank)))])]
    }
    result[330] = { c in
      try c.e.nodes(
        "Split", [c.x], outputs: c.outputCount, ["axis": .int(-3), "num_outputs": .int(Int64(c.outputCount))])
    }
    result[340] = { c in
      let rank = try c.e.rank(c.x)
      let count = max(1, try c.p.int(1))
      guard rank == 5 else { throw OperatorError("its input has rank \(rank); 5 is needed") }
      return [try c.e.node("Tile", [c.x, c.e.integers([count, 1, 1, 1, 1])])]
    }
    result[350] = { c in
      let axes = [-3, -2, -1]
      let axis = try c.p.int(4)
      guard axes.indices.contains(axis) else { throw OperatorError("axis \(axis) is not known") }
      // The end counts from behind where it is not positive.
      let end = try c.p.int(2)
      return [
        try c.e.slice(
          c.x, from: [c.p.int(1)], to: [end == 0 ? Int(Int32.max) : end], axes: [axes[axis]],
          steps: [max(1, c.p.int(3))])
      ]
    }
    result[920] = { c in
      // Fewer numbers than axes are those of the last ones.
      let rank = try c.e.rank(c.x)
      if c.inputs.count > 1 {
        let count = try c.e.knownShape(c.input(1))?.first ?? rank
        let ones = try c.e.integers([Int](repeating: 1, count: max(0, rank - count)))
        return [try c.e.node("Tile", [c.x, c.e.node("Concat", [ones, c.indices(1)], ["axis": .int(0)])])]
      }
      let counts = try c.p.ints(1)
      return [
        try c.e.node("Tile", [c.x, c.e.integers([Int](repeating: 1, count: max(0, rank - counts.count)) + counts)])
      ]
    }
    result[925] = { c in
      let axis = try c.e.axis(c.p.int(1), rank: c.e.rank(c.x) + 1)
      return [try c.e.node("Concat", c.inputs.map { try c.e.unsqueeze($0, [axis]) }, ["axis": .int(Int64(axis))])]
    }
    result[960] = { c in
      let axes = try c.p.ints(1).enumerated().filter { $0.element != 0 }.map(\.offset)
      return [try axes.isEmpty ? c.e.node("Identity", [c.x]) : ProgramBuilder.reversed(c.x, axes: axes, c.e)]
    }
    result[965] = { c in
      let rank = try c.e.rank(c.x)
      let (batch, time) = try (c.axis(1, rank: rank), c.axis(2, rank: rank))
      return [
        try ProgramBuilder.reversedSequences(c.x, lengths: c.indices(1), time: time, batch: batch, c.e)
      ]
    }
    result[975] = { c in
      let axis = AttributeValue.int(Int64(try c.axis(1, rank: c.e.rank(c.x))))
      let sizes = try c.p.ints(3)
      if !sizes.isEmpty {
        return try c.e.nodes("Split", [c.x, c.e.integers(sizes)], outputs: c.outputCount, ["axis": axis])
      }
      // The first parts are one longer where the extent does not divide.
      if case .int(let index) = axis, case .known(let extent) = try c.e.extent(c.x, Int(index)), c.outputCount > 0 {
        let parts = (0..<c.outputCount).map { extent / c.outputCount + ($0 < extent % c.outputCount ? 1 : 0) }
        return try c.e.nodes("Split", [c.x, c.e.integers(parts)], outputs: c.outputCount, ["axis": axis])
      }
      return try c.e.nodes(
        "Split", [c.x], outputs: c.outputCount, ["axis": axis, "num_outputs": .int(Int64(c.outputCount))])
    }
    result[980] = { c in
      let rank = try c.e.rank(c.x)
      let axis = try c.axis(1, rank: rank)
      guard try c.p.bool(2) else { return [try c.e.node("Concat", c.inputs, ["axis": .int(Int64(axis))])] }
      return [try ProgramBuilder.interleaved(c.inputs, axis: axis, rank: rank, c.e)]
    }
    result[985] = { c in
      let rank = try c.e.rank(c.x)
      let axes = try c.p.ints(1)
      // Of an image, which has more axes than the layer was written for, these are the last.
      let outer = max(0, rank - axes.count)
      let inner = try axes.map { outer + (try c.e.axis($0, rank: rank - outer)) }
      return [try c.e.transpose(c.x, Array(0..<outer) + inner)]
    }
    result[995] = { c in [try slice(c, begin: c.p.ints(1), end: c.p.ints(3))] }
    result[1000] = { c in [try dynamicSlice(c)] }
    result[1005] = { c in
      let axis = try c.axis(1, rank: c.e.rank(c.x))
      return [
        try ProgramBuilder.slidingWindows(c.x, axis: axis, size: c.p.int(2), stride: max(1, c.p.int(3)), c.e)
      ]
    }
    result[1065] = { c in [try c.floats(c.e.node("Shape", [c.x]))] }
    result[290] = { c in
      let shape = try c.p.ints(1)
      return [try c.builder.weights(c.p, 2, c.builder.hasFiveAxes && shape.count == 3 ? [1, 1] + shape : shape)]
    }
    result[1070] = { c in [try c.builder.weights(c.p, 2, c.p.ints(1))] }
    result[1080] = { c in [try c.e.node("Expand", [c.e.number(c.p.float(1)), c.e.node("Shape", [c.x])])] }
    result[1085] = { c in [try c.e.node("Expand", [c.e.number(c.p.float(1)), c.e.integers(c.p.ints(2))])] }
    result[1090] = { c in [try c.e.node("Expand", [c.e.number(c.p.float(1)), c.indices(0)])] }
    result[1100] = { c in [try c.e.node("Expand", [c.x, c.e.node("Shape", [c.input(1)])])] }
    result[1105] = { c in [try c.e.node("Expand", [c.x, c.e.integers(c.p.ints(1))])] }
    result[1110] = { c in [try c.e.node("Expand", [c.x, c.indices(1)])] }
    result[1120] = { c in
      let axes = try c.p.ints(1)
      if try c.p.bool(2) {
        let shape = try c.e.shape(c.x)
        let ones = shape.indices.filter { shape[$0] == 1 }
        return [try ones.isEmpty ? c.e.node("Identity", [c.x]) : c.e.squeeze(c.x, ones)]
      }
      return [try c.e.squeeze(c.x, axes)]
    }
    result[1125] = { c in [try c.e.unsqueeze(c.x, c.p.ints(1))] }
    result[1130] = { c in [try c.e.node("Flatten", [c.x], ["axis": .int(Int64(c.p.int(1)))])] }
    result[1135] = { c in [try c.e.node("Reshape", [c.x, c.e.node("Shape", [c.input(1)])], ["allowzero": .int(1)])] }
    result[1140] = { c in [try c.e.reshape(c.x, c.p.ints(1))] }
    result[1145] = { c in [try c.e.node("Reshape", [c.x, c.indices(1)])] }
    result[1150] = { c in [try c.e.reshape(c.x, c.p.ints(1))] }
    result[635] = { c in
      [try c.e.node("Range", [c.e.number(c.p.float(2)), c.e.number(c.p.float(1)), c.e.number(c.p.float(3))])]
    }
    result[640] = { c in
      // The end, the start and the step, as far as they are inputs.
      func scalar(_ index: Int, _ number: Int) throws -> Graph.ValueID {
        try c.inputs.count > index ? c.e.reshape(c.input(index), [Int]()) : c.e.number(c.p.float(number))
      }
      return [try c.e.node("Range", [scalar(1, 2), c.e.reshape(c.x, [Int]()), scalar(2, 3)])]
    }
    result[1315] = { c in [try band(c, lower: c.p.int(1), upper: c.p.int(2))] }
    result[1320] = { c in [try c.e.node("Trilu", [c.x, c.e.integer(c.p.int(1))], ["upper": .int(0)])] }
    result[1325] = { c in [try c.e.node("Trilu", [c.x, c.e.integer(c.p.int(1))], ["upper": .int(1)])] }
    return result
  }()

  private static func band(_ c: LayerCall, lower: Int, upper: Int) throws -> Graph.ValueID {
    var x = try c.x
    if lower >= 0 { x = try c.e.node("Trilu", [x, c.e.integer(-lower)], ["upper": .int(1)]) }
    if upper >= 0 { x = try c.e.node("Trilu", [x, c.e.integer(upper)], ["upper": .int(0)]) }
    return x
  }

  /// Maps with the channels behind height and width, in the same shape but for the order of its last three axes.
  private static func channelLast(_ c: LayerCall) throws -> Graph.ValueID {
    let rank = try c.e.rank(c.x)
    guard rank >= 3 else { return try c.x }
    return try c.e.transpose(c.x, Array(0..<(rank - 3)) + [rank - 2, rank - 1, rank - 3])
  }

  // MARK: Slices

  private static let far = Int(Int32.max)

  private static func masks(_ c: LayerCall, _ number: Int, rank: Int) throws -> [Bool] {
    let list = try c.p.ints(number).map { $0 != 0 }
    return (0..<rank).map { list.indices.contains($0) && list[$0] }
  }

  private static func slice(_ c: LayerCall, begin: [Int], end: [Int]) throws -> Graph.ValueID {
    let rank = try c.e.rank(c.x)
    let strides = try c.p.ints(5)
    let (openBegins, openEnds) = try (masks(c, 2, rank: rank), masks(c, 4, rank: rank))
    let squeezed = try masks(c, 6, rank: rank)
    guard begin.count == rank, end.count == rank, strides.count == rank else {
      throw OperatorError("\(begin.count) beginnings and \(end.count) ends are given for \(rank) axes")
    }
    let axes = Array(0..<rank)
    let cut = try c.e.slice(
      c.x, from: axes.map { openBegins[$0] && !squeezed[$0] ? (strides[$0] < 0 ? far : 0) : begin[$0] },
      to: axes.map { axis in
        if squeezed[axis] { return begin[axis] == -1 ? far : begin[axis] + 1 }
        return openEnds[axis] ? (strides[axis] < 0 ? -far : far) : end[axis]
      }, axes: axes, steps: axes.map { squeezed[$0] ? 1 : strides[$0] })
    let dropped = axes.filter { squeezed[$0] }
    return dropped.isEmpty ? cut : try c.e.squeeze(cut, dropped)
  }

  /// Beginnings are an input, the others too where there are as many inputs: ends, strides, and three lists of masks.
  private static func dynamicSlice(_ c: LayerCall) throws -> Graph.ValueID {
    let e = c.e
    let rank = try e.rank(c.x)
    func list(_ index: Int, _ own: [Int]) throws -> Graph.ValueID {
      if c.inputs.count > index { return try c.indices(index) }
      guard own.count >= rank else { throw OperatorError("\(own.count) numbers are given for \(rank) axes") }
      return try e.integers(Array(own.prefix(rank)))
    }
    let stridesKnown = try c.p.ints(5)
    guard c.inputs.count <= 4 else { throw OperatorError("masks that the network computes are not supported") }
    let strides = try list(3, stridesKnown.isEmpty ? [Int](repeating: 1, count: rank) : stridesKnown)
    let (openBegins, openEnds) = try (masks(c, 2, rank: rank), masks(c, 4, rank: rank))
    let squeezed = try masks(c, 6, rank: rank)
    func chosen(_ list: Graph.ValueID, where mask: [Bool], _ other: Int) throws -> Graph.ValueID {
      guard mask.contains(true) else { return list }
      // A stride below zero begins and ends at the other side.
      let isBackwards = try e.node("Less", [strides, e.integers([0])])
      let bound = try e.node("Where", [isBackwards, e.integers([other == 0 ? far : -far]), e.integers([other])])
      return try e.node("Where", [e.constant(GraphValue(Tensor(mask, shape: [rank]))), bound, list])
    }
    let begin = try list(1, [])
    let starts = try chosen(begin, where: (0..<rank).map { openBegins[$0] && !squeezed[$0] }, 0)
    var ends = try chosen(list(2, c.p.ints(3)), where: openEnds, far)
    var steps = strides
    if squeezed.contains(true) {
      let isSqueezed = try e.constant(GraphValue(Tensor(squeezed, shape: [rank])))
      let next = try e.node("Add", [begin, e.integers([1])])
      let isLast = try e.node("Equal", [next, e.integers([0])])
      let after = try e.node("Where", [isLast, e.integers([far]), next])
      ends = try e.node("Where", [isSqueezed, after, ends])
      steps = try e.node("Where", [isSqueezed, e.integers([1]), steps])
    }
    let cut = try e.node("Slice", [c.x, starts, ends, e.integers(Array(0..<rank)), steps])
    let dropped = (0..<rank).filter { squeezed[$0] }
    return dropped.isEmpty ? cut : try e.squeeze(cut, dropped)
  }
}
