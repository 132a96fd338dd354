/// Floating-point numbers as NumPy writes them: the fewest digits that give the number back, plain from 10⁻⁴ to 10¹⁶
/// and with an exponent of two digits or more beyond.
enum PlainNumber {
  /// - Parameter description: a number as Swift writes it, which has the same digits.
  static func text(_ description: String) -> String {
    let isNegative = description.hasPrefix("-")
    let magnitude = isNegative ? description.dropFirst() : description[...]
    let sign = isNegative ? "-" : ""
    guard magnitude.first?.isNumber == true else { return magnitude == "nan" ? "nan" : sign + magnitude }
    let parts = magnitude.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    var digits = Array(mantissa.joined())
    // The place of the point, counted from the first digit.
    var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.count > 1, digits.first == "0" {
      digits.removeFirst()
      point -= 1
    }
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    if digits == ["0"] { return sign + "0.0" }
    let exponent = point - 1
    if exponent < -4 || exponent >= 16 {
      let fraction = digits.count > 1 ? "." + String(digits.dropFirst()) : ""
      let size = "\(exponent.magnitude)"
      return sign + String(digits[0]) + fraction + (exponent < 0 ? "e-" : "e+") + (size.count < 2 ? "0" : "") + size
    }
    if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + String(digits) }
    let missing = point - digits.count
    if missing >= 0 { return sign + String(digits) + String(repeating: "0", count: missing) + ".0" }
    return sign + String(digits[..<point]) + "." + String(digits[point...])
  }
}
