import Apus

/// How alike two tensors are in some order of axes: what pairs values whose names say nothing.
struct Likeness {
  /// The mean square of the differences in relation to the expected elements'.
  let difference: Double
  let order: AxisOrder

  /// 1 for equal elements, less the ``difference``.
  var degree: Double { 1 - difference }

  /// Beyond this, values may be of one origin: 10 dB.
  static let least = 0.9

  /// From here on, two values are the same but for rounding: 60 dB.
  static let leastOfSame = 1 - 1e-6

  /// Differences below this are rounding in DOUBLE: 240 dB.
  static let leastDifference = 1e-24

  /// By how much one difference must be larger than another for that to say something: for copies have the same but for
  /// their own rounding.
  static let farther = 1.01

  /// By how much it must be larger to say so by itself: 30 dB.
  static let muchFarther = 1000.0

  /// As many elements as are looked at.
  private static let sampleCount = 1024

  /// The order of axes in which `other` is most like `value`; nil where none fits, or no element is a number.
  ///
  /// Large tensors are judged by a thousand elements spread evenly. Where one is a number and the other is infinite, the
  /// two are not alike in any degree: one is behind a mask and the other before it.
  static func best(of other: Tensor<Double>, for value: Tensor<Double>) throws -> Likeness? {
    try best(of: other, for: value, in: AxisOrder.all(from: other.shape, to: value.shape))
  }

  /// The best of some orders that lead from one shape to the other.
  static func best(of other: Tensor<Double>, for value: Tensor<Double>, in orders: [AxisOrder]) throws -> Likeness? {
    guard value.count == other.count, value.count > 0 else { return nil }
    let extents = value.shape.filter { $0 != 1 }
    return try value.withUnsafeBufferPointer { a in
      try other.withUnsafeBufferPointer { b in
        var best: Likeness?
        for order in orders {
          let strides = order.strides(in: other.shape)
          let difference = difference(a) { b[order.axes == nil ? $0 : place($0, extents, strides)] }
          guard let difference, 1 - difference > best?.degree ?? -.infinity else { continue }
          best = Likeness(difference: difference, order: order)
          if best?.degree == 1 { break }
        }
        return best
      }
    }
  }

  /// - Parameter expected: what belongs to the element at an offset.
  private static func difference(_ elements: UnsafeBufferPointer<Double>, expected: (Int) -> Double) -> Double? {
    let count = elements.count
    // A step that has no divisor in common with common extents visits every place of every axis.
    let step = count <= sampleCount ? 1 : (count / sampleCount) | 1
    var (differences, squares, hasNumbers) = (0.0, 0.0, false)
    for offset in stride(from: 0, to: count, by: step) {
      let (x, y) = (elements[offset], expected(offset))
      if x.magnitude < ValueScale.leastOfMasks, y.magnitude < ValueScale.leastOfMasks {
        differences += (x - y) * (x - y)
        squares += y * y
        hasNumbers = true
      } else if !agree(x, y) {
        return nil
      }
    }
    guard hasNumbers else { return nil }
    let difference = differences == 0 ? 0 : differences / squares
    return difference.isFinite ? difference : nil
  }

  /// Whether what is no number on one side at least is the same on both. The least number of a type is not exact where a
  /// score was added to it.
  private static func agree(_ x: Double, _ y: Double) -> Bool {
    if x.isNaN || y.isNaN { return x.isNaN && y.isNaN }
    return x.isInfinite == y.isInfinite && x.sign == y.sign && min(x.magnitude, y.magnitude) >= ValueScale.leastOfMasks
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
