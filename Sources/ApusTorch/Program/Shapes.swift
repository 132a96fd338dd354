import Apus
import ApusGraph

// The same numbers in another shape or order.

extension ProgramBuilder {
  static let shapes: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for (name, size) in [
      ("view", "size"), ("reshape", "shape"), ("_unsafe_view", "size"),
      ("_reshape_alias", "size"),
    ] {
      result[name] = { call in
        guard !call.has("dtype") else {
          throw OperatorError("it reads the bits of numbers as those of another type, which is not supported")
        }
        let e = call.emitter
        let x = try call.x
        let result = try call.reshaped(x, call.extents(size))
        if let matrix = e.repeatedMatrices[x], try e.shape(matrix)[...] == call.outputShape.suffix(2) {
          e.repeatedMatrices[result] = matrix
        }
        return [result]
      }
    }
    for name in ["view_as", "reshape_as"] {
      result[name] = { call in
        [try call.emitter.node("Reshape", [call.x, call.emitter.node("Shape", [call.value("other")])])]
      }
    }
    for name in ["flatten", "ravel"] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        let rank = try e.rank(x)
        guard rank > 0 else { return [try e.reshape(x, [1])] }
        let first = name == "ravel" ? 0 : try call.axis("start_dim", default: 0, of: x)
        let last = name == "ravel" ? rank - 1 : try call.axis("end_dim", default: -1, of: x)
        guard first <= last else { throw OperatorError("start_dim lies behind end_dim") }
        let front = try (0..<first).map { try e.extent(x, $0) }
        let behind = try ((last + 1)..<rank).map { try e.extent(x, $0) }
        return [try call.reshaped(x, front + [.known(-1)] + behind)]
      }
    }
    result["unflatten"] = { call in
      let e = call.emitter
      let x = try call.x
      let axis = try call.axis(of: x)
      let front = try (0..<axis).map { try e.extent(x, $0) }
      let behind = try ((axis + 1)..<max(axis + 1, e.rank(x))).map { try e.extent(x, $0) }
      return [try call.reshaped(x, front + call.extents("sizes") + behind)]
    }
    result["unsqueeze"] = { call in
      let e = call.emitter
      let x = try call.x
      return [try e.unsqueeze(x, [e.axis(call.int("dim"), rank: e.rank(x) + 1)])]
    }
    result["squeeze"] = { call in
      let e = call.emitter
      let x = try call.x
      let shape = try e.shape(x)
      let axes = try call.optionalInts("dim")?.map { try e.axis($0, rank: shape.count) } ?? Array(shape.indices)
      let single = axes.filter { shape.indices.contains($0) && shape[$0] == 1 }
      return [single.isEmpty ? x : try e.squeeze(x, Array(Set(single)).sorted())]
    }
    for (name, first, second) in [
      ("transpose", "dim0", "dim1"), ("swapaxes", "axis0", "axis1"), ("swapdims", "dim0", "dim1"),
    ] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        var order = Array(0..<(try e.rank(x)))
        let (a, b) = (try call.axis(first, of: x), try call.axis(second, of: x))
        if order.count > 1 { order.swapAt(a, b) }
        return [try e.transpose(x, order)]
      }
    }
    for name in ["t", "numpy_T", "mT", "mH", "adjoint", "matrix_H"] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        var order = Array(0..<(try e.rank(x)))
        if name == "numpy_T" {
          order.reverse()
        } else if order.count > 1 {
          order.swapAt(order.count - 1, order.count - 2)
        }
        return [try e.transpose(x, order)]
      }
    }
    result["permute"] = { call in
      let e = call.emitter
      let x = try call.x
      let rank = try e.rank(x)
      return [try e.transpose(x, call.ints("dims").map { try e.axis($0, rank: rank) })]
    }
    for name in ["movedim", "moveaxis"] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        let rank = try e.rank(x)
        guard rank > 0 else { return [x] }
        let sources = try call.ints("source").map { try e.axis($0, rank: rank) }
        let targets = try call.ints("destination").map { try e.axis($0, rank: rank) }
        return [try e.transpose(x, e.order(moving: sources, to: targets, rank: rank))]
      }
    }
    for name in ["expand", "broadcast_to"] {
      result[name] = { call in
        let e = call.emitter
        // −1 leaves an extent as it is, and so does 1 here.
        let sizes = try call.extents("size").map { size -> GraphExtent in
          if case .known(-1) = size { .known(1) } else { size }
        }
        let x = try call.x
        let (shape, declared) = (try e.shape(x), try call.outputShape)
        if shape == declared, !shape.contains(nil) { return [try e.node("Identity", [x])] }
        let result = try e.expand(x, e.list(sizes))
        if shape.count == 2, !shape.contains(nil), declared.suffix(2) == shape[...] { e.repeatedMatrices[result] = x }
        return [result]
      }
    }
    result["expand_as"] = { call in
      [try call.emitter.expand(call.x, call.emitter.node("Shape", [call.value("other")]))]
    }
    for (name, times) in [("repeat", "repeats"), ("tile", "dims")] {
      result[name] = { call in
        let e = call.emitter
        var x = try call.x
        var counts = try call.extents(times)
        let missing = counts.count - (try e.rank(x))
        if missing > 0 { x = try e.unsqueeze(x, Array(0..<missing)) }
        if missing < 0 { counts = [GraphExtent](repeating: .known(1), count: -missing) + counts }
        return [counts.isEmpty ? x : try e.node("Tile", [x, e.list(counts)])]
      }
    }
    result["repeat_interleave"] = { call in
      let e = call.emitter
      guard call.has("self") else {
        let sources = try e.sources(repeating: e.reshape(call.value("repeats", as: .int64), [-1]))
        return [try e.cast(sources, to: call.outputType)]
      }
      var x = try call.value("self")
      if !call.has("dim") { x = try e.reshape(x, [-1]) }
      let axis = call.has("dim") ? try call.axis(of: x) : 0
      if try e.rank(x) == 0 { x = try e.reshape(x, [1]) }
      let count: GraphExtent
      switch call.argument("repeats") {
      case .int(let times)? where 0...TorchSize.limit ~= times: count = .known(times)
      case .symbol?: count = try call.extent("repeats")
      default:
        // A single count stands for all elements.
        let counts = try e.expand(
          e.reshape(call.value("repeats", as: .int64), [-1]), e.list([e.extent(x, axis)]))
        return [try e.node("Gather", [x, e.sources(repeating: counts)], ["axis": .int(axis)])]
      }
      var times = [GraphExtent](repeating: .known(1), count: try e.rank(x) + 1)
      times[axis + 1] = count
      let tiled = try e.node("Tile", [e.unsqueeze(x, [axis + 1]), e.list(times)])
      let extents = try (0..<(e.rank(x))).map {
        $0 == axis ? try e.product(e.extent(x, $0), count) : try e.extent(x, $0)
      }
      return [try call.reshaped(tiled, extents)]
    }
    for name in ["flip", "fliplr", "flipud"] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        let rank = try e.rank(x)
        let axes =
          name == "flip" ? try call.ints("dims").map { try e.axis($0, rank: rank) } : [name == "fliplr" ? 1 : 0]
        return [try e.flipped(x, rank == 0 ? [] : axes)]
      }
    }
    result["rot90"] = { call in
      let e = call.emitter
      let x = try call.x
      let rank = try e.rank(x)
      let axes = try (call.optionalInts("dims") ?? [0, 1]).map { try e.axis($0, rank: rank) }
      guard axes.count == 2 else { throw OperatorError("dims are two axes") }
      var order = Array(0..<rank)
      order.swapAt(axes[0], axes[1])
      switch ((try call.int("k", default: 1) % 4) + 4) % 4 {
      case 1: return [try e.transpose(e.flipped(x, [axes[1]]), order)]
      case 2: return [try e.flipped(x, axes)]
      case 3: return [try e.flipped(e.transpose(x, order), [axes[1]])]
      default: return [x]
      }
    }
    result["roll"] = { call in
      let e = call.emitter
      let x = try call.x
      let (shifts, dims) = (try call.extents("shifts"), try call.optionalInts("dims") ?? [])
      if dims.isEmpty {
        let flat = try e.rolled(e.reshape(x, [-1]), shifts.first ?? .known(0), axis: 0)
        return [try e.node("Reshape", [flat, e.node("Shape", [x])])]
      }
      guard try e.rank(x) > 0 else { return [x] }
      return [
        try zip(shifts, dims).reduce(x) { try e.rolled($0, $1.0, axis: e.axis($1.1, rank: e.rank(x))) }
      ]
    }
    for (name, isInverse) in [("fft_fftshift", false), ("fft_ifftshift", true)] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        let dims = try call.optionalInts("dim") ?? Array(0..<e.rank(x))
        return [
          try dims.reduce(x) { x, dim in
            let axis = try e.axis(dim, rank: e.rank(x))
            switch try e.extent(x, axis) {
            case .known(let size): return try e.rolled(x, (isInverse ? -1 : 1) * (size / 2), axis: axis)
            case .value(let size):
              let half = try e.node("Div", [size, e.integers([2])])
              return try e.rolled(x, from: isInverse ? half : e.node("Sub", [size, half]), axis: axis)
            }
          }
        ]
      }
    }
    for name in ["diagonal", "linalg_diagonal"] {
      result[name] = { call in
        let x = try call.x
        let isLast = name == "linalg_diagonal"
        return [
          try call.emitter.diagonal(
            x, offset: call.int("offset", default: 0), call.axis("dim1", default: isLast ? -2 : 0, of: x),
            call.axis("dim2", default: isLast ? -1 : 1, of: x))
        ]
      }
    }
    result["diag_embed"] = { call in
      try [
        call.emitter.diagonalMatrix(
          call.x, offset: call.int("offset", default: 0), call.int("dim1", default: -2), call.int("dim2", default: -1),
          as: call.outputType)
      ]
    }
    result["diag"] = { call in
      let e = call.emitter
      let (x, offset) = (try call.x, try call.int("diagonal", default: 0))
      guard try e.rank(x) == 1 else { return [try e.diagonal(x, offset: offset, 0, 1)] }
      return [try e.diagonalMatrix(x, offset: offset, 0, 1, as: call.outputType)]
    }
    for (name, upper) in [("tril", 0), ("triu", 1)] {
      result[name] = { call in
        let e = call.emitter
        return [
          try e.node("Trilu", [call.x, e.integer(call.int("diagonal", default: 0))], ["upper": .int(upper)])
        ]
      }
    }
    result["unfold"] = { call in
      let e = call.emitter
      var x = try call.x
      let isSingle = try e.rank(x) == 0
      if isSingle { x = try e.reshape(x, [1]) }
      let (axis, size, step) = (
        try call.axis("dimension", of: x), try call.int("size"), try call.int("step")
      )
      let windows = try e.node(
        "Gather", [x, e.windows(of: size, by: step, along: e.extent(x, axis))], ["axis": .int(axis)])
      let rank = try e.rank(x) + 1
      let moved = try e.transpose(windows, e.order(moving: [axis + 1], to: [rank - 1], rank: rank))
      return [isSingle ? try e.squeeze(moved, [0]) : moved]
    }
    result["pixel_shuffle"] = { call in
      let e = call.emitter
      let x = try call.x
      let shape = try e.shape(x)
      let attributes: [String: AttributeValue] = [
        "blocksize": .int(try call.int("upscale_factor")), "mode": .text("CRD"),
      ]
      guard shape.count != 4 else { return [try e.node("DepthToSpace", [x], attributes)] }
      let known = try call.knownShape(x)
      let picture = try e.reshape(
        x, [Shape.elementCount(known.dropLast(3), operation: "pixel_shuffle")] + known.suffix(3))
      return [try e.reshape(e.node("DepthToSpace", [picture], attributes), call.knownOutputShape)]
    }
    result["pixel_unshuffle"] = { call in
      let e = call.emitter
      let x = try call.x
      let (rank, r) = (try e.rank(x), try call.int("downscale_factor"))
      guard rank >= 3, 1...(1 << 16) ~= r else { throw OperatorError("a picture of \(rank) axes by \(r)") }
      let n = rank - 2
      let front = try (0..<n).map { try e.extent(x, $0) }
      let size = try (n..<rank).map { try e.divided(e.extent(x, $0), by: r) }
      let cut = try e.reshape(x, front + [size[0], .known(r), size[1], .known(r)])
      let ordered = try e.transpose(cut, Array(0..<n) + [n + 1, n + 3, n, n + 2])
      return [try call.reshaped(ordered, front.dropLast() + [e.times(front[n - 1], r * r)] + size)]
    }
    for name in ["channel_shuffle", "native_channel_shuffle"] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        let (shape, groups) = (try e.shape(x), try call.int("groups"))
        guard shape.count > 2, groups > 0, (shape[1] ?? 0) % groups == 0 else {
          throw OperatorError("\(groups) groups of channels of shape \(shape.map { $0.map(String.init) ?? "?" })")
        }
        let extents = try shape.indices.map { try e.extent(x, $0) }
        let group = try e.divided(extents[1], by: groups)
        let cut = try e.reshape(x, [extents[0], .known(groups), group] + extents.dropFirst(2))
        let order = [0, 2, 1] + Array(3..<(shape.count + 1))
        return [try call.reshaped(e.transpose(cut, order), extents)]
      }
    }
    result["as_strided"] = { call in
      let e = call.emitter
      let x = try call.x
      let (sizes, strides) = (try call.ints("size"), try call.ints("stride"))
      let memory = try call.memory()
      let places = try memoryPlaces(sizes, strides, from: call.optionalInt("storage_offset") ?? memory.offset)
      // Places are those of the memory, in which elements may lie in another order, and not at the front.
      let elements = Dictionary(
        zip(try memoryPlaces(memory.sizes, memory.strides, from: memory.offset), 0...),
        uniquingKeysWith: { first, _ in first })
      let table = e.constant(
        GraphValue(
          try Tensor(
            places.map { place in
              guard let element = elements[place] else {
                throw OperatorError("it reads what lies beside its argument in memory, which is not known here")
              }
              return Int64(element)
            }, shape: sizes)))
      return [try e.node("Gather", [e.reshape(x, [-1]), table], ["axis": .int(0)])]
    }
    for (name, least) in [("atleast_1d", 1), ("atleast_2d", 2), ("atleast_3d", 3)] {
      result[name] = { call in
        if case .tensors? = call.argument() { return try call.tensors().map { try call.emitter.atLeast(least, $0) } }
        return [try call.emitter.atLeast(least, call.x)]
      }
    }
    return result
  }()

  /// Where in memory the elements of a tensor with such strides lie, in their order.
  private static func memoryPlaces(_ sizes: [Int], _ strides: [Int], from offset: Int) throws -> [Int] {
    guard sizes.count == strides.count, sizes.allSatisfy({ $0 >= 0 }), strides.allSatisfy({ 0...1 << 31 ~= $0 }) else {
      throw OperatorError("sizes \(sizes) and strides \(strides)")
    }
    try Shape.checkMemory(sizes, of: Int64.self, operation: "as_strided")
    // Of an axis without places, the others may be of any size.
    if sizes.contains(0) { return [] }
    var places = [offset]
    for (size, stride) in zip(sizes, strides) {
      places = places.flatMap { start in (0..<size).map { start &+ $0 &* stride } }
    }
    return places
  }
}

extension Call {
  /// How the elements of the first argument lie in memory.
  fileprivate func memory() throws -> (sizes: [Int], strides: [Int], offset: Int) {
    guard let name = argument()?.names.first, let type = graph.tensors[name], let offset = type.offset.known?.bounded
    else { throw OperatorError("how its argument lies in memory must be known before the program runs") }
    let (sizes, strides) = (type.sizes.compactMap(\.known), type.strides.compactMap(\.known))
    guard sizes.count == type.sizes.count, strides.count == type.sizes.count else {
      throw OperatorError("how its argument lies in memory must be known before the program runs")
    }
    return (sizes, strides, offset)
  }

  /// `x` in another shape; −1 stands for what is left. What the program says of the result goes before.
  func reshaped(_ x: Graph.ValueID, _ extents: [GraphExtent]) throws -> Graph.ValueID {
    let e = emitter
    let declared = try outputShape
    guard declared.count == extents.count else { return try e.reshape(x, extents) }
    let sizes = zip(declared, extents).map { $0.map { .known($0) } ?? $1 }
    let open = declared.indices.filter { declared[$0] == nil }
    if open.count <= 1, !declared.contains(0) { return try e.reshape(x, declared.map { $0 ?? -1 }) }
    // At most one extent may be left to what is left, which 0 says nothing of.
    return try e.node("Reshape", [x, e.list(sizes)], ["allowzero": .flag(declared.contains(0))])
  }
}

extension Emitter {
  /// The order of axes in which `sources` stand at `targets`, and the others as they did.
  func order(moving sources: [Int], to targets: [Int], rank: Int) throws -> [Int] {
    guard sources.count == targets.count, Set(sources).count == sources.count, Set(targets).count == targets.count
    else {
      throw OperatorError("axes \(sources) cannot be moved to \(targets)")
    }
    let moved = Dictionary(uniqueKeysWithValues: zip(targets, sources))
    var others = (0..<rank).filter { !sources.contains($0) }[...]
    return (0..<rank).compactMap { moved[$0] ?? others.popFirst() }
  }

  func flipped(_ x: Graph.ValueID, _ axes: [Int]) throws -> Graph.ValueID {
    if axes.isEmpty { return x }
    return try slice(
      x, from: axes.map { _ in -1 }, to: axes.map { _ in -TorchSize.limit }, axes: axes, steps: axes.map { _ in -1 })
  }

  /// Of elements that are repeated so many times, INT64 of one axis, which stands at each place.
  func sources(repeating counts: Graph.ValueID) throws -> Graph.ValueID {
    // Place by place, how many elements have come to their end.
    let ends = try node("CumSum", [counts, integer(0)])
    let all = try node("ReduceSum", [counts], ["keepdims": .int(0)])
    let places = try unsqueeze(node("Range", [integer(0), all, integer(1)]), [1])
    let isOver = try cast(node("LessOrEqual", [ends, places]), to: .int64)
    return try node("ReduceSum", [isOver, integers([1])], ["keepdims": .int(0)])
  }

  /// The places that windows along an axis read: [windows, size].
  func windows(of size: Int, by step: Int, along extent: GraphExtent) throws -> Graph.ValueID {
    let isShorter = if case .known(let length) = extent { size > length } else { false }
    guard size >= 0, step >= 1, !isShorter else {
      throw OperatorError("windows of \(size) by steps of \(step), of an axis that is shorter")
    }
    switch extent {
    case .known(let length):
      let count = (length - size) / step + 1
      try Shape.checkMemory([count, size], of: Int64.self, operation: "unfold")
      return try places((0..<count).map { part in (0..<size).map { part * step + $0 } })
    case .value(let length):
      try Shape.checkMemory([size], of: Int64.self, operation: "unfold")
      let rest = try node("Sub", [length, integers([size])])
      let count = try node("Add", [node("Div", [rest, integers([step])]), integers([1])])
      let firsts = try node("Mul", [counting(.value(count)), integers([step])])
      return try node("Add", [unsqueeze(firsts, [1]), places([Array(0..<size)])])
    }
  }

  /// The elements of an axis, so many places further on.
  func rolled(_ x: Graph.ValueID, _ shift: GraphExtent, axis: Int) throws -> Graph.ValueID {
    switch shift {
    case .known(let shift): return try rolled(x, shift, axis: axis)
    case .value(let shift):
      let size = try node("Max", [list([extent(x, axis)]), integers([1])])
      return try rolled(x, from: node("Mod", [node("Neg", [shift]), size]), axis: axis)
    }
  }

  func rolled(_ x: Graph.ValueID, _ shift: Int, axis: Int) throws -> Graph.ValueID {
    // Where the first element comes from.
    let first: Graph.ValueID
    switch try extent(x, axis) {
    case .known(let size):
      let start = size > 0 ? (size - shift % size) % size : 0
      if start == 0 { return x }
      first = try integers([start])
    case .value(let size):
      if shift == 0 { return x }
      first = try node("Mod", [integers([0 &- shift]), node("Max", [size, integers([1])])])
    }
    return try rolled(x, from: first, axis: axis)
  }

  /// The elements of an axis from `first` on, an INT64 of shape [1], and then those before it.
  func rolled(_ x: Graph.ValueID, from first: Graph.ValueID, axis: Int) throws -> Graph.ValueID {
    let back = try node("Slice", [x, first, integers([TorchSize.limit]), integers([axis])])
    return try node(
      "Concat", [back, node("Slice", [x, integers([0]), first, integers([axis])])], ["axis": .int(axis)])
  }

  /// What lies on a diagonal of two axes, as the last axis.
  func diagonal(_ x: Graph.ValueID, offset: Int, _ first: Int, _ second: Int) throws -> Graph.ValueID {
    let rank = try rank(x)
    guard rank >= 2, first != second else { throw OperatorError("a diagonal of \(rank) axes") }
    let moved = try transpose(x, order(moving: [first, second], to: [rank - 2, rank - 1], rank: rank))
    let shape = try shape(x)
    guard let rows = shape[first], let columns = shape[second] else { return try diagonal(moved, offset: offset) }
    // Beyond the corners there is nothing.
    let offset = min(max(offset, -rows), columns)
    let count = max(0, offset >= 0 ? min(rows, columns - offset) : min(rows + offset, columns))
    try Shape.checkMemory([count], of: Int64.self, operation: "diagonal")
    let places = try Shape.elementCount([rows, columns], operation: "diagonal")
    let start = offset >= 0 ? offset : -offset * columns
    let front = try (0..<(rank - 2)).map { try extent(moved, $0) }
    let flat = try node("Reshape", [moved, list(front + [.known(places)])])
    return try node(
      "Gather", [flat, integers((0..<count).map { start + $0 * (columns + 1) })], ["axis": .int(rank - 2)])
  }

  /// What lies on a diagonal of the last two axes, of which the run says how long they are.
  private func diagonal(_ x: Graph.ValueID, offset: Int) throws -> Graph.ValueID {
    let rank = try rank(x)
    // What begins at the first place.
    let cut = try slice(
      x, from: [max(0, -offset), max(0, offset)], to: [TorchSize.limit, TorchSize.limit], axes: [rank - 2, rank - 1])
    let front = try (0..<(rank - 2)).map { try extent(x, $0) }
    let (rows, columns) = (try list([extent(cut, rank - 2)]), try list([extent(cut, rank - 1)]))
    let flat = try node(
      "Reshape", [cut, list(front + [.value(node("Mul", [rows, columns]))])], ["allowzero": .flag(true)])
    let count = try squeeze(node("Min", [rows, columns]), [0])
    let places = try node(
      "Mul", [node("Range", [integer(0), count, integer(1)]), node("Add", [columns, integers([1])])])
    return try node("Gather", [flat, places], ["axis": .int(rank - 2)])
  }

  /// The last axis as a diagonal of two.
  func diagonalMatrix(
    _ x: Graph.ValueID, offset: Int, _ first: Int, _ second: Int, as type: ElementType
  ) throws -> Graph.ValueID {
    let rank = try rank(x) + 1
    guard rank >= 2, let count = try shape(x).last ?? nil else { throw OperatorError("a diagonal of open size") }
    let size = count + abs(offset)
    try Shape.checkMemory([size, size], of: Bool.self, operation: "diag_embed")
    var mask = [Bool](repeating: false, count: size * size)
    for place in 0..<count {
      let (row, column) = offset >= 0 ? (place, place + offset) : (place - offset, place)
      mask[row * size + column] = true
    }
    // Along rows or columns, whichever begin with the diagonal.
    let across = offset >= 0 ? rank - 1 : rank - 2
    let line = try unsqueeze(x, [across])
    let along = offset >= 0 ? rank - 2 : rank - 1
    var pads = [Int](repeating: 0, count: 2 * rank)
    pads[rank + along] = abs(offset)
    let padded = try offset == 0 ? line : node("Pad", [type == .bool ? cast(line, to: .uint8) : line, integers(pads)])
    let isOn = constant(GraphValue(try Tensor(mask, shape: [size, size])))
    let filled = try node("Where", [isOn, cast(padded, to: type), number(0, as: type)])
    let targets = [try axis(first, rank: rank), try axis(second, rank: rank)]
    return try transpose(filled, order(moving: [rank - 2, rank - 1], to: targets, rank: rank))
  }

  /// The value with axes of extent 1 until it has so many: PyTorch puts a list between them.
  func atLeast(_ least: Int, _ x: Graph.ValueID) throws -> Graph.ValueID {
    let rank = try rank(x)
    if rank >= least { return x }
    switch (rank, least) {
    case (0, _): return try reshape(x, [Int](repeating: 1, count: least))
    case (1, 2): return try unsqueeze(x, [0])
    case (1, _): return try unsqueeze(x, [0, 2])
    default: return try unsqueeze(x, [rank])
    }
  }
}
