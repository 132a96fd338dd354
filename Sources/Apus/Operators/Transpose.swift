extension Tensor {
  /// Two axes exchanged; the last two by default.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for an axis that does not exist.
  public func transposed(_ first: Int = -2, _ second: Int = -1) throws -> Tensor {
    let first = try Shape.axis(first, in: shape, operation: "transpose")
    let second = try Shape.axis(second, in: shape, operation: "transpose")
    var axes = Array(shape.indices)
    axes.swapAt(first, second)
    return try permuted(axes)
  }

  /// The axes in another order: axis `i` of the result is axis `axes[i]` of this tensor.
  /// - Throws: ``TensorError/argument(operation:reason:)`` when `axes` does not name every axis once.
  @_specialize(where Scalar == Float)
  public func permuted(_ axes: [Int]) throws -> Tensor {
    let areCounted = axes.allSatisfy(shape.indices.contains)
    let resolved = areCounted ? axes : try axes.map { try Shape.axis($0, in: shape, operation: "permute") }
    guard Shape.isPermutation(resolved, rank: rank) else {
      throw TensorError.argument(
        operation: "permute", reason: "axes \(axes) do not name every axis of a tensor of shape \(shape) once")
    }
    if resolved.elementsEqual(shape.indices) { return self }
    if let gathered = try gatheredFromBlocks(resolved) { return gathered }
    let strides = Shape.strides(shape)
    return try gathered(resolved.map { shape[$0] }) { strides[resolved[$0]] }
  }

  /// Channels that become the last axis lie side by side in a channel-blocked tensor already, sixteen at a time. nil for any
  /// other order or tensor.
  private func gatheredFromBlocks(_ axes: [Int]) throws -> Tensor? {
    guard layout == .channelBlocked, axes.last == 1, shape[1].isMultiple(of: TensorLayout.block) else { return nil }
    let blocked = Self.blockedShape(shape)
    let strides = Shape.strides(blocked)
    // The channels are two axes there, the first of which is where the only one was.
    let order = axes + [rank]
    let sizes = order.map { blocked[$0] }
    return try withExtendedLifetime(storage) {
      try Tensor.filled(axes.map { shape[$0] }) { destination in
        guard count > 0 else { return }
        let destinationStrides = Shape.strides(sizes)
        StridedCopy(
          sizes, sourceStride: { strides[order[$0]] }, destinationStride: { destinationStrides[$0] }
        ).run(elementSize: MemoryLayout<Scalar>.stride, from: pointer, to: destination)
      }
    }
  }

  /// The elements along `axes` in reverse order.
  public func flipped(axes: [Int]) throws -> Tensor {
    var strides = Shape.strides(shape)
    var offset = 0
    for axis in Set(try axes.map { try Shape.axis($0, in: shape, operation: "flip") }) {
      offset += max(0, shape[axis] - 1) * strides[axis]
      strides[axis] = -strides[axis]
    }
    return try gathered(shape, strides: strides, offset: offset)
  }

  /// Repeated along axes of size 1 and new axes in front, until the shape is `newShape` (NumPy's broadcasting).
  /// - Throws: ``TensorError/shape(operation:reason:)`` when the shapes do not allow it.
  public func expanded(to newShape: [Int]) throws -> Tensor {
    if newShape == shape { return try rowMajor }
    let (source, target) = (shape, newShape)
    guard target.count >= source.count,
      zip(source.reversed(), target.reversed()).allSatisfy({ $0 == $1 || $0 == 1 })
    else {
      throw TensorError.shape(operation: "expand", reason: "shape \(shape) cannot be expanded to \(newShape)")
    }
    _ = try Shape.elementCount(newShape, operation: "expand")
    let strides = StretchedStrides(of: shape, over: newShape)
    return try gathered(newShape) { strides[$0] }
  }

  /// The whole tensor `counts[i]` times along each axis (NumPy's `tile`, PyTorch's `repeat`). More counts than axes add
  /// axes in front.
  public func tiled(_ counts: [Int]) throws -> Tensor {
    guard counts.count >= rank, counts.allSatisfy({ $0 >= 0 }) else {
      throw TensorError.argument(
        operation: "tile", reason: "counts \(counts) do not fit a tensor of shape \(shape)")
    }
    let padded = [Int](repeating: 1, count: counts.count - rank) + shape
    var result: [Int] = []
    for (count, size) in zip(counts, padded) {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard !overflow else {
        throw TensorError.argument(operation: "tile", reason: "counts \(counts) are too large for shape \(shape)")
      }
      result.append(product)
    }
    _ = try Shape.elementCount(result, operation: "tile")
    // Each axis as a pair: the repetitions, which do not move in the source, and the axis itself.
    let own = Shape.strides(padded)
    let pairs = zip(counts, padded).flatMap { [$0, $1] }
    return try gathered(pairs, strides: own.flatMap { [0, $0] }).reshaped(result)
  }

  /// The same elements with an axis of size 1 put in before `axis`; -1 appends it.
  public func unsqueezed(_ axis: Int) throws -> Tensor {
    let resolved = axis < 0 ? axis &+ rank &+ 1 : axis
    guard resolved >= 0, resolved <= rank else {
      throw TensorError.argument(
        operation: "unsqueeze", reason: "axis \(axis) does not exist in a tensor of shape \(shape) with one more")
    }
    var newShape = shape
    newShape.insert(1, at: resolved)
    return try reshaped(newShape)
  }

  /// The same elements without `axis`, whose size must be 1.
  public func squeezed(_ axis: Int) throws -> Tensor {
    let resolved = try Shape.axis(axis, in: shape, operation: "squeeze")
    guard shape[resolved] == 1 else {
      throw TensorError.shape(
        operation: "squeeze", reason: "axis \(axis) of a tensor of shape \(shape) has size \(shape[resolved]), not 1")
    }
    var newShape = shape
    newShape.remove(at: resolved)
    return try reshaped(newShape)
  }
}
