import Apus

/// The greatest element of every window and where it is, for elements of any type that can be compared. The first of
/// equals counts; NaN is greater than all others.
struct IndexedMaximum: Sendable {
  let axes: [PoolingAxis]
  /// The input's.
  let shape: [Int]
  /// Whether places are numbered with the first axis of a map moving fastest.
  let isColumnMajor: Bool

  /// - Parameter least: what a window has that covers nothing but padding.
  func callAsFunction<Scalar: TensorScalar & Comparable>(
    _ x: Tensor<Scalar>, least: Scalar
  ) throws -> (Tensor<Scalar>, Tensor<Int64>) {
    let x = try x.rowMajor
    let sizes = Array(shape[2...])
    let outputs = axes.map(\.outputs)
    let plane = try Shape.elementCount(sizes)
    let windows = try Shape.elementCount(outputs, operation: "MaxPool")
    let result = Array(shape[..<2]) + outputs
    let maps = try Shape.elementCount(Array(shape[..<2]))
    let y = try Tensor<Scalar>(uninitialized: result)
    guard plane > 0 else { throw OperatorError("a map of shape \(sizes) has no greatest element") }
    let numbering = isColumnMajor ? Self.columnMajorStrides(sizes) : Shape.strides(sizes)
    let indices = try withExtendedLifetime((x, y)) {
      nonisolated(unsafe) let source = x.pointer
      nonisolated(unsafe) let values = UnsafeMutablePointer(mutating: y.pointer)
      return try Tensor<Int64>.filled(result) { destination in
        nonisolated(unsafe) let places = destination
        parallelRows(maps, width: plane) { first, count in
          for map in first..<(first + count) {
            pool(
              source + map * plane, values + map * windows, places + map * windows, windows: windows, sizes: sizes,
              numbering: numbering, offset: map * plane, least: least)
          }
        }
      }
    }
    return (y, indices)
  }

  private static func columnMajorStrides(_ sizes: [Int]) -> [Int] {
    var (strides, step) = ([Int](), 1)
    for size in sizes {
      strides.append(step)
      step *= size
    }
    return strides
  }

  private func pool<Scalar: TensorScalar & Comparable>(
    _ x: UnsafePointer<Scalar>, _ values: UnsafeMutablePointer<Scalar>, _ places: UnsafeMutablePointer<Int64>,
    windows: Int, sizes: [Int], numbering: [Int], offset: Int, least: Scalar
  ) {
    let rank = axes.count
    let strides = Shape.strides(sizes)
    // The first position inside the map, how many there are, and where a window's scan stands, for each axis.
    var first = [Int](repeating: 0, count: rank)
    var counts = first
    var tap = first
    for window in 0..<windows {
      var rest = window
      var isEmpty = false
      for axis in (0..<rank).reversed() {
        let a = axes[axis]
        let begin = rest % a.outputs * a.stride - a.before
        rest /= a.outputs
        let skipped = begin >= 0 ? 0 : (a.dilation - 1 - begin) / a.dilation
        let end = sizes[axis] > begin ? min(a.kernel, (sizes[axis] - 1 - begin) / a.dilation + 1) : 0
        first[axis] = begin + skipped * a.dilation
        counts[axis] = end - skipped
        tap[axis] = 0
        if counts[axis] <= 0 { isEmpty = true }
      }
      guard !isEmpty else {
        // Found nowhere.
        values[window] = least
        places[window] = -1
        continue
      }
      var best: Scalar?
      var place = 0
      scan: while true {
        var position = 0
        for axis in 0..<rank { position += (first[axis] + tap[axis] * axes[axis].dilation) * strides[axis] }
        let value = x[position]
        if best.map({ value > $0 || (value != value && $0 == $0) }) ?? true {
          best = value
          place = 0
          for axis in 0..<rank { place += (first[axis] + tap[axis] * axes[axis].dilation) * numbering[axis] }
        }
        var axis = rank - 1
        while true {
          tap[axis] += 1
          if tap[axis] < counts[axis] { break }
          tap[axis] = 0
          axis -= 1
          if axis < 0 { break scan }
        }
      }
      values[window] = best ?? least
      places[window] = Int64(offset + place)
    }
  }
}
