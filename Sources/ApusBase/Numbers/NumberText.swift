/// Numbers as people read them: few digits, a decimal point whatever the locale, no trailing noise.
package enum NumberText {
  package enum Rounding { case nearest, up }

  /// `value` with at most `digits` significant digits: `0.0123`, `1.3e-06`, `inf`.
  package static func short(_ value: Double, digits: Int = 3, rounding: Rounding = .nearest) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
    guard value != 0 else { return "0" }
    var (figures, exponent) = decimal(value.magnitude)
    round(&figures, &exponent, to: max(1, digits), rounding)
    while figures.count > 1, figures.last == 0 { figures.removeLast() }
    let sign = value < 0 ? "-" : ""
    if exponent < -4 || exponent > max(5, digits) { return sign + scientific(figures, exponent) }
    return sign + positional(figures, exponent)
  }

  /// `value` with exactly `decimals` digits after the point, rounded half away from zero.
  package static func fixed(_ value: Double, decimals: Int) -> String {
    guard value.isFinite else { return short(value) }
    var (figures, exponent) = decimal(value.magnitude)
    let kept = exponent + 1 + decimals
    if kept < 0 || value == 0 {
      (figures, exponent) = ([0], 0)
    } else {
      figures.insert(0, at: 0)
      exponent += 1
      round(&figures, &exponent, to: kept + 1, .nearest)
    }
    let wholeCount = max(exponent + 1, 1)
    var text = ""
    for position in 0..<(wholeCount + decimals) {
      if position == wholeCount { text += "." }
      let index = position - (wholeCount - (exponent + 1))
      text += figures.indices.contains(index) ? String(figures[index]) : "0"
    }
    while text.hasPrefix("0"), text.count > 1, !text.hasPrefix("0.") { text.removeFirst() }
    let isZero = text.allSatisfy { $0 == "0" || $0 == "." }
    return (value < 0 && !isZero ? "-" : "") + text
  }

  /// The fewest decimal digits that distinguish `value` from its neighbours, and the power of ten of the first.
  private static func decimal(_ value: Double) -> (figures: [Int], exponent: Int) {
    var figures: [Int] = []
    var pointPosition: Int?
    var exponent = 0
    let parts = value.description.split(separator: "e")
    for character in parts[0] {
      if let digit = character.wholeNumberValue { figures.append(digit) } else { pointPosition = figures.count }
    }
    if parts.count > 1 { exponent = Int(parts[1]) ?? 0 }
    exponent += (pointPosition ?? figures.count) - 1
    while figures.count > 1, figures.first == 0 {
      figures.removeFirst()
      exponent -= 1
    }
    return (figures, exponent)
  }

  private static func round(_ figures: inout [Int], _ exponent: inout Int, to count: Int, _ rounding: Rounding) {
    guard figures.count > count else { return }
    let dropped = figures[count...]
    let roundsUp =
      switch rounding {
      case .nearest: (dropped.first ?? 0) >= 5
      case .up: dropped.contains { $0 != 0 }
      }
    figures.removeSubrange(count...)
    guard roundsUp else { return }
    for index in figures.indices.reversed() {
      if figures[index] < 9 {
        figures[index] += 1
        return
      }
      figures[index] = 0
    }
    figures.insert(1, at: 0)
    figures.removeLast()
    exponent += 1
  }

  private static func scientific(_ figures: [Int], _ exponent: Int) -> String {
    let fraction = figures.dropFirst().map(String.init).joined()
    let magnitude = exponent.magnitude < 10 ? "0\(exponent.magnitude)" : "\(exponent.magnitude)"
    return "\(figures[0])" + (fraction.isEmpty ? "" : "." + fraction) + "e" + (exponent < 0 ? "-" : "+") + magnitude
  }

  private static func positional(_ figures: [Int], _ exponent: Int) -> String {
    if exponent < 0 {
      return "0." + String(repeating: "0", count: -exponent - 1) + figures.map(String.init).joined()
    }
    let padded = figures + [Int](repeating: 0, count: max(0, exponent + 1 - figures.count))
    let whole = padded[...exponent].map(String.init).joined()
    let fraction = padded[(exponent + 1)...].map(String.init).joined()
    return fraction.isEmpty ? whole : whole + "." + fraction
  }
}
