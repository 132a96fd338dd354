import ApusKernelInterface

extension Tensor where Scalar: FloatingPointScalar {
  /// `operation` of every element, in the same layout.
  package func mapped(_ operation: UnaryOperation) throws -> Tensor {
    try withExtendedLifetime(storage) {
      try Tensor.filled(shape, layout: layout) { Self.run(operation, pointer, into: $0, count: storedCount) }
    }
  }

  /// `operation` of `count` elements; `y` may be `x`.
  static func run(
    _ operation: UnaryOperation, _ x: UnsafePointer<Scalar>, into y: UnsafeMutablePointer<Scalar>, count: Int
  ) {
    let kernels = Scalar.kernels
    nonisolated(unsafe) let x = x
    nonisolated(unsafe) let y = y
    parallelRanges(count) { start, count in kernels.unary(operation, x + start, y + start, count: count) }
  }

  /// Every element with its sign changed.
  public static prefix func - (x: Tensor) throws -> Tensor { try x.mapped(.negate) }

  /// The magnitude of every element.
  public func abs() throws -> Tensor { try mapped(.absolute) }

  /// 1, -1, or the element itself where it is zero or NaN.
  public func sign() throws -> Tensor { try mapped(.sign) }

  /// `1 / x`.
  public func reciprocal() throws -> Tensor { try mapped(.reciprocal) }

  /// `x²`.
  public func square() throws -> Tensor { try mapped(.square) }

  /// `√x`; NaN below zero.
  public func sqrt() throws -> Tensor { try mapped(.squareRoot) }

  /// `1 / √x`.
  public func rsqrt() throws -> Tensor { try mapped(.reciprocalSquareRoot) }

  /// The greatest integer that is not greater.
  public func floor() throws -> Tensor { try mapped(.floor) }

  /// The smallest integer that is not smaller.
  public func ceil() throws -> Tensor { try mapped(.ceil) }

  /// The nearest integer, the even one of two.
  public func round() throws -> Tensor { try mapped(.round) }

  /// `eˣ`.
  public func exp() throws -> Tensor { try mapped(.exp) }

  /// `eˣ - 1`, accurate close to zero.
  public func expm1() throws -> Tensor { try mapped(.expm1) }

  /// The natural logarithm; minus infinity at zero, NaN below.
  public func log() throws -> Tensor { try mapped(.log) }

  /// `log(1 + x)`, accurate close to zero.
  public func log1p() throws -> Tensor { try mapped(.log1p) }

  /// The error function.
  public func erf() throws -> Tensor { try mapped(.erf) }

  /// The sine of an angle in radians.
  public func sin() throws -> Tensor { try mapped(.sin) }

  /// The cosine of an angle in radians.
  public func cos() throws -> Tensor { try mapped(.cos) }

  /// The tangent of an angle in radians.
  public func tan() throws -> Tensor { try mapped(.tan) }

  /// The angle in -π/2 ... π/2 with this sine; NaN beyond ±1.
  public func asin() throws -> Tensor { try mapped(.asin) }

  /// The angle in 0 ... π with this cosine; NaN beyond ±1.
  public func acos() throws -> Tensor { try mapped(.acos) }

  /// The angle in -π/2 ... π/2 with this tangent.
  public func atan() throws -> Tensor { try mapped(.atan) }

  /// `(eˣ - e⁻ˣ) / 2`.
  public func sinh() throws -> Tensor { try mapped(.sinh) }

  /// `(eˣ + e⁻ˣ) / 2`.
  public func cosh() throws -> Tensor { try mapped(.cosh) }

  /// The inverse of ``sinh()``.
  public func asinh() throws -> Tensor { try mapped(.asinh) }

  /// The inverse of ``cosh()`` that is not negative; NaN below 1.
  public func acosh() throws -> Tensor { try mapped(.acosh) }

  /// The inverse of the hyperbolic tangent; NaN beyond ±1.
  public func atanh() throws -> Tensor { try mapped(.atanh) }

  /// `x` to a constant power.
  public func pow(_ exponent: Scalar) throws -> Tensor { try mapped(.power(Double(exponent))) }

  /// `min(max(x, minimum), maximum)`, either bound optional; a NaN stays one, and a bound that is NaN makes everything
  /// NaN. Where the minimum is greater than the maximum everything becomes the maximum.
  public func clamp(min minimum: Scalar? = nil, max maximum: Scalar? = nil) throws -> Tensor {
    // Kernels would compare with it, and find nothing beyond it.
    if let bound = minimum?.isNaN == true ? minimum : maximum, bound.isNaN { return try self + bound }
    return try mapped(
      .clamp(
        minimum: minimum.map { Double($0) } ?? -.infinity, maximum: maximum.map { Double($0) } ?? .infinity))
  }
}
