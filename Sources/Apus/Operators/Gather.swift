extension Tensor {
  /// The entries along `axis` that `indices` name: the axis is replaced by the shape of `indices` (ONNX `Gather`,
  /// NumPy `take`; for one-dimensional indices PyTorch's `index_select`). Negative indices count from the end.
  /// - Throws: ``TensorError/argument(operation:reason:)`` naming the first index out of range and its position.
  @_specialize(where Scalar == Float)
  @_specialize(where Scalar == Int64)
  public func indexSelect(axis: Int, _ indices: Tensor<Int64>) throws -> Tensor {
    let axis = try Shape.axis(axis, in: shape, operation: "indexSelect")
    let indices = try indices.rowMajor
    try indices.checkIndices(from: -shape[axis], to: shape[axis], operation: "indexSelect", into: shape, axis: axis)
    let source = try rowMajor
    let (outer, size, inner) = source.split(at: axis)
    let newShape = Array(shape[..<axis]) + indices.shape + Array(shape[(axis + 1)...])
    _ = try Shape.elementCount(newShape, operation: "indexSelect")
    if outer == 1, source.storage.deferred != nil, indices.count < size / 4 {
      return try source.madeEntries(indices, size: size, inner: inner, shape: newShape)
    }
    if indices.count == 1, outer > 1 || inner >= elementsPerPiece {
      // One slice of many pieces, or a long one: a single copy.
      let index = Int(withExtendedLifetime(indices.storage) { indices.pointer[0] })
      return try source.gathered(
        [outer, inner], strides: [size * inner, 1], offset: (index < 0 ? index + size : index) * inner
      ).reshaped(newShape)
    }
    let kernels = Execution.current.kernels.data
    return try withExtendedLifetime((source.storage, indices.storage)) {
      nonisolated(unsafe) let x = source.pointer
      nonisolated(unsafe) let chosen = indices.pointer
      return try Tensor.filled(newShape) { destination in
        nonisolated(unsafe) let y = destination
        let count = indices.count
        guard inner > 0, count > 0 else { return }
        parallelRows(outer, width: count * inner) { first, rows in
          for row in first..<(first + rows) {
            kernels.gather(
              elementSize: MemoryLayout<Scalar>.stride, from: x + row * size * inner, axisSize: size, inner: inner,
              indices: chosen, count: count, to: y + row * count * inner)
          }
        }
      }
    }
  }

  /// A few entries along the first axis of a tensor whose elements are made when they are needed: no others are.
  private func madeEntries(_ indices: Tensor<Int64>, size: Int, inner: Int, shape: [Int]) throws -> Tensor {
    try indices.withUnsafeBufferPointer { indices in
      try Tensor.filled(shape) { y in
        for (place, index) in indices.enumerated() {
          let entry = Int(index) + (index < 0 ? size : 0)
          write(entry * inner..<(entry + 1) * inner, to: y + place * inner)
        }
      }
    }
  }

  /// `y[i][j][k] = x[i][indices[i][j][k]][k]` for axis 1, likewise for others (PyTorch `gather`, ONNX
  /// `GatherElements`). `indices` has this tensor's rank and is no larger along the other axes. Negative indices count
  /// from the end.
  /// - Throws: ``TensorError`` for shapes that do not fit, or naming the first index out of range and its position.
  public func gather(axis: Int, _ indices: Tensor<Int64>) throws -> Tensor {
    let axis = try Shape.axis(axis, in: shape, operation: "gather")
    guard indices.rank == rank, shape.indices.allSatisfy({ $0 == axis || indices.shape[$0] <= shape[$0] }) else {
      throw TensorError.shape(
        operation: "gather",
        reason: "indices of shape \(indices.shape) do not fit a tensor of shape \(shape) along axis \(axis)")
    }
    let indices = try indices.rowMajor
    try indices.checkIndices(from: -shape[axis], to: shape[axis], operation: "gather", into: shape, axis: axis)
    var source = try rowMajor
    for other in shape.indices where other != axis {
      source = try source.sliced(axis: other, to: indices.shape[other])
    }
    let (outer, size, inner) = source.split(at: axis)
    let kernels = Execution.current.kernels.data
    return try withExtendedLifetime((source.storage, indices.storage)) {
      nonisolated(unsafe) let x = source.pointer
      nonisolated(unsafe) let chosen = indices.pointer
      let count = indices.shape[axis]
      return try Tensor.filled(indices.shape) { destination in
        nonisolated(unsafe) let y = destination
        guard count > 0, inner > 0 else { return }
        parallelRows(outer, width: count * inner) { first, rows in
          for row in first..<(first + rows) {
            kernels.gatherElements(
              elementSize: MemoryLayout<Scalar>.stride, from: x + row * size * inner, axisSize: size, inner: inner,
              indices: chosen + row * count * inner, count: count, to: y + row * count * inner)
          }
        }
      }
    }
  }
}

extension Tensor<Int64> {
  /// - Throws: ``TensorError/argument(operation:reason:)`` naming the first element outside `low ..< high`.
  func checkIndices(from low: Int, to high: Int, operation: String, into shape: [Int], axis: Int) throws {
    let kernels = Execution.current.kernels.data
    let place = withExtendedLifetime(storage) { kernels.firstIndex(outside: low, high, pointer, count: count) }
    guard place >= 0 else { return }
    let strides = Shape.strides(self.shape)
    let position = self.shape.indices.map { place / strides[$0] % max(self.shape[$0], 1) }
    let index = withExtendedLifetime(storage) { pointer[place] }
    throw TensorError.argument(
      operation: operation,
      reason: "index \(index) at position \(position) is outside axis \(axis), of size \(high), of shape \(shape)")
  }
}
