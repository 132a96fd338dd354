import Apus

extension Operators {
  static let blockQuantized: [OperatorDefinition] = [
    OperatorDefinition(
      "MatMulNBits", domain: "com.microsoft",
      .product(.matMulNBits, work: .matrixProduct, accuracy: .sum(.columns)),
      MatMulNBits),
    OperatorDefinition(
      "GatherBlockQuantized", domain: "com.microsoft", .plain(.gatherBlockQuantized), GatherBlockQuantized),
  ]

  /// `A · Wᵀ + bias` with a weight of 2, 4 or 8 bits, quantised in blocks along the depth. The products are computed in
  /// floating point whatever `accuracy_level` allows.
  static func MatMulNBits(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try BlockQuantizedProduct<Float>(node), try BlockQuantizedProduct<Double>(node))
  }

  /// The entries of a table quantised in blocks that indices name, as numbers; zeros for an index outside.
  static func GatherBlockQuantized(_ node: NodeDescription) throws -> PreparedOperator {
    let bits = try node.int("bits", default: 4)
    let blockSize = try node.quantizationBlockSize(default: 128)
    let gatherAxis = try node.int("gather_axis", default: 0)
    let blockAxis = try node.int("quantize_axis", default: 1)
    guard bits == 2 || bits == 4 || bits == 8 else { throw OperatorError("bits is \(bits); 2, 4 or 8 is needed") }
    let layout = BlockQuantizedLayout(bits: bits, blockSize: blockSize, axis: blockAxis)
    return floating(
      likeInput: 2, BlockQuantizedGather<Float>(layout: layout, axis: gatherAxis),
      BlockQuantizedGather<Double>(layout: layout, axis: gatherAxis))
  }
}

/// How a table is quantised.
private struct BlockQuantizedLayout: Sendable {
  let bits: Int
  let blockSize: Int
  /// The axis that blocks lie along.
  let axis: Int
}

private struct BlockQuantizedGather<Scalar: FloatingPointScalar>: FloatingOperator {
  let layout: BlockQuantizedLayout
  let axis: Int

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let (data, scales, points) = try (arguments.value(0), arguments.value(2), arguments[3])
    guard let shape = data.shape else { throw OperatorError("data is \(data.type); a tensor is needed") }
    let indices = try arguments.tensor(1).converted(to: Int64.self)
    let axis = try Shape.axis(axis, in: shape, operation: "GatherBlockQuantized")
    // Bytes hold several numbers each, along the last axis.
    let perByte = data.elementType == .uint8 && axis == shape.count - 1 ? 8 / layout.bits : 1
    let count = Int64(clamping: shape[axis].multipliedClamped(by: perByte))
    let isOutside = try indices.elements.map { $0 < -count || $0 >= count }

    if !isOutside.contains(true), try isEntire(along: axis, shape, scales, points) {
      let selection = Selection(axis: axis, indices: try indices.reshaped([indices.count]))
      let table = try BlockQuantizedTable(
        selection.run(data), scales: selection.run(scales), zeroPoints: points.map { try selection.run($0) }, layout)
      let numbers: Tensor<Scalar> = try table.numbers()
      var selected = numbers.shape
      selected.replaceSubrange(axis...axis, with: indices.shape)
      return [try GraphValue(rounding: numbers.reshaped(selected), to: type)]
    }

    let table = try BlockQuantizedTable(data, scales: scales, zeroPoints: points, layout)
    let numbers: Tensor<Scalar> = try table.numbers()
    guard isOutside.contains(true) else {
      return [try GraphValue(rounding: numbers.indexSelect(axis: axis, indices), to: type)]
    }
    // One more entry, of zeros.
    var filler = numbers.shape
    filler[axis] = 1
    let extended = try concatenate([numbers, Tensor(zeros: filler)], axis: axis)
    let places = try zip(indices.elements, isOutside).map { $1 ? count : $0 < 0 ? $0 + count : $0 }
    return [
      try GraphValue(rounding: extended.indexSelect(axis: axis, Tensor(places, shape: indices.shape)), to: type)
    ]
  }

  /// Whether entries along `axis` are whole blocks and bytes with scales of their own, so that they can be taken out while they
  /// are codes: a table of a vocabulary is large, and a run reads a few of its rows.
  private func isEntire(along axis: Int, _ shape: [Int], _ scales: GraphValue, _ points: GraphValue?) throws -> Bool {
    let blockAxis = try Shape.axis(layout.axis, in: shape, operation: "GatherBlockQuantized")
    return axis != blockAxis && axis != shape.count - 1
      && [scales.shape, points?.shape].allSatisfy {
        $0.map { $0.count == shape.count && $0[axis] == shape[axis] } ?? true
      }
  }
}

/// Bytes that hold several numbers each, the first in the lowest bits, as a byte for each.
/// - Parameter count: the numbers along the last axis; what fills up the last byte is not read.
func unpacked(_ bytes: Tensor<UInt8>, bits: Int, count: Int) throws -> Tensor<UInt8> {
  let perByte = 8 / bits
  guard let stored = bytes.shape.last, stored == count / perByte + (count % perByte == 0 ? 0 : 1) else {
    throw OperatorError("bytes of shape \(bytes.shape) do not hold \(count) numbers of \(bits) bits in each row")
  }
  if bits == 8 { return bytes }
  let rows = bytes.count / max(1, stored)
  let mask = UInt8((1 << bits) - 1)
  return try bytes.withUnsafeBufferPointer { bytes in
    try Tensor.filled(bytes.isEmpty ? [0, count] : [rows, count]) { numbers in
      for row in 0..<(bytes.isEmpty ? 0 : rows) {
        for index in 0..<count {
          let byte = bytes[row * stored + index / perByte]
          (numbers + row * count + index).initialize(to: byte >> UInt8(index % perByte * bits) & mask)
        }
      }
    }
  }
}

private struct BlockQuantizedProduct<Scalar: FloatingPointScalar>: FloatingOperator {
  private let form: BlockQuantizedWeight
  private let product: Linear<Scalar>?

  init(_ node: NodeDescription) throws {
    form = try BlockQuantizedWeight(node)
    let isKnown = [1, 2, 3, 4, 5].allSatisfy { !node.has($0) || node.constant($0) != nil }
    guard isKnown, let scales = try node.ownConstant(2, as: Scalar.self), let packed = node.constant(1) else {
      product = nil
      return
    }
    product = try form.layer(
      packed, scales: scales, zeroPoints: node.constant(3), groups: node.constant(4),
      bias: node.constantFloating(5, as: Scalar.self))
    for index in 1...5 where node.has(index) { node.absorb(index) }
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let a = try arguments.floating(0, as: Scalar.self)
    if let product { return [try GraphValue(rounding: product(a), to: type)] }
    let weight = try form.numbers(
      arguments.value(1), scales: arguments.floating(2, as: Scalar.self), zeroPoints: arguments[3],
      groups: arguments[4])
    let bias = try arguments.optionalFloating(5, as: Scalar.self)
    return [try GraphValue(rounding: linear(a, weight: weight, bias: bias), to: type)]
  }
}

/// How a weight `[N, K]` is quantised in blocks along K.
struct BlockQuantizedWeight: Sendable {
  private let inputs: Int
  private let outputs: Int
  private let bits: Int
  private let blockSize: Int
  private var blocks: Int { inputs / blockSize + (inputs % blockSize == 0 ? 0 : 1) }
  private var bytesPerBlock: Int { blockSize / (8 / bits) }
  /// The zero point where none is given.
  private var middle: Int { 1 << (bits - 1) }

  /// What a node of MatMulNBits says of its weight.
  init(_ node: NodeDescription) throws {
    guard try node.int("weight_prepacked", default: 0) == 0 else {
      throw OperatorError("a weight laid out for one kind of processor is not supported")
    }
    try self.init(
      inputs: node.int("K"), outputs: node.int("N"), bits: node.int("bits", default: 4),
      blockSize: node.int("block_size"))
  }

  init(inputs: Int, outputs: Int, bits: Int, blockSize: Int) throws {
    // No product of two of these overflows.
    let sizes = 1...(1 << 31)
    guard sizes ~= inputs, sizes ~= outputs, sizes ~= blockSize, bits == 2 || bits == 4 || bits == 8,
      blockSize.isMultiple(of: 8 / bits)
    else {
      throw OperatorError(
        "K \(inputs), N \(outputs), block_size \(blockSize) and bits \(bits) do not describe a weight that is supported"
      )
    }
    (self.inputs, self.outputs, self.bits, self.blockSize) = (inputs, outputs, bits, blockSize)
  }

  /// `x · Wᵀ + bias`, with the weight in its few bits where a layer can keep it so.
  func layer<Scalar: FloatingPointScalar>(
    _ packed: GraphValue, scales: Tensor<Scalar>, zeroPoints: GraphValue?, groups: GraphValue?, bias: Tensor<Scalar>?
  ) throws -> Linear<Scalar> {
    if let matrix = try matrix(packed, scales: scales, zeroPoints: zeroPoints, groups: groups) {
      return try Linear(matrix, bias: bias)
    }
    return try Linear(
      weight: numbers(packed, scales: scales, zeroPoints: zeroPoints, groups: groups), bias: bias)
  }

  /// The bytes of the weight, `[N, K / blockSize, bytes of a block]`, once they fit it.
  private func bytes<Scalar: FloatingPointScalar>(
    _ packed: GraphValue, scales: Tensor<Scalar>
  ) throws -> Tensor<UInt8> {
    guard case .tensor(.uint8(let bytes)) = packed, scales.count == outputs * blocks,
      try Shape.elementCount([outputs, blocks, bytesPerBlock]) == bytes.count
    else {
      throw OperatorError(
        "B is \(packed.type) and scales have shape \(scales.shape); UINT8[\(outputs), \(blocks), \(bytesPerBlock)] and "
          + "[\(outputs), \(blocks)] are needed")
    }
    return bytes
  }

  /// The weight as a layer keeps it, in its few bits; nil where it cannot: inputs that are not in the order of their blocks,
  /// zero points that are no codes, blocks of an odd size.
  func matrix<Scalar: FloatingPointScalar>(
    _ packed: GraphValue, scales: Tensor<Scalar>, zeroPoints: GraphValue?, groups: GraphValue?
  ) throws -> BlockQuantizedMatrix<Scalar>? {
    // Layers have none of two bits.
    let storedBits = max(bits, 4)
    guard groups == nil, BlockQuantizedMatrix<Scalar>.isSupported(bits: storedBits, blockSize: blockSize) else {
      return nil
    }
    // First of all: no list is longer than what was given.
    let bytes = try bytes(packed, scales: scales)
    let points: Tensor<UInt8>?
    switch zeroPoints {
    // The middle of two bits is not that of four.
    case nil where bits == 2: points = try Tensor(repeating: UInt8(middle), shape: [outputs, blocks])
    case nil: points = nil
    case .tensor(.uint8(let packed))?: points = try zeroPointCodes(packed)
    default: return nil
    }
    return try BlockQuantizedMatrix(
      codes: (bits == 2 ? asFourBits(bytes) : bytes).reshaped([outputs, blocks * (blockSize / (8 / storedBits))]),
      bits: storedBits, blockSize: blockSize, scales: scales.reshaped([outputs, blocks]), zeroPoints: points,
      inputs: inputs)
  }

  /// Codes of two bits as such of four.
  private func asFourBits(_ bytes: Tensor<UInt8>) throws -> Tensor<UInt8> {
    try bytes.withUnsafeBufferPointer { bytes in
      try Tensor.filled([2 * bytes.count]) { wide in
        for (index, byte) in bytes.enumerated() {
          (wide + 2 * index).initialize(to: byte & 3 | (byte >> 2 & 3) << 4)
          (wide + 2 * index + 1).initialize(to: byte >> 4 & 3 | (byte >> 6) << 4)
        }
      }
    }
  }

  /// The weight as numbers, `[N, K]`.
  func numbers<Scalar: FloatingPointScalar>(
    _ packed: GraphValue, scales: Tensor<Scalar>, zeroPoints: GraphValue?, groups: GraphValue?
  ) throws -> Tensor<Scalar> {
    let bytes = try bytes(packed, scales: scales)
    let codes = try unpacked(bytes.reshaped([outputs * blocks, bytesPerBlock]), bits: bits, count: blockSize)
    let points = try self.zeroPoints(zeroPoints, as: Scalar.self)
    let owners = try owners(groups)
    let (inputs, blockSize, blocks) = (inputs, blockSize, blocks)
    return try codes.withUnsafeBufferPointer { codes in
      try scales.withUnsafeBufferPointer { scales in
        try Tensor.filled([outputs, inputs]) { weight in
          for output in 0..<outputs {
            for input in 0..<inputs {
              let block = output * blocks + (owners.isEmpty ? input / blockSize : owners[input])
              let code = Scalar(codes[(output * blocks + input / blockSize) * blockSize + input % blockSize])
              (weight + output * inputs + input).initialize(to: (code - points[block]) * scales[block])
            }
          }
        }
      }
    }
  }

  /// A zero point for each block: packed as the weight is, numbers, or the middle.
  private func zeroPoints<Scalar: FloatingPointScalar>(_ given: GraphValue?, as: Scalar.Type) throws -> [Scalar] {
    switch given {
    case nil: return Array(repeating: Scalar(middle), count: outputs * blocks)
    case .tensor(.uint8(let bytes))?: return try zeroPointCodes(bytes).elements.map { Scalar($0) }
    case .tensor(let numbers)? where numbers.dataType.isFloatingPoint && numbers.count == outputs * blocks:
      return try numbers.converted(to: Scalar.self).elements
    case let other?: throw OperatorError("zero points are \(other.type), which does not fit [\(outputs), \(blocks)]")
    }
  }

  /// Zero points that are packed as the weight is, as a byte each: `[N, K / blockSize]`.
  private func zeroPointCodes(_ bytes: Tensor<UInt8>) throws -> Tensor<UInt8> {
    let perByte = 8 / bits
    let stored = blocks / perByte + (blocks % perByte == 0 ? 0 : 1)
    return try unpacked(bytes.reshaped([outputs, stored]), bits: bits, count: blocks)
  }

  /// The block of each input where it is not the next one in order; empty otherwise.
  private func owners(_ groups: GraphValue?) throws -> [Int] {
    guard let groups else { return [] }
    guard case .tensor(let tensor) = groups, !tensor.dataType.isFloatingPoint, tensor.count >= inputs else {
      throw OperatorError("g_idx is \(groups.type); \(inputs) integers are needed")
    }
    let owners = try tensor.converted(to: Int64.self).elements.prefix(inputs).map { Int($0) }
    guard owners.allSatisfy({ (0..<blocks).contains($0) }) else {
      throw OperatorError("g_idx names blocks outside 0..<\(blocks)")
    }
    return owners
  }
}

/// A table quantised in blocks along an axis.
private struct BlockQuantizedTable {
  private let codes: GraphValue
  private let scales: GraphValue
  private let zeroPoints: GraphValue?
  private let axis: Int
  private let blockSize: Int
  /// The zero point where none is given.
  private let middle: Int

  init(_ data: GraphValue, scales: GraphValue, zeroPoints: GraphValue?, _ layout: BlockQuantizedLayout) throws {
    guard let shape = data.shape, let scaleShape = scales.shape, scaleShape.count == shape.count else {
      throw OperatorError("data is \(data.type) and scales have another rank")
    }
    self.scales = scales
    let bits = layout.bits
    self.axis = try Shape.axis(layout.axis, in: shape, operation: "GatherBlockQuantized")
    if case .tensor(.uint8(let bytes)) = data {
      let last = shape[shape.count - 1]
      let (count, overflow) = last.multipliedReportingOverflow(by: 8 / bits)
      guard !overflow else { throw OperatorError("data has shape \(shape)") }
      codes = GraphValue(try unpacked(bytes, bits: bits, count: count).reshaped(shape.dropLast() + [count]))
      middle = 1 << (bits - 1)
      if case .tensor(.uint8(let points))? = zeroPoints {
        let blocks = scaleShape[scaleShape.count - 1]
        self.zeroPoints = GraphValue(try unpacked(points, bits: bits, count: blocks).reshaped(scaleShape))
      } else {
        self.zeroPoints = nil
      }
    } else {
      guard case .coded = data else { throw OperatorError("data is \(data.type); a quantised type is needed") }
      codes = data
      middle = 0
      self.zeroPoints = zeroPoints
    }
    blockSize = layout.blockSize == 0 ? max(1, shape[axis]) : layout.blockSize
  }

  /// All entries as numbers.
  func numbers<Scalar: FloatingPointScalar>() throws -> Tensor<Scalar> {
    guard case .tensor(let scales) = scales, scales.dataType.isFloatingPoint else {
      throw OperatorError("scales are \(scales.type); a floating-point type is needed")
    }
    let numbers = try codes.quantizationNumbers(as: Scalar.self)
    var expected = numbers.shape
    expected[axis] = numbers.shape[axis] / blockSize + (numbers.shape[axis] % blockSize == 0 ? 0 : 1)
    let whole = try scales.converted(to: Scalar.self).expanded(to: expected)
    let grid = try QuantizationGrid(numbers.shape, scale: expected, axis: axis, blockSize: blockSize)
    let points = try zeroPoints.map { try grid.spread($0.quantizationNumbers(as: Scalar.self).expanded(to: expected)) }
    return try (points.map { try numbers - $0 } ?? numbers - Scalar(middle)) * grid.spread(whole)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let matMulNBits = ShapeRule.rule { facts in
    let a = try facts.input(0)
    guard !a.shape.isEmpty else { throw ShapeFacts.Unknown() }
    return [InferredType(a.elementType, a.shape.dropLast() + [try facts.node.int("N")])]
  }

  static let gatherBlockQuantized = ShapeRule.rule { facts in
    let (table, indices) = try (facts.input(0), facts.shape(1))
    let bits = try facts.node.int("bits", default: 4)
    guard let type = table.elementType, let last = table.shape.last, [2, 4, 8].contains(bits) else {
      throw ShapeFacts.Unknown()
    }
    // Bytes hold several numbers each.
    let width = try type == .uint8 ? Extent.product(last, 8 / bits) : last
    let shape = table.shape.dropLast() + [width]
    let axis = try Axes.resolve(facts.node.int("gather_axis", default: 0), rank: shape.count)
    return [InferredType(facts.elementType(2), shape[..<axis] + indices + shape[(axis + 1)...])]
  }
}
