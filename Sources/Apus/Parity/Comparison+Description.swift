import ApusBase

extension Comparison: CustomStringConvertible {
  /// A verdict, and a line for each measure, in columns.
  public var description: String {
    ([verdict] + details.map { "  " + $0 }).joined(separator: "\n")
  }

  /// One line: equal or not, and why not.
  public var verdict: String {
    guard hasEqualShapes else { return "different  shape \(actual.shape), expected \(expected.shape)" }
    guard hasAcceptableTypes else { return "different  \(actual.dataType), expected \(expected.dataType)" }
    guard let differences else { return "different" }
    let elements = Self.counted(differences.count, "element")
    if differences.mismatchedCount > 0 {
      let rounded = NumberText.short(differences.mismatchedPercent)
      let percent = rounded == "100" && differences.mismatchedCount < differences.count ? "> 99.9" : rounded
      return "different  \(differences.mismatchedCount) of \(elements) (\(percent) %) beyond \(tolerance)"
    }
    if differences.largestAbsolute == nil { return "equal      \(elements), every one the same" }
    return "equal      \(elements) within \(tolerance)"
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  /// The measures, a line each.
  private var details: [String] {
    var table = TextTable(separator: "  ")
    let types =
      actual.dataType == expected.dataType
      ? "\(actual.dataType)" : "\(actual.dataType) against \(expected.dataType)"
    table.add("tensor", "\(types) \(actual.shape)")
    guard let differences else { return table.lines }
    func add(_ name: String, _ extreme: Extreme?) {
      guard let extreme else { return }
      table.add(name, NumberText.short(extreme.value), "at " + pair(extreme))
    }
    if let nonFinite = differences.nonFinite {
      table.add("not finite", "\(differences.nonFiniteMismatchCount)", "first at " + pair(nonFinite))
    }
    add("largest absolute", differences.largestAbsolute)
    add("largest relative", differences.largestRelative)
    add("largest ULP", differences.largestULP)
    if differences.largestAbsolute != nil {
      table.add("mean absolute", NumberText.short(differences.meanAbsolute))
      table.add("root mean square", NumberText.short(differences.rootMeanSquare))
      table.add(
        "NMSE", NumberText.short(differences.normalizedMeanSquare),
        "SNR \(NumberText.fixed(differences.signalToNoise, decimals: 1)) dB")
    }
    if let cosine = differences.cosine { table.add("cosine", NumberText.short(cosine, digits: 9)) }
    if actual.nanCount + expected.nanCount > 0 {
      table.add("NaN", "\(actual.nanCount)", "expected \(expected.nanCount)")
    }
    if actual.infinityCount + expected.infinityCount > 0 {
      table.add("infinite", "\(actual.infinityCount)", "expected \(expected.infinityCount)")
    }
    if differences.largestAbsolute != nil || differences.nonFinite != nil {
      let both = differences.required.both.map { NumberText.short($0, rounding: .up) } ?? "nothing"
      table.add("passes with", both, remedies(differences.required))
    }
    return table.lines
  }

  private func pair(_ extreme: Extreme) -> String {
    func text(_ value: Double, _ side: Side) -> String {
      NumberText.short(value, digits: side.dataType == .float64 ? 17 : 9)
    }
    return "\(extreme.index)  actual \(text(extreme.actual, actual))  expected \(text(extreme.expected, expected))"
  }

  private func remedies(_ required: RequiredTolerance) -> String {
    guard required.both != nil else { return "no tolerance covers NaN or infinity on one side" }
    var remedies: [String] = []
    if let absolute = required.absolute { remedies.append("atol \(NumberText.short(absolute, rounding: .up)) alone") }
    if let relative = required.relative { remedies.append("rtol \(NumberText.short(relative, rounding: .up)) alone") }
    return "as rtol and atol; " + remedies.joined(separator: ", ")
  }
}
