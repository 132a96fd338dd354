import Apus

// Large weights that are stored in fewer bits than they are computed in. What a session is prepared with are not their
// numbers but what makes these, so that layers widen them on their way into the layout that they keep.

extension Operators {
  /// The result of a node that makes large weights of what a file stores, its elements not made yet; nil for any other node.
  ///
  /// Numbers have the bits that the node itself gives.
  /// - Parameter inputs: constants, which stay as they are.
  /// - Throws: ``OperatorError`` and ``TensorError``, where the node would.
  static func deferredWeights(_ node: NodeDescription, _ inputs: [GraphValue?]) throws -> GraphValue? {
    switch node.node.operatorName {
    case OperatorName(type: "DequantizeLinear"): return try deferredDequantization(node, inputs)
    case OperatorName(domain: "apus", type: "BlockDequantize"): return try deferredBlocks(inputs)
    default: break
    }
    guard case .tensor(let stored)? = inputs.first ?? nil else { return nil }
    switch node.node.operatorName {
    case OperatorName(type: "Cast"):
      switch try node.optionalElementType("to") {
      case .float: return try stored.deferringConversion(to: Float.self).map { GraphValue($0) }
      case .double: return try stored.deferringConversion(to: Double.self).map { GraphValue($0) }
      default: return nil
      }
    case OperatorName(domain: "apus", type: "Unpack"): return try deferredCodes(node, stored)
    case OperatorName(domain: "apus", type: "LookUp"):
      guard case .tensor(.float32(let tables))? = inputs.count > 1 ? inputs[1] : nil, case .uint8(let codes) = stored
      else { return nil }
      return try deferredEntries(codes, tables)
    default: return nil
    }
  }

  private static func deferredCodes(_ node: NodeDescription, _ stored: AnyTensor) throws -> GraphValue? {
    let bits = try node.int("bits", default: 8)
    let shape = try node.ints("shape", default: [])
    guard case .uint8(let bytes) = stored, 1...8 ~= bits, try !node.flag("signed") else { return nil }
    let count = try Shape.elementCount(shape, operation: "Unpack")
    guard count >= leastDeferredCount else { return nil }
    guard bytes.count >= count / 8 * bits + (count % 8 * bits + 7) / 8 else { return nil }
    return GraphValue(try Tensor(deferring: PackedCodes(bytes, bits: bits), shape: shape))
  }

  /// Entries of one number, from one table or from one for each of the equal parts that the first axis is cut into.
  private static func deferredEntries(_ codes: Tensor<UInt8>, _ tables: Tensor<Float>) throws -> GraphValue? {
    guard codes.count >= leastDeferredCount, tables.rank == codes.rank + 2, tables.shape.last == 1 else { return nil }
    let groups = tables.shape.prefix(codes.rank)
    let (parts, entries) = (groups.first ?? 1, tables.shape[codes.rank])
    guard groups.dropFirst().allSatisfy({ $0 == 1 }), parts > 0, (codes.shape.first ?? 1).isMultiple(of: parts) else {
      return nil
    }
    // Codes that no table could lack: whether others do is known only when all of them were read.
    let bits = (codes.deferredSource as? PackedCodes)?.bits ?? 8
    guard entries >= 1 << bits else { return nil }
    return GraphValue(
      try Tensor(deferring: TableEntries(codes: codes, tables: tables, entries: entries), shape: codes.shape))
  }

  /// Matrices of codes that ``DequantizeLinear(_:)`` widens, with scales of blocks, of an axis, or one for all.
  private static func deferredDequantization(_ node: NodeDescription, _ inputs: [GraphValue?]) throws -> GraphValue? {
    guard let codes = matrixCodes(inputs.first ?? nil), inputs.count > 1, case .tensor(let scale)? = inputs[1],
      try node.optionalElementType("output_dtype").map({ $0 == inputs[1]?.elementType }) ?? true
    else { return nil }
    let shape = codes.values.shape
    let axis = try Shape.axis(node.int("axis", default: 1), in: shape, operation: "DequantizeLinear")
    let blockSize = try node.int("block_size", default: 0)
    // Elements of a block along the axis, and along the other one.
    let (along, across): (Int, Int)
    if scale.rank == 2, blockSize > 0 {
      (along, across) = (blockSize, 1)
    } else if scale.rank <= 1, scale.count == 1 {
      (along, across) = (shape[axis], shape[1 - axis])
    } else if scale.shape == [shape[axis]], blockSize == 0 {
      (along, across) = (1, shape[1 - axis])
    } else {
      return nil
    }
    let block = axis == 0 ? (rows: along, columns: across) : (rows: across, columns: along)
    let groups = [
      (shape[0] - 1) / block.rows + 1, (shape[1] - 1) / block.columns + 1,
    ]
    guard scale.count == groups[0] * groups[1], scale.rank < 2 || scale.shape == groups else { return nil }
    var points: Tensor<UInt8>?
    if inputs.count > 2, let given = inputs[2] {
      guard let zeroPoints = matrixCodes(given, rank: nil), zeroPoints.signBit == codes.signBit,
        given.elementType == inputs[0]?.elementType, zeroPoints.values.count == scale.count
      else { return nil }
      points = try zeroPoints.values.reshaped(groups)
    }
    return try deferredBlocks(codes, scale, groups: groups, points, block)
  }

  /// Matrices of codes that ``BlockDequantize(_:)`` widens.
  private static func deferredBlocks(_ inputs: [GraphValue?]) throws -> GraphValue? {
    guard let codes = matrixCodes(inputs.first ?? nil), inputs.count > 1, case .tensor(let scale)? = inputs[1],
      scale.rank == 2, zip(codes.values.shape, scale.shape).allSatisfy({ $1 > 0 && $0.isMultiple(of: $1) })
    else { return nil }
    let shape = codes.values.shape
    var points: Tensor<UInt8>?
    if inputs.count > 2, let given = inputs[2] {
      guard let offsets = matrixCodes(given, rank: nil), offsets.signBit == codes.signBit else { return nil }
      let values = offsets.values
      guard values.count == 1 || values.shape == scale.shape else { return nil }
      points = try values.count == 1 ? Tensor(repeating: values.elements[0], shape: scale.shape) : values
    }
    return try deferredBlocks(
      codes, scale, groups: scale.shape, points, (shape[0] / scale.shape[0], shape[1] / scale.shape[1]))
  }

  private static func deferredBlocks(
    _ codes: MatrixCodes, _ scale: AnyTensor, groups: [Int], _ zeroPoints: Tensor<UInt8>?,
    _ blockShape: (rows: Int, columns: Int)
  ) throws -> GraphValue? {
    func blocks<Scalar: FloatingPointScalar>(_ scales: Tensor<Scalar>) throws -> GraphValue {
      let elements = try BlockQuantizedElements(
        codes: codes.values, signBit: codes.signBit, scales: scales.reshaped(groups), zeroPoints: zeroPoints,
        blockShape: blockShape)
      return GraphValue(try Tensor(deferring: elements, shape: codes.values.shape))
    }
    return switch scale {
    case .float32(let scales): try blocks(scales)
    case .float64(let scales): try blocks(scales)
    default: nil
    }
  }

  /// Codes of eight bits and fewer, a byte each.
  private typealias MatrixCodes = (values: Tensor<UInt8>, signBit: UInt8)

  /// - Parameter rank: 2 for a large matrix, nil for zero points.
  private static func matrixCodes(_ value: GraphValue?, rank: Int? = 2) -> MatrixCodes? {
    let codes: MatrixCodes
    switch value {
    case .tensor(.uint8(let tensor))?: codes = (tensor, 0)
    case .tensor(let tensor)? where tensor.dataType == .int8:
      guard let bits = tensor.bits(as: UInt8.self) else { return nil }
      codes = (bits, 128)
    case .coded(let tensor)? where tensor.elementType == .uint4: codes = (tensor.codes, 0)
    case .coded(let tensor)? where tensor.elementType == .int4: codes = (tensor.codes, 8)
    default: return nil
    }
    guard let rank else { return codes }
    let shape = codes.values.shape
    return shape.count == rank && !shape.contains(0) && codes.values.count >= leastDeferredCount ? codes : nil
  }
}
