/// The values a binary floating-point type can hold, numbered in order.
///
/// The distance in units in the last place of two values is the difference of their numbers.
struct FloatingGrid {
  /// Bits of the fraction.
  let fractionBits: UInt64
  /// The exponent of the smallest normal value.
  let minimumExponent: Int
  /// The number of positive infinity.
  private let infinity: UInt64
  private let shift: UInt64
  private let smallestNormal: UInt64
  private let subnormalScale: Double

  private init(fractionBits: UInt64, minimumExponent: Int) {
    self.fractionBits = fractionBits
    self.minimumExponent = minimumExponent
    infinity = UInt64(2 - 2 * minimumExponent + 1) << fractionBits
    shift = 52 - fractionBits
    smallestNormal = UInt64(1023 + minimumExponent) << 52
    let scale = Int(fractionBits) - minimumExponent
    subnormalScale = scale > 1023 ? 1 : Double(bitPattern: UInt64(1023 + scale) << 52)
  }

  static let float64 = FloatingGrid(fractionBits: 52, minimumExponent: -1022)
  static let float32 = FloatingGrid(fractionBits: 23, minimumExponent: -126)
  static let float16 = FloatingGrid(fractionBits: 10, minimumExponent: -14)
  static let bfloat16 = FloatingGrid(fractionBits: 7, minimumExponent: -126)

  /// The grid of the coarser of two types; `nil` when neither is floating-point.
  static func narrower(_ a: DataType, _ b: DataType) -> FloatingGrid? {
    func grid(_ type: DataType) -> FloatingGrid? {
      switch type {
      case .float64: float64
      case .float32: float32
      case .float16: float16
      case .bfloat16: bfloat16
      default: nil
      }
    }
    switch (grid(a), grid(b)) {
    case (let x?, let y?): return x.fractionBits <= y.fractionBits ? x : y
    case (let x, let y): return x ?? y
    }
  }

  /// How many steps lead from one finite value to the other, each rounded to this grid first.
  func distance(_ a: Double, _ b: Double) -> UInt64 {
    let (x, y) = (number(a.magnitude), number(b.magnitude))
    // Either side of zero the numbers add; both lie below 2⁶³, so the sum fits.
    if (a < 0) != (b < 0) { return x + y }
    return x > y ? x - y : y - x
  }

  /// The number of a value not below zero; zero has 0, the smallest subnormal 1, and so on.
  private func number(_ value: Double) -> UInt64 {
    let bits = value.bitPattern
    if shift == 0 { return bits }
    if bits < smallestNormal { return UInt64((value * subnormalScale).rounded(.toNearestOrEven)) }
    let rebased = bits - (smallestNormal - (1 << 52))
    let isOdd = (rebased >> shift) & 1
    return min((rebased + (1 << (shift - 1)) - 1 + isOdd) >> shift, infinity)
  }
}
