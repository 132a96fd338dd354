import ApusKernelInterface

extension Tensor where Scalar: FloatingPointScalar {
  /// `operation` of every element, in the same layout.
  func mapped(_ operation: UnaryOperation) throws -> Tensor {
    let kernels = Scalar.kernels
    return try withExtendedLifetime(storage) {
      nonisolated(unsafe) let x = pointer
      return try Tensor.filled(shape, layout: layout) { destination in
        nonisolated(unsafe) let y = destination
        parallelRanges(storedCount) { start, count in kernels.unary(operation, x + start, y + start, count: count) }
      }
    }
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

  /// The greatest whole number that is not greater.
  public func floor() throws -> Tensor { try mapped(.floor) }

  /// The smallest whole number that is not smaller.
  public func ceil() throws -> Tensor { try mapped(.ceil) }

  /// The nearest whole number, the even one of two.
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

  /// `x` to a constant power.
  public func pow(_ exponent: Scalar) throws -> Tensor { try mapped(.power(Double(exponent))) }

  /// `min(max(x, minimum), maximum)`, either bound optional; a NaN stays one. Where the minimum is greater than the
  /// maximum everything becomes the maximum.
  public func clamp(min minimum: Scalar? = nil, max maximum: Scalar? = nil) throws -> Tensor {
    try mapped(
      .clamp(
        minimum: minimum.map { Double($0) } ?? -.infinity, maximum: maximum.map { Double($0) } ?? .infinity))
  }
}
