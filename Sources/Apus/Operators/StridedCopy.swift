import ApusKernelInterface

/// A copy between strided layouts, with as few axes as it can be said in.
struct StridedCopy {
  private(set) var sizes: [Int] = []
  private(set) var sourceStrides: [Int] = []
  private(set) var destinationStrides: [Int] = []

  /// Axes of size 1 are dropped, and neighbours that both sides run through alike are joined.
  init(sizes: [Int], sourceStrides: [Int], destinationStrides: [Int]) {
    self.sizes.reserveCapacity(sizes.count)
    self.sourceStrides.reserveCapacity(sizes.count)
    self.destinationStrides.reserveCapacity(sizes.count)
    for axis in sizes.indices where sizes[axis] != 1 {
      let size = sizes[axis]
      if let last = self.sizes.indices.last, self.sourceStrides[last] == sourceStrides[axis] * size,
        self.destinationStrides[last] == destinationStrides[axis] * size
      {
        self.sizes[last] *= size
        self.sourceStrides[last] = sourceStrides[axis]
        self.destinationStrides[last] = destinationStrides[axis]
      } else {
        self.sizes.append(size)
        self.sourceStrides.append(sourceStrides[axis])
        self.destinationStrides.append(destinationStrides[axis])
      }
    }
    if self.sizes.isEmpty {
      self.sizes = [1]
      self.sourceStrides = [1]
      self.destinationStrides = [1]
    }
  }

  /// Copies elements of `elementSize` bytes, in pieces along the first axis.
  func run(elementSize: Int, from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer) {
    guard !sizes.contains(0) else { return }
    let kernels = Execution.current.kernels.data
    nonisolated(unsafe) let source = source
    nonisolated(unsafe) let destination = destination
    let width = sizes.dropFirst().reduce(1, *)
    // A transposition is made in tiles of sixteen rows.
    let tile = sourceStrides[0] == 1 ? 16 : 1
    let grain = max(tile, elementsPerPiece / max(1, width) / tile * tile)
    parallelRanges(sizes[0], grain: grain) { first, count in
      var piece = sizes
      if count != sizes[0] { piece[0] = count }
      piece.withUnsafeBufferPointer { sizes in
        sourceStrides.withUnsafeBufferPointer { from in
          destinationStrides.withUnsafeBufferPointer { to in
            guard let sizes = sizes.baseAddress, let from = from.baseAddress, let to = to.baseAddress else { return }
            kernels.copy(
              elementSize: elementSize, from: source + first * sourceStrides[0] * elementSize,
              to: destination + first * destinationStrides[0] * elementSize,
              over: StridedAxes(
                rank: self.sizes.count, sizes: sizes, sourceStrides: from, destinationStrides: to))
          }
        }
      }
    }
  }
}

extension Tensor {
  /// A tensor of `shape` read from this one's row-major elements: the first at `offset`, a step along an axis
  /// `strides` further.
  @_specialize(where Scalar == Float)
  package func gathered(_ shape: [Int], strides: [Int], offset: Int = 0) throws -> Tensor {
    let source = try rowMajor
    return try withExtendedLifetime(source.storage) {
      try Tensor.filled(shape) { destination in
        guard !shape.contains(0) else { return }
        StridedCopy(sizes: shape, sourceStrides: strides, destinationStrides: Shape.strides(shape)).run(
          elementSize: MemoryLayout<Scalar>.stride, from: source.pointer + offset, to: destination)
      }
    }
  }
}
