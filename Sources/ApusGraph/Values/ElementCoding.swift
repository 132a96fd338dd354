import Apus

/// A floating-point format of eight bits or fewer: a sign, an exponent, and a fraction of `fractionBits`.
///
/// A magnitude code (all bits but the sign) is monotonic in the value it stands for, so that rounding is integer
/// arithmetic on the bits of a `Float`, and whatever is above `largest` has overflowed.
private struct SmallFloat {
  let bits: Int
  let fractionBits: Int
  let bias: Int
  /// The magnitude code of the largest finite value.
  let largest: UInt8
  /// What a NaN becomes.
  let nan: NaN
  /// The magnitude code of infinity, in the format that has one.
  var infinity: UInt8?

  enum NaN {
    /// A magnitude code, with the sign of the NaN.
    case signed(UInt8)
    /// The code that would be negative zero, which the format does not have.
    case negativeZero
    /// The format has none: zero, with the opposite sign, which is what the reference implementation gives.
    case none
  }

  static let e4m3fn = SmallFloat(bits: 8, fractionBits: 3, bias: 7, largest: 0x7E, nan: .signed(0x7F))
  static let e4m3fnuz = SmallFloat(bits: 8, fractionBits: 3, bias: 8, largest: 0x7F, nan: .negativeZero)
  static let e5m2 = SmallFloat(bits: 8, fractionBits: 2, bias: 15, largest: 0x7B, nan: .signed(0x7E), infinity: 0x7C)
  static let e5m2fnuz = SmallFloat(bits: 8, fractionBits: 2, bias: 16, largest: 0x7F, nan: .negativeZero)
  static let e2m1 = SmallFloat(bits: 4, fractionBits: 1, bias: 1, largest: 0x7, nan: .none)
  static let e2m3 = SmallFloat(bits: 6, fractionBits: 3, bias: 1, largest: 0x1F, nan: .none)
  static let e3m2 = SmallFloat(bits: 6, fractionBits: 2, bias: 3, largest: 0x1F, nan: .none)

  var signBit: UInt8 { 1 << UInt8(bits - 1) }

  func value(of code: UInt8) -> Float {
    let magnitude = code & (signBit - 1)
    let isNegative = code & signBit != 0
    switch nan {
    case .negativeZero where isNegative && magnitude == 0: return .nan
    case .signed where magnitude > largest && magnitude != infinity: return isNegative ? -.nan : .nan
    default: break
    }
    if magnitude == infinity { return isNegative ? -.infinity : .infinity }
    let fraction = Float(magnitude & (1 << UInt8(fractionBits) - 1))
    let exponent = Int(magnitude >> UInt8(fractionBits))
    let unit = Float(sign: .plus, exponent: max(exponent, 1) - bias - fractionBits, significand: 1)
    let value = (exponent == 0 ? fraction : fraction + Float(1 << fractionBits)) * unit
    return isNegative ? -value : value
  }

  /// What a magnitude beyond `largest` becomes; `keepsSign` where the sign stands beside the code.
  private func beyond(saturate: Bool) -> (code: UInt8, keepsSign: Bool) {
    if case .none = nan { return (largest, true) }
    if saturate { return (largest, true) }
    if let infinity { return (infinity, true) }
    if case .signed(let code) = nan { return (code, true) }
    return (signBit, false)
  }

  /// The nearest codes, ties to even, of `count` numbers: without a branch, so that the compiler takes several at a time.
  func encode(_ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<UInt8>, count: Int, saturate: Bool) {
    let (tooLarge, largeKeepsSign) = beyond(saturate: saturate)
    let largeSign: Int32 = largeKeepsSign ? -1 : 0
    // A NaN of a format without has the opposite sign.
    let (notNumber, numberSign): (UInt8, Int32) =
      switch nan {
      case .signed(let code): (code, -1)
      case .negativeZero: (signBit, 0)
      case .none: (signBit, -1)
      }
    let zeroSign: Int32 = if case .negativeZero = nan { 0 } else { -1 }
    let smallestNormal = Int32(128 - bias) << 23
    // In units of the smallest value. The sum has no room for a fraction, and so rounds it, ties to even.
    let unit = Float(bitPattern: UInt32(126 + bias + fractionBits) << 23)
    let shift = Int32(23 - fractionBits)
    let half = Int32(1) << (shift - 1) - 1
    let offset = Int32(127 - bias) << Int32(fractionBits)
    let (largest, signShift) = (Int32(largest), Int32(32 - bits))
    let (largeCode, nanCode) = (Int32(tooLarge), Int32(notNumber))
    for i in 0..<count {
      let bits = Int32(bitPattern: x[i].bitPattern)
      let magnitude = bits & 0x7FFF_FFFF
      let sign = Int32(bitPattern: UInt32(bitPattern: bits & Int32.min) &>> UInt32(signShift))
      let normal = ((magnitude &+ half &+ (magnitude &>> shift & 1)) &>> shift) &- offset
      let sum = Float(bitPattern: UInt32(bitPattern: magnitude)) * unit + 0x1p23
      let code = magnitude < smallestNormal ? Int32(bitPattern: sum.bitPattern) & 0xFF : normal
      var result = code | (code == 0 ? sign & zeroSign : sign)
      result = code > largest ? largeCode | (sign & largeSign) : result
      result = magnitude > 0x7F80_0000 ? nanCode ^ (sign & numberSign) : result
      y[i] = UInt8(truncatingIfNeeded: result)
    }
  }
}

extension ElementType {
  private var smallFloat: SmallFloat? {
    switch self {
    case .float8e4m3fn: .e4m3fn
    case .float8e4m3fnuz: .e4m3fnuz
    case .float8e5m2: .e5m2
    case .float8e5m2fnuz: .e5m2fnuz
    case .float4e2m1: .e2m1
    case .float6e2m3: .e2m3
    case .float6e3m2: .e3m2
    default: nil
    }
  }

  /// The value of each byte that may stand for a code; unused high bits do not count.
  fileprivate func codedValues() throws -> [Float] {
    guard let values = Self.valuesOfCodes[self] else { throw notCoded }
    return values
  }

  private static let valuesOfCodes: [ElementType: [Float]] = {
    var tables: [ElementType: [Float]] = [:]
    for type in allCases { tables[type] = type.valuesOfCodes }
    return tables
  }()

  /// Nil for types that are not coded.
  private var valuesOfCodes: [Float]? {
    let bytes = UInt8.min...UInt8.max
    if let format = smallFloat {
      let mask = format.signBit | (format.signBit - 1)
      return bytes.map { format.value(of: $0 & mask) }
    }
    switch self {
    case .uint4: return bytes.map { Float($0 & 0xF) }
    case .uint2: return bytes.map { Float($0 & 0x3) }
    case .int4: return bytes.map { Float(Int8(bitPattern: $0 << 4) >> 4) }
    case .int2: return bytes.map { Float(Int8(bitPattern: $0 << 6) >> 6) }
    // A power of two: 2^-127, which a Float has as a subnormal number, to 2^127.
    case .float8e8m0:
      return bytes.map { $0 == 0xFF ? .nan : Float(sign: .plus, exponent: Int($0) - 127, significand: 1) }
    default: return nil
    }
  }

  private var notCoded: TensorError {
    .argument(operation: "coded tensor", reason: "\(self) is not a type of eight bits or fewer")
  }

  /// A code for each element of `tensor`.
  fileprivate func codes(
    of tensor: Tensor<Float>, saturate: Bool, roundMode: CodedTensor.RoundMode
  ) throws -> Tensor<UInt8> {
    if let format = smallFloat {
      return try tensor.withUnsafeBufferPointer { source in
        try Tensor.filled(tensor.shape) { codes in
          guard let first = source.baseAddress else { return }
          format.encode(first, codes, count: source.count, saturate: saturate)
        }
      }
    }
    switch self {
    case .float8e8m0: return try mapped(tensor) { powerOfTwoCode($0, saturate: saturate, roundMode: roundMode) }
    case .uint4, .int4: return try mapped(tensor) { UInt8(truncatingIfNeeded: truncated($0)) & 0xF }
    case .uint2, .int2: return try mapped(tensor) { UInt8(truncatingIfNeeded: truncated($0)) & 0x3 }
    default: throw notCoded
    }
  }

  /// The low bits of each element of `tensor`.
  fileprivate func codes(wrapping tensor: Tensor<Int64>) throws -> Tensor<UInt8> {
    switch self {
    case .uint4, .int4: try mapped(tensor) { UInt8(truncatingIfNeeded: $0) & 0xF }
    case .uint2, .int2: try mapped(tensor) { UInt8(truncatingIfNeeded: $0) & 0x3 }
    default: throw TensorError.argument(operation: "coded tensor", reason: "\(self) is not a small integer type")
    }
  }
}

@inline(__always)
private func mapped<From, To>(_ tensor: Tensor<From>, _ convert: (From) -> To) throws -> Tensor<To> {
  try tensor.withUnsafeBufferPointer { source in
    try Tensor<To>.filled(tensor.shape) { destination in
      for index in 0..<source.count { (destination + index).initialize(to: convert(source[index])) }
    }
  }
}

/// The whole part; zero for what no 32-bit number is, whose whole part the standard leaves open.
@inline(__always)
private func truncated(_ value: Float) -> Int32 {
  value > -0x1p31 && value < 0x1p31 ? Int32(value) : 0
}

/// The exponent of the magnitude of `value`, biased by 127; 0xFF is the only NaN. The sign is lost.
///
/// The rules are the tables of `Cast`: outside the range is the nearest end when saturating, NaN otherwise.
@inline(__always)
private func powerOfTwoCode(_ value: Float, saturate: Bool, roundMode: CodedTensor.RoundMode) -> UInt8 {
  let bits = value.magnitude.bitPattern
  if value.isNaN { return 0xFF }
  // Below 2^-127, the smallest value, whose bits are those of a subnormal Float.
  if bits < 0x0040_0000 { return saturate ? 0 : 0xFF }
  // Twice as large, numbers below 2^-126 become normal and have their fraction where all others do.
  let isSubnormal = bits < 0x0080_0000
  let normal = isSubnormal ? bits << 1 : bits
  let fraction = normal & 0x007F_FFFF
  let isUp =
    switch roundMode {
    case .up: fraction > 0
    case .down: false
    case .nearest: fraction >= 0x0040_0000
    }
  let exponent = (isSubnormal ? 0 : normal >> 23) + (isUp ? 1 : 0)
  return exponent > 0xFE ? (saturate ? 0xFE : 0xFF) : UInt8(exponent)
}

extension CodedTensor {
  /// How a number becomes a power of two (`FLOAT8E8M0`).
  public enum RoundMode: String, Sendable, Hashable, CaseIterable {
    /// Away from zero.
    case up
    /// Towards zero.
    case down
    /// To the nearest, ties away from zero.
    case nearest
  }

  /// The values, all of which a `Float` has exactly.
  /// - Throws: ``TensorError`` when ``elementType`` is not of eight bits or fewer, or memory is short.
  public func widened() throws -> Tensor<Float> {
    let values = try elementType.codedValues()
    return try values.withUnsafeBufferPointer { values in try mapped(codes) { values[Int($0)] } }
  }

  /// The elements of `tensor` rounded as the operator `Cast` rounds them.
  ///
  /// Floating-point types take the nearest value, ties to even; integer types the whole part, of which they keep the
  /// low bits.
  ///
  /// - Parameters:
  ///   - saturate: of the types of eight bits: whether what is too large becomes the largest value, rather than
  ///     infinity or NaN. The narrower types have neither and always saturate.
  ///   - roundMode: of `FLOAT8E8M0`.
  /// - Throws: ``TensorError`` when `elementType` is not of eight bits or fewer, or memory is short.
  public init(
    rounding tensor: Tensor<Float>, to elementType: ElementType, saturate: Bool = true, roundMode: RoundMode = .up
  ) throws {
    let codes = try elementType.codes(of: tensor, saturate: saturate, roundMode: roundMode)
    self.init(elementType: elementType, codes: codes)
  }

  /// The low bits of integers, as the operator `Cast` keeps them.
  /// - Throws: ``TensorError`` when `elementType` is not an integer type of four or two bits, or memory is short.
  public init(wrapping tensor: Tensor<Int64>, to elementType: ElementType) throws {
    self.init(elementType: elementType, codes: try elementType.codes(wrapping: tensor))
  }
}
