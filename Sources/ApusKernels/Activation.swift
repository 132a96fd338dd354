import ApusKernelInterface
import ApusPlatform

extension Float32Kernels {
  package static func unary(
    _ operation: UnaryOperation, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, count: Int
  ) {
    unary(operation, (x, y, 1, count, 0))
  }

  package static func unary(
    _ operation: UnaryOperation, _ y: UnsafeMutablePointer<Float>, rows: Int, count: Int, rowStep: Int
  ) {
    unary(operation, (UnsafePointer(y), y, rows, count, rowStep))
  }

  @inline(__always)
  private static func unary(_ operation: UnaryOperation, _ elements: ElementRows) {
    // A function with all of them would be too large for the compiler to put their bodies into the loops.
    _ =
      arithmetic(operation, elements) || elementary(operation, elements)
      || rectified(operation, elements) || sigmoidal(operation, elements)
      || exponentials(operation, elements) || logarithmic(operation, elements)
  }

  /// Operations of one or two instructions. False for all others.
  @inline(never)
  private static func arithmetic(
    _ operation: UnaryOperation, _ elements: ElementRows
  ) -> Bool {
    switch operation {
    // The minus sign of vectors is a difference from 0, which has no negative zero.
    case .negate: mapLanes(elements) { all(-0.0) - $0 }
    case .absolute: mapLanes(elements) { absolute($0) }
    case .sign:
      mapLanes(elements) { x in
        choose(x .> all(0), all(1), choose(x .< all(0), all(-1), x))
      }
    case .reciprocal: mapLanes(elements) { all(1) / $0 }
    case .square: mapLanes(elements) { $0 * $0 }
    case .squareRoot: mapLanes(elements) { squareRoot($0) }
    case .reciprocalSquareRoot: mapLanes(elements) { all(1) / squareRoot($0) }
    case .floor: mapFloats(elements) { $0.rounded(.down) }
    case .ceil: mapFloats(elements) { $0.rounded(.up) }
    case .round: mapFloats(elements) { $0.rounded(.toNearestOrEven) }
    case .clamp(let minimum, let maximum):
      let low = all(Float(minimum))
      let high = all(Float(maximum))
      mapLanes(elements) { smaller(greater($0, low), high) }
    case .power(let exponent): power(elements, Float(exponent))
    case .shrink(let threshold, let bias):
      let threshold = all(Float(threshold))
      let bias = all(Float(bias))
      @inline(__always) func body(_ x: Lanes) -> Lanes {
        choose(x .< -threshold, x + bias, choose(x .> threshold, x - bias, all(0)))
      }
      mapLanes(elements, body)
    default: return false
    }
    return true
  }

  /// Functions of the C library, the common ones as vectors. False for all others.
  @inline(never)
  private static func elementary(
    _ operation: UnaryOperation, _ elements: ElementRows
  ) -> Bool {
    switch operation {
    case .exp: mapPairs(elements) { exponential($0) }
    case .expm1: mapPairs(elements) { exponentialMinusOne($0) }
    case .log: mapLanes(elements) { logarithm($0) }
    case .log1p: mapLanes(elements) { logarithmOfOnePlus($0) }
    case .erf: mapPairs(elements) { errorFunction($0) }
    case .sin: mapSine(elements, shift: 0)
    case .cos: mapSine(elements, shift: 1)
    case .tan: mapFloats(elements) { tan($0) }
    case .asin: mapFloats(elements) { asin($0) }
    case .acos: mapFloats(elements) { acos($0) }
    case .atan: mapLanes(elements) { arctangent($0) }
    case .sinh: mapFloats(elements) { sinh($0) }
    case .cosh: mapFloats(elements) { cosh($0) }
    case .asinh: mapFloats(elements) { asinh($0) }
    case .acosh: mapFloats(elements) { acosh($0) }
    case .atanh: mapFloats(elements) { atanh($0) }
    default: return false
    }
    return true
  }

  /// Activations in pieces. False for all others.
  @inline(never)
  private static func rectified(
    _ operation: UnaryOperation, _ elements: ElementRows
  ) -> Bool {
    switch operation {
    case .relu: mapLanes(elements) { greater($0, all(0)) }
    case .leakyReLU(let negativeSlope):
      let slope = all(Float(negativeSlope))
      mapLanes(elements) { choose($0 .< all(0), $0 * slope, $0) }
    case .hardSigmoid: mapLanes(elements) { clampedRamp($0) / all(6) }
    case .hardSwish: mapLanes(elements) { $0 * clampedRamp($0) / all(6) }
    case .clampedLine(let slope, let offset):
      let slope = all(Float(slope))
      let offset = all(Float(offset))
      mapLanes(elements) { smaller(greater(multiplyAdd(offset, $0, slope), all(0)), all(1)) }
    case .softsign: mapLanes(elements) { $0 / (all(1) + absolute($0)) }
    case .threshold(let threshold):
      let threshold = all(Float(threshold))
      // A NaN is not above the threshold.
      mapLanes(elements) { choose($0 .> threshold, $0, all(0)) }
    case .nanToNum(let number):
      let number = all(Float(number))
      mapLanes(elements) { choose($0 .== $0, $0, number) }
    default: return false
    }
    return true
  }

  /// Activations of one exponential. False for all others.
  @inline(never)
  private static func sigmoidal(
    _ operation: UnaryOperation, _ elements: ElementRows
  ) -> Bool {
    switch operation {
    case .sigmoid: mapPairs(elements) { logistic($0) }
    case .tanh: mapLanes(elements) { hyperbolicTangent($0) }
    case .silu: mapPairs(elements) { sigmoidLinear($0) }
    case .sigmoidProduct: mapPairs(elements) { $0 * logistic($0) }
    case .swish(let beta):
      let beta = both(Float(beta))
      mapPairs(elements) { $0 * logistic($0 * beta) }
    case .geluTanh: mapPairs(elements) { geluTanh($0) }
    default: return false
    }
    return true
  }

  /// Activations of several. False for all others.
  @inline(never)
  private static func exponentials(
    _ operation: UnaryOperation, _ elements: ElementRows
  ) -> Bool {
    switch operation {
    case .elu(let alpha):
      let alpha = both(Float(alpha))
      mapPairs(elements) { x in
        choose(x .< both(0), alpha * exponentialMinusOne(x), x)
      }
    case .selu(let alpha, let gamma):
      let alpha = both(Float(alpha))
      let gamma = both(Float(gamma))
      mapPairs(elements) { x in
        gamma * choose(x .< both(0), alpha * exponentialMinusOne(x), x)
      }
    case .celu(let alpha):
      let alpha = both(Float(alpha))
      mapPairs(elements) { x in
        choose(x .< both(0), alpha * exponentialMinusOne(x / alpha), x)
      }
    case .gelu: mapPairs(elements) { gelu($0) }
    case .geluProduct(let factor, let divisor, let scales):
      let factor = both(Float(factor))
      let divisor = both(Float(divisor))
      let (a, b, c) = (both(Float(scales.x)), both(Float(scales.y)), both(Float(scales.z)))
      // A division takes as long as all the rest: only where there is one.
      if divisor.0[0] == 1 {
        mapPairs(elements) { ($0 * a) * ((both(1) + errorFunction($0 * factor)) * b) * c }
      } else {
        mapPairs(elements) { ($0 * a) * ((both(1) + errorFunction($0 * factor / divisor)) * b) * c }
      }
    case .mish: mapPairs(elements) { mish($0) }
    default: return false
    }
    return true
  }

  /// Activations of a logarithm. False for all others.
  @inline(never)
  private static func logarithmic(
    _ operation: UnaryOperation, _ elements: ElementRows
  ) -> Bool {
    switch operation {
    case .logSigmoid:
      @inline(__always) func body(_ x: Lanes) -> Lanes {
        smaller(x, all(0)) - logarithmOfOnePlusFraction(exponential(-absolute(x)))
      }
      mapLanes(elements, body)
    case .softplus(let beta, let threshold):
      let beta = all(Float(beta))
      let threshold = all(Float(threshold))
      @inline(__always) func body(_ x: Lanes) -> Lanes {
        let z = x * beta
        let soft = greater(z, all(0)) + logarithmOfOnePlusFraction(exponential(-absolute(z)))
        return choose(z .> threshold, x, soft / beta)
      }
      mapLanes(elements, body)
    default: return false
    }
    return true
  }

  /// `y = x^exponent`; the powers that take one or two instructions are spelled so, the rest are the C library's.
  @inline(__always)
  private static func power(
    _ elements: ElementRows, _ exponent: Float
  ) {
    if exponent == 1 {
      mapLanes(elements) { $0 }
    } else if exponent == 2 {
      mapLanes(elements) { $0 * $0 }
    } else if exponent == 3 {
      mapLanes(elements) { $0 * $0 * $0 }
    } else if exponent == -1 {
      mapLanes(elements) { all(1) / $0 }
    } else if exponent == 0.5 {
      // The power of minus infinity is infinite, and that of -0 is 0.
      mapLanes(elements) { choose($0 .== all(-.infinity), all(.infinity), squareRoot($0 + all(0))) }
    } else {
      mapFloats(elements) { pow($0, exponent) }
    }
  }
}

/// `y[i] = body(x[i])` for what the processor computes exactly one by one as sixteen at a time.
@inline(__always)
func mapFloats(_ elements: ElementRows, _ body: (Float) -> Float) {
  for row in 0..<elements.rows {
    let x = elements.x + row &* elements.step
    let y = elements.y + row &* elements.step
    for i in 0..<elements.count { y[i] = body(x[i]) }
  }
}

/// x · Φ(x).
@inline(__always)
func gelu(_ x: LanePair) -> LanePair {
  both(0.5) * x * (both(1) + errorFunction(x * both(0.70710678)))
}

/// The approximation of GELU with tanh. As (1 + tanh u) / 2 is the logistic function of 2u, it is x σ(2u), and computed
/// as max(x, 0) - |x| σ(-|2u|): then only a small term carries rounding errors.
@inline(__always)
func geluTanh(_ x: LanePair) -> LanePair {
  // 2u = 2 √(2/π) (x + 0.044715 x³)
  let magnitude = absolute(x)
  let u = magnitude * multiplyAdd(both(1.5957691), x * x, both(0.07135481))
  let result = greater(x, both(0)) - magnitude / onePlusExponential(u)
  // The difference of two infinities would not be a number.
  return choose(x .> both(10), x, result)
}

/// x tanh(log(1 + e^x)): with n = e^x (e^x + 2) the hyperbolic tangent is n / (n + 2).
@inline(__always)
func mish(_ x: LanePair) -> LanePair {
  // Beyond 20 the quotient is 1.
  let e = exponential(smaller(x, both(20)))
  let n = e * (e + both(2))
  return x * (n / (n + both(2)))
}

/// min(max(x + 3, 0), 6).
@inline(__always)
func clampedRamp(_ x: Lanes) -> Lanes {
  smaller(greater(x + all(3), all(0)), all(6))
}
