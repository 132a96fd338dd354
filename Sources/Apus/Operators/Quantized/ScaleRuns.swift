import ApusKernelInterface

/// Which scale and zero point belong to which elements of a tensor.
///
/// Three ways, as ONNX has them: one for all; one for each index of an axis; and one for each block of some indexes of an
/// axis, for every index of the other axes.
struct ScaleRuns: Sendable {
  /// Runs of elements that lie side by side: with a single scale, or with one for each element.
  let count: Int
  let isUniform: Bool
  /// Scales as the runs read them: those given, or, repeated, one for each element of a run.
  let scales: [Float]
  let zeroPoints: [Int32]
  private let elements: Int
  private let shape: Kind

  private enum Kind: Sendable {
    /// Runs of `length`.
    case whole(length: Int)
    /// Runs of `length`, whose scale is that of their number modulo `size`.
    case axis(length: Int, size: Int)
    /// `size` elements, the last block shorter, make `blocks` runs.
    case blocks(size: Int, block: Int, blocks: Int)
    /// `size` runs of `length`, of which `block` share their scales.
    case rowsOfBlocks(size: Int, length: Int, block: Int, blocks: Int)
  }

  /// - Throws: ``TensorError`` when scale and zero point do not fit the tensor or each other.
  init(
    _ operation: String, shape: [Int], scale: Tensor<Float>, zeroPoints points: [Int32], zeroPointShape: [Int]?,
    axis: Int, blockSize: Int
  ) throws {
    elements = try Shape.elementCount(shape, operation: operation)
    if let zeroPointShape, points.count != scale.count {
      throw TensorError.shape(
        operation: operation, reason: "zero point has shape \(zeroPointShape), the scale \(scale.shape)")
    }
    guard blockSize >= 0 else {
      throw TensorError.argument(operation: operation, reason: "block size \(blockSize) is negative")
    }
    let scales = try scale.elements
    let every = zeroPointShape == nil ? [Int32](repeating: 0, count: scales.count) : points
    if scales.count == 1, blockSize == 0 || scale.rank == 0 {
      let length = elementsPerPiece
      (self.shape, isUniform, count) = (.whole(length: length), true, (elements + length - 1) / length)
      (self.scales, zeroPoints) = (scales, every)
      return
    }
    let axis = try Shape.axis(axis, in: shape, operation: operation)
    let size = shape[axis]
    // With an empty axis the products below may be of any size, and there is nothing to do.
    guard elements > 0 else {
      (self.shape, isUniform, count, self.scales, zeroPoints) = (.whole(length: 1), true, 0, [], [])
      return
    }
    let outer = shape[..<axis].reduce(1, *), inner = shape[(axis + 1)...].reduce(1, *)
    if blockSize == 0 {
      guard scale.rank == 1, scales.count == size else {
        throw TensorError.shape(
          operation: operation, reason: "scale has shape \(scale.shape), expected one number or [\(size)]")
      }
      if inner >= 64 {
        (self.shape, isUniform, count) = (.axis(length: inner, size: size), true, outer * size)
        (self.scales, zeroPoints) = (scales, every)
      } else {
        // Short runs: scales are spread over elements, and that over some hundreds of them.
        let copies = max(1, min(outer, 1024 / (size * inner)))
        func spread<Value>(_ values: [Value]) -> [Value] {
          let once = values.flatMap { [Value](repeating: $0, count: inner) }
          return (0..<copies).flatMap { _ in once }
        }
        let length = copies * size * inner
        (self.shape, isUniform, count) = (.whole(length: length), false, (elements + length - 1) / length)
        (self.scales, zeroPoints) = (spread(scales), spread(every))
      }
      return
    }
    let blocks = size / blockSize + (size.isMultiple(of: blockSize) ? 0 : 1)
    var expected = shape
    expected[axis] = blocks
    guard scale.shape == expected else {
      throw TensorError.shape(
        operation: operation,
        reason: "scale has shape \(scale.shape), expected \(expected) for blocks of \(blockSize) along axis \(axis)")
    }
    (self.scales, zeroPoints) = (scales, every)
    if inner == 1 {
      (self.shape, isUniform) = (.blocks(size: size, block: blockSize, blocks: blocks), true)
      count = outer * blocks
    } else {
      (self.shape, isUniform) = (.rowsOfBlocks(size: size, length: inner, block: blockSize, blocks: blocks), false)
      count = outer * size
    }
  }

  /// The elements of a run, and where its scales begin.
  subscript(index: Int) -> (start: Int, count: Int, scale: Int) {
    switch shape {
    case .whole(let length): return (index * length, min(length, elements - index * length), 0)
    case .axis(let length, let size): return (index * length, length, index % size)
    case .blocks(let size, let block, let blocks):
      let first = index % blocks * block
      return (index / blocks * size + first, min(block, size - first), index)
    case .rowsOfBlocks(let size, let length, let block, let blocks):
      return (index * length, length, (index / size * blocks + index % size / block) * length)
    }
  }

  /// Calls `body` for every run, spread over threads.
  func forEach(_ body: @Sendable (_ start: Int, _ count: Int, _ scale: Int) -> Void) {
    let grain = max(1, elementsPerPiece / max(1, elements / max(1, count)))
    parallelRanges(count, grain: grain) { first, count in
      for index in first..<(first + count) {
        let run = self[index]
        body(run.start, run.count, run.scale)
      }
    }
  }
}
