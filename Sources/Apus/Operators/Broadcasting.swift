import ApusKernelInterface

/// How two row-major operands are stretched over their common shape, with as few axes as that can be said in.
struct Broadcast {
  /// The shape of the result.
  let shape: [Int]
  /// The axes that remain after those of size 1 are dropped and neighbours that both operands run through alike are
  /// joined; at least one.
  private var axes: [BroadcastAxis] = []

  init(_ a: [Int], _ b: [Int], operation: String) throws {
    shape = try Shape.broadcast(a, b, operation: operation)
    // Against an axis of size 0 a product may pass what memory could hold: check it before strides are computed.
    _ = try Shape.elementCount(shape, operation: operation)
    let aStrides = StretchedStrides(of: a, over: shape)
    let bStrides = StretchedStrides(of: b, over: shape)
    axes.reserveCapacity(max(1, shape.count))
    for axis in shape.indices where shape[axis] != 1 {
      let next = BroadcastAxis(size: shape[axis], aStride: aStrides[axis], bStride: bStrides[axis])
      if let last = axes.last, last.aStride == next.aStride * next.size, last.bStride == next.bStride * next.size {
        axes[axes.count - 1] = next
        axes[axes.count - 1].size *= last.size
      } else {
        axes.append(next)
      }
    }
    if axes.isEmpty { axes.append(BroadcastAxis(size: 1, aStride: 0, bStride: 0)) }
  }

  /// Calls `body` with the axes, which are valid only inside it.
  func withAxes(_ body: (_ axes: UnsafePointer<BroadcastAxis>, _ rank: Int) -> Void) {
    axes.withUnsafeBufferPointer { if let base = $0.baseAddress { body(base, $0.count) } }
  }
}

/// How far an operand moves along each axis of a shape that it is stretched over, in elements; 0 where it repeats.
package struct StretchedStrides: Sendable {
  private let shape: [Int]
  private let strides: [Int]
  /// Axes that the operand lacks in front.
  private let missing: Int

  /// - Parameters:
  ///   - shape: the operand's.
  ///   - target: what it is stretched over; has been through ``Shape/elementCount(_:operation:)``.
  package init(of shape: [Int], over target: [Int]) {
    (self.shape, strides, missing) = (shape, Shape.strides(shape), target.count - shape.count)
  }

  package subscript(axis: Int) -> Int {
    axis < missing || shape[axis - missing] == 1 ? 0 : strides[axis - missing]
  }

  /// Those of the first axes.
  func prefix(_ count: Int) -> [Int] { (0..<count).map { self[$0] } }
}
