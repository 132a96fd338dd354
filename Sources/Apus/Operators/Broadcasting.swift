import ApusKernelInterface

/// How two row-major operands are stretched over their common shape, with as few axes as that can be said in.
struct Broadcast {
  /// The shape of the result.
  let shape: [Int]
  /// The axes that remain after those of size 1 are dropped and neighbours that both operands run through alike are
  /// joined; at least one.
  private(set) var sizes: [Int] = []
  private(set) var aStrides: [Int] = []
  private(set) var bStrides: [Int] = []

  init(_ a: [Int], _ b: [Int], operation: String) throws {
    shape = try Shape.broadcast(a, b, operation: operation)
    // Against an axis of size 0 a product may pass what memory could hold: check it before strides are computed.
    _ = try Shape.elementCount(shape, operation: operation)
    let aAll = Self.strides(of: a, stretchedTo: shape)
    let bAll = Self.strides(of: b, stretchedTo: shape)
    for axis in shape.indices where shape[axis] != 1 {
      let size = shape[axis]
      if let last = sizes.indices.last, aStrides[last] == aAll[axis] * size, bStrides[last] == bAll[axis] * size {
        sizes[last] *= size
        aStrides[last] = aAll[axis]
        bStrides[last] = bAll[axis]
      } else {
        sizes.append(size)
        aStrides.append(aAll[axis])
        bStrides.append(bAll[axis])
      }
    }
    if sizes.isEmpty {
      sizes = [1]
      aStrides = [0]
      bStrides = [0]
    }
  }

  /// How far an operand moves along each axis of `target`; 0 where it repeats.
  static func strides(of shape: [Int], stretchedTo target: [Int]) -> [Int] {
    let own = Shape.strides(shape)
    let missing = target.count - shape.count
    return target.indices.map { axis in
      axis < missing || shape[axis - missing] == 1 ? 0 : own[axis - missing]
    }
  }

  /// Calls `body` with the axes, which are valid only inside it.
  func withAxes(_ body: (BroadcastAxes) -> Void) {
    sizes.withUnsafeBufferPointer { sizes in
      aStrides.withUnsafeBufferPointer { aStrides in
        bStrides.withUnsafeBufferPointer { bStrides in
          guard let sizes = sizes.baseAddress, let aStrides = aStrides.baseAddress, let bStrides = bStrides.baseAddress
          else { return }
          body(BroadcastAxes(rank: self.sizes.count, sizes: sizes, aStrides: aStrides, bStrides: bStrides))
        }
      }
    }
  }
}
