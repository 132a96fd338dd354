import ApusKernelInterface

/// How the windows of a pooling operator move along one axis.
package struct PoolingAxis: Hashable, Sendable {
  /// Elements of a window.
  package var kernel: Int
  /// Positions from one window to the next.
  package var stride: Int
  /// Positions from one element of a window to the next.
  package var dilation: Int
  /// Positions of padding at the beginning and at the end. Beyond the padding there is nothing.
  package var before: Int
  package var after: Int
  /// The number of windows.
  package var outputs: Int

  package init(kernel: Int, stride: Int = 1, dilation: Int = 1, before: Int = 0, after: Int = 0, outputs: Int) {
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.before = before
    self.after = after
    self.outputs = outputs
  }

  /// Windows of a single element, which leave an axis of `size` positions as it is.
  package static func identity(_ size: Int) -> PoolingAxis { PoolingAxis(kernel: 1, outputs: size) }
}

/// What the sum over a window is divided by.
package enum PoolingDivisor: Sendable {
  /// The number of elements inside the map.
  case covered
  /// The number of elements inside the map and its padding.
  case padded
  /// 1: the sum itself.
  case one
}

extension PoolingAxis {
  /// What each window covers of `size` positions.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for numbers out of range, and no window at all.
  package func spans(_ size: Int, divisor: PoolingDivisor, operation: String) throws -> [WindowSpan] {
    let limit = 1 << 31
    guard 1...limit ~= kernel, 1...limit ~= stride, 1...limit ~= dilation, 0...limit ~= before, 0...limit ~= after,
      0...limit ~= size, outputs < 1 || outputs - 1 <= 4 * limit / stride
    else {
      throw TensorError.argument(operation: operation, reason: "the numbers of \(self) are not all in 0...\(limit)")
    }
    guard outputs > 0 else {
      throw TensorError.shape(operation: operation, reason: "no window fits into \(size) positions")
    }
    // Before the spans are written down, for there may be any number of them.
    try Shape.checkMemory([outputs], of: WindowSpan.self, operation: operation)
    return (0..<outputs).map { index in
      let begin = index * stride - before
      // The first element that is not before the map, and the first that is behind it.
      let first = begin >= 0 ? 0 : min(kernel, (dilation - 1 - begin) / dilation)
      let end = size > begin ? min(kernel, (size - 1 - begin) / dilation + 1) : first
      let covered = max(0, end - first)
      let padded = size + after > begin ? min(kernel, (size + after - 1 - begin) / dilation + 1) : 0
      let extent =
        switch divisor {
        case .covered: max(1, covered)
        case .padded: max(1, padded)
        case .one: 1
        }
      return WindowSpan(first: begin + first * dilation, count: covered, extent: extent)
    }
  }
}
