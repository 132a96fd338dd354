/// What may stand for one axis between the brackets of ``Tensor/subscript(_:)``: a position or a range of positions.
public protocol TensorIndex: Sendable {
  /// The positions meant along an axis of `size` elements, and whether the axis stays; nil for a position that the axis
  /// does not have.
  func positions(ofAxis size: Int) -> (range: Range<Int>, keepsAxis: Bool)?
}

extension Int: TensorIndex {
  /// One position, from the end where negative; its axis goes.
  public func positions(ofAxis size: Int) -> (range: Range<Int>, keepsAxis: Bool)? {
    let position = self < 0 ? self + size : self
    guard 0..<size ~= position else { return nil }
    return (position..<(position + 1), false)
  }
}

extension Range<Int>: TensorIndex {
  /// The range cut to the axis; the axis stays.
  public func positions(ofAxis size: Int) -> (range: Range<Int>, keepsAxis: Bool)? {
    (clamped(to: 0..<size), true)
  }
}

extension ClosedRange<Int>: TensorIndex {
  /// The range cut to the axis; the axis stays.
  public func positions(ofAxis size: Int) -> (range: Range<Int>, keepsAxis: Bool)? {
    guard upperBound < .max else { return (lowerBound...).positions(ofAxis: size) }
    return (lowerBound..<(upperBound + 1)).positions(ofAxis: size)
  }
}

extension PartialRangeFrom<Int>: TensorIndex {
  /// From the lower bound, or from the front where that is negative, to the end of the axis; the axis stays.
  public func positions(ofAxis size: Int) -> (range: Range<Int>, keepsAxis: Bool)? {
    let start = Swift.min(Swift.max(lowerBound, 0), size)
    return (start..<size, true)
  }
}

extension PartialRangeUpTo<Int>: TensorIndex {
  /// From the front up to, but not including, the upper bound; the axis stays.
  public func positions(ofAxis size: Int) -> (range: Range<Int>, keepsAxis: Bool)? {
    (0..<Swift.min(Swift.max(upperBound, 0), size), true)
  }
}

extension PartialRangeThrough<Int>: TensorIndex {
  /// From the front up to and including the upper bound; the axis stays.
  public func positions(ofAxis size: Int) -> (range: Range<Int>, keepsAxis: Bool)? {
    guard upperBound < .max else { return (0..<size, true) }
    return (..<(upperBound + 1)).positions(ofAxis: size)
  }
}

extension Tensor {
  /// A part of the tensor: for each axis from the first on a position, which takes the axis away, or a range.
  ///
  /// As in NumPy, negative positions count from the end, ranges are cut to the axis, and axes that are not named stay
  /// whole. Ranges count from the front.
  ///
  /// ```swift
  /// let boxes = try output[0, ..<4]       // [1, 84, 8400] → [4, 8400]
  /// let last = try tokens[0, -1]          // [1, 32, 768] → [768]
  /// ```
  /// - Throws: ``TensorError/argument(operation:reason:)`` for more indices than axes, or a position that an axis does not
  ///   have.
  public subscript(_ indices: any TensorIndex...) -> Tensor {
    get throws {
      guard indices.count <= rank else {
        throw TensorError.argument(
          operation: "subscript", reason: "\(indices.count) indices for a tensor of shape \(shape)")
      }
      var part = self
      var kept: [Int] = []
      for (axis, index) in indices.enumerated() {
        guard let (range, keepsAxis) = index.positions(ofAxis: shape[axis]) else {
          throw TensorError.argument(
            operation: "subscript", reason: "position \(index) is outside axis \(axis) of shape \(shape)")
        }
        part = try part.sliced(axis: axis, from: range.lowerBound, to: range.upperBound)
        if keepsAxis { kept.append(range.count) }
      }
      return kept.count == indices.count ? part : try part.reshaped(kept + shape.dropFirst(indices.count))
    }
  }
}
