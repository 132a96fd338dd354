import Apus
import ApusGraph

// Tensors put together, and taken apart.

extension ProgramBuilder {
  static let joining: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for name in ["cat", "concat", "concatenate"] {
      result[name] = { call in
        let e = call.emitter
        let tensors = try call.tensors("tensors")
        // PyTorch lets lists of nothing stand beside tensors of any shape.
        let kept = tensors.filter { id in tensors.count == 1 || e.knownShape(id) != [0] }
        guard let first = kept.first ?? tensors.first else { throw OperatorError("it joins nothing") }
        return [
          try e.joined(
            kept.isEmpty ? [first] : kept, axis: e.axis(call.int("dim", default: 0), rank: e.rank(first)),
            as: call.outputType)
        ]
      }
    }
    result["stack"] = { call in
      let e = call.emitter
      let tensors = try call.tensors("tensors")
      guard let first = tensors.first else { throw OperatorError("it joins nothing") }
      let axis = try e.axis(call.int("dim", default: 0), rank: e.rank(first) + 1)
      return [try e.joined(tensors.map { try e.unsqueeze($0, [axis]) }, axis: axis, as: call.outputType)]
    }
    for (names, least, axis) in [
      (["hstack"], 1, 1), (["vstack", "row_stack"], 2, 0), (["dstack"], 3, 2), (["column_stack"], 1, 1),
    ] {
      for name in names {
        result[name] = { call in
          let e = call.emitter
          var tensors = try call.tensors("tensors").map { try e.atLeast(least, $0) }
          if name == "column_stack" { tensors = try tensors.map { try e.rank($0) == 1 ? e.unsqueeze($0, [1]) : $0 } }
          guard let first = tensors.first else { throw OperatorError("it joins nothing") }
          return [try e.joined(tensors, axis: min(axis, e.rank(first) - 1), as: call.outputType)]
        }
      }
    }
    for name in [
      "split", "split_with_sizes", "chunk", "tensor_split", "hsplit", "vsplit", "dsplit", "unsafe_split",
      "unsafe_chunk", "unsafe_split_with_sizes",
    ] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        let rank = try e.rank(x)
        let axis =
          switch name {
          case "hsplit": min(1, rank - 1)
          case "vsplit": 0
          case "dsplit": 2
          default: try call.axis(default: 0, of: x)
          }
        return try pieces(call, x, axis: axis).map { $0 }
      }
    }
    result["unbind"] = { call in
      let e = call.emitter
      let x = try call.x
      let axis = try call.axis(default: 0, of: x)
      let count = call.node.outputs.flatMap(\.names).count
      guard count > 0 else { return [] }
      if count == 1 { return [try e.squeeze(x, [axis])] }
      let sizes = try e.integers([Int](repeating: 1, count: count))
      let parts = try e.nodes("Split", [x, sizes], outputs: count, ["axis": .int(axis)])
      return try parts.map { try e.squeeze($0, [axis]) }
    }
    result["meshgrid"] = { call in
      let e = call.emitter
      var lines = try call.tensors("tensors").map { try e.rank($0) == 0 ? e.reshape($0, [1]) : $0 }
      let swaps = try call.string("indexing", default: "ij") == "xy" && lines.count > 1
      if swaps { lines.swapAt(0, 1) }
      let extents = try lines.map { try e.extent($0, 0) }
      var grids = try lines.enumerated().map { index, line in
        let axes = lines.indices.filter { $0 != index }
        return try e.expand(axes.isEmpty ? line : e.unsqueeze(line, axes), e.list(extents))
      }
      if swaps { grids.swapAt(0, 1) }
      return grids.map { $0 }
    }
    result["block_diag"] = { call in
      let e = call.emitter
      let type = try call.outputType
      let parts = try call.tensors("tensors").map { try e.cast(e.atLeast(2, $0), to: type) }
      let widths = try parts.map { try call.knownShape($0)[1] }
      let all = widths.reduce(0) { $0.addingReportingOverflow($1).partialValue }
      var left = 0
      let rows = try zip(parts, widths).map { part, width in
        defer { left += width }
        return try e.node("Pad", [part, e.integers([0, left, 0, all - left - width])])
      }
      return [try e.joined(rows, axis: 0, as: type)]
    }
    result["cartesian_prod"] = { call in
      let e = call.emitter
      let lines = try call.tensors("tensors")
      if lines.count == 1 { return [lines[0]] }
      let extents = try lines.map { try e.extent($0, 0) }
      let columns = try lines.enumerated().map { index, line in
        let axes = lines.indices.filter { $0 != index }
        return try e.reshape(e.expand(e.unsqueeze(line, axes), e.list(extents)), [-1, 1])
      }
      return [try e.joined(columns, axis: 1, as: call.outputType)]
    }
    result["broadcast_tensors"] = { call in
      let e = call.emitter
      let tensors = try call.tensors("tensors")
      return try tensors.indices.map { index in
        let shape = try call.output(index).extents
        let known = shape.compactMap { $0 }
        if known.count == shape.count { return try e.expand(tensors[index], e.integers(known)) }
        // Along each of the others that may be longer.
        return try tensors.indices.reduce(tensors[index]) { x, other in
          try e.isAlike(tensors[index], tensors[other]) ? x : e.expand(x, e.node("Shape", [tensors[other]]))
        }
      }
    }
    return result
  }()

  /// The parts of an axis: as many and as long as the program says of what the call gives.
  private static func pieces(_ call: Call, _ x: Graph.ValueID, axis: Int) throws -> [Graph.ValueID] {
    let e = call.emitter
    let count = call.node.outputs.flatMap(\.names).count
    guard count > 0 else { return [] }
    let declared = try (0..<count).map { index -> Int? in
      let extents = try call.output(index).extents
      return extents.indices.contains(axis) ? extents[axis] : nil
    }
    let known = declared.compactMap { $0 }
    let list = try call.optionalExtents("split_sizes") ?? call.optionalExtents("split_size")
    let sizes: Graph.ValueID
    if known.count == count {
      sizes = try e.integers(known)
    } else if let list, list.count == count, count > 1 {
      sizes = try e.list(list)
    } else {
      sizes = try partSizes(call, e.list([e.extent(x, axis)]), step: list?.count == 1 ? list?.first : nil, count)
    }
    return try e.nodes("Split", [x, sizes], outputs: count, ["axis": .int(axis)])
  }
}

extension ProgramBuilder {
  /// The sizes of the parts of an open axis, which has `size` places, an INT64 of shape [1].
  private static func partSizes(
    _ call: Call, _ size: Graph.ValueID, step: GraphExtent?, _ count: Int
  ) throws -> Graph.ValueID {
    let e = call.emitter
    let parts = e.constant(GraphValue(try Tensor((0..<count).map { Int64($0) }, shape: [count])))
    var step = try step.map { try e.list([$0]) }
    if call.has("chunks") {
      let chunks = try call.int("chunks")
      guard chunks > 0 else { throw OperatorError("\(chunks) chunks") }
      step = try e.node("Div", [e.node("Add", [size, e.integers([chunks - 1])]), e.integers([chunks])])
    }
    // All of one size, but the last, which has what is left.
    if let step {
      let left = try e.node("Sub", [size, e.node("Mul", [parts, step])])
      return try e.node("Max", [e.node("Min", [left, step]), e.integers([0])])
    }
    if let indices = try call.optionalExtents("indices"), indices.count == count - 1 {
      // Places from the end are counted from there, and those beyond it lie at it.
      let places = try e.list(indices)
      let counted = try e.node(
        "Where", [e.node("Less", [places, e.integers([0])]), e.node("Add", [places, size]), places])
      let ends = try e.node("Min", [e.node("Max", [counted, e.integers([0])]), size])
      let starts = try e.node("Concat", [e.integers([0]), ends], ["axis": .int(0)])
      return try e.node("Sub", [e.node("Concat", [ends, size], ["axis": .int(0)]), starts])
    }
    guard call.has("sections"), try call.int("sections") == count else {
      throw OperatorError("the sizes of the parts must be known before the program runs")
    }
    // The first are one longer, as many as are left over.
    let sections = try e.integers([count])
    let isLonger = try e.node("Less", [parts, e.node("Mod", [size, sections])])
    return try e.node("Add", [e.node("Div", [size, sections]), e.cast(isLonger, to: .int64)])
  }
}

extension Emitter {
  /// Whether two values are known to be of one shape.
  fileprivate func isAlike(_ a: Graph.ValueID, _ b: Graph.ValueID) throws -> Bool {
    let rank = try rank(a)
    return try rank == self.rank(b) && (0..<rank).allSatisfy { try isAlike($0, of: a, $0, of: b) }
  }

  func joined(_ parts: [Graph.ValueID], axis: Int, as type: ElementType) throws -> Graph.ValueID {
    let operands = try parts.map { try cast($0, to: type) }
    return operands.count == 1 ? operands[0] : try node("Concat", operands, ["axis": .int(axis)])
  }
}
