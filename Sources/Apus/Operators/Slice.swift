extension Tensor {
  /// The elements `start`, `start + step`, … before `end` along `axis`, as Python slices: negative bounds count from
  /// the end, bounds outside are moved to it.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for an axis that does not exist or a step below 1.
  @_specialize(where Scalar == Float)
  @_specialize(where Scalar == Int64)
  public func sliced(axis: Int, from start: Int = 0, to end: Int = .max, step: Int = 1) throws -> Tensor {
    let axis = try Shape.axis(axis, in: shape, operation: "slice")
    guard step >= 1 else { throw TensorError.argument(operation: "slice", reason: "step \(step) is not positive") }
    let size = shape[axis]
    let first = min(max(start < 0 ? start + size : start, 0), size)
    let last = min(max(end < 0 ? end + size : end, first), size)
    let count = last == first ? 0 : (last - first - 1) / step + 1
    if count == size, step == 1 { return self }
    if let blocked = try slicedInBlocks(axis: axis, from: first, count: count, step: step) { return blocked }
    var newShape = shape
    newShape[axis] = count
    var strides = Shape.strides(shape)
    let offset = count == 0 ? 0 : first * strides[axis]
    if layout == .rowMajor, step == 1, count > 0, shape[..<axis].allSatisfy({ $0 == 1 }) {
      // The part lies in one piece: the slice is a view of it.
      return viewed(newShape, from: offset)
    }
    // Between two elements there are at most `size` others.
    strides[axis] *= min(step, max(size, 1))
    return try gathered(newShape, strides: strides, offset: offset)
  }

  /// Along every axis `counts[axis]` elements from `starts[axis]` on, each `steps[axis]` after the one before; steps may
  /// be negative.
  /// - Throws: ``TensorError/argument(operation:reason:)`` when an element lies outside.
  @_specialize(where Scalar == Float)
  @_specialize(where Scalar == Int64)
  package func sliced(starts: [Int], counts: [Int], steps: [Int]) throws -> Tensor {
    guard starts.count == rank, counts.count == rank, steps.count == rank else {
      throw TensorError.argument(operation: "slice", reason: "a tensor of shape \(shape) is not cut along every axis")
    }
    let cut = shape.indices.filter { counts[$0] != shape[$0] || steps[$0] != 1 }
    guard let axis = cut.first else { return self }
    for axis in cut where counts[axis] != 0 {
      let (way, overflow) = steps[axis].multipliedReportingOverflow(by: counts[axis] &- 1)
      let places = 0..<shape[axis]
      guard counts[axis] > 0, !overflow, places.contains(starts[axis]), places.contains(starts[axis] &+ way) else {
        throw TensorError.argument(
          operation: "slice",
          reason:
            "\(counts[axis]) elements from \(starts[axis]) on by \(steps[axis]) leave axis \(axis) of shape \(shape)")
      }
    }
    if cut.count == 1, steps[axis] > 0, counts[axis] > 0 {
      // The end is inside the axis: the last element is.
      let last = starts[axis] + (counts[axis] - 1) * steps[axis]
      return try sliced(axis: axis, from: starts[axis], to: last + 1, step: steps[axis])
    }
    if counts.contains(0) { return try Tensor(uninitialized: counts) }
    var strides = Shape.strides(shape)
    var offset = 0
    for axis in cut {
      offset += starts[axis] * strides[axis]
      strides[axis] *= counts[axis] > 1 ? steps[axis] : 1
    }
    return try gathered(counts, strides: strides, offset: offset)
  }

  /// A part of the row-major elements, which stay where they are.
  private func viewed(_ newShape: [Int], from offset: Int) -> Tensor {
    let size = MemoryLayout<Scalar>.stride
    let count = newShape.reduce(1, *)
    let view = TensorStorage(borrowing: storage.base + offset * size, byteCount: count * size, owner: storage)
    return Tensor(shape: newShape, count: count, layout: .rowMajor, storage: view)
  }

  /// Whole blocks of channels; nil when the layout is another or the cut goes through one.
  private func slicedInBlocks(axis: Int, from first: Int, count: Int, step: Int) throws -> Tensor? {
    let block = TensorLayout.block
    guard layout == .channelBlocked, axis == 1, step == 1, TensorLayout.isWorthBlocking(channels: count),
      first.isMultiple(of: block), count.isMultiple(of: block) || first + count == shape[1]
    else { return nil }
    var newShape = shape
    newShape[1] = count
    // A batch is one contiguous run of blocks.
    let positions = shape[2...].reduce(1, *)
    let width = TensorLayout.blocks(count) * block * positions
    let sourceWidth = TensorLayout.blocks(shape[1]) * block * positions
    if shape[0] == 1 {
      // The blocks of a single sample lie together: the slice is a view of them.
      let size = MemoryLayout<Scalar>.stride
      let view = TensorStorage(
        borrowing: storage.base + first * positions * size, byteCount: width * size, owner: storage)
      return Tensor(shape: newShape, count: count * positions, layout: .channelBlocked, storage: view)
    }
    return try withExtendedLifetime(storage) {
      try Tensor.filled(newShape, layout: .channelBlocked) { destination in
        StridedCopy(
          sizes: [shape[0], width], sourceStrides: [sourceWidth, 1], destinationStrides: [width, 1]
        ).run(elementSize: MemoryLayout<Scalar>.stride, from: pointer + first * positions, to: destination)
      }
    }
  }

  /// The elements at `index` along `axis`, which goes away; a negative index counts from the end.
  public func selected(axis: Int, index: Int) throws -> Tensor {
    let resolved = try Shape.axis(axis, in: shape, operation: "select")
    let position = index < 0 ? index &+ shape[resolved] : index
    guard position >= 0, position < shape[resolved] else {
      throw TensorError.argument(
        operation: "select", reason: "index \(index) is outside axis \(axis) of a tensor of shape \(shape)")
    }
    return try sliced(axis: resolved, from: position, to: position + 1).squeezed(resolved)
  }

  /// Consecutive parts of the given sizes along `axis`.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when the sizes do not add up.
  public func split(sizes: [Int], axis: Int) throws -> [Tensor] {
    let axis = try Shape.axis(axis, in: shape, operation: "split")
    var sum = 0
    for size in sizes {
      let (next, overflow) = sum.addingReportingOverflow(size)
      guard size >= 0, !overflow else {
        throw TensorError.argument(operation: "split", reason: "sizes \(sizes) are not all possible")
      }
      sum = next
    }
    guard sum == shape[axis] else {
      throw TensorError.shape(
        operation: "split", reason: "sizes \(sizes) do not add up to axis \(axis) of a tensor of shape \(shape)")
    }
    var parts: [Tensor] = []
    var start = 0
    for size in sizes {
      parts.append(try sliced(axis: axis, from: start, to: start + size))
      start += size
    }
    return parts
  }

  /// At most `count` parts along `axis`, all of the same size but the last, which may be smaller (PyTorch's `chunk`).
  public func chunked(_ count: Int, axis: Int) throws -> [Tensor] {
    let axis = try Shape.axis(axis, in: shape, operation: "chunk")
    guard count >= 1 else { throw TensorError.argument(operation: "chunk", reason: "\(count) parts were asked for") }
    let size = shape[axis]
    let part = max(1, size / count + (size % count == 0 ? 0 : 1))
    if size == 0 { return [self] }
    return try stride(from: 0, to: size, by: part).map {
      try sliced(axis: axis, from: $0, to: min($0 + part, size))
    }
  }
}
