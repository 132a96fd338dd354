import Apus
import ApusGraph

// Integers that stand for numbers: what the quantisation of exported programs (PT2E) and torchao write, and what trains for
// them.

extension ProgramBuilder {
  static let quantization: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    typealias Layout = @Sendable (Call) throws -> QuantizationParameters.Layout
    let (tensor, channel): (Layout, Layout) = ({ _ in .tensor }, { .axis(try $0.axis("axis", of: $0.x)) })
    let layouts: [(String, Layout)] = [
      ("tensor", tensor), ("channel", channel), ("token", { _ in .broadcast }),
      (
        "channel_group",
        { .blocks(axis: 1, size: min(try $0.int("group_size", default: 128), try $0.knownExtent($0.x, 1))) }
      ),
    ]
    for (name, layout) in layouts {
      result["quantized_decomposed.quantize_per_\(name)"] = { call in
        [try call.emitter.quantize(call.x, call.parameters(layout(call)), as: call.outputType)]
      }
      result["quantized_decomposed.dequantize_per_\(name)"] = { call in
        [try call.emitter.dequantize(call.x, call.parameters(layout(call)), as: call.outputType)]
      }
    }
    result["torchao.quantize_affine"] = { call in
      [try call.emitter.quantize(call.x, call.blockParameters(), as: call.outputType)]
    }
    result["torchao.dequantize_affine"] = { call in
      [try call.emitter.dequantize(call.x, call.blockParameters(), as: call.outputType)]
    }
    for (name, layout) in [
      ("aten.fake_quantize_per_tensor_affine", tensor), ("aten.fake_quantize_per_tensor_affine_cachemask", tensor),
      ("aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams", tensor),
      ("aten.fake_quantize_per_channel_affine", channel), ("aten.fake_quantize_per_channel_affine_cachemask", channel),
      ("quantized_decomposed.fake_quant_per_channel", channel),
    ] {
      // The mask says what was cut off, which only training reads.
      result[name] = { call in [try call.fakeQuantized(layout(call)), nil] }
    }
    result["quantized_decomposed.convert_element_type"] = { call in
      [try call.emitter.cast(call.x, to: call.outputType)]
    }
    result["aten._int_mm"] = { call in
      [try call.emitter.node("MatMulInteger", [call.value("self"), call.value("mat2")])]
    }
    result["aten._weight_int8pack_mm"] = { call in
      let (e, out) = (call.emitter, try call.outputType)
      let weight = try e.cast(call.value("mat2"), to: out)
      let product = try e.node("MatMul", [call.x, e.transpose(weight, [1, 0])])
      return [try e.node("Mul", [product, call.value("scales", as: out)])]
    }
    return result
  }()
}

/// How integers stand for numbers: `scale · (integer - zeroPoint)`, with integers from `least` to `most`.
struct QuantizationParameters {
  enum Layout {
    /// One scale for all.
    case tensor
    /// A scale for each place along an axis.
    case axis(Int)
    /// A scale for each `size` neighbours along an axis, at each place along the others.
    case blocks(axis: Int, size: Int)
    /// Scales in a shape that repeats to that of the numbers.
    case broadcast
  }

  let scale: Graph.ValueID
  /// 0 when nil.
  let zeroPoint: Graph.ValueID?
  let layout: Layout
  /// Where nil, what the type of the integers holds.
  let least: Int?
  let most: Int?

  /// The type in which PyTorch multiplies with the scale.
  fileprivate func computingType(_ e: Emitter) -> ElementType { e.elementType(scale) == .double ? .double : .float }

  /// What says so to the standard's operators, which know nothing but these layouts.
  fileprivate var attributes: [String: AttributeValue]? {
    switch layout {
    case .tensor: [:]
    case .axis(let axis): ["axis": .int(axis)]
    case .blocks(let axis, let size): ["axis": .int(axis), "block_size": .int(size)]
    case .broadcast: nil
    }
  }
}

// MARK: - Arguments

extension Call {
  /// The parameters that the arguments describe.
  fileprivate func parameters(_ layout: QuantizationParameters.Layout) throws -> QuantizationParameters {
    let plural = has("scales") ? "s" : ""
    var shape: [GraphExtent]?
    if case .tensor = layout { shape = [] }
    return try parameters(layout, "scale\(plural)", "zero_point\(plural)", shape)
  }

  /// The parameters of torchao's blocks.
  fileprivate func blockParameters() throws -> QuantizationParameters {
    let blocks = try QuantizationBlocks(self)
    let shape: [GraphExtent] =
      switch blocks.layout {
      case .tensor: []
      case .axis(let axis): [blocks.counts[axis]]
      case .blocks, .broadcast: blocks.counts
      }
    return try parameters(blocks.layout, "scale", "zero_point", shape)
  }

  private func parameters(
    _ layout: QuantizationParameters.Layout, _ scale: String, _ zeroPoint: String, _ shape: [GraphExtent]?
  ) throws -> QuantizationParameters {
    let e = emitter
    func shaped(_ id: Graph.ValueID) throws -> Graph.ValueID { try shape.map { try e.shaped(id, $0) } ?? id }
    // torchao leaves a zero point out, or gives one without elements.
    let given = try optional(zeroPoint).flatMap { try e.shape($0).contains(0) ? nil : $0 }
    return QuantizationParameters(
      scale: try shaped(numberOrTensor(scale)), zeroPoint: try given.map(shaped), layout: layout,
      least: try optionalInt("quant_min"), most: try optionalInt("quant_max"))
  }

  /// PyTorch quantises in float32, which a scale that is a number of Python's is rounded to.
  private func numberOrTensor(_ name: String) throws -> Graph.ValueID {
    guard case .float(let number)? = argument(name) else { return try value(name) }
    return emitter.constant(GraphValue(try Tensor<Float>([Float(number)], shape: [])))
  }

  /// The nearest numbers that integers stand for, as training sees them.
  fileprivate func fakeQuantized(_ layout: QuantizationParameters.Layout) throws -> Graph.ValueID {
    let e = emitter
    if let name = argument("fake_quant_enabled")?.names.first, let flag = try e.constant(resolve(name)),
      try flag.converted(to: Float.self).elements.allSatisfy({ $0 == 0 })
    {
      return try e.node("Identity", [x])
    }
    let parameters = try parameters(layout)
    let range = (parameters.least ?? 0)...max(parameters.least ?? 0, parameters.most ?? 255)
    guard let type = [ElementType.uint8, .int8].first(where: { $0.integers?.contains(range) ?? false }) else {
      return try e.dequantized(e.stepped(x, parameters), parameters, as: outputType)
    }
    return try e.dequantize(e.quantize(x, parameters, as: type), parameters, as: outputType)
  }
}

// MARK: - Nodes

extension ElementType {
  /// The integers of a type that the standard quantises to.
  fileprivate var integers: ClosedRange<Int>? {
    switch self {
    case .uint8: 0...255
    case .int8: -128...127
    case .uint16: 0...65535
    case .int16: -32768...32767
    default: nil
    }
  }
}

extension Emitter {
  /// A value in another shape. Of a constant a constant is made, for what looks for known scales does not look further.
  fileprivate func shaped(_ id: Graph.ValueID, _ shape: [GraphExtent]) throws -> Graph.ValueID {
    let known = shape.compactMap { if case .known(let size) = $0 { size } else { nil } }
    if knownShape(id) == known, known.count == shape.count { return id }
    guard known.count == shape.count, let tensor = constant(id) else { return try reshape(id, shape) }
    return constant(.tensor(try tensor.reshaped(known)))
  }

  /// A value as elements of a type, a constant likewise.
  private func typed(_ id: Graph.ValueID, _ type: ElementType) throws -> Graph.ValueID {
    guard elementType(id) != type, let tensor = constant(id), let dataType = type.dataType else {
      return try cast(id, to: type)
    }
    return constant(.tensor(try tensor.converted(to: dataType)))
  }

  /// Numbers as integers of a type.
  ///
  /// PyTorch multiplies with 1 / scale where the standard's operator, which the kernels for integers know, divides by the
  /// scale: a number in the middle between two integers may get the other one. Where scales follow from the numbers, that
  /// is where the largest of them lies: these are multiplied.
  fileprivate func quantize(_ x: Graph.ValueID, _ parameters: QuantizationParameters, as type: ElementType) throws
    -> Graph.ValueID
  {
    guard let integers = type.integers, constant(parameters.scale) != nil, var attributes = parameters.attributes else {
      return try cast(stepped(x, parameters), to: type)
    }
    if parameters.zeroPoint == nil { attributes["output_dtype"] = .int(Int64(type.rawValue)) }
    let quantized = try node(
      "QuantizeLinear",
      [cast(x, to: .float), typed(parameters.scale, .float), parameters.zeroPoint.map { try typed($0, type) }],
      attributes)
    let (least, most) = (parameters.least ?? integers.lowerBound, parameters.most ?? integers.upperBound)
    guard least > integers.lowerBound || most < integers.upperBound else { return quantized }
    return try node("Clip", [quantized, number(least, as: type), number(most, as: type)])
  }

  /// What integers stand for.
  fileprivate func dequantize(_ x: Graph.ValueID, _ parameters: QuantizationParameters, as out: ElementType) throws
    -> Graph.ValueID
  {
    guard let type = elementType(x), type.integers != nil, let attributes = parameters.attributes else {
      return try dequantized(x, parameters, as: out)
    }
    let numbers = try node(
      "DequantizeLinear", [x, typed(parameters.scale, .float), parameters.zeroPoint.map { try typed($0, type) }],
      attributes)
    return try cast(numbers, to: out)
  }

  /// `round(x / scale) + zeroPoint` within bounds, of the type that it is computed in.
  fileprivate func stepped(_ x: Graph.ValueID, _ parameters: QuantizationParameters) throws -> Graph.ValueID {
    let type = parameters.computingType(self)
    return try alongScales(x, parameters.layout) { x, aligned in
      var place = try node(
        "Round", [node("Mul", [cast(x, to: type), node("Reciprocal", [aligned(parameters.scale, type)])])])
      if let zeroPoint = parameters.zeroPoint { place = try node("Add", [place, aligned(zeroPoint, type)]) }
      return try node(
        "Clip",
        [place, parameters.least.map { try number($0, as: type) }, parameters.most.map { try number($0, as: type) }])
    }
  }

  /// What integers stand for, by arithmetic.
  fileprivate func dequantized(_ x: Graph.ValueID, _ parameters: QuantizationParameters, as out: ElementType) throws
    -> Graph.ValueID
  {
    let type = parameters.computingType(self)
    return try alongScales(x, parameters.layout) { x, aligned in
      var difference = try cast(x, to: type)
      if let zeroPoint = parameters.zeroPoint { difference = try node("Sub", [difference, aligned(zeroPoint, type)]) }
      return try cast(node("Mul", [difference, aligned(parameters.scale, type)]), to: out)
    }
  }

  /// What `body` makes of a tensor that its scales, and what goes with each, repeat along.
  private func alongScales(
    _ x: Graph.ValueID, _ layout: QuantizationParameters.Layout,
    _ body: (_ x: Graph.ValueID, _ aligned: (Graph.ValueID, ElementType) throws -> Graph.ValueID) throws ->
      Graph.ValueID
  ) throws -> Graph.ValueID {
    switch layout {
    case .tensor, .broadcast: return try body(x) { try cast($0, to: $1) }
    case .axis(let axis):
      let others = try (0..<rank(x)).filter { $0 != axis }
      return try body(x) { try cast(unsqueeze($0, others), to: $1) }
    case .blocks(let axis, let size):
      let (blocked, extents) = try inBlocks(x, axis: axis, size: size)
      let result = try body(blocked) { try cast(unsqueeze($0, [axis + 1]), to: $1) }
      return try reshape(result, extents)
    }
  }

  /// A tensor with the blocks along an axis on an axis of their own, behind the one that counts them; and the extents that
  /// it had.
  func inBlocks(_ x: Graph.ValueID, axis: Int, size: Int) throws -> (blocked: Graph.ValueID, extents: [GraphExtent]) {
    let extents = try (0..<rank(x)).map { try extent(x, $0) }
    let blocked = extents[..<axis] + [try divided(extents[axis], by: size), .known(size)] + extents[(axis + 1)...]
    return (try reshape(x, Array(blocked)), extents)
  }
}
