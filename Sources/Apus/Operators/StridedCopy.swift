import ApusKernelInterface

/// A copy between strided layouts, with as few axes as it can be said in.
struct StridedCopy: Sendable {
  /// At least one.
  private var axes: [StridedAxis] = []

  /// - Parameters:
  ///   - sourceStride: how far the source moves a step along an axis, in elements.
  ///   - destinationStride: the same of the destination.
  init(_ shape: [Int], sourceStride: (_ axis: Int) -> Int, destinationStride: (_ axis: Int) -> Int) {
    axes.reserveCapacity(max(1, shape.count))
    for axis in shape.indices {
      append(
        StridedAxis(
          size: shape[axis], sourceStride: sourceStride(axis), destinationStride: destinationStride(axis)))
    }
    if axes.isEmpty { axes.append(StridedAxis(size: 1, sourceStride: 1, destinationStride: 1)) }
  }

  /// Axes of size 1 are left out, and neighbours that both sides run through alike are joined.
  private mutating func append(_ axis: StridedAxis) {
    guard axis.size != 1 else { return }
    guard let last = axes.last, last.sourceStride == axis.sourceStride * axis.size,
      last.destinationStride == axis.destinationStride * axis.size
    else {
      axes.append(axis)
      return
    }
    axes[axes.count - 1] = axis
    axes[axes.count - 1].size *= last.size
  }

  /// Copies elements of `elementSize` bytes, in pieces along the first axis.
  func run(elementSize: Int, from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer) {
    guard axes.allSatisfy({ $0.size != 0 }) else { return }
    let kernels = Execution.current.kernels.data
    nonisolated(unsafe) let source = source
    nonisolated(unsafe) let destination = destination
    let first = axes[0]
    let width = axes.dropFirst().reduce(1) { $0 * $1.size }
    // A transposition is made in tiles of sixteen rows.
    let tile = first.sourceStride == 1 ? 16 : 1
    let grain = max(tile, elementsPerPiece / max(1, width) / tile * tile)
    parallelRanges(first.size, grain: grain) { start, count in
      var piece = axes
      if count != first.size { piece[0].size = count }
      piece.withUnsafeBufferPointer { axes in
        guard let base = axes.baseAddress else { return }
        kernels.copy(
          elementSize: elementSize, from: source + start * first.sourceStride * elementSize,
          to: destination + start * first.destinationStride * elementSize, over: base, rank: axes.count)
      }
    }
  }
}

extension StridedCopy {
  init(sizes: [Int], sourceStrides: [Int], destinationStrides: [Int]) {
    self.init(sizes, sourceStride: { sourceStrides[$0] }, destinationStride: { destinationStrides[$0] })
  }
}

extension Tensor {
  /// A tensor of `shape` read from this one's row-major elements: the first at `offset`, a step along an axis
  /// `strides` further.
  package func gathered(_ shape: [Int], strides: [Int], offset: Int = 0) throws -> Tensor {
    try gathered(shape, offset: offset) { strides[$0] }
  }

  #if compiler(>=6.3)
    // As of `filled`.
    @_specialize(where Scalar == Float)
    @_specialize(where Scalar == Int64)
  #endif
  func gathered(_ shape: [Int], offset: Int = 0, stride: (_ axis: Int) -> Int) throws -> Tensor {
    let source = try rowMajor
    let strides = Shape.strides(shape)
    return try withExtendedLifetime(source.storage) {
      try Tensor.filled(shape) { destination in
        guard !shape.contains(0) else { return }
        StridedCopy(shape, sourceStride: stride, destinationStride: { strides[$0] }).run(
          elementSize: MemoryLayout<Scalar>.stride, from: source.pointer + offset, to: destination)
      }
    }
  }
}
