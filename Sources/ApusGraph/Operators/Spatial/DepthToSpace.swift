import Apus

// Channels as blocks of positions, and back. Nothing is computed, so elements are of any type.

extension Operators {
  static let blockMovements: [OperatorDefinition] = [
    OperatorDefinition("DepthToSpace", .plain(.depthToSpace), DepthToSpace),
    OperatorDefinition("SpaceToDepth", .plain(.spaceToDepth), SpaceToDepth),
  ]

  /// `[batch, channels · b², height, width]` to `[batch, channels, height · b, width · b]`. In mode DCR the places in a
  /// block are the channels' slow axis, in CRD their fast one.
  static func DepthToSpace(_ node: NodeDescription) throws -> PreparedOperator {
    let block = try BlockMode(node)
    return { arguments in
      let x = try arguments.value(0)
      let shape = try x.extents
      guard shape.count == 4, shape[1].isMultiple(of: block.area) else {
        throw OperatorError("the input has shape \(shape); [batch, channels · \(block.area), height, width] is needed")
      }
      let (channels, size) = (shape[1] / block.area, block.size)
      let split =
        block.isDepthFirst
        ? [shape[0], size, size, channels, shape[2], shape[3]] : [shape[0], channels, size, size, shape[2], shape[3]]
      let axes = block.isDepthFirst ? [0, 3, 4, 1, 5, 2] : [0, 1, 4, 2, 5, 3]
      let result = [shape[0], channels, try block.times(shape[2]), try block.times(shape[3])]
      return [try BlockMovement(split: split, axes: axes, result: result).run(x)]
    }
  }

  /// `[batch, channels, height · b, width · b]` to `[batch, channels · b², height, width]`.
  static func SpaceToDepth(_ node: NodeDescription) throws -> PreparedOperator {
    let block = try BlockMode(node)
    return { arguments in
      let x = try arguments.value(0)
      let shape = try x.extents
      let size = block.size
      guard shape.count == 4, shape[2].isMultiple(of: size), shape[3].isMultiple(of: size) else {
        throw OperatorError(
          "the input has shape \(shape); [batch, channels, height · \(size), width · \(size)] is needed")
      }
      let (height, width) = (shape[2] / size, shape[3] / size)
      let split = [shape[0], shape[1], height, size, width, size]
      let axes = block.isDepthFirst ? [0, 3, 5, 1, 2, 4] : [0, 1, 3, 5, 2, 4]
      let (channels, overflow) = shape[1].multipliedReportingOverflow(by: block.area)
      guard !overflow else { throw OperatorError("\(shape[1]) channels in blocks of \(block.area) are too many") }
      return [try BlockMovement(split: split, axes: axes, result: [shape[0], channels, height, width]).run(x)]
    }
  }
}

private struct BlockMode: Sendable {
  let size: Int
  let isDepthFirst: Bool
  var area: Int { size * size }

  init(_ node: NodeDescription) throws {
    size = try node.int("blocksize")
    guard 1...(1 << 15) ~= size else { throw OperatorError("blocksize is \(size)") }
    let mode = try node.string("mode", default: "DCR")
    guard mode == "DCR" || mode == "CRD" else { throw OperatorError("mode '\(mode)' is neither DCR nor CRD") }
    isDepthFirst = mode == "DCR"
  }

  func times(_ extent: Int) throws -> Int {
    let (result, overflow) = extent.multipliedReportingOverflow(by: size)
    guard !overflow else { throw OperatorError("\(extent) positions in blocks of \(size) are too many") }
    return result
  }
}

private struct BlockMovement: Rearrangement {
  let split: [Int]
  let axes: [Int]
  let result: [Int]

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try x.reshaped(split).permuted(axes).reshaped(result)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let depthToSpace = ShapeRule.rule { facts in
    let (x, block) = try blocks(facts)
    let (height, width) = try (Extent.product(x.shape[2], block.size), Extent.product(x.shape[3], block.size))
    return [InferredType(x.elementType, [x.shape[0], x.shape[1] / block.area, height, width])]
  }

  static let spaceToDepth = ShapeRule.rule { facts in
    let (x, block) = try blocks(facts)
    let channels = try Extent.product(x.shape[1], block.area)
    return [InferredType(x.elementType, [x.shape[0], channels, x.shape[2] / block.size, x.shape[3] / block.size])]
  }

  private static func blocks(_ facts: ShapeFacts) throws -> (x: InferredType, block: BlockMode) {
    let x = try facts.input(0)
    guard x.shape.count == 4 else { throw ShapeFacts.Unknown() }
    return (x, try BlockMode(facts.node))
  }
}
