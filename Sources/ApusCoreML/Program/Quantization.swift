import Apus
import ApusGraph

// Quantised values, and constants that a file keeps compressed.

extension ProgramBuilder {
  static let quantization: [String: Lowering] = [
    "quantize": { call in
      let e = call.emitter
      let x = try call.value("input")
      let name = try call.string("output_dtype", default: "int8")
      guard let type = MILType(name: name) else { throw OperatorError("the type '\(name)' is not known") }
      return [
        try e.node(
          "QuantizeLinear", [x, call.value("scale"), call.optional("zero_point")],
          ["axis": .int(Int64(quantizedAxis(call, x))), "output_dtype": .int(Int64(type.elementType.rawValue))])
      ]
    },
    "dequantize": { call in
      let e = call.emitter
      let x = try call.value("input")
      return [
        try e.node(
          "DequantizeLinear", [x, call.value("scale"), call.optional("zero_point")],
          ["axis": .int(Int64(quantizedAxis(call, x)))])
      ]
    },
  ]

  private static func quantizedAxis(_ call: Call, _ x: Graph.ValueID) throws -> Int {
    let rank = try call.emitter.rank(x)
    return rank == 0 ? 0 : try call.emitter.axis(call.int("axis", default: 0), rank: rank)
  }

  // MARK: Compressed constants

  /// Each form is a node, or a few, that passes fold when a session is made: the model itself holds what its file holds.
  static let compression: [String: Lowering] = [
    "constexpr_cast": { call in
      // Both types are kept as FLOAT.
      [try call.emitter.node("Identity", [parameter(call, "source_val")])]
    },
    "constexpr_affine_dequantize": { call in
      let e = call.emitter
      let data = try parameter(call, "quantized_data")
      let zeroPoint = try parameter(call, "zero_point")
      var scale = try parameter(call, "scale")
      let rank = try e.rank(data)
      let axis = try rank == 0 ? 0 : e.axis(attributeInt(call, "axis", default: 0), rank: rank)
      let points = e.knownShape(zeroPoint)
      // A scale for all beside a zero point for each counts for each.
      if let points, points.count == 1, points != [1], e.knownShape(scale)?.isEmpty == true {
        scale = try e.node("Expand", [scale, e.integers(points)])
      }
      if e.elementType(zeroPoint) == e.elementType(data), e.knownShape(scale) == points {
        return [try e.node("DequantizeLinear", [data, scale, zeroPoint], ["axis": .int(Int64(axis))])]
      }
      func stretched(_ x: Graph.ValueID) throws -> Graph.ValueID {
        let isVector = e.knownShape(x)?.isEmpty == false
        return try isVector
          ? e.reshape(x, [Int](repeating: 1, count: axis) + [-1] + [Int](repeating: 1, count: rank - axis - 1))
          : e.reshape(x, [Int](repeating: 1, count: rank))
      }
      return [try e.node("BlockDequantize", [data, stretched(scale), stretched(zeroPoint)], domain: "apus")]
    },
    "constexpr_blockwise_shift_scale": { call in
      [
        try call.emitter.node(
          "BlockDequantize",
          [parameter(call, "data"), parameter(call, "scale"), optionalParameter(call, "offset")], domain: "apus")
      ]
    },
    "constexpr_lut_to_dense": { call in
      let e = call.emitter
      let indices = try parameter(call, "indices")
      let table = try parameter(call, "lut")
      guard call.operation.attributes["shape"] == nil else {
        // Before iOS 18: indices packed in bytes, one table for all.
        let (shape, entries) = try (attributeInts(call, "shape"), tableSize(table, e))
        let unpacked = try unpack(indices, bits: max(1, entries.trailingZeroBitCount), shape, e)
        let wide = try broadcast(table, entries, rank: shape.count, e)
        return [try e.node("LookUp", [unpacked, wide], domain: "apus")]
      }
      return [try e.node("LookUp", [indices, table], domain: "apus", vectorAxis(call))]
    },
    "constexpr_sparse_to_dense": { call in
      let e = call.emitter
      let values = try parameter(call, "nonzero_data")
      var mask = try parameter(call, "mask")
      if call.operation.attributes["shape"] != nil {
        mask = try unpack(mask, bits: 1, attributeInts(call, "shape"), e)
      }
      return [try e.node("Densify", [values, mask], domain: "apus")]
    },
    "constexpr_lut_to_sparse": { call in
      let e = call.emitter
      let mask = try parameter(call, "indices_mask")
      let dense = try e.node("Densify", [parameter(call, "indices_nonzero_data"), mask], domain: "apus")
      let attributes = try vectorAxis(call)
      let looked = try e.node("LookUp", [dense, parameter(call, "lut")], domain: "apus", attributes)
      // A table of vectors makes the tensor longer along their axis, and the mask with it.
      var wide = mask
      if case .int(let axis)? = attributes["vector_axis"], let shape = e.knownShape(mask),
        let length = try e.shape(parameter(call, "lut")).last ?? nil, length > 1
      {
        let axis = try e.axis(Int(axis), rank: shape.count)
        let repeated = try e.node(
          "Expand",
          [e.unsqueeze(mask, [axis + 1]), e.integers(Array(shape[...axis]) + [length] + shape[(axis + 1)...])])
        var target = shape
        target[axis] = target[axis].multipliedClamped(by: length)
        wide = try e.reshape(repeated, target)
      }
      return [try e.node("Identity", [wide]), try kept(looked, wide, e)]
    },
    "constexpr_sparse_blockwise_shift_scale": { call in
      let e = call.emitter
      let mask = try parameter(call, "data_mask")
      let dense = try e.node("Densify", [parameter(call, "nonzero_data"), mask], domain: "apus")
      let scaled = try e.node(
        "BlockDequantize", [dense, parameter(call, "scale"), optionalParameter(call, "offset")], domain: "apus")
      return [try e.node("Identity", [mask]), try kept(scaled, mask, e)]
    },
  ]

  /// What a mask keeps of a tensor, in a row.
  private static func kept(_ x: Graph.ValueID, _ mask: Graph.ValueID, _ e: Emitter) throws -> Graph.ValueID {
    let flat = try e.reshape(mask, [-1])
    return try e.node("Compress", [x, e.node("Cast", [flat], ["to": .int(Int64(ElementType.bool.rawValue))])])
  }

  private static func unpack(
    _ packed: Graph.ValueID, bits: Int, _ shape: [Int], _ e: Emitter
  ) throws -> Graph.ValueID {
    let id = try e.node(
      "Unpack", [packed], domain: "apus", ["bits": .int(Int64(bits)), "signed": .int(0), "shape": list(shape)])
    e.declare(id, MILValueType(type: .uint8, shape: shape))
    return id
  }

  /// A table of single numbers for all elements of a tensor of `rank` axes.
  private static func broadcast(
    _ table: Graph.ValueID, _ entries: Int, rank: Int, _ e: Emitter
  ) throws -> Graph.ValueID {
    let shape = [Int](repeating: 1, count: rank) + [entries, 1]
    // A network has hundreds of small tables: those that are known need no node.
    guard case .tensor(.float32(let known))? = e.constant(table), known.count == entries else {
      return try e.reshape(table, shape)
    }
    return e.constant(GraphValue(try known.reshaped(shape)))
  }

  private static func tableSize(_ table: Graph.ValueID, _ e: Emitter) throws -> Int {
    guard let count = try e.shape(table).last ?? nil, count > 0 else { throw OperatorError("a table is empty") }
    return count
  }

  private static func vectorAxis(_ call: Call) throws -> [String: AttributeValue] {
    guard call.has("vector_axis") else { return [:] }
    return ["vector_axis": .int(Int64(try call.int("vector_axis", default: 0)))]
  }

  /// A parameter that is an attribute before iOS 18, and an input since.
  private static func parameter(_ call: Call, _ name: String) throws -> Graph.ValueID {
    if let fields = call.operation.attributes[name] {
      return try call.builder.constant(MILConstant(fields), in: call.emitter)
    }
    return try call.value(name)
  }

  private static func optionalParameter(_ call: Call, _ name: String) throws -> Graph.ValueID? {
    guard call.operation.attributes[name] != nil || call.has(name) else { return nil }
    return try parameter(call, name)
  }

  private static func attributeInts(_ call: Call, _ name: String) throws -> [Int] {
    guard let fields = call.operation.attributes[name] else { throw OperatorError("attribute '\(name)' is missing") }
    guard case .tensor(let tensor) = try MILConstant(fields).value, !tensor.dataType.isFloatingPoint else {
      throw OperatorError("attribute '\(name)' holds no integers")
    }
    return try tensor.converted(to: Int64.self).elements.map(Int.init)
  }

  private static func attributeInt(_ call: Call, _ name: String, default value: Int) throws -> Int {
    guard call.operation.attributes[name] != nil else { return value }
    return try attributeInts(call, name).first ?? value
  }
}
