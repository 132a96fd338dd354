import Apus

/// The way through a result that several row-major operands are stretched over (NumPy's rule), row by row.
///
/// Axes of size 1 are dropped, and neighbours that every operand runs through alike are joined, so that rows are as
/// long as they can be. Along a row an operand moves by one element or stands still: see ``step(of:)``.
struct BroadcastWalk {
  /// The shape of the result.
  let shape: [Int]
  /// The number of elements of the result.
  let count: Int
  /// The elements of a row.
  var width: Int { sizes[sizes.count - 1] }
  /// The rows of the result.
  var rows: Int { count == 0 ? 0 : count / width }
  /// How many operands there are.
  private let operandCount: Int
  /// The axes that are left; at least one.
  private var sizes: [Int] = []
  /// How far each operand moves along each axis, the operands side by side.
  private var strides: [Int] = []

  /// - Throws: ``TensorError/shape(operation:reason:)`` when `shapes` cannot be broadcast together.
  init(_ shapes: [[Int]], operation: String) throws {
    var common = shapes.first ?? []
    for other in shapes.dropFirst() { common = try Shape.broadcast(common, other, operation: operation) }
    shape = common
    count = try Shape.elementCount(common, operation: operation)
    operandCount = shapes.count
    // Strides against an axis of size 0 may pass what memory could hold, and there is nothing to walk.
    if count > 1 { join(shapes.map { StretchedStrides(of: $0, over: common) }) }
    if sizes.isEmpty {
      sizes = [1]
      strides = [Int](repeating: 0, count: operandCount)
    }
  }

  private mutating func join(_ operands: [StretchedStrides]) {
    sizes.reserveCapacity(shape.count)
    strides.reserveCapacity(shape.count * operands.count)
    for axis in shape.indices where shape[axis] != 1 {
      let size = shape[axis]
      let last = (sizes.count - 1) * operands.count
      if last >= 0, operands.indices.allSatisfy({ strides[last + $0] == operands[$0][axis] * size }) {
        sizes[sizes.count - 1] *= size
        for operand in operands.indices { strides[last + operand] = operands[operand][axis] }
      } else {
        sizes.append(size)
        for operand in operands { strides.append(operand[axis]) }
      }
    }
  }

  /// How far an operand moves along a row, 0 or 1.
  func step(of operand: Int) -> Int { strides[(sizes.count - 1) * operandCount + operand] }

  /// Calls `body` for `count` rows from row `first` on, with where each row begins in the result and in each operand.
  func forRows(from first: Int, count: Int, _ body: (_ position: Int, _ offsets: UnsafePointer<Int>) -> Void) {
    guard count > 0 else { return }
    let last = sizes.count - 1
    withUnsafeTemporaryAllocation(of: Int.self, capacity: operandCount + last) { room in
      guard let offsets = room.baseAddress else { return }
      room.initialize(repeating: 0)
      let index = offsets + operandCount
      func move(_ axis: Int, by steps: Int) {
        for operand in 0..<operandCount { offsets[operand] += steps * strides[axis * operandCount + operand] }
      }
      var rest = first
      for axis in (0..<last).reversed() {
        index[axis] = rest % sizes[axis]
        rest /= sizes[axis]
        move(axis, by: index[axis])
      }
      for row in first..<(first + count) {
        body(row * width, offsets)
        var axis = last - 1
        while axis >= 0 {
          index[axis] += 1
          move(axis, by: 1)
          if index[axis] < sizes[axis] { break }
          index[axis] = 0
          move(axis, by: -sizes[axis])
          axis -= 1
        }
      }
    }
  }

  /// Calls `body` for rows, or for parts of a single row, on several threads when there is much to do: with where they
  /// begin in the result, how long they are, and where they begin in each operand.
  func forRowsInParallel(
    _ body: @Sendable (_ position: Int, _ count: Int, _ offsets: UnsafePointer<Int>) -> Void
  ) {
    if rows == 1 {
      parallelRanges(width) { start, count in
        withUnsafeTemporaryAllocation(of: Int.self, capacity: operandCount) { offsets in
          for operand in 0..<operandCount { offsets.initializeElement(at: operand, to: step(of: operand) * start) }
          if let base = offsets.baseAddress { body(start, count, base) }
        }
      }
    } else {
      let width = width
      parallelRows(rows, width: width) { first, count in
        forRows(from: first, count: count) { position, offsets in body(position, width, offsets) }
      }
    }
  }
}
