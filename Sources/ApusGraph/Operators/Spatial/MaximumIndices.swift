import Apus
import ApusKernelInterface

/// The greatest element of every window and where it is, for elements of any type that can be compared. The first of
/// equals counts; NaN is greater than all others.
struct IndexedMaximum: Sendable {
  private let axes: [PoolingAxis]
  /// The input's.
  private let shape: [Int]
  /// Of a map, and how its elements are numbered.
  private let strides: [Int]
  private let numbering: [Int]

  /// - Parameter isColumnMajor: whether places are numbered with the first axis of a map moving fastest.
  init(axes: [PoolingAxis], shape: [Int], isColumnMajor: Bool) {
    (self.axes, self.shape) = (axes, shape)
    let sizes = Array(shape.dropFirst(2))
    strides = Shape.strides(sizes)
    numbering = isColumnMajor ? Shape.strides(sizes.reversed()).reversed() : strides
  }

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
    guard maps > 0 else { return try (y, Tensor(uninitialized: result)) }
    let spans = try zip(axes, sizes).map { try $0.spans($1, divisor: .covered, operation: "MaxPool") }
    let whole = WholeWindow(axes, spans, sizes: sizes, strides: strides, numbering: numbering)
    let indices = try withExtendedLifetime((x, y)) {
      nonisolated(unsafe) let source = x.pointer
      nonisolated(unsafe) let values = UnsafeMutablePointer(mutating: y.pointer)
      return try Tensor<Int64>.filled(result) { destination in
        nonisolated(unsafe) let places = destination
        parallelRows(maps, width: plane) { first, count in
          for map in first..<(first + count) {
            pool(
              source + map * plane, values + map * windows, places + map * windows, spans, whole, offset: map * plane,
              least: least)
          }
        }
      }
    }
    return (y, indices)
  }

  private func pool<Scalar: TensorScalar & Comparable>(
    _ x: UnsafePointer<Scalar>, _ values: UnsafeMutablePointer<Scalar>, _ places: UnsafeMutablePointer<Int64>,
    _ spans: [[WindowSpan]], _ whole: WholeWindow, offset: Int, least: Scalar
  ) {
    let last = axes.count - 1
    let (lineSpans, columns) = (spans[last], axes[last].outputs)
    var chosen = spans.map { $0[0] }
    for line in 0..<spans.dropLast().reduce(1, { $0 * $1.count }) {
      var rest = line
      var (start, number) = (0, 0)
      var isWhole = !whole.steps.isEmpty
      for axis in (0..<last).reversed() {
        let span = spans[axis][rest % spans[axis].count]
        rest /= spans[axis].count
        chosen[axis] = span
        isWhole = isWhole && span.count == axes[axis].kernel
        start += span.first * strides[axis]
        number += span.first * numbering[axis]
      }
      let inside = isWhole ? whole.columns : 0..<0
      if !inside.isEmpty {
        let first = lineSpans[inside.lowerBound].first
        let window = line * columns + inside.lowerBound
        greatest(
          x + (start + first * strides[last]), whole, offset + number + first * numbering[last], count: inside.count,
          values + window, places + window)
      }
      for column in 0..<columns where !inside.contains(column) {
        let window = line * columns + column
        chosen[last] = lineSpans[column]
        if let found = greatest(x, chosen) {
          values[window] = found.value
          places[window] = Int64(offset + found.number)
        } else {
          // Found nowhere.
          values[window] = least
          places[window] = -1
        }
      }
    }
  }

  /// In windows of a line that lie inside.
  ///
  /// - Parameters:
  ///   - x: the first element of the first window.
  ///   - number: its number.
  @inline(__always)
  private func greatest<Scalar: Comparable>(
    _ x: UnsafePointer<Scalar>, _ window: WholeWindow, _ number: Int, count: Int,
    _ values: UnsafeMutablePointer<Scalar>, _ places: UnsafeMutablePointer<Int64>
  ) {
    let last = axes.count - 1
    let (step, numberStep) = (axes[last].stride * strides[last], axes[last].stride * numbering[last])
    window.steps.withUnsafeBufferPointer { steps in
      window.numbers.withUnsafeBufferPointer { numbers in
        for index in 0..<count {
          let x = x + index &* step
          var (best, place) = (x[0], 0)
          for tap in 1..<max(steps.count, 1) {
            let value = x[steps[tap]]
            // What is greater, or the first NaN. Which of them it is nothing foretells: so there is no branch.
            let isBetter = !(value <= best) && best == best
            best = isBetter ? value : best
            place = isBetter ? tap : place
          }
          values[index] = best
          places[index] = Int64(number &+ index &* numberStep &+ numbers[place])
        }
      }
    }
  }

  /// In what of a window lies inside; nil when nothing does.
  private func greatest<Scalar: Comparable>(
    _ x: UnsafePointer<Scalar>, _ spans: [WindowSpan]
  ) -> (value: Scalar, number: Int)? {
    guard spans.allSatisfy({ $0.count > 0 }) else { return nil }
    var best: (value: Scalar, number: Int)?
    var tap = [Int](repeating: 0, count: axes.count)
    while true {
      var (position, number) = (0, 0)
      for axis in axes.indices {
        let place = spans[axis].first + tap[axis] * axes[axis].dilation
        position += place * strides[axis]
        number += place * numbering[axis]
      }
      let value = x[position]
      if best.map({ value > $0.value || (value != value && $0.value == $0.value) }) ?? true { best = (value, number) }
      var axis = axes.count - 1
      while axis >= 0 {
        tap[axis] += 1
        if tap[axis] < spans[axis].count { break }
        tap[axis] = 0
        axis -= 1
      }
      if axis < 0 { return best }
    }
  }
}

/// Where the elements of a window lie from its first: in the map, and as they are numbered. Empty where no window lies
/// inside as a whole.
private struct WholeWindow {
  private(set) var steps: [Int] = []
  private(set) var numbers: [Int] = []
  /// Windows of a line that the last axis does not cut off: those that it does are the first and the last.
  let columns: Range<Int>

  init(_ axes: [PoolingAxis], _ spans: [[WindowSpan]], sizes: [Int], strides: [Int], numbering: [Int]) {
    let isWhole = spans.last?.map { $0.count == axes.last?.kernel } ?? []
    let first = isWhole.firstIndex(of: true) ?? 0
    columns = first..<(isWhole.lastIndex(of: true).map { $0 + 1 } ?? first)
    // An extent beyond the map's may have any number of elements.
    let isInside = zip(axes, sizes).allSatisfy { axis, size in
      axis.kernel <= size && (axis.kernel - 1) * axis.dilation < size
    }
    guard isInside else { return }
    (steps, numbers) = ([0], [0])
    for (index, axis) in axes.enumerated() {
      let taps = 0..<axis.kernel
      steps = steps.flatMap { step in taps.map { step + $0 * axis.dilation * strides[index] } }
      numbers = numbers.flatMap { number in taps.map { number + $0 * axis.dilation * numbering[index] } }
    }
  }
}
