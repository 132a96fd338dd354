/// A function of two Booleans.
package enum LogicOperation: Sendable {
  case and, or, exclusiveOr
}

/// Booleans, which are bytes of 0 and 1, and what they choose between; what is chosen from numbers.
package protocol SelectionKernels {
  /// `y[i]`, an element of 1, 2, 4 or 8 bytes, is `a[i * aStep]` where `mask[i]` is 1 and `b[i * bStep]` where it is 0.
  /// Steps are 0 or 1. `y` may be `a` or `b`.
  static func select(
    elementSize: Int, _ mask: UnsafePointer<UInt8>, _ a: UnsafeRawPointer, aStep: Int, _ b: UnsafeRawPointer,
    bStep: Int, _ y: UnsafeMutableRawPointer, count: Int)

  /// `y[i] = a[i] operation b[i * bStep]` with a step of 0 or 1.
  static func logic(
    _ operation: LogicOperation, _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, bStep: Int,
    _ y: UnsafeMutablePointer<UInt8>, count: Int)

  /// The first of `count` elements that is greater than `limit`, or less with `isLess`, or no number; `count` where there is
  /// none. Nothing is within a limit that is no number.
  static func firstBeyond(_ x: UnsafePointer<Float>, _ limit: Float, isLess: Bool, count: Int) -> Int
}
