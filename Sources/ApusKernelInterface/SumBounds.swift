/// What sums are held within once all their terms are added: ReLU and clamps, bit for bit, without another pass over the
/// result.
package struct SumBounds: BitwiseCopyable, Sendable {
  package let lower: Float
  package let upper: Float

  /// No bounds: infinite ones.
  package static let none = SumBounds(lower: -.infinity, upper: .infinity)

  package init(lower: Float, upper: Float) {
    (self.lower, self.upper) = (lower, upper)
  }
}

extension UnaryOperation {
  /// The bounds that it holds numbers within; nil where it does something else. A NaN stays one.
  package var bounds: SumBounds? {
    switch self {
    case .relu: SumBounds(lower: 0, upper: .infinity)
    case .clamp(let minimum, let maximum): SumBounds(lower: Float(minimum), upper: Float(maximum))
    default: nil
    }
  }
}
