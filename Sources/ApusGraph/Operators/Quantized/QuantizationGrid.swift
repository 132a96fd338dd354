import Apus

/// How scales and zero points lie over a tensor: one for all, one for each index of an axis, or one for each block along
/// it.
struct QuantizationGrid: Sendable {
  private enum Granularity {
    case tensor
    case axis(Int)
    case block(axis: Int, size: Int)
  }

  private let shape: [Int]
  private let scale: [Int]
  private let granularity: Granularity

  /// - Parameters:
  ///   - scale: the scales' shape.
  ///   - blockSize: 0 where the scales are not of blocks.
  init(_ shape: [Int], scale: [Int], axis: Int, blockSize: Int) throws {
    (self.shape, self.scale) = (shape, scale)
    if scale.count <= 1, scale.allSatisfy({ $0 == 1 }) {
      granularity = .tensor
      return
    }
    let axis = try Shape.axis(axis, in: shape, operation: "quantisation")
    if blockSize == 0 {
      guard scale == [shape[axis]] else {
        throw OperatorError("scales of shape \(scale) are not one for each of the \(shape[axis]) along axis \(axis)")
      }
      granularity = .axis(axis)
      return
    }
    var expected = shape
    expected[axis] = blockSize > 0 ? shape[axis] / blockSize + (shape[axis] % blockSize == 0 ? 0 : 1) : -1
    guard scale == expected else {
      throw OperatorError(
        "scales of shape \(scale) are not one for each \(blockSize) along axis \(axis) of shape \(shape)")
    }
    granularity = .block(axis: axis, size: blockSize)
  }

  /// - Throws: ``OperatorError`` where zero points lie otherwise than the scales do. A single one may have any rank.
  func check(zeroPoint: GraphValue?) throws {
    guard let zeroPoint, zeroPoint.shape != scale else { return }
    guard zeroPoint.shape?.reduce(1, *) == 1, scale.reduce(1, *) == 1 else {
      throw OperatorError("scales of shape \(scale) have zero points of shape \(zeroPoint.shape ?? [])")
    }
  }

  /// The scales, or the zero points, in a shape that broadcasts against the tensor.
  func spread<Element: TensorScalar>(_ values: Tensor<Element>) throws -> Tensor<Element> {
    switch granularity {
    case .tensor: return try values.reshaped([])
    case .axis(let axis):
      var shape = [Int](repeating: 1, count: shape.count)
      shape[axis] = values.count
      return try values.reshaped(shape)
    case .block(let axis, let size):
      guard values.count > 0 else { return try Tensor(zeros: shape) }
      return try values.indexSelect(axis: axis, Tensor((0..<shape[axis]).map { Int64($0 / size) }))
    }
  }
}

extension NodeDescription {
  /// How many numbers along an axis share a scale; 0 where scales are not of blocks.
  func quantizationBlockSize(default value: Int = 0) throws -> Int {
    let size = try int("block_size", default: value)
    guard size >= 0 else { throw OperatorError("block_size is \(size), which is negative") }
    return size
  }
}
