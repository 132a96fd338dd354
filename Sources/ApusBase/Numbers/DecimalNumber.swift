/// Reads decimal numbers from bytes, correctly rounded, the same in every locale.
///
/// Numbers of up to 19 digits and a small power of ten, which is nearly all there are in files, are exact in one
/// multiplication or division (Clinger 1990); the rest goes to the standard library.
package enum DecimalNumber {
  /// The number that all of `bytes` spell, or nil. Takes what programs write: `-1.5`, `+2`, `.5`, `3.`, `1e-05`; no
  /// `nan`, no hex.
  package static func whole(_ bytes: [UInt8]) -> Double? {
    guard let (value, end) = scan(bytes, from: 0, strict: false), end == bytes.count else { return nil }
    return value
  }

  /// The number that starts at `start` and the index after it, or nil where there is none. The value is infinite when
  /// too large.
  ///
  /// - Parameter strict: only what JSON allows: no plus sign, no leading zeros, digits on both sides of the point.
  package static func scan(_ bytes: [UInt8], from start: Int, strict: Bool) -> (value: Double, end: Int)? {
    bytes.withUnsafeBytes { scan($0, from: start, strict: strict) }
  }

  /// The same for bytes that lie anywhere.
  static func scan(
    _ bytes: UnsafeRawBufferPointer, from start: Int, strict: Bool
  ) -> (value: Double, end: Int)? {
    var index = start
    func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
    let negative = byte(index) == UInt8(ascii: "-")
    if negative || (!strict && byte(index) == UInt8(ascii: "+")) { index += 1 }

    var digits = Digits()
    let integerStart = index
    while let digit = digit(byte(index)) {
      digits.append(digit, fraction: false)
      index += 1
    }
    let integerDigits = index - integerStart
    if strict, integerDigits == 0 || (integerDigits > 1 && bytes[integerStart] == UInt8(ascii: "0")) { return nil }

    var fractionDigits = 0
    if byte(index) == UInt8(ascii: ".") {
      index += 1
      let fractionStart = index
      while let digit = digit(byte(index)) {
        digits.append(digit, fraction: true)
        index += 1
      }
      fractionDigits = index - fractionStart
      if strict, fractionDigits == 0 { return nil }
    }
    guard integerDigits + fractionDigits > 0 else { return nil }

    var exponent = 0
    if byte(index) | 0x20 == UInt8(ascii: "e") {
      index += 1
      let negativeExponent = byte(index) == UInt8(ascii: "-")
      if negativeExponent || byte(index) == UInt8(ascii: "+") { index += 1 }
      let exponentStart = index
      while let digit = digit(byte(index)) {
        // Beyond a million the result is 0 or infinite whatever follows.
        exponent = min(exponent * 10 + Int(digit), 1_000_000)
        index += 1
      }
      guard index > exponentStart else { return nil }
      if negativeExponent { exponent = -exponent }
    }

    if let magnitude = digits.value(exponent: exponent) {
      return (negative ? -magnitude : magnitude, index)
    }
    guard let value = Double(String(decoding: bytes[start..<index], as: UTF8.self)) else { return nil }
    return (value, index)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    let digit = byte &- UInt8(ascii: "0")
    return digit <= 9 ? digit : nil
  }

  /// The digits of a number as an integer times a power of ten.
  private struct Digits {
    private var significand: UInt64 = 0
    private var count = 0
    private var power = 0

    mutating func append(_ digit: UInt8, fraction: Bool) {
      if count > 0 || digit > 0 { count += 1 }
      guard count <= 19 else { return }
      significand = significand * 10 + UInt64(digit)
      if fraction { power -= 1 }
    }

    /// The value, where one rounding gives it: both factors are exact doubles.
    func value(exponent: Int) -> Double? {
      guard count <= 19, significand <= 1 << 53 else { return nil }
      let power = self.power + exponent
      guard abs(power) < Self.powersOfTen.count else { return significand == 0 ? 0 : nil }
      let significand = Double(significand)
      return power < 0 ? significand / Self.powersOfTen[-power] : significand * Self.powersOfTen[power]
    }

    private static let powersOfTen: [Double] = [
      1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
  }
}
