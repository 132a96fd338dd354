/// How a tensor differs from the one it should equal.
///
/// Shapes and element types must agree; then every element is held against the tolerance. What is reported besides the
/// verdict shows *how* it differs: where it is worst, how large the error is as a whole, and which tolerance would
/// pass.
///
/// ```swift
/// let comparison = try Comparison(actual: logits, expected: golden)
/// if !comparison.isEqual { print(comparison) }
/// ```
///
/// All statistics are computed in float64. An element that is NaN or infinite on either side counts in
/// ``Side/nanCount`` and ``Side/infinityCount`` and never enters a sum or a largest difference: equal infinities agree,
/// NaN agrees with NaN when asked to, and any other such pair is a mismatch no tolerance can cure
/// (``Differences/nonFinite``).
public struct Comparison: Sendable, Hashable {
  /// One of the two tensors.
  public struct Side: Sendable, Hashable {
    /// The type of its elements.
    public var dataType: DataType
    /// The extent of each axis.
    public var shape: [Int]
    /// How many elements are NaN.
    public var nanCount: Int
    /// How many elements are infinite, of either sign.
    public var infinityCount: Int
  }

  /// The tensor that was judged.
  public let actual: Side
  /// The tensor it was judged by.
  public let expected: Side
  /// The tolerance every element was held against.
  public let tolerance: Tolerance
  /// Whether different element types make the tensors different.
  public let checksDataType: Bool
  /// How the elements differ; `nil` when the shapes do.
  public let differences: Differences?

  /// Whether shapes agree.
  public var hasEqualShapes: Bool { actual.shape == expected.shape }

  /// Whether element types agree, or need not.
  public var hasAcceptableTypes: Bool { !checksDataType || actual.dataType == expected.dataType }

  /// Whether shapes and types agree and every element lies within the tolerance.
  public var isEqual: Bool {
    hasAcceptableTypes && differences.map { $0.mismatchedCount == 0 } ?? false
  }
}

extension Comparison {
  /// Compares `actual` with `expected`.
  ///
  /// - Parameters:
  ///   - tolerance: `nil` takes the standard one of the two element types; see ``Tolerance/standard(for:_:)``.
  ///   - nanEqualsNaN: whether two NaN agree, as they should when both come from files.
  ///   - checksDataType: whether different element types make the tensors different. Values are compared all the same.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for a tolerance that is negative or not finite.
  public init<Actual: TensorScalar, Expected: TensorScalar>(
    actual: Tensor<Actual>, expected: Tensor<Expected>,
    tolerance: Tolerance? = nil, nanEqualsNaN: Bool = true, checksDataType: Bool = true
  ) throws {
    self = try actual.withUnsafeBufferPointer { actualElements in
      try expected.withUnsafeBufferPointer { expectedElements in
        try Comparison(
          ElementSource(actualElements, shape: actual.shape), ElementSource(expectedElements, shape: expected.shape),
          tolerance: tolerance, nanEqualsNaN: nanEqualsNaN, checksDataType: checksDataType)
      }
    }
  }

  init(
    _ actual: ElementSource, _ expected: ElementSource,
    tolerance: Tolerance?, nanEqualsNaN: Bool, checksDataType: Bool
  ) throws {
    let tolerance = tolerance ?? .standard(for: actual.dataType, expected.dataType)
    try tolerance.validate()
    self.tolerance = tolerance
    self.checksDataType = checksDataType
    if actual.shape == expected.shape {
      var accumulator = DifferenceAccumulator(
        tolerance: tolerance, nanEqualsNaN: nanEqualsNaN,
        grid: FloatingGrid.narrower(actual.dataType, expected.dataType))
      accumulator.add(actual, expected)
      self.actual = actual.side(accumulator.actualCounts)
      self.expected = expected.side(accumulator.expectedCounts)
      differences = accumulator.differences(shape: actual.shape)
    } else {
      self.actual = actual.side(actual.nonFiniteCounts())
      self.expected = expected.side(expected.nonFiniteCounts())
      differences = nil
    }
  }
}
