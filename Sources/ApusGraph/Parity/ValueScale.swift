import Apus

/// The magnitude that errors of a value's elements go by: that of its largest element, constants of masks left out.
///
/// A mask writes −10⁹, or the least number of the type, where nothing may be looked at, and a share of that as a tolerance
/// would let everything else pass. Left out are magnitudes from 2¹³ on that a gap of 2¹⁶, about 10⁵, parts from all
/// smaller ones, if these are at least a sixteenth of the numbers that are not zero. So the largest activations of
/// language models, up to 10⁴ times the usual, stay in, and the noise that is left of terms that cancel makes nothing of
/// the numbers beside it. What is left out is judged by the relative tolerance alone.
struct ValueScale {
  /// The largest finite magnitude that is not left out; 0 when there is none.
  let largest: Double
  /// All that is left out is at least this large; infinite where nothing is.
  let limit: Double

  /// From here on, float32's largest number among it, a magnitude is what a mask writes, whatever is beside it.
  static let leastOfMasks = 0x1p127

  private static let leastExponent = 13
  private static let gap = 16
  private static let leastShare = 16

  init(_ value: GraphValue) throws {
    let largest = try value.largestMagnitude()
    guard largest >= Double(1 << Self.leastExponent), case .tensor(let any) = value else {
      (self.largest, limit) = (largest, .infinity)
      return
    }
    let cut =
      if let tensor = any.tensor(of: Double.self) {
        try Self.cut(tensor)
      } else {
        try Self.cut(any.tensor(of: Float.self) ?? any.converted(to: Float.self))
      }
    (self.largest, limit) = cut ?? (largest, .infinity)
  }

  /// The largest magnitude before the gap, and the power of two that begins after it.
  private static func cut<Real: BinaryFloatingPoint & TensorScalar>(
    _ tensor: Tensor<Real>
  ) throws -> (largest: Double, limit: Double)? {
    // Zeros and what is close to zero come first; infinities and NaN last, and are nobody's.
    let count = 1 << Real.exponentBitCount
    var counts = [Int](repeating: 0, count: count)
    var largest = [Real](repeating: 0, count: count)
    try tensor.withUnsafeBufferPointer { elements in
      for element in elements {
        let bin = Int(element.exponentBitPattern)
        counts[bin] += 1
        largest[bin] = max(largest[bin], element.magnitude)
      }
    }
    let occupied = (1..<count - 1).filter { counts[$0] > 0 }
    let total = occupied.reduce(0) { $0 + counts[$1] }
    let bias = count / 2 - 1
    var below = 0
    for (bin, next) in zip(occupied, occupied.dropFirst()) {
      below += counts[bin]
      if next - bin >= gap, next - bias >= leastExponent, below >= total / leastShare {
        return (Double(largest[bin]), Double(sign: .plus, exponent: next - bias, significand: 1))
      }
    }
    return nil
  }
}
