import Apus
import ApusGraph

// Scales that fit the numbers at hand: what dynamic quantisation computes before each product.

extension ProgramBuilder {
  static let quantizationRanges: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    result["quantized_decomposed.choose_qparams"] = { call in
      let e = call.emitter
      let parameters = try e.asymmetric(
        NumberRange(call.x, e), call.int("quant_min"), call.int("quant_max"),
        epsilon: call.double("eps", default: 0))
      return [
        try e.cast(e.reshape(parameters.scale, [1]), to: .double),
        try e.cast(e.reshape(parameters.zeroPoint, [1]), to: .int64),
      ]
    }
    result["quantized_decomposed.choose_qparams_symmetric"] = { call in
      let e = call.emitter
      let scale = try e.symmetric(
        NumberRange(call.x, e), call.int("quant_min"), call.int("quant_max"), epsilon: call.double("eps", default: 0))
      let isUnsigned = if case .scalarType(.byte)? = call.argument("dtype") { true } else { false }
      return [try e.cast(e.reshape(scale, [1]), to: .double), try e.integers([isUnsigned ? 128 : 0])]
    }
    result["quantized_decomposed.choose_qparams_per_token"] = { call in
      let e = call.emitter
      // The program says DOUBLE, and PyTorch gives the type of the numbers.
      let most = try e.reduce("ReduceMax", e.node("Abs", [call.x]), axes: [-1], keeps: true, as: .float)
      let bounded = try e.node("Max", [e.cast(most, to: .float), e.numbers(1e-5, as: .float)])
      let scale = try e.node("Div", [bounded, e.number(127, as: .float)])
      return [scale, try e.expand(e.number(0, as: .float), e.node("Shape", [scale]))]
    }
    for name in ["choose_qparams_per_token_asymmetric", "_choose_qparams_per_token_asymmetric_impl"] {
      result["quantized_decomposed.\(name)"] = { call in
        let e = call.emitter
        let range = try NumberRange(call.x, e, axes: [-1], keeps: true)
        let scale = try e.scale(e.node("Sub", [range.most, range.least]), over: 255, epsilon: 0x1p-23, as: range.type)
        // The end lies on a step that has the larger error otherwise.
        let (first, last) = (try e.number(-128, as: range.type), try e.number(127, as: range.type))
        let low = try e.node("Div", [range.least, scale])
        let high = try e.node("Div", [range.most, scale])
        let error = try e.node("Add", [e.node("Add", [first, low]), e.node("Add", [last, high])])
        let isPositive = try e.node("Greater", [error, e.number(0, as: range.type)])
        let place = try e.node("Where", [isPositive, e.node("Sub", [first, low]), e.node("Sub", [last, high])])
        let zeroPoint = try e.node("Round", [e.node("Clip", [place, first, last])])
        return [try e.cast(scale, to: .double), try e.cast(zeroPoint, to: .int64)]
      }
    }
    result["torchao.choose_qparams_affine"] = { call in try call.blockScales() }
    return result
  }()
}

/// The smallest and the largest number, and 0 if it is beyond them.
private struct NumberRange {
  let least: Graph.ValueID
  let most: Graph.ValueID
  let type: ElementType

  init(_ x: Graph.ValueID, _ e: Emitter, axes: [Int]? = nil, keeps: Bool = false) throws {
    type = e.elementType(x) ?? .float
    let zero = try e.number(0, as: type)
    least = try e.node("Min", [e.reduce("ReduceMin", x, axes: axes, keeps: keeps, as: type), zero])
    most = try e.node("Max", [e.reduce("ReduceMax", x, axes: axes, keeps: keeps, as: type), zero])
  }
}

extension Emitter {
  /// `extent / count`, at least `epsilon`.
  fileprivate func scale(
    _ extent: Graph.ValueID, over count: Double, epsilon: Double, as type: ElementType
  ) throws -> Graph.ValueID {
    try node("Max", [node("Div", [extent, numbers(count, as: type)]), numbers(epsilon, as: type)])
  }

  /// The scale of a range that goes as far on both sides of 0.
  fileprivate func symmetric(
    _ range: NumberRange, _ least: Int, _ most: Int, epsilon: Double
  ) throws -> Graph.ValueID {
    let extent = try node("Max", [node("Neg", [range.least]), range.most])
    return try scale(extent, over: Double(most - least) / 2, epsilon: epsilon, as: range.type)
  }

  /// The scale of the range itself, and the integer that stands for 0.
  fileprivate func asymmetric(
    _ range: NumberRange, _ least: Int, _ most: Int, epsilon: Double
  ) throws -> (scale: Graph.ValueID, zeroPoint: Graph.ValueID) {
    let type = range.type
    let extent = try node("Sub", [range.most, range.least])
    let scale = try scale(extent, over: Double(most - least), epsilon: epsilon, as: type)
    let (first, last) = (try number(least, as: type), try number(most, as: type))
    let place = try node("Sub", [first, node("Round", [node("Div", [range.least, scale])])])
    return (scale, try node("Clip", [place, first, last]))
  }
}

/// How torchao divides a tensor into blocks that have a scale each.
struct QuantizationBlocks {
  let layout: QuantizationParameters.Layout
  /// How many blocks there are along each axis.
  let counts: [GraphExtent]
  /// The places of a block along each axis.
  let sizes: [Int]

  /// The blocks of `block_size` of a call's first argument.
  init(_ call: Call) throws {
    let e = call.emitter
    let (x, sizes) = (try call.x, try call.ints("block_size"))
    let shape = try e.shape(x)
    guard sizes.count == shape.count, sizes.allSatisfy({ $0 > 0 }) else {
      throw OperatorError("blocks of \(sizes) do not divide a tensor with \(shape.count) axes")
    }
    // Axes along which each place is a block of its own, and those along which several places are one.
    var (counts, single, divided): ([GraphExtent], [Int], [Int]) = ([], [], [])
    for (axis, size) in sizes.enumerated() {
      switch shape[axis] {
      case size?: counts.append(.known(1))
      case let extent where size == 1:
        single.append(axis)
        counts.append(try extent.map { .known($0) } ?? e.extent(x, axis))
      case let extent? where extent % size == 0:
        divided.append(axis)
        counts.append(.known(extent / size))
      case let extent:
        throw OperatorError(
          "blocks of \(size) do not divide axis \(axis), of \(extent.map { "\($0)" } ?? "open") extent")
      }
    }
    switch (single.count, divided.count) {
    case (0, 0): layout = .tensor
    case (1, 0): layout = .axis(single[0])
    case (_, 0): layout = .broadcast
    case (_, 1) where sizes.indices.allSatisfy({ $0 == divided[0] || sizes[$0] == 1 }):
      layout = .blocks(axis: divided[0], size: sizes[divided[0]])
    default: throw OperatorError("blocks of \(sizes), of several places along several axes, are not covered")
    }
    (self.counts, self.sizes) = (counts, sizes)
  }
}

extension Call {
  /// The scale that fits each of torchao's blocks, and the integer that stands for 0.
  fileprivate func blockScales() throws -> [Graph.ValueID?] {
    let e = emitter
    let blocks = try QuantizationBlocks(self)
    guard let scaleType = try output().elementType, let zeroType = try output(1).elementType else {
      throw OperatorError("the program does not say of what types its outputs are")
    }
    var (blocked, axes) = (try x, blocks.sizes.indices.filter { blocks.sizes[$0] > 1 })
    if case .blocks(let axis, let size) = blocks.layout {
      blocked = try e.inBlocks(blocked, axis: axis, size: size).blocked
      axes = [axis + 1]
    }
    let range = try NumberRange(blocked, e, axes: axes)
    let (least, most) = (try int("quant_min"), try int("quant_max"))
    let smallest = range.type == .float16 ? 0x1p-14 : Double(Float.leastNormalMagnitude)
    let epsilon = try optionalDouble("eps") ?? smallest
    // With the same reach on both sides 0 stands for 0, or for the middle of integers without sign.
    func centered(_ scale: Graph.ValueID) throws -> (scale: Graph.ValueID, zeroPoint: Graph.ValueID) {
      (scale, try e.expand(e.number((least + most + 1) / 2, as: zeroType), e.node("Shape", [scale])))
    }
    var parameters: (scale: Graph.ValueID, zeroPoint: Graph.ValueID)
    switch try string("mapping_type") {
    case "ASYMMETRIC": parameters = try e.asymmetric(range, least, most, epsilon: epsilon)
    case "SYMMETRIC": parameters = try centered(e.symmetric(range, least, most, epsilon: epsilon))
    case "SYMMETRIC_NO_CLIPPING_ERR":
      let below = try e.node("Div", [range.least, e.number(least, as: range.type)])
      let above = try e.scale(range.most, over: Double(most), epsilon: epsilon, as: range.type)
      parameters = try centered(e.node("Max", [below, above]))
    case let other: throw OperatorError("the mapping_type '\(other)' is not known")
    }
    if try bool("keepdim") {
      parameters = (try e.reshape(parameters.scale, blocks.counts), try e.reshape(parameters.zeroPoint, blocks.counts))
    }
    return [try e.cast(parameters.scale, to: scaleType), try e.cast(parameters.zeroPoint, to: zeroType)]
  }
}
