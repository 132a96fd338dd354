import ApusBase
import ApusPlatform

extension Tensor: CustomStringConvertible {
  /// Type and shape, then the elements in columns and brackets, as NumPy arranges them:
  ///
  ///     float32 [2, 3]
  ///     [[ 1.00, -2.50,  0.25],
  ///      [10.00,  0.00,  3.00]]
  ///
  /// Floating-point numbers have as many decimals as all of them need, four at most. They have exponents where NumPy
  /// gives them some: from 1e8 on, below 1e-4, and where one is more than a thousand times another that is not 0.
  /// Beyond a thousand elements only the first and last three along each axis are shown.
  public var description: String {
    let header = "\(dataType) \(shape)"
    guard let source = try? rowMajor else { return "\(header) (no memory to print it)" }
    if count == 0 { return "\(header) []" }
    return withExtendedLifetime(source.storage) {
      let printer = TensorPrinter(source)
      return rank == 0 ? "\(header) \(printer.cells[0] ?? "")" : "\(header)\n\(printer.text(axis: 0, offset: 0))"
    }
  }
}

/// The layout of one printed tensor.
private struct TensorPrinter {
  /// More elements than this are summarised.
  static let limit = 1000
  /// Elements shown at each end of a summarised axis.
  static let edge = 3

  let shape: [Int]
  let strides: [Int]
  let isSummarised: Bool
  /// The text of every element shown, by its place.
  private(set) var cells: [Int: String] = [:]
  private var width = 0

  init<Scalar>(_ tensor: Tensor<Scalar>) {
    shape = tensor.shape
    strides = Shape.strides(shape)
    isSummarised = tensor.count > Self.limit
    var places: [Int] = []
    visit(axis: 0, offset: 0) { places.append($0) }
    let values = places.map { tensor.pointer[$0] }
    let texts = Scalar.dataType.isFloatingPoint ? Self.numbers(values.map(Self.double)) : values.map { "\($0)" }
    cells = Dictionary(uniqueKeysWithValues: zip(places, texts))
    width = texts.map(\.count).max() ?? 0
  }

  /// The places along `axis` that are shown; nil stands for those omitted.
  private func shown(_ axis: Int) -> [Int?] {
    let size = shape[axis]
    guard isSummarised, size > 2 * Self.edge + 1 else { return (0..<size).map { $0 } }
    return (0..<Self.edge).map { $0 } + [nil] + ((size - Self.edge)..<size).map { $0 }
  }

  private func visit(axis: Int, offset: Int, _ body: (Int) -> Void) {
    guard axis < shape.count else { return body(offset) }
    for place in shown(axis) {
      if let place { visit(axis: axis + 1, offset: offset + place * strides[axis], body) }
    }
  }

  /// The part of the tensor from `offset` on whose first axis is `axis`, in brackets.
  func text(axis: Int, offset: Int) -> String {
    let isLast = axis == shape.count - 1
    let parts = shown(axis).map { place -> String in
      guard let place else { return "…" }
      let start = offset + place * strides[axis]
      guard isLast else { return text(axis: axis + 1, offset: start) }
      let cell = cells[start] ?? ""
      return String(repeating: " ", count: max(0, width - cell.count)) + cell
    }
    let separator =
      isLast
      ? ", "
      : "," + String(repeating: "\n", count: shape.count - 1 - axis) + String(repeating: " ", count: axis + 1)
    return "[" + parts.joined(separator: separator) + "]"
  }

  private static func double<Scalar>(_ value: Scalar) -> Double {
    switch value {
    case let value as Float: Double(value)
    case let value as Double: value
    case let value as BFloat16: Double(Float(value))
    #if !(os(macOS) && arch(x86_64))
      case let value as Float16: Double(value)
    #endif
    default: .nan
    }
  }

  /// Floating-point numbers with the same number of decimals, at most four; with exponents where they are too large,
  /// too small, or too far apart for that.
  private static func numbers(_ values: [Double]) -> [String] {
    let magnitudes = values.lazy.filter { $0.isFinite && $0 != 0 }.map(\.magnitude)
    if let least = magnitudes.min(), let largest = magnitudes.max(),
      largest >= 1e8 || least < 1e-4 || largest / least > 1e3
    {
      return values.map(scientific)
    }
    let decimals =
      (1..<4).first { decimals in
        let scale = pow(10, Double(decimals))
        return values.allSatisfy { value in
          // Equal in single precision.
          let scaled = value * scale
          return !value.isFinite || (scaled - scaled.rounded()).magnitude <= scaled.magnitude * 1e-7
        }
      } ?? 4
    return values.map { sign(of: $0) + NumberText.fixed($0, decimals: decimals) }
  }

  /// What tells a zero below 0 from another.
  private static func sign(of value: Double) -> String { value == 0 && value.sign == .minus ? "-" : "" }

  /// Four decimals and an exponent of at least two digits.
  private static func scientific(_ value: Double) -> String {
    guard value.isFinite else { return NumberText.short(value) }
    if value == 0 { return sign(of: value) + "0.0000e+00" }
    var exponent = Int(log10(value.magnitude).rounded(.down))
    // Rounding to four decimals may reach the next power of ten.
    if value.magnitude / pow(10, Double(exponent)) >= 9.99995 { exponent += 1 }
    let digits = "\(exponent.magnitude)"
    // In two steps, because a power of ten below 1e-308 has lost its digits.
    let half = exponent / 2
    let mantissa = value / pow(10, Double(half)) / pow(10, Double(exponent - half))
    return NumberText.fixed(mantissa, decimals: 4) + (exponent < 0 ? "e-" : "e+") + (digits.count < 2 ? "0" : "")
      + digits
  }
}
