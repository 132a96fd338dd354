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
        try e.expand(
          tensors[index],
          e.list(
            call.output(index).extents.map { size in
              guard let size else { throw OperatorError("tensors of open sizes") }
              return .known(size)
            }))
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
    let sizes: Graph.ValueID
    if known.count == count {
      sizes = try e.integers(known)
    } else if let list = try call.optionalExtents("split_sizes") ?? call.optionalExtents("split_size"),
      list.count == count
    {
      sizes = try e.list(list)
    } else {
      throw OperatorError("the sizes of the parts must be known before the program runs")
    }
    return try e.nodes("Split", [x, sizes], outputs: count, ["axis": .int(axis)])
  }
}

extension Emitter {
  func joined(_ parts: [Graph.ValueID], axis: Int, as type: ElementType) throws -> Graph.ValueID {
    let operands = try parts.map { try cast($0, to: type) }
    return operands.count == 1 ? operands[0] : try node("Concat", operands, ["axis": .int(axis)])
  }
}
