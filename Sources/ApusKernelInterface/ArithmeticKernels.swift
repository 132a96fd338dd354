/// A function of two numbers.
package enum BinaryOperation: Sendable {
  case add, subtract, multiply, divide
  /// The greater or smaller of two, NaN when either is.
  case maximum, minimum
  case power
  /// `a` where it is not below zero, `a * b` where it is.
  case scaleNegative
}

/// A test of two numbers; false when either is NaN, except that it is then unequal.
package enum ComparisonTest: Sendable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// An axis of a result that two operands are stretched over, and how far each of them moves a step along it, in elements;
/// 0 where it repeats.
package struct BroadcastAxis: Sendable {
  package var size: Int
  package var aStride: Int
  package var bStride: Int

  package init(size: Int, aStride: Int, bStride: Int) {
    self.size = size
    self.aStride = aStride
    self.bStride = bStride
  }
}

/// Element-by-element arithmetic of two or three operands.
package protocol ArithmeticKernels<Scalar> {
  associatedtype Scalar

  /// `y[i] = a[i] op b[i]`, all of them contiguous; `y` may be `a` or `b`.
  static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Scalar>, _ b: UnsafePointer<Scalar>,
    _ y: UnsafeMutablePointer<Scalar>, count: Int)

  /// `y[i] = a[i] op b`; `y` may be `a`.
  static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Scalar>, scalar b: Scalar,
    _ y: UnsafeMutablePointer<Scalar>, count: Int)

  /// `y[i] = a op b[i]`; `y` may be `b`.
  static func binary(
    _ operation: BinaryOperation, scalar a: Scalar, _ b: UnsafePointer<Scalar>,
    _ y: UnsafeMutablePointer<Scalar>, count: Int)

  /// `y[row, column] = a[row, column] op b[column]`; `y` may be `a`. Fastest with sixteen columns: a channel block.
  static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Scalar>, row b: UnsafePointer<Scalar>,
    _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int)

  /// `y[row, column] = a[column] op b[row, column]`; `y` may be `b`.
  static func binary(
    _ operation: BinaryOperation, row a: UnsafePointer<Scalar>, _ b: UnsafePointer<Scalar>,
    _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int)

  /// Elements `start ..< start + count` of the row-major result `y` (its beginning) of broadcasting `a` against `b`.
  /// - Parameter axes: `rank` of them, at least one, none of size 0. Along the last one strides are 0 or 1.
  static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Scalar>, _ b: UnsafePointer<Scalar>,
    _ y: UnsafeMutablePointer<Scalar>, over axes: UnsafePointer<BroadcastAxis>, rank: Int, from start: Int, count: Int)

  /// `y[i] = a[i] test b[i]`.
  static func compare(
    _ test: ComparisonTest, _ a: UnsafePointer<Scalar>, _ b: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Bool>,
    count: Int)

  /// `y = (x + residual) * weight + bias` for each row of `[rows, columns]`, without the sum when there is no residual;
  /// every operation is rounded on its own. `weight` and `bias` hold `columns` values; `y` may be `x` or `residual`.
  static func scaleAndShiftRows(
    _ x: UnsafePointer<Scalar>, residual: UnsafePointer<Scalar>?, weight: UnsafePointer<Scalar>,
    bias: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int)
}
