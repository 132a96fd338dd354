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
    let blockSize = try node.int("block_size", default: 128)
    let gatherAxis = try node.int("gather_axis", default: 0)
    let blockAxis = try node.int("quantize_axis", default: 1)
    guard bits == 2 || bits == 4 || bits == 8 else { throw OperatorError("bits is \(bits); 2, 4 or 8 is needed") }
    guard blockSize >= 0 else { throw OperatorError("block_size is \(blockSize), which is negative") }
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
    let table = try BlockQuantizedTable(
      arguments, bits: layout.bits, blockSize: layout.blockSize, axis: layout.axis)
    let indices = try arguments.tensor(1).converted(to: Int64.self)
    let numbers = try table.numbers(scales: arguments.floating(2, as: Scalar.self))
    let axis = try Shape.axis(axis, in: numbers.shape, operation: "GatherBlockQuantized")
    let count = Int64(numbers.shape[axis])
    let isOutside = try indices.elements.map { $0 < -count || $0 >= count }
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
    product = try Linear(
      weight: form.numbers(packed, scales: scales, zeroPoints: node.constant(3), groups: node.constant(4)),
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
private struct BlockQuantizedWeight: Sendable {
  private let inputs: Int
  private let outputs: Int
  private let bits: Int
  private let blockSize: Int
  private var blocks: Int { inputs / blockSize + (inputs % blockSize == 0 ? 0 : 1) }

  init(_ node: NodeDescription) throws {
    inputs = try node.int("K")
    outputs = try node.int("N")
    bits = try node.int("bits", default: 4)
    blockSize = try node.int("block_size")
    // No product of two of these overflows.
    let sizes = 1...(1 << 31)
    guard sizes ~= inputs, sizes ~= outputs, sizes ~= blockSize, bits == 2 || bits == 4 || bits == 8,
      blockSize.isMultiple(of: 8 / bits), try node.int("weight_prepacked", default: 0) == 0
    else {
      throw OperatorError(
        "K \(inputs), N \(outputs), block_size \(blockSize) and bits \(bits) do not describe a weight that is supported"
      )
    }
  }

  /// The weight as numbers, `[N, K]`.
  func numbers<Scalar: FloatingPointScalar>(
    _ packed: GraphValue, scales: Tensor<Scalar>, zeroPoints: GraphValue?, groups: GraphValue?
  ) throws -> Tensor<Scalar> {
    let bytesPerBlock = blockSize / (8 / bits)
    guard case .tensor(.uint8(let bytes)) = packed, scales.count == outputs * blocks,
      try Shape.elementCount([outputs, blocks, bytesPerBlock]) == bytes.count
    else {
      throw OperatorError(
        "B is \(packed.type) and scales have shape \(scales.shape); UINT8[\(outputs), \(blocks), \(bytesPerBlock)] and "
          + "[\(outputs), \(blocks)] are needed")
    }
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
    case nil: return Array(repeating: Scalar(1 << (bits - 1)), count: outputs * blocks)
    case .tensor(.uint8(let bytes))?:
      let perByte = 8 / bits
      let stored = blocks / perByte + (blocks % perByte == 0 ? 0 : 1)
      return try unpacked(bytes.reshaped([outputs, stored]), bits: bits, count: blocks).elements.map { Scalar($0) }
    case .tensor(let numbers)? where numbers.dataType.isFloatingPoint && numbers.count == outputs * blocks:
      return try numbers.converted(to: Scalar.self).elements
    case let other?: throw OperatorError("zero points are \(other.type), which does not fit [\(outputs), \(blocks)]")
    }
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
  let codes: GraphValue
  let zeroPoints: GraphValue?
  let axis: Int
  let blockSize: Int
  /// The zero point where none is given.
  let middle: Int

  init(_ arguments: Arguments, bits: Int, blockSize: Int, axis: Int) throws {
    let data = try arguments.value(0)
    guard let shape = data.shape, let scaleShape = try arguments.value(2).shape, scaleShape.count == shape.count else {
      throw OperatorError("data is \(data.type) and scales have another rank")
    }
    self.axis = try Shape.axis(axis, in: shape, operation: "GatherBlockQuantized")
    if case .tensor(.uint8(let bytes)) = data {
      let last = shape[shape.count - 1]
      let (count, overflow) = last.multipliedReportingOverflow(by: 8 / bits)
      guard !overflow else { throw OperatorError("data has shape \(shape)") }
      codes = GraphValue(try unpacked(bytes, bits: bits, count: count).reshaped(shape.dropLast() + [count]))
      middle = 1 << (bits - 1)
      if case .tensor(.uint8(let points))? = arguments[3], let stored = points.shape.last {
        let blocks = scaleShape[scaleShape.count - 1]
        let unpackedPoints = try stored == blocks ? points : unpacked(points, bits: bits, count: blocks)
        zeroPoints = GraphValue(try unpackedPoints.reshaped(scaleShape))
      } else {
        zeroPoints = nil
      }
    } else {
      guard case .coded = data else { throw OperatorError("data is \(data.type); a quantised type is needed") }
      codes = data
      middle = 0
      zeroPoints = arguments[3]
    }
    self.blockSize = blockSize == 0 ? max(1, shape[self.axis]) : blockSize
  }

  /// All entries as numbers.
  func numbers<Scalar: FloatingPointScalar>(scales: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let numbers = try codes.quantizationNumbers(as: Scalar.self)
    var expected = numbers.shape
    expected[axis] = numbers.shape[axis] / blockSize + (numbers.shape[axis] % blockSize == 0 ? 0 : 1)
    let whole = try scales.expanded(to: expected)
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
