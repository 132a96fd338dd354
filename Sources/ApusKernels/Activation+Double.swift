import ApusKernelInterface
import ApusPlatform

extension Float64Kernels {
  package static func unary(
    _ operation: UnaryOperation, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, count: Int
  ) {
    switch operation {
    case .negate: map(x, y, count) { -$0 }
    case .absolute: map(x, y, count) { $0.magnitude }
    case .sign: map(x, y, count) { $0 > 0 ? 1 : $0 < 0 ? -1 : $0 }
    case .reciprocal: map(x, y, count) { 1 / $0 }
    case .square: map(x, y, count) { $0 * $0 }
    case .squareRoot: map(x, y, count) { $0.squareRoot() }
    case .reciprocalSquareRoot: map(x, y, count) { 1 / $0.squareRoot() }
    case .floor: map(x, y, count) { $0.rounded(.down) }
    case .ceil: map(x, y, count) { $0.rounded(.up) }
    case .round: map(x, y, count) { $0.rounded(.toNearestOrEven) }
    case .exp: map(x, y, count) { exp($0) }
    case .expm1: map(x, y, count) { expm1($0) }
    case .log: map(x, y, count) { log($0) }
    case .log1p: map(x, y, count) { log1p($0) }
    case .erf: map(x, y, count) { erf($0) }
    case .sin: map(x, y, count) { sin($0) }
    case .cos: map(x, y, count) { cos($0) }
    case .tan: map(x, y, count) { tan($0) }
    case .asin: map(x, y, count) { asin($0) }
    case .acos: map(x, y, count) { acos($0) }
    case .atan: map(x, y, count) { atan($0) }
    case .sinh: map(x, y, count) { sinh($0) }
    case .cosh: map(x, y, count) { cosh($0) }
    case .asinh: map(x, y, count) { asinh($0) }
    case .acosh: map(x, y, count) { acosh($0) }
    case .atanh: map(x, y, count) { atanh($0) }
    case .clamp(let minimum, let maximum):
      map(x, y, count) { x in
        let raised = x < minimum ? minimum : x
        return raised > maximum ? maximum : raised
      }
    case .power(let exponent): map(x, y, count) { pow($0, exponent) }

    case .relu: map(x, y, count) { $0 < 0 ? 0 : $0 }
    case .leakyReLU(let slope): map(x, y, count) { $0 < 0 ? $0 * slope : $0 }
    case .elu(let alpha): map(x, y, count) { $0 < 0 ? alpha * expm1($0) : $0 }
    case .sigmoid: map(x, y, count) { 1 / (1 + exp(-$0)) }
    case .logSigmoid: map(x, y, count) { ($0 > 0 ? 0 : $0) - log1p(exp(-$0.magnitude)) }
    case .tanh: map(x, y, count) { tanh($0) }
    case .silu: map(x, y, count) { $0 / (1 + exp(-$0)) }
    case .sigmoidProduct: map(x, y, count) { $0 * (1 / (1 + exp(-$0))) }
    case .gelu: map(x, y, count) { 0.5 * $0 * (1 + erf($0 * 0.5.squareRoot())) }
    case .geluProduct(let factor, let divisor, let scales):
      map(x, y, count) { ($0 * scales.x) * ((1 + erf($0 * factor / divisor)) * scales.y) * scales.z }
    case .geluTanh:
      map(x, y, count) { x in
        let u = (2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1 + tanh(u))
      }
    case .mish: map(x, y, count) { $0 * tanh(log1p(exp($0))) }
    case .softplus(let beta, let threshold):
      map(x, y, count) { x in
        let z = x * beta
        // Near 710 the exponential is infinite; there the logarithm adds nothing to x.
        return z > threshold || z > 700 ? x : log1p(exp(z)) / beta
      }
    case .hardSigmoid: map(x, y, count) { clampedRamp($0) / 6 }
    case .hardSwish: map(x, y, count) { $0 * clampedRamp($0) / 6 }
    case .clampedLine(let slope, let offset):
      map(x, y, count) { x in
        let line = slope * x + offset
        return line < 0 ? 0 : line > 1 ? 1 : line
      }
    case .swish(let beta): map(x, y, count) { $0 / (1 + exp(-beta * $0)) }
    case .selu(let alpha, let gamma): map(x, y, count) { gamma * ($0 < 0 ? alpha * expm1($0) : $0) }
    case .celu(let alpha): map(x, y, count) { $0 < 0 ? alpha * expm1($0 / alpha) : $0 }
    case .softsign: map(x, y, count) { $0 / (1 + $0.magnitude) }
    case .threshold(let threshold): map(x, y, count) { $0 > threshold ? $0 : 0 }
    case .shrink(let threshold, let bias):
      map(x, y, count) { $0 < -threshold ? $0 + bias : $0 > threshold ? $0 - bias : 0 }
    case .nanToNum(let number): map(x, y, count) { $0.isNaN ? number : $0 }
    }
  }

  package static func unary(
    _ operation: UnaryOperation, _ y: UnsafeMutablePointer<Double>, rows: Int, count: Int, rowStep: Int
  ) {
    for row in 0..<rows { unary(operation, y + row &* rowStep, y + row &* rowStep, count: count) }
  }

  @inline(__always)
  private static func map(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, _ count: Int, _ body: (Double) -> Double
  ) {
    for i in 0..<count { y[i] = body(x[i]) }
  }
}

/// min(max(x + 3, 0), 6).
@inline(__always)
private func clampedRamp(_ x: Double) -> Double {
  let raised = x + 3 < 0 ? 0 : x + 3
  return raised > 6 ? 6 : raised
}
