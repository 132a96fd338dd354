import Apus

/// Numbers of reports on quantisation as text.
enum QuantizationNumbers {
  static func percent(_ part: Double?) -> String {
    part.map { NumberText.fixed(100 * $0, decimals: 2) + " %" } ?? "not finite"
  }

  static func megabytes(_ count: Int) -> String { NumberText.fixed(Double(count) / 1e6, decimals: 1) }

  /// What JSON can say of a number.
  static func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
}
