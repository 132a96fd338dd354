/// A function of one number, applied to every element. Formulas are those of PyTorch's functions of the same name.
package enum UnaryOperation: Sendable {
  case negate, absolute, sign, reciprocal, square, squareRoot, reciprocalSquareRoot
  /// Towards minus infinity, towards plus infinity, to the nearest with ties to even.
  case floor, ceil, round
  case exp, expm1, log, log1p, erf
  case sin, cos, tan, asin, acos, atan
  case sinh, cosh, asinh, acosh, atanh
  /// `min(max(x, minimum), maximum)`; a NaN stays one.
  case clamp(minimum: Double, maximum: Double)
  /// `x` to a constant power.
  case power(Double)

  case relu
  case leakyReLU(negativeSlope: Double)
  /// `x > 0 ? x : alpha * (exp(x) - 1)`.
  case elu(alpha: Double)
  /// `1 / (1 + exp(-x))`.
  case sigmoid
  /// `log(sigmoid(x))`.
  case logSigmoid
  case tanh
  /// `x * sigmoid(x)`, also called swish.
  case silu
  /// `x` times `sigmoid(x)` rounded: what a graph with a node for each of the two steps gives.
  case sigmoidProduct
  /// `x * Φ(x)` with the normal distribution function.
  case gelu
  /// `((a * x) * (b * (1 + erf(factor * x / divisor)))) * c`, every operation rounded: what a graph with a node for each
  /// step of GELU gives. The scales that a graph does not have are 1.
  case geluProduct(factor: Double, divisor: Double, scales: SIMD3<Double>)
  /// `x / 2 * (1 + tanh(√(2/π) * (x + 0.044715 * x³)))`.
  case geluTanh
  /// `x * tanh(softplus(x))`.
  case mish
  /// `log(1 + exp(beta * x)) / beta`, and `x` itself where `beta * x > threshold`.
  case softplus(beta: Double, threshold: Double)
  /// `min(max(x + 3, 0), 6) / 6`.
  case hardSigmoid
  /// `x * hardSigmoid(x)`.
  case hardSwish

  /// `min(max(slope * x + offset, 0), 1)`.
  case clampedLine(slope: Double, offset: Double)
  /// `x * sigmoid(beta * x)`.
  case swish(beta: Double)
  /// `gamma * x` above zero, `gamma * alpha * (exp(x) - 1)` below.
  case selu(alpha: Double, gamma: Double)
  /// `x` above zero, `alpha * (exp(x / alpha) - 1)` below.
  case celu(alpha: Double)
  /// `x / (1 + |x|)`.
  case softsign
  /// `x` above the threshold, 0 elsewhere.
  case threshold(Double)
  /// `x + bias` below `-threshold`, `x - bias` above `threshold`, 0 in between.
  case shrink(threshold: Double, bias: Double)
  /// `x`, and the number where `x` is none.
  case nanToNum(Double)
}

/// Element-by-element functions of one operand.
package protocol ActivationKernels<Scalar> {
  associatedtype Scalar

  /// `y[i] = operation(x[i])`; `y` may be `x`.
  ///
  /// An element's result does not depend on where in the run it stands: work may be cut anywhere.
  static func unary(
    _ operation: UnaryOperation, _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, count: Int)

  /// `y[row * rowStep + i] = operation(y[row * rowStep + i])` for `count` elements of each row.
  static func unary(
    _ operation: UnaryOperation, _ y: UnsafeMutablePointer<Scalar>, rows: Int, count: Int, rowStep: Int)
}
