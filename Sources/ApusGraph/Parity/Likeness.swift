import Apus

/// How alike two tensors are in some order of axes: what pairs values whose names say nothing.
struct Likeness {
  /// 1 for equal elements, less the mean square of the differences in relation to the expected elements'.
  let degree: Double
  let order: AxisOrder

  /// Beyond this, values may be of one origin: 10 dB.
  static let least = 0.9

  /// As many elements as are looked at.
  private static let sampleCount = 1024

  /// The order of axes in which `other` is most like `value`; nil where none fits, or nothing is finite.
  ///
  /// Large tensors are judged by a thousand elements spread evenly.
  static func best(of other: Tensor<Double>, for value: Tensor<Double>) throws -> Likeness? {
    let count = value.count
    guard count == other.count, count > 0 else { return nil }
    let extents = value.shape.filter { $0 != 1 }
    // A step that has no divisor in common with common extents visits every place of every axis.
    let step = count <= sampleCount ? 1 : (count / sampleCount) | 1
    return try value.withUnsafeBufferPointer { a in
      try other.withUnsafeBufferPointer { b in
        var best: Likeness?
        for order in AxisOrder.all(from: other.shape, to: value.shape) {
          let strides = order.strides(in: other.shape)
          var (differences, squares) = (0.0, 0.0)
          for offset in stride(from: 0, to: count, by: step) {
            let x = a[offset]
            let y = order.axes == nil ? b[offset] : b[Self.place(offset, extents, strides)]
            guard x.isFinite, y.isFinite else { continue }
            differences += (x - y) * (x - y)
            squares += y * y
          }
          let degree = differences == 0 ? 1 : 1 - differences / squares
          guard degree.isFinite, degree > best?.degree ?? -.infinity else { continue }
          best = Likeness(degree: degree, order: order)
          if degree == 1 { break }
        }
        return best
      }
    }
  }

  /// The order of axes of a value that goes by its name: its own where shapes are equal, for a transposition that one of two
  /// models lacks would be undone otherwise.
  static func order(of other: Tensor<Double>, for value: Tensor<Double>) throws -> AxisOrder? {
    if other.shape == value.shape { return AxisOrder(axes: nil, shape: value.shape) }
    return try best(of: other, for: value)?.order ?? AxisOrder.all(from: other.shape, to: value.shape).first
  }

  /// Where the source has what the result has at `offset`.
  private static func place(_ offset: Int, _ extents: [Int], _ strides: [Int]) -> Int {
    var (rest, place) = (offset, 0)
    for axis in extents.indices.reversed() {
      place += rest % extents[axis] * strides[axis]
      rest /= extents[axis]
    }
    return place
  }
}
