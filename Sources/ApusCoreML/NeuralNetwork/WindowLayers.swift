import Apus
import ApusGraph

// What moves a window over maps, and what is normalised or resized.

extension NetworkBuilder {
  static let windowLayers: [Int: Layer] = [
    100: { c in [try c.maps(2) { try convolution(c, $0) }] },
    120: { c in [try c.maps(2) { try pooling(c, $0) }] },
    1465: { c in [try pooling3D(c)] },
    1466: { c in [try c.e.node(c.p.int(1) == 0 ? "GlobalMaxPool" : "GlobalAveragePool", [c.x])] },
    1471: { c in [try convolution3D(c)] },
    160: { c in [try c.maps(2) { try batchNorm(c, $0) }] },
    165: { c in [try meanVariance(c)] },
    170: { c in
      let sum = try c.e.node("ReduceSumSquare", [c.x, c.e.integers([-3, -2, -1])], ["keepdims": .int(1)])
      return [try c.e.node("Div", [c.x, c.e.node("Sqrt", [c.e.node("Add", [sum, c.e.number(epsilon(c.p, 1))])])])]
    },
    175: { c in
      let rank = try c.e.rank(c.x)
      return [try c.e.node("Softmax", [c.x], ["axis": .int(rank >= 3 ? -3 : -1)])]
    },
    180: { c in
      [
        try c.maps(2) { x in
          try c.e.node(
            "LRN", [x],
            [
              "alpha": .float(c.p.float(1)), "beta": .float(c.p.float(2)), "size": .int(Int64(c.p.int(3, default: 1))),
              "bias": .float(c.p.float(4, default: 1)),
            ])
        }
      ]
    },
    210: { c in [try c.maps(2) { try upsample(c, $0) }] },
    211: { c in
      [
        try c.maps(2) { x in
          let size = try c.p.ints(1)
          return try ProgramBuilder.bilinear(
            x, (size.isEmpty ? [1, 1] : size).map { .known($0) }, samplingMode(c.p, 2), c.e)
        }
      ]
    },
    212: { c in [try cropResize(c)] },
    1350: { c in
      let shape = try c.p.ints(1)
      let rank = try c.e.rank(c.x)
      return [
        try c.e.node(
          "LayerNormalization", [c.x, c.builder.weights(c.p, 3, shape), c.builder.weights(c.p, 4, shape)],
          [
            "axis": .int(Int64(rank - shape.count)),
            "epsilon": .float(c.p.float(2) == 0 ? 1e-5 : c.p.float(2)),
          ])
      ]
    },
    200: { c in [try padding(c)] },
    190: { c in [try crop(c)] },
    1155: { c in [try constantPad(c)] },
    345: { c in
      [
        try c.maps(2) { x in
          let size = try c.p.int(2)
          switch try c.p.int(1) {
          case 0: return try c.e.node("SpaceToDepth", [x], ["blocksize": .int(Int64(size))])
          case 1:
            return try c.e.node(
              "DepthToSpace", [x], ["blocksize": .int(Int64(size)), "mode": .string(Array("DCR".utf8))])
          default:
            return try c.e.node(
              "DepthToSpace", [x], ["blocksize": .int(Int64(size)), "mode": .string(Array("CRD".utf8))])
          }
        }
      ]
    },
  ]

  static func list(_ values: [Int]) -> AttributeValue { .ints(values.map(Int64.init)) }

  /// Borders of two axes as all beginnings, then all ends.
  private static func borders(_ fields: Fields?, axes: Int = 2) throws -> [Int] {
    let amounts = try fields?.messages(10, "EdgeSizes") ?? []
    guard amounts.count == axes else {
      guard amounts.isEmpty else { throw OperatorError("\(amounts.count) borders are given for \(axes) axes") }
      return [Int](repeating: 0, count: 2 * axes)
    }
    return try amounts.map { try $0.int(1) } + amounts.map { try $0.int(2) }
  }

  private static func padAttributes(_ c: LayerCall, valid: Int, same: Int) throws -> [String: AttributeValue] {
    if let same = try c.p.message(same, "SamePadding") {
      return ["auto_pad": .string(Array((try same.int(1) == 0 ? "SAME_UPPER" : "SAME_LOWER").utf8))]
    }
    let fields = try c.p.message(valid, "ValidPadding")?.message(1, "BorderAmounts")
    return ["pads": list(try borders(fields))]
  }

  private static func pair(_ values: [Int], default value: Int) -> [Int] {
    values.count == 2 ? values : [value, value]
  }

  private static func convolution(_ c: LayerCall, _ x: Graph.ValueID) throws -> Graph.ValueID {
    let p = c.p
    let (outputs, inputs) = try (p.int(1), p.int(2))
    let groups = max(1, try p.int(10))
    let kernel = try pair(p.ints(20), default: 3)
    let isTransposed = try p.bool(60)
    guard outputs >= 0, inputs >= 0, outputs.isMultiple(of: groups) else {
      throw OperatorError("\(outputs) outputs do not go into \(groups) groups")
    }
    var attributes = try padAttributes(c, valid: 50, same: 51)
    attributes["strides"] = list(pair(try p.ints(30), default: 1))
    // Of transposed ones too: the format says that they ignore it, and coremltools' own tests that they do not.
    attributes["dilations"] = list(pair(try p.ints(40), default: 1))
    attributes["group"] = .int(Int64(groups))
    let shape = isTransposed ? [inputs, outputs / groups] + kernel : [outputs, inputs] + kernel
    let weight = try c.inputs.count > 1 ? c.input(1) : c.builder.weights(p, 90, shape, channels: isTransposed ? 1 : 0)
    let bias = try p.bool(70) ? c.builder.weights(p, 91, [outputs]) : c.inputs.count > 2 ? c.input(2) : nil
    guard isTransposed else { return try c.e.node("Conv", [x, weight, bias], attributes) }
    let wanted = try p.ints(100)
    if !wanted.isEmpty { try ProgramBuilder.setExtents(wanted, of: &attributes, x, kernel: kernel, c.e) }
    return try c.e.node("ConvTranspose", [x, weight, bias], attributes)
  }

  private static func pooling(_ c: LayerCall, _ x: Graph.ValueID) throws -> Graph.ValueID {
    let p = c.p
    let type = try p.int(1)
    guard (0...2).contains(type) else { throw OperatorError("pooling of type \(type) is not known") }
    if try p.bool(60) {
      let name = ["GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"][type]
      return try c.e.node(name, [x], type == 2 ? ["p": .int(2)] : [:])
    }
    let kernel = try pair(p.ints(10), default: 3)
    let strides = try pair(p.ints(20), default: 1)
    var attributes: [String: AttributeValue]
    if let last = try p.message(32, "ValidCompletePadding") {
      // Borders of the same width on both sides; the last window may reach over the end, if it begins before it.
      let amounts = try last.ints(10)
      attributes = ["pads": list(amounts.count == 2 ? amounts + amounts : [0, 0, 0, 0]), "ceil_mode": .int(1)]
    } else {
      attributes = try padAttributes(c, valid: 30, same: 31)
    }
    attributes["kernel_shape"] = list(kernel)
    attributes["strides"] = list(strides)
    switch type {
    case 0: return try c.e.node("MaxPool", [x], attributes)
    case 1:
      attributes["count_include_pad"] = .int(try p.bool(50) ? 0 : 1)
      return try c.e.node("AveragePool", [x], attributes)
    default:
      attributes["p"] = .int(2)
      return try c.e.node("LpPool", [x], attributes)
    }
  }

  /// Padding of three axes: none, `SAME`, or the numbers of six fields from `first` on.
  private static func padding3D(_ p: Fields, type: Int, first: Int) throws -> [String: AttributeValue] {
    switch try p.int(type) {
    case 0:
      let numbers = try (0..<6).map { try p.int(first + $0) }
      return ["pads": list([0, 2, 4, 1, 3, 5].map { numbers[$0] })]
    case 1: return [:]
    default: return ["auto_pad": .string(Array("SAME_UPPER".utf8))]
    }
  }

  private static func pooling3D(_ c: LayerCall) throws -> Graph.ValueID {
    let p = c.p
    var attributes = try padding3D(p, type: 15, first: 8)
    attributes["kernel_shape"] = list(try (2...4).map { try p.int($0, default: 1) })
    attributes["strides"] = list(try (5...7).map { try p.int($0, default: 1) })
    if try p.int(1) == 0 { return try c.e.node("MaxPool", [c.x], attributes) }
    attributes["count_include_pad"] = .int(try p.bool(14) ? 0 : 1)
    return try c.e.node("AveragePool", [c.x], attributes)
  }

  private static func convolution3D(_ c: LayerCall) throws -> Graph.ValueID {
    let p = c.p
    let (outputs, inputs) = try (p.int(1), p.int(2))
    let groups = max(1, try p.int(10))
    let kernel = try (20...22).map { try p.int($0, default: 1) }
    let isTransposed = try p.bool(86)
    guard outputs >= 0, inputs >= 0, outputs.isMultiple(of: groups), inputs.isMultiple(of: groups) else {
      throw OperatorError("\(inputs) inputs and \(outputs) outputs do not go into \(groups) groups")
    }
    var attributes = try padding3D(p, type: 70, first: 80)
    attributes["strides"] = list(try (31...33).map { try p.int($0, default: 1) })
    attributes["dilations"] = list(try (40...42).map { try p.int($0, default: 1) })
    attributes["group"] = .int(Int64(groups))
    let shape = isTransposed ? [inputs, outputs / groups] + kernel : [outputs, inputs / groups] + kernel
    let weight = try c.builder.weights(p, 60, shape)
    let bias = try p.bool(50) ? c.builder.weights(p, 61, [outputs]) : nil
    let wanted = try p.ints(87)
    if isTransposed, !wanted.isEmpty {
      try ProgramBuilder.setExtents(wanted, of: &attributes, c.x, kernel: kernel, c.e)
    }
    return try c.e.node(isTransposed ? "ConvTranspose" : "Conv", [c.x, weight, bias], attributes)
  }

  // MARK: Normalisations

  private static func batchNorm(_ c: LayerCall, _ x: Graph.ValueID) throws -> Graph.ValueID {
    let p = c.p
    let channels = [try p.int(1)]
    let epsilon = try p.float(10) == 0 ? 1e-5 : p.float(10)
    let gamma = try c.builder.weights(p, 15, channels)
    let beta = try c.builder.weights(p, 16, channels)
    if try p.bool(5) {
      guard try p.bool(6) else { throw OperatorError("a mean over the batch is not known when the model runs") }
      return try c.e.node("InstanceNormalization", [x, gamma, beta], ["epsilon": .float(epsilon)])
    }
    return try c.e.node(
      "BatchNormalization", [x, gamma, beta, c.builder.weights(p, 17, channels), c.builder.weights(p, 18, channels)],
      ["epsilon": .float(epsilon)])
  }

  /// What keeps a divisor from zero: zero, what a missing field reads as, stands for the usual number.
  private static func epsilon(_ p: Fields, _ number: Int) throws -> Float {
    let epsilon = try p.float(number)
    return epsilon == 0 ? 1e-6 : epsilon
  }

  private static func meanVariance(_ c: LayerCall) throws -> Graph.ValueID {
    let e = c.e
    let axes = try e.integers(c.p.bool(1) ? [-3, -2, -1] : [-2, -1])
    let centred = try e.node("Sub", [c.x, e.node("ReduceMean", [c.x, axes], ["keepdims": .int(1)])])
    guard try c.p.bool(2) else { return centred }
    let variance = try e.node("ReduceMean", [e.node("Mul", [centred, centred]), axes], ["keepdims": .int(1)])
    return try e.node("Div", [centred, e.node("Sqrt", [e.node("Add", [variance, e.number(epsilon(c.p, 3))])])])
  }

  // MARK: Resizing

  private static func samplingMode(_ p: Fields, _ number: Int) throws -> ProgramBuilder.SamplingMode {
    switch try p.message(number, "SamplingMode")?.int(1) ?? 0 {
    case 0: .strictAlignCorners
    case 1: .alignCorners
    case 2: .default
    default: .offsetCorners
    }
  }

  private static func upsample(_ c: LayerCall, _ x: Graph.ValueID) throws -> Graph.ValueID {
    let p = c.p
    let fractions = try p.floats(7)
    let factors = try fractions.count == 2 ? fractions : pair(p.ints(1), default: 1).map { Float($0) }
    if try p.int(5) == 0 { return try ProgramBuilder.upsampled(x, by: factors, nil, c.e) }
    let modes: [ProgramBuilder.SamplingMode] = [.default, .strictAlignCorners, .unalignCorners]
    let mode = try p.int(6)
    guard modes.indices.contains(mode) else { throw OperatorError("linearUpsampleMode \(mode) is not known") }
    return try ProgramBuilder.upsampled(x, by: factors, modes[mode], c.e)
  }

  private static func cropResize(_ c: LayerCall) throws -> Graph.ValueID {
    let e = c.e
    let size = try pair(c.p.ints(1), default: 1)
    let modes = ["CORNERS_HEIGHT_FIRST", "CORNERS_WIDTH_FIRST", "CENTER_SIZE_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST"]
    let mode = try c.p.message(4, "BoxCoordinatesMode")?.int(1) ?? 0
    guard modes.indices.contains(mode) else { throw OperatorError("boxIndicesMode \(mode) is not known") }
    let rank = try e.rank(c.x)
    let x = try rank == 5 ? e.squeeze(c.x, [0]) : c.x
    let scale = try c.p.float(5)
    let crops = try ProgramBuilder.cropResize(
      x, regions: c.input(1),
      [
        "height": .int(Int64(size[0])), "width": .int(Int64(size[1])), "normalized": .int(c.p.bool(2) ? 1 : 0),
        "spatial_scale": .float(scale == 0 ? 1 : scale), "box_mode": .string(Array(modes[mode].utf8)),
        "sampling_mode": .string(Array(samplingMode(c.p, 3).rawValue.utf8)),
      ], e)
    return crops
  }

  // MARK: Borders

  private static func padding(_ c: LayerCall) throws -> Graph.ValueID {
    let pads = try borders(c.p.message(10, "BorderAmounts"))
    let mode = c.p.has(2) ? "reflect" : c.p.has(3) ? "edge" : "constant"
    let value = try c.p.message(1, "PaddingConstant")?.float(1) ?? 0
    return try c.e.node(
      "Pad", [c.x, c.e.integers(pads), c.e.number(value), c.e.integers([-2, -1])],
      ["mode": .string(Array(mode.utf8))])
  }

  /// Cut by amounts, or to the size of a second input from an offset on.
  private static func crop(_ c: LayerCall) throws -> Graph.ValueID {
    let e = c.e
    guard c.inputs.count > 1 else {
      let cut = try borders(c.p.message(1, "BorderAmounts"))
      return try e.slice(
        c.x, from: [cut[0], cut[1]], to: [cut[2], cut[3]].map { $0 == 0 ? Int(Int32.max) : -$0 }, axes: [-2, -1])
    }
    let offset = try pair(c.p.ints(5), default: 0)
    let rank = try e.rank(c.input(1))
    let size = try e.slice(e.node("Shape", [c.input(1)]), from: [rank - 2], to: [rank], axes: [0])
    let start = try e.integers(offset)
    return try e.node("Slice", [c.x, start, e.node("Add", [start, size]), e.integers([-2, -1])])
  }

  private static func constantPad(_ c: LayerCall) throws -> Graph.ValueID {
    let e = c.e
    let rank = try e.rank(c.x)
    let value = try e.number(c.p.float(1))
    let toSize = try c.p.bool(3)
    func mode() -> [String: AttributeValue] { ["mode": .string(Array("constant".utf8))] }
    guard c.inputs.count < 2 else {
      let pairs = try e.reshape(c.indices(1), [-1, 2])
      return try e.node("Pad", [c.x, e.reshape(e.transpose(pairs, [1, 0]), [-1]), value], mode())
    }
    var amounts = try c.p.ints(2)
    guard amounts.count == 2 * rank else {
      throw OperatorError("\(amounts.count) amounts are given for a tensor of rank \(rank)")
    }
    if toSize {
      // Of each pair one number is the extent that is asked for: padded in front or behind.
      let shape = try e.shape(c.x)
      for axis in 0..<rank {
        for side in 0..<2 where amounts[2 * axis + side] > 0 {
          guard let size = shape[axis] else { throw OperatorError("the extent of axis \(axis) is not known") }
          amounts[2 * axis + side] = max(0, amounts[2 * axis + side] - size)
        }
      }
    }
    return try e.node("Pad", [c.x, e.integers(ProgramBuilder.pads(amounts, axes: rank)), value], mode())
  }
}

extension LayerCall {
  /// What `body` makes of the input as a stack of maps: `[batch, channels, height, width]`, whatever axes stand before
  /// the last three.
  func maps(_ axes: Int, _ body: (Graph.ValueID) throws -> Graph.ValueID) throws -> Graph.ValueID {
    let x = try x
    let rank = try e.rank(x)
    let wanted = axes + 2
    if rank == wanted { return try body(x) }
    guard rank >= wanted - 1 else {
      throw OperatorError("its input has rank \(rank); \(wanted - 1) at least is needed")
    }
    if rank < wanted { return try e.squeeze(body(e.unsqueeze(x, [0])), [0]) }
    if let known = e.maps[x], rank == 5, wanted == 4 { return try e.withOuterAxes(body(known.id), known.outer) }
    let outer = try (0..<(rank - wanted + 1)).map { try e.extent(x, $0) }
    let inner = try ((rank - wanted + 1)..<rank).map { try e.extent(x, $0) }
    let count = try outer.dropFirst().reduce(outer[0]) { try e.product($0, $1) }
    let y = try body(e.reshape(x, [count] + inner))
    if let sizes = outer.sizes, wanted == 4 { return try e.withOuterAxes(y, sizes) }
    let results = try (1..<wanted).map { try e.extent(y, $0) }
    return try e.reshape(y, outer + results)
  }
}

extension [GraphExtent] {
  /// The extents when all are known.
  fileprivate var sizes: [Int]? {
    let known = compactMap { if case .known(let size) = $0 { size } else { nil } }
    return known.count == count ? known : nil
  }
}

extension Emitter {
  /// Maps `[batch, channels, height, width]` with the batch as the axes that it is made of.
  ///
  /// The next layer that takes maps takes them as they are, so that nothing comes between: see ``maps``.
  func withOuterAxes(_ y: Graph.ValueID, _ outer: [Int]) throws -> Graph.ValueID {
    let results = try (1..<4).map { try extent(y, $0) }
    let shaped = try reshape(y, outer.map { .known($0) } + results)
    if outer.count == 2 { maps[shaped] = (y, outer) }
    return shaped
  }
}
