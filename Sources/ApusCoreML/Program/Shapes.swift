import Apus
import ApusGraph

// Operations that move elements and compute nothing.

extension ProgramBuilder {
  static let shapes: [String: Lowering] = [
    "reshape": { call in [try reshape(call)] },
    "reshape_like": { call in [try reshapeLike(call)] },
    "shape": { call in
      let e = call.emitter
      return [try e.cast(e.node("Shape", [call.value("x")]), to: call.outputType())]
    },
    "squeeze": { call in
      let axes = try call.optionalInts("axes")
      return [try call.emitter.node("Squeeze", [call.value("x"), axes.map { try call.emitter.integers($0) }])]
    },
    "expand_dims": { call in [try call.emitter.unsqueeze(call.value("x"), call.ints("axes"))] },
    "transpose": { call in
      let rank = try call.emitter.rank(call.value("x"))
      let order = try call.ints("perm").map { try call.emitter.axis($0, rank: rank) }
      return [try call.emitter.transpose(call.value("x"), order)]
    },
    "flatten2d": { call in
      [try call.emitter.node("Flatten", [call.value("x")], ["axis": .int(Int64(call.int("axis", default: 1)))])]
    },
    "concat": { call in [try concatenation(call)] },
    "stack": { call in
      let e = call.emitter
      let values = try call.values("values")
      let axis = try e.axis(call.int("axis", default: 0), rank: e.rank(values[0]) + 1)
      return [try e.node("Concat", values.map { try e.unsqueeze($0, [axis]) }, ["axis": .int(Int64(axis))])]
    },
    "split": { call in try split(call) },
    "tile": { call in [try call.emitter.node("Tile", [call.value("x"), call.emitter.int64(call.value("reps"))])] },
    "reverse": { call in
      let e = call.emitter
      let x = try call.value("x")
      let axes = try call.optionalInts("axes") ?? Array(0..<e.rank(x))
      return [try reversed(x, axes: axes, e)]
    },
    "reverse_sequence": { call in
      let x = try call.value("x")
      return [
        try reversedSequences(
          x, lengths: call.emitter.int64(call.value("lengths")), time: call.axis("seq_axis", default: 0, of: x),
          batch: call.axis("batch_axis", default: 0, of: x), call.emitter)
      ]
    },
    "slice_by_index": { call in [try sliceByIndex(call, call.value("x"))] },
    "slice_by_size": { call in [try sliceBySize(call)] },
    "slice_update": { call in [try sliceUpdate(call)] },
    "band_part": { call in
      let e = call.emitter
      var x = try call.value("x")
      let (lower, upper) = try (call.int("lower", default: -1), call.int("upper", default: -1))
      if lower >= 0 { x = try e.node("Trilu", [x, e.integer(-lower)], ["upper": .int(1)]) }
      if upper >= 0 { x = try e.node("Trilu", [x, e.integer(upper)], ["upper": .int(0)]) }
      return [x]
    },
    "pad": { call in [try padded(call)] },
    "crop": { call in
      let e = call.emitter
      let x = try call.value("x")
      let rank = try e.rank(x)
      let (height, width) = try (call.ints("crop_height"), call.ints("crop_width"))
      guard height.count == 2, width.count == 2, rank >= 2 else {
        throw OperatorError("two numbers are needed for each of two axes")
      }
      func end(_ cut: Int) -> Int { cut == 0 ? Int(Int32.max) : -cut }
      return [
        try e.slice(x, from: [height[0], width[0]], to: [end(height[1]), end(width[1])], axes: [rank - 2, rank - 1])
      ]
    },
    "sliding_windows": { call in
      let x = try call.value("x")
      return [
        try slidingWindows(
          x, axis: call.axis(default: 0, of: x), size: call.int("size", default: 1),
          stride: call.int("stride", default: 1), call.emitter)
      ]
    },
    "depth_to_space": { call in [try blocks(call, "DepthToSpace", "block_size", mode: "DCR")] },
    "space_to_depth": { call in [try blocks(call, "SpaceToDepth", "block_size")] },
    "pixel_shuffle": { call in [try blocks(call, "DepthToSpace", "upscale_factor", mode: "CRD")] },
    "pixel_unshuffle": { call in [try pixelUnshuffle(call)] },
    "space_to_batch": { call in [try spaceToBatch(call)] },
    "batch_to_space": { call in [try batchToSpace(call)] },
    "fill": { call in
      let e = call.emitter
      return [try e.node("Expand", [fillValue(call), e.int64(call.value("shape"))])]
    },
    "fill_like": { call in
      let e = call.emitter
      return [try e.node("Expand", [fillValue(call), e.node("Shape", [call.value("ref_tensor")])])]
    },
    "range_1d": { call in
      let e = call.emitter
      // Apart from each other these may have come as [1] or as a scalar.
      func scalar(_ name: String) throws -> Graph.ValueID {
        let x = try call.value(name)
        return try e.rank(x) == 0 ? x : e.reshape(x, [Int]())
      }
      return [try e.node("Range", [scalar("start"), scalar("end"), scalar("step")])]
    },
  ]

  private static func fillValue(_ call: Call) throws -> Graph.ValueID {
    try call.has("value") ? call.value("value") : call.emitter.number(0)
  }

  static func reversed(_ x: Graph.ValueID, axes: [Int], _ e: Emitter) throws -> Graph.ValueID {
    try e.slice(
      x, from: [Int](repeating: -1, count: axes.count), to: [Int](repeating: Int(Int32.min), count: axes.count),
      axes: axes, steps: [Int](repeating: -1, count: axes.count))
  }

  // MARK: Shapes

  /// In the shape that is asked for. 0 keeps an extent: that of the same axis before iOS 17, since then that of the
  /// axis as far from the end, and 1 where there is none.
  private static func reshape(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    guard let wanted = try call.intsIfKnown("shape") else {
      return try e.node("Reshape", [x, e.int64(call.value("shape"))])
    }
    let rank = try e.rank(x)
    guard wanted.contains(0), call.opset >= 7, wanted.count != rank else { return try e.reshape(x, wanted) }
    let extents = try wanted.enumerated().map { index, size -> GraphExtent in
      guard size == 0 else { return .known(size) }
      let axis = rank - (wanted.count - index)
      return axis < 0 ? .known(1) : try e.extent(x, axis)
    }
    return try e.node("Reshape", [x, e.list(extents)])
  }

  /// In a shape put together from parts of the shapes of other tensors.
  private static func reshapeLike(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let references = try call.values("ref_tensors")
    func lists(_ name: String) throws -> [Int?] {
      guard call.has(name) else { return [Int?](repeating: nil, count: references.count) }
      return try call.values(name).flatMap { id -> [Int] in
        guard case .tensor(let tensor)? = call.builder.known(id, in: e) else {
          throw OperatorError("parameter '\(name)' is not known before the model runs")
        }
        return try tensor.converted(to: Int64.self).elements.map(Int.init)
      }
    }
    let (begins, ends, masks) = try (lists("begins"), lists("ends"), lists("end_masks"))
    guard begins.count == references.count, ends.count == references.count else {
      throw OperatorError("\(references.count) tensors have \(begins.count) beginnings and \(ends.count) ends")
    }
    let parts = try references.enumerated().map { index, reference in
      let isOpen = masks.indices.contains(index) && (masks[index] ?? 0) != 0
      return try e.slice(
        e.node("Shape", [reference]), from: [begins[index] ?? 0], to: [isOpen ? Int(Int32.max) : ends[index] ?? 0],
        axes: [0])
    }
    return try e.node("Reshape", [call.value("x"), e.node("Concat", parts, ["axis": .int(0)])], ["allowzero": .int(1)])
  }

  private static func concatenation(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    var values = try call.values("values")
    // Single numbers become a list.
    if try e.rank(values[0]) == 0 { values = try values.map { try e.unsqueeze($0, [0]) } }
    let rank = try e.rank(values[0])
    let axis = try e.axis(call.int("axis", default: 0), rank: rank)
    guard try call.bool("interleave") else {
      return try e.node("Concat", values, ["axis": .int(Int64(axis))])
    }
    return try interleaved(values, axis: axis, rank: rank, e)
  }

  /// One slice of each value in turn: side by side on an axis of their own, which then becomes part of the other.
  static func interleaved(
    _ values: [Graph.ValueID], axis: Int, rank: Int, _ e: Emitter
  ) throws -> Graph.ValueID {
    let side = try e.node("Concat", values.map { try e.unsqueeze($0, [axis + 1]) }, ["axis": .int(Int64(axis + 1))])
    let extents = try (0..<rank).map { index in
      let extent = try e.extent(values[0], index)
      return index == axis ? try e.times(extent, values.count) : extent
    }
    return try e.reshape(side, extents)
  }

  private static func split(_ call: Call) throws -> [Graph.ValueID?] {
    let e = call.emitter
    let x = try call.value("x")
    let axis = AttributeValue.int(Int64(try call.axis(default: 0, of: x)))
    let count = call.operation.outputs.count
    if let sizes = try call.optionalInts("split_sizes") {
      return try e.nodes("Split", [x, e.integers(sizes)], outputs: count, ["axis": axis])
    }
    return try e.nodes("Split", [x], outputs: count, ["axis": axis, "num_outputs": .int(Int64(count))])
  }

  /// The first elements along an axis of time in the opposite order, as many of each example as `lengths` says.
  static func reversedSequences(
    _ x: Graph.ValueID, lengths: Graph.ValueID, time: Int, batch: Int, _ e: Emitter
  ) throws -> Graph.ValueID {
    guard time != batch else { throw OperatorError("axis \(time) is both that of time and that of examples") }
    let order = try [time, batch] + (0..<e.rank(x)).filter { $0 != time && $0 != batch }
    let reversed = try e.node(
      "ReverseSequence", [e.transpose(x, order), lengths], ["time_axis": .int(0), "batch_axis": .int(1)])
    return try e.transpose(reversed, inverse(order))
  }

  /// The order that undoes another.
  static func inverse(_ order: [Int]) -> [Int] {
    var result = [Int](repeating: 0, count: order.count)
    for (index, axis) in order.enumerated() { result[axis] = index }
    return result
  }

  // MARK: Slices

  /// Beyond any extent.
  private static let far = Int(Int32.max)

  /// `x[begin:end:stride]` along every axis. A mask leaves a bound open, and `squeeze_mask` takes a single index and
  /// drops the axis.
  private static func sliceByIndex(
    _ call: Call, _ x: Graph.ValueID, keepingAxes: Bool = false
  ) throws -> Graph.ValueID {
    let e = call.emitter
    let rank = try e.rank(call.value("x"))
    let strides = try call.optionalInts("stride") ?? [Int](repeating: 1, count: rank)
    func mask(_ name: String) throws -> [Bool] {
      let list = try call.optionalInts(name) ?? [Int](repeating: 0, count: rank)
      guard list.count == rank else { throw OperatorError("'\(name)' has \(list.count) elements for \(rank) axes") }
      return list.map { $0 != 0 }
    }
    let (openBegins, openEnds) = try (mask("begin_mask"), mask("end_mask"))
    let squeezed = try mask("squeeze_mask")
    guard strides.count == rank else { throw OperatorError("\(strides.count) strides are given for \(rank) axes") }
    let axes = Array(0..<rank)
    let steps = axes.map { squeezed[$0] ? 1 : strides[$0] }
    let starts: Graph.ValueID
    let ends: Graph.ValueID
    if let begin = try call.intsIfKnown("begin"), let end = try call.intsIfKnown("end") {
      guard begin.count == rank, end.count == rank else {
        throw OperatorError("\(begin.count) beginnings and \(end.count) ends are given for \(rank) axes")
      }
      starts = try e.integers(axes.map { openBegins[$0] && !squeezed[$0] ? (strides[$0] < 0 ? far : 0) : begin[$0] })
      ends = try e.integers(
        axes.map { axis in
          if squeezed[axis] { return begin[axis] == -1 ? far : begin[axis] + 1 }
          return openEnds[axis] ? (strides[axis] < 0 ? -far : far) : end[axis]
        })
    } else {
      func chosen(_ list: Graph.ValueID, where mask: [Bool], _ other: [Int]) throws -> Graph.ValueID {
        guard mask.contains(true) else { return list }
        let isOther = e.constant(GraphValue(try Tensor(mask, shape: [rank])))
        return try e.node("Where", [isOther, e.integers(other), list])
      }
      let begin = try e.int64(call.value("begin"))
      starts = try chosen(
        begin, where: axes.map { openBegins[$0] && !squeezed[$0] }, axes.map { strides[$0] < 0 ? far : 0 })
      var stop = try chosen(e.int64(call.value("end")), where: openEnds, axes.map { strides[$0] < 0 ? -far : far })
      if squeezed.contains(true) {
        let next = try e.node("Add", [begin, e.integers([Int](repeating: 1, count: rank))])
        let isLast = try e.node("Equal", [next, e.integers([Int](repeating: 0, count: rank))])
        let after = try e.node("Where", [isLast, e.integers([Int](repeating: far, count: rank)), next])
        let isSqueezed = e.constant(GraphValue(try Tensor(squeezed, shape: [rank])))
        stop = try e.node("Where", [isSqueezed, after, stop])
      }
      ends = stop
    }
    let cut = try e.node("Slice", [x, starts, ends, e.integers(axes), e.integers(steps)])
    let dropped = axes.filter { squeezed[$0] }
    return dropped.isEmpty || keepingAxes ? cut : try e.squeeze(cut, dropped)
  }

  private static func sliceBySize(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    let rank = try e.rank(x)
    let axes = try e.integers(Array(0..<rank))
    if let begin = try call.intsIfKnown("begin"), let size = try call.intsIfKnown("size") {
      guard begin.count == rank, size.count == rank else {
        throw OperatorError("\(begin.count) beginnings and \(size.count) sizes are given for \(rank) axes")
      }
      let ends = zip(begin, size).map { begin, size in
        size == -1 || (begin < 0 && begin + size >= 0) ? far : begin + size
      }
      return try e.node("Slice", [x, e.integers(begin), e.integers(ends), axes])
    }
    let (begin, size) = try (e.int64(call.value("begin")), e.int64(call.value("size")))
    let sum = try e.node("Add", [begin, size])
    let isAll = try e.node("Equal", [size, e.integers([-1])])
    // An end that counts from behind as its beginning does is not the first element, but what lies behind the last.
    let isFromEnd = try e.node("Less", [begin, e.integers([0])])
    let isBehind = try e.node("And", [isFromEnd, e.node("GreaterOrEqual", [sum, e.integers([0])])])
    let isOpen = try e.node("Or", [isAll, isBehind])
    return try e.node("Slice", [x, begin, e.node("Where", [isOpen, e.integers([far]), sum]), axes])
  }

  /// x with a slice of it replaced: the slice of the places of all elements says where the new ones go.
  private static func sliceUpdate(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    let shape = try e.node("Shape", [x])
    let all = try e.node("Range", [e.integer(0), e.node("Size", [x]), e.integer(1)])
    let places = try sliceByIndex(call, e.node("Reshape", [all, shape]), keepingAxes: true)
    let flat = try e.integers([-1])
    let updated = try e.node(
      "ScatterElements",
      [
        e.node("Reshape", [x, flat]), e.node("Reshape", [places, flat]),
        e.node("Reshape", [call.value("update"), flat]),
      ], ["axis": .int(0)])
    return try e.node("Reshape", [updated, shape])
  }

  /// Windows of `size` along an axis, which becomes two: the windows, and the places in each.
  static func slidingWindows(
    _ x: Graph.ValueID, axis: Int, size: Int, stride: Int, _ e: Emitter
  ) throws -> Graph.ValueID {
    guard 1...(1 << 24) ~= size, stride > 0 else { throw OperatorError("windows of size \(size) are \(stride) apart") }
    let last: Graph.ValueID
    switch try e.extent(x, axis) {
    case .known(let extent): last = try e.integer(extent - size + 1)
    case .value(let id):
      last = try e.node("Sub", [e.reshape(id, [Int]()), e.integer(size - 1)])
    }
    let first = try e.node("Range", [e.integer(0), last, e.integer(stride)])
    let places = try e.node("Add", [e.unsqueeze(first, [1]), e.integers(Array(0..<size))])
    return try e.node("Gather", [x, places], ["axis": .int(Int64(axis))])
  }

  // MARK: Padding and blocks

  private static func padded(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    let modes = ["constant": "constant", "reflect": "reflect", "replicate": "edge"]
    let name = try call.string("mode", default: "constant")
    guard let mode = modes[name] else { throw OperatorError("mode '\(name)' is not known") }
    let rank = try e.rank(x)
    let amounts: Graph.ValueID
    let axes: Int
    if let pad = try call.intsIfKnown("pad") {
      axes = pad.count / 2
      amounts = try e.integers(pads(pad, axes: axes))
    } else {
      let pad = try call.value("pad")
      guard let count = try e.shape(pad).first ?? nil else { throw OperatorError("the number of axes is not known") }
      axes = count / 2
      let pairs = try e.reshape(e.int64(pad), [axes, 2])
      amounts = try e.reshape(e.transpose(pairs, [1, 0]), [-1])
    }
    guard axes <= rank else { throw OperatorError("\(axes) axes of a tensor of rank \(rank) are padded") }
    var value: Graph.ValueID?
    if mode == "constant", call.has("constant_val") {
      value = try call.value("constant_val")
      if let type = e.elementType(x), let id = value { value = try e.cast(id, to: type) }
    }
    return try e.node(
      "Pad", [x, amounts, value, e.integers(Array((rank - axes)..<rank))], ["mode": .string(Array(mode.utf8))])
  }

  private static func blocks(_ call: Call, _ type: String, _ size: String, mode: String? = nil) throws -> Graph.ValueID
  {
    var attributes = ["blocksize": AttributeValue.int(Int64(try call.int(size, default: 1)))]
    if let mode { attributes["mode"] = .string(Array(mode.utf8)) }
    return try call.emitter.node(type, [call.value("x")], attributes)
  }

  private static func pixelUnshuffle(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    let factor = try call.int("downscale_factor", default: 1)
    guard try e.rank(x) == 4 else { throw OperatorError("a tensor of rank 4 is needed") }
    let (n, c) = try (e.extent(x, 0), e.extent(x, 1))
    let h = try e.divided(e.extent(x, 2), by: factor)
    let w = try e.divided(e.extent(x, 3), by: factor)
    let split = try e.reshape(x, [n, c, h, .known(factor), w, .known(factor)])
    return try e.reshape(
      e.transpose(split, [0, 1, 3, 5, 2, 4]), [n, e.times(c, factor * factor), h, w])
  }

  /// Sizes of blocks and the two numbers for each axis, of the last axes of x.
  private static func blockSettings(
    _ call: Call, _ amounts: String
  ) throws -> (x: Graph.ValueID, first: Int, sizes: [Int], amounts: [Int]) {
    let x = try call.value("x")
    let (sizes, pairs) = try (call.ints("block_shape"), call.ints(amounts))
    let rank = try call.emitter.rank(x)
    guard sizes.count + 1 < rank + 1, rank - sizes.count >= 1, pairs.count == 2 * sizes.count,
      sizes.allSatisfy({ $0 > 0 })
    else {
      throw OperatorError("blocks of \(sizes) and \(amounts) of \(pairs) do not fit a tensor of rank \(rank)")
    }
    return (x, rank - sizes.count, sizes, pairs)
  }

  private static func spaceToBatch(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let (x, first, sizes, pairs) = try blockSettings(call, "paddings")
    let axes = sizes.indices.map { first + $0 }
    let padded = try e.node(
      "Pad", [x, e.integers(pads(pairs, axes: sizes.count)), nil, e.integers(axes)])
    let count = sizes.reduce(1) { $0.multipliedClamped(by: $1) }
    let leading = try (0..<first).map { try e.extent(x, $0) }
    var places: [GraphExtent] = []
    var split: [GraphExtent] = leading
    for (index, size) in sizes.enumerated() {
      let total = pairs[2 * index] + pairs[2 * index + 1]
      let extent: GraphExtent
      switch try e.extent(x, axes[index]) {
      case .known(let known): extent = .known(known + total)
      case .value(let id): extent = .value(try e.node("Add", [id, e.integers([total])]))
      }
      places.append(try e.divided(extent, by: size))
      split += [places[index], .known(size)]
    }
    let inner = sizes.indices.map { first + 2 * $0 + 1 }
    let outer = sizes.indices.map { first + 2 * $0 }
    let moved = try e.transpose(e.reshape(padded, split), inner + Array(0..<first) + outer)
    let batch = try e.times(leading[0], count)
    return try e.reshape(moved, [batch] + leading.dropFirst() + places)
  }

  private static func batchToSpace(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let (x, first, sizes, pairs) = try blockSettings(call, "crops")
    let count = sizes.reduce(1) { $0.multipliedClamped(by: $1) }
    let batch = try e.divided(e.extent(x, 0), by: count)
    let middle = try (1..<max(1, first)).map { try e.extent(x, $0) }
    let places = try sizes.indices.map { try e.extent(x, first + $0) }
    let split = try e.reshape(x, sizes.map { .known($0) } + [batch] + middle + places)
    let m = sizes.count
    var order = [m] + (0..<middle.count).map { m + 1 + $0 }
    for index in sizes.indices { order += [m + first + index, index] }
    let merged = try e.reshape(
      e.transpose(split, order), [batch] + middle + sizes.indices.map { try e.times(places[$0], sizes[$0]) })
    let ends = sizes.indices.map { pairs[2 * $0 + 1] == 0 ? far : -pairs[2 * $0 + 1] }
    return try e.slice(
      merged, from: sizes.indices.map { pairs[2 * $0] }, to: ends, axes: sizes.indices.map { first + $0 })
  }
}
