import Apus

// Large weights that are stored in fewer bits than they are computed in. What a session is prepared with are not their
// numbers but what makes these, so that layers widen them on their way into the layout that they keep.

extension Operators {
  /// Weights of fewer elements are made at once.
  private static let leastDeferredCount = 1 << 14

  /// The result of a node that makes large weights of what a file stores, its elements not made yet; nil for any other node.
  ///
  /// Numbers have the bits that the node itself gives.
  /// - Parameter inputs: constants, which stay as they are.
  /// - Throws: ``OperatorError`` and ``TensorError``, where the node would.
  static func deferredWeights(_ node: NodeDescription, _ inputs: [GraphValue?]) throws -> GraphValue? {
    guard case .tensor(let stored)? = inputs.first ?? nil else { return nil }
    switch node.node.operatorName {
    case OperatorName(type: "Cast"):
      guard stored.count >= leastDeferredCount, let type = try node.optionalElementType("to") else { return nil }
      return try deferredConversion(stored, to: type)
    case OperatorName(domain: "apus", type: "Unpack"): return try deferredCodes(node, stored)
    case OperatorName(domain: "apus", type: "LookUp"):
      guard case .tensor(.float32(let tables))? = inputs.count > 1 ? inputs[1] : nil, case .uint8(let codes) = stored
      else { return nil }
      return try deferredEntries(codes, tables)
    default: return nil
    }
  }

  private static func deferredConversion(_ stored: AnyTensor, to type: ElementType) throws -> GraphValue? {
    func converted<Scalar: FloatingPointScalar>(to _: Scalar.Type) throws -> GraphValue? {
      switch stored {
      #if !(os(macOS) && arch(x86_64))
        case .float16(let tensor): GraphValue(try tensor.deferringConversion(to: Scalar.self))
      #endif
      case .bfloat16(let tensor): GraphValue(try tensor.deferringConversion(to: Scalar.self))
      default: nil
      }
    }
    return switch type {
    case .float: try converted(to: Float.self)
    case .double: try converted(to: Double.self)
    default: nil
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
}
