/// Building blocks of matrix multiplication.
public protocol MatrixKernels<Scalar> {
  associatedtype Scalar

  /// The sum of `x[i] * y[i]`.
  static func dot(_ x: UnsafePointer<Scalar>, _ y: UnsafePointer<Scalar>, count: Int) -> Scalar
}
