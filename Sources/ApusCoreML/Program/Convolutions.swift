import Apus
import ApusGraph

// What moves a window over maps.

extension ProgramBuilder {
  static let convolutions: [String: Lowering] = [
    "conv": { call in
      let weight = try call.value("weight")
      return [try convolution(call, weight: weight)]
    },
    "conv_quantized": { call in
      let e = call.emitter
      guard try call.string("quantization_type", default: "linear") == "linear" else {
        throw OperatorError("weights that are looked up in a table are not supported here")
      }
      let weight = try e.cast(call.value("weight"), to: .float)
      let rank = try e.rank(call.value("weight"))
      func stretched(_ name: String) throws -> Graph.ValueID {
        try e.reshape(call.value(name), [-1] + [Int](repeating: 1, count: rank - 1))
      }
      let scaled = try e.node("Mul", [weight, stretched("quant_scale")])
      return [
        try convolution(
          call, weight: call.has("quant_bias") ? e.node("Add", [scaled, stretched("quant_bias")]) : scaled)
      ]
    },
    "conv_transpose": { call in [try transposedConvolution(call)] },
    "max_pool": { call in
      [try call.emitter.node("MaxPool", [call.value("x")], poolAttributes(call))]
    },
    "avg_pool": { call in
      var attributes = try poolAttributes(call)
      attributes["count_include_pad"] = .int(try call.bool("exclude_padding_from_average") ? 0 : 1)
      return [try call.emitter.node("AveragePool", [call.value("x")], attributes)]
    },
    "l2_pool": { call in
      var attributes = try poolAttributes(call)
      attributes["p"] = .int(2)
      return [try call.emitter.node("LpPool", [call.value("x")], attributes)]
    },
  ]

  static func list(_ values: [Int]) -> AttributeValue { .ints(values.map(Int64.init)) }

  /// Beginnings and ends of each axis in turn as all beginnings, then all ends.
  static func pads(_ pairs: [Int], axes: Int) throws -> [Int] {
    guard pairs.count == 2 * axes else { throw OperatorError("\(pairs.count) numbers pad \(axes) axes") }
    return stride(from: 0, to: pairs.count, by: 2).map { pairs[$0] }
      + stride(from: 1, to: pairs.count, by: 2).map { pairs[$0] }
  }

  /// The attributes that say how a window is padded.
  private static func padding(_ call: Call, axes: Int) throws -> [String: AttributeValue] {
    switch try call.string("pad_type", default: "valid") {
    case "valid": return [:]
    case "custom":
      guard let pad = try call.optionalInts("pad") else { return [:] }
      return ["pads": list(try pads(pad, axes: axes))]
    case "same": return ["auto_pad": .string(Array("SAME_UPPER".utf8))]
    case "same_lower": return ["auto_pad": .string(Array("SAME_LOWER".utf8))]
    case let type: throw OperatorError("pad_type '\(type)' is not known")
    }
  }

  private static func convolution(_ call: Call, weight: Graph.ValueID) throws -> Graph.ValueID {
    let e = call.emitter
    let axes = try e.rank(call.value("x")) - 2
    guard axes >= 1 else { throw OperatorError("an input of rank \(axes + 2) has no axes to move along") }
    let ones = [Int](repeating: 1, count: axes)
    var attributes = try padding(call, axes: axes)
    attributes["strides"] = list(try call.optionalInts("strides") ?? ones)
    attributes["dilations"] = list(try call.optionalInts("dilations") ?? ones)
    attributes["group"] = .int(Int64(try call.int("groups", default: 1)))
    return try e.node("Conv", [call.value("x"), weight, call.optional("bias")], attributes)
  }

  private static func transposedConvolution(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let (x, weight) = try (call.value("x"), call.value("weight"))
    let axes = try e.rank(x) - 2
    guard axes >= 1 else { throw OperatorError("an input of rank \(axes + 2) has no axes to move along") }
    let ones = [Int](repeating: 1, count: axes)
    var attributes = try padding(call, axes: axes)
    attributes["strides"] = list(try call.optionalInts("strides") ?? ones)
    attributes["dilations"] = list(try call.optionalInts("dilations") ?? ones)
    attributes["group"] = .int(Int64(try call.int("groups", default: 1)))
    if let shape = try call.optionalInts("output_shape") {
      try setExtents(shape, of: &attributes, x, kernel: Array(e.shape(weight).dropFirst(2)), e)
    }
    return try e.node("ConvTranspose", [x, weight, call.optional("bias")], attributes)
  }

  /// Makes a transposed convolution give maps of the last extents of `wanted`, as many as the kernel has.
  ///
  /// What the sums give beyond them is cut off: with SAME padding on both sides, else at the end. What is missing is
  /// added at the end.
  static func setExtents(
    _ wanted: [Int], of attributes: inout [String: AttributeValue], _ x: Graph.ValueID, kernel: [Int?], _ e: Emitter
  ) throws {
    let axes = kernel.count
    guard case .ints(let strides)? = attributes["strides"], case .ints(let dilations)? = attributes["dilations"],
      strides.count == axes, dilations.count == axes, wanted.count >= axes, wanted.suffix(axes).allSatisfy({ $0 > 0 })
    else { throw OperatorError("an output of shape \(wanted) does not fit an input with \(axes) axes to move along") }
    let wanted = Array(wanted.suffix(axes))
    guard attributes["auto_pad"] == nil else {
      attributes["output_shape"] = list(wanted)
      return
    }
    var pads: [Int] = [Int](repeating: 0, count: 2 * axes)
    if case .ints(let given)? = attributes["pads"], given.count == pads.count { pads = given.map { Int($0) } }
    var extra = [Int](repeating: 0, count: axes)
    let sizes = try e.shape(x).suffix(axes).map { $0 }
    for axis in 0..<axes {
      guard let size = sizes[axis], let kernel = kernel[axis] else {
        throw OperatorError("a shape of the output needs extents of the input that are known")
      }
      let full =
        (size - 1) * Int(strides[axis]) + (kernel - 1) * Int(dilations[axis]) + 1 - pads[axis] - pads[axes + axis]
      let missing = wanted[axis] - full
      if missing >= 0 { extra[axis] = missing } else { pads[axes + axis] -= missing }
    }
    attributes["pads"] = list(pads)
    attributes["output_padding"] = list(extra)
  }

  private static func poolAttributes(_ call: Call) throws -> [String: AttributeValue] {
    let kernel = try call.ints("kernel_sizes")
    var attributes = try padding(call, axes: kernel.count)
    attributes["kernel_shape"] = list(kernel)
    attributes["strides"] = list(try call.optionalInts("strides") ?? [Int](repeating: 1, count: kernel.count))
    if try call.bool("ceil_mode") { attributes["ceil_mode"] = .int(1) }
    return attributes
  }

  // MARK: Normalisations

  static let normalizations: [String: Lowering] = [
    "batch_norm": { call in
      let e = call.emitter
      let x = try call.value("x")
      let (mean, variance) = try (call.value("mean"), call.value("variance"))
      let gamma = try call.optional("gamma") ?? filled(1, like: mean, e)
      let beta = try call.optional("beta") ?? filled(0, like: mean, e)
      return [
        try e.node(
          "BatchNormalization", [x, gamma, beta, mean, variance],
          ["epsilon": .float(call.float("epsilon", default: 1e-5))])
      ]
    },
    "instance_norm": { call in
      let e = call.emitter
      let x = try call.value("x")
      func parameter(_ name: String, _ value: Float) throws -> Graph.ValueID {
        if let given = try call.optional(name) { return given }
        return try e.node("Expand", [e.numbers([value]), e.list([e.extent(x, 1)])])
      }
      return [
        try e.node(
          "InstanceNormalization", [x, parameter("gamma", 1), parameter("beta", 0)],
          ["epsilon": .float(call.float("epsilon", default: 1e-5))])
      ]
    },
    "layer_norm": { call in [try layerNorm(call)] },
    "l2_norm": { call in
      let e = call.emitter
      let x = try call.value("x")
      let rank = try e.rank(x)
      let axes = try e.integers(Array(max(0, rank - 3)..<rank))
      let sum = try e.node("ReduceSumSquare", [x, axes], ["keepdims": .int(1)])
      let shifted = try e.node("Add", [sum, e.number(call.float("epsilon", default: 1e-6))])
      return [try e.node("Div", [x, e.node("Sqrt", [shifted])])]
    },
    "local_response_norm": { call in
      let e = call.emitter
      let x = try call.value("x")
      // Channels are the third axis from the end.
      let isShort = try e.rank(x) == 3
      let y = try e.node(
        "LRN", [isShort ? e.unsqueeze(x, [0]) : x],
        [
          "size": .int(Int64(call.int("size", default: 1))),
          "alpha": .float(call.float("alpha", default: 1e-4)),
          "beta": .float(call.float("beta", default: 0.75)), "bias": .float(call.float("k", default: 1)),
        ])
      return [try isShort ? e.squeeze(y, [0]) : y]
    },
  ]

  private static func filled(_ value: Float, like x: Graph.ValueID, _ e: Emitter) throws -> Graph.ValueID {
    if let shape = e.knownShape(x) {
      return e.constant(GraphValue(try Tensor(repeating: value, shape: shape)))
    }
    return try e.node("Expand", [e.number(value), e.node("Shape", [x])])
  }

  private static func layerNorm(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    let rank = try e.rank(x)
    let axes = try (call.optionalInts("axes") ?? Array(0..<rank)).map { try e.axis($0, rank: rank) }.sorted()
    let epsilon = try call.float("epsilon", default: 1e-5)
    let extents = try axes.map { try e.shape(x)[$0] }
    let known = extents.compactMap { $0 }
    if axes == Array((rank - axes.count)..<rank), let first = axes.first, known.count == extents.count {
      let scale = try call.optional("gamma") ?? e.constant(GraphValue(Tensor(repeating: Float(1), shape: known)))
      return try e.node(
        "LayerNormalization", [x, scale, call.optional("beta")],
        ["axis": .int(Int64(first)), "epsilon": .float(epsilon)])
    }
    let list = try e.integers(axes)
    let centred = try e.node("Sub", [x, e.node("ReduceMean", [x, list], ["keepdims": .int(1)])])
    let variance = try e.node("ReduceMean", [e.node("Mul", [centred, centred]), list], ["keepdims": .int(1)])
    var y = try e.node("Div", [centred, e.node("Sqrt", [e.node("Add", [variance, e.number(epsilon)])])])
    // Parameters have the axes that are normalised over; the others are put between them.
    let others = (0..<rank).filter { !axes.contains($0) }
    func stretched(_ parameter: Graph.ValueID) throws -> Graph.ValueID {
      let inner = others.filter { $0 > (axes.first ?? 0) }
      return inner.isEmpty ? parameter : try e.unsqueeze(parameter, inner.map { $0 - (axes.first ?? 0) })
    }
    if let gamma = try call.optional("gamma") { y = try e.node("Mul", [y, stretched(gamma)]) }
    if let beta = try call.optional("beta") { y = try e.node("Add", [y, stretched(beta)]) }
    return y
  }
}
