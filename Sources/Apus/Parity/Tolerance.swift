import ApusBase

/// How far an actual value may lie from the expected one: `|actual - expected| ≤ absolute + relative · |expected|`.
///
/// The rule, the names (`rtol`, `atol`) and the defaults by element type are those of `torch.testing.assert_close`.
public struct Tolerance: Hashable, Sendable {
  /// The part that grows with the magnitude of the expected value (`rtol`).
  public var relative: Double
  /// The part that does not (`atol`).
  public var absolute: Double

  /// Any two numbers; a comparison refuses those that are negative or not finite.
  public init(relative: Double, absolute: Double) {
    self.relative = relative
    self.absolute = absolute
  }

  /// Only equal values pass.
  public static let exact = Tolerance(relative: 0, absolute: 0)

  /// What rounding in `dataType` explains: integers and `bool` exactly, floats by their precision.
  public static func standard(for dataType: DataType) -> Tolerance {
    switch dataType {
    case .float64: Tolerance(relative: 1e-7, absolute: 1e-7)
    case .float32: Tolerance(relative: 1.3e-6, absolute: 1e-5)
    case .float16: Tolerance(relative: 1e-3, absolute: 1e-5)
    case .bfloat16: Tolerance(relative: 1.6e-2, absolute: 1e-5)
    default: .exact
    }
  }

  /// The standard tolerance of two types compared with each other: the wider in each part.
  public static func standard(for a: DataType, _ b: DataType) -> Tolerance {
    let (x, y) = (standard(for: a), standard(for: b))
    return Tolerance(relative: max(x.relative, y.relative), absolute: max(x.absolute, y.absolute))
  }

  /// - Throws: ``TensorError/argument(operation:reason:)`` for a negative part or one that is not finite.
  func validate() throws {
    guard relative >= 0, absolute >= 0, relative.isFinite, absolute.isFinite else {
      throw TensorError.argument(
        operation: "compare",
        reason: "a tolerance is a finite number not below zero; rtol is \(relative), atol \(absolute)")
    }
  }
}

extension Tolerance: CustomStringConvertible {
  /// `rtol …, atol …`, with few digits.
  public var description: String {
    "rtol \(NumberText.short(relative)), atol \(NumberText.short(absolute))"
  }
}
