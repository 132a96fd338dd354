import Apus

/// The way through a result that several row-major operands are stretched over (NumPy's rule), row by row.
///
/// Axes of size 1 are dropped, and neighbours that every operand runs through alike are joined, so that rows are as
/// long as they can be. Along a row an operand moves by one element or stands still: see ``steps``.
struct BroadcastWalk {
  /// The shape of the result.
  let shape: [Int]
  /// The number of elements of the result.
  let count: Int
  /// The elements of a row.
  var width: Int { sizes[sizes.count - 1] }
  /// The rows of the result.
  var rows: Int { count == 0 ? 0 : count / width }
  /// How far each operand moves along a row, 0 or 1.
  var steps: [Int] { strides.map { $0[sizes.count - 1] } }
  /// The axes that are left; at least one.
  private var sizes: [Int] = []
  /// How far each operand moves along each axis.
  private var strides: [[Int]]

  /// - Throws: ``TensorError/shape(operation:reason:)`` when `shapes` cannot be broadcast together.
  init(_ shapes: [[Int]], operation: String) throws {
    var common = shapes.first ?? []
    for other in shapes.dropFirst() { common = try Shape.broadcast(common, other, operation: operation) }
    shape = common
    count = try Shape.elementCount(common, operation: operation)
    strides = shapes.map { _ in [] }
    guard count > 0 else {
      // Strides against an axis of size 0 may pass what memory could hold, and there is nothing to walk.
      sizes = [1]
      strides = shapes.map { _ in [0] }
      return
    }
    let all = shapes.map { Self.strides(of: $0, stretchedTo: common) }
    for axis in common.indices where common[axis] != 1 {
      let size = common[axis]
      if let last = sizes.indices.last, all.indices.allSatisfy({ strides[$0][last] == all[$0][axis] * size }) {
        sizes[last] *= size
        for operand in all.indices { strides[operand][last] = all[operand][axis] }
      } else {
        sizes.append(size)
        for operand in all.indices { strides[operand].append(all[operand][axis]) }
      }
    }
    if sizes.isEmpty {
      sizes = [1]
      strides = shapes.map { _ in [0] }
    }
  }

  /// How far an operand moves along each axis of `target`; 0 where it repeats.
  private static func strides(of shape: [Int], stretchedTo target: [Int]) -> [Int] {
    let own = Shape.strides(shape)
    let missing = target.count - shape.count
    return target.indices.map { axis in
      axis < missing || shape[axis - missing] == 1 ? 0 : own[axis - missing]
    }
  }

  /// Calls `body` for `count` rows from row `first` on, with where each row begins in the result and in each operand.
  func forRows(from first: Int, count: Int, _ body: (_ position: Int, _ offsets: UnsafePointer<Int>) -> Void) {
    guard count > 0 else { return }
    let last = sizes.count - 1
    var index = [Int](repeating: 0, count: last)
    var offsets = [Int](repeating: 0, count: strides.count)
    var rest = first
    for axis in index.indices.reversed() {
      index[axis] = rest % sizes[axis]
      rest /= sizes[axis]
      for operand in offsets.indices { offsets[operand] += index[axis] * strides[operand][axis] }
    }
    for row in first..<(first + count) {
      offsets.withUnsafeBufferPointer { if let base = $0.baseAddress { body(row * width, base) } }
      var axis = last - 1
      while axis >= 0 {
        index[axis] += 1
        for operand in offsets.indices { offsets[operand] += strides[operand][axis] }
        if index[axis] < sizes[axis] { break }
        index[axis] = 0
        for operand in offsets.indices { offsets[operand] -= strides[operand][axis] * sizes[axis] }
        axis -= 1
      }
    }
  }

  /// Calls `body` for rows, or for parts of a single row, on several threads when there is much to do: with where they
  /// begin in the result, how long they are, and where they begin in each operand.
  func forRowsInParallel(
    _ body: @Sendable (_ position: Int, _ count: Int, _ offsets: UnsafePointer<Int>) -> Void
  ) {
    if rows == 1 {
      let steps = steps
      parallelRanges(width) { start, count in
        steps.map { $0 * start }.withUnsafeBufferPointer { if let base = $0.baseAddress { body(start, count, base) } }
      }
    } else {
      let width = width
      parallelRows(rows, width: width) { first, count in
        forRows(from: first, count: count) { position, offsets in body(position, width, offsets) }
      }
    }
  }
}
