/// Arithmetic on shapes that come from outside: nothing here overflows or traps.
package enum Shape {
  /// The number of elements of `shape`; an empty shape has one.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for a negative dimension or a product beyond `Int`.
  package static func elementCount(_ shape: [Int], operation: @autoclosure () -> String = "tensor") throws -> Int {
    var product = 1
    var hasZero = false
    for dimension in shape {
      guard dimension >= 0 else {
        throw TensorError.shape(operation: operation(), reason: "shape \(shape) has a negative dimension")
      }
      if dimension == 0 {
        hasZero = true
        continue
      }
      let (next, overflow) = product.multipliedReportingOverflow(by: dimension)
      guard !overflow else {
        throw TensorError.shape(operation: operation(), reason: "shape \(shape) has more elements than fit in memory")
      }
      product = next
    }
    return hasZero ? 0 : product
  }

  /// Row-major strides, in elements. The shape has been through ``elementCount(_:operation:)``.
  package static func strides(_ shape: [Int]) -> [Int] {
    var strides = [Int](repeating: 1, count: shape.count)
    var axis = shape.count - 2
    while axis >= 0 {
      strides[axis] = strides[axis + 1] &* max(shape[axis + 1], 1)
      axis -= 1
    }
    return strides
  }

  /// The position of a row-major offset, one index for each axis.
  package static func index(ofOffset offset: Int, in shape: [Int]) -> [Int] {
    var index = [Int](repeating: 0, count: shape.count)
    var rest = offset
    for axis in shape.indices.reversed() where shape[axis] > 0 {
      index[axis] = rest % shape[axis]
      rest /= shape[axis]
    }
    return index
  }

  /// `axis` counted from the front, as PyTorch counts: -1 is the last.
  /// - Throws: ``TensorError/argument(operation:reason:)`` when the shape has no such axis.
  package static func axis(_ axis: Int, in shape: [Int], operation: String) throws -> Int {
    let resolved = axis < 0 ? axis &+ shape.count : axis
    guard shape.indices.contains(resolved) else {
      throw TensorError.argument(
        operation: operation, reason: "axis \(axis) does not exist in a tensor of shape \(shape)")
    }
    return resolved
  }

  /// Whether `axes` names each of `rank` axes once.
  package static func isPermutation(_ axes: [Int], rank: Int) -> Bool {
    guard axes.count == rank else { return false }
    guard rank <= UInt64.bitWidth else { return axes.sorted().elementsEqual(0..<rank) }
    var named: UInt64 = 0
    for axis in axes where 0 <= axis && axis < rank { named |= 1 << UInt64(axis) }
    return named.nonzeroBitCount == rank
  }

  /// The shape both operands are stretched to, aligned at the last axis (NumPy's rule).
  package static func broadcast(_ a: [Int], _ b: [Int], operation: String) throws -> [Int] {
    if a == b { return a }
    let rank = max(a.count, b.count)
    var result = [Int](repeating: 1, count: rank)
    for axis in 0..<rank {
      let x = axis < rank - a.count ? 1 : a[axis - (rank - a.count)]
      let y = axis < rank - b.count ? 1 : b[axis - (rank - b.count)]
      guard x == y || x == 1 || y == 1 else {
        throw TensorError.shape(
          operation: operation, reason: "shapes \(a) and \(b) cannot be broadcast together: \(x) against \(y)")
      }
      result[axis] = x == 1 ? y : x
    }
    return result
  }
}

extension Shape {
  /// The bytes that `shape` takes.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)`` when that is more than an `Int` can say.
  package static func byteCount<Scalar>(
    _ shape: [Int], of: Scalar.Type, operation: @autoclosure () -> String = "tensor"
  ) throws -> Int {
    try byteCount(shape, elementByteCount: MemoryLayout<Scalar>.stride, operation: operation())
  }

  /// The bytes of elements that take `elementByteCount` each.
  static func byteCount(
    _ shape: [Int], elementByteCount: Int, operation: @autoclosure () -> String = "tensor"
  ) throws -> Int {
    let (bytes, overflow) = try elementCount(shape, operation: operation())
      .multipliedReportingOverflow(by: elementByteCount)
    guard !overflow else { throw TensorError.beyondMemoryLimit(bytes: .max, shape: shape) }
    return bytes
  }

  /// Refuses what could never be held, for memory that does not come from the pool.
  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``.
  package static func checkMemory<Element>(_ shape: [Int], of: Element.Type, operation: @autoclosure () -> String)
    throws
  {
    let bytes = try byteCount(shape, of: Element.self, operation: operation())
    guard bytes <= Execution.memoryLimit else { throw TensorError.beyondMemoryLimit(bytes: bytes, shape: shape) }
    if let account = TaskMemory.current.account, bytes > account.limit {
      throw TensorError.growth(bytes: bytes, limit: account.limit, shape: shape)
    }
  }
}
