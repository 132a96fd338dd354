/// Which axes of a tensor go when it is reduced, and what remains.
package struct AxisReduction: Sendable {
  /// The shape of the result.
  package let shape: [Int]
  /// Elements that become one.
  package let size: Int
  /// The reduced axes lie side by side: the elements before them and after them.
  let adjacent: (outer: Int, inner: Int)?
  private let isReduced: [Bool]

  /// - Parameters:
  ///   - source: the shape of a tensor.
  ///   - axes: those that go, negative ones counted from the end; all when nil.
  ///   - keepsAxes: whether they stay with size 1.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for an axis that does not exist.
  package init(_ source: [Int], _ axes: [Int]?, keepsAxes: Bool, operation: String) throws {
    var isReduced = [Bool](repeating: axes == nil, count: source.count)
    if let axes {
      for axis in axes { isReduced[try Shape.axis(axis, in: source, operation: operation)] = true }
    }
    var shape: [Int] = []
    shape.reserveCapacity(source.count)
    // Axes of size 1 do not come between others.
    var (outer, size, inner) = (1, 1, 1)
    var (isWithin, isAdjacent) = (false, true)
    for axis in source.indices {
      let extent = source[axis]
      if isReduced[axis] {
        if keepsAxes { shape.append(1) }
        if extent != 1 {
          if isWithin, inner != 1 { isAdjacent = false }
          isWithin = true
        }
        size *= extent
      } else {
        shape.append(extent)
        if isWithin { inner *= extent } else { outer *= extent }
      }
    }
    (self.shape, self.size, self.isReduced) = (shape, size, isReduced)
    adjacent = isAdjacent ? (outer, inner) : nil
  }

  /// All axes, those that go last.
  package var order: [Int] {
    isReduced.indices.filter { !isReduced[$0] } + isReduced.indices.filter { isReduced[$0] }
  }

  /// Whether the elements that become one lie one after the other.
  package var isOfRows: Bool { adjacent.map { $0.inner == 1 } ?? false }
}
