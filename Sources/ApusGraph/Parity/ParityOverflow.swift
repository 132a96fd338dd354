import Apus

// A reference in DOUBLE has numbers that FLOAT, and BFLOAT16, which ends where FLOAT does, cannot hold: a model in these
// has infinities there, and is right. FLOAT16 is left out: what ends at 65504 in one file and not in another is a fault.

extension GraphValue {
  private static let greatest = Double(Float.greatestFiniteMagnitude)

  private static func endsAsFloat(_ type: ElementType?) -> Bool { type == .float || type == .bfloat16 }

  /// Whether some number in DOUBLE is infinite in `type`.
  func overflows(_ type: ElementType?) throws -> Bool {
    guard elementType == .double, Self.endsAsFloat(type) else { return false }
    return try Float(largestMagnitude()).isInfinite
  }

  /// A reference in DOUBLE with the infinities that `actual` has where it is beyond FLOAT, or less than the tolerance short
  /// of that.
  func overflowing(as actual: GraphValue, within tolerance: Tolerance) throws -> GraphValue {
    func isBeyond(_ number: Double) -> Bool {
      number.magnitude * (1 + tolerance.relative) + tolerance.absolute > Self.greatest
    }
    guard case .tensor(let any) = self, let expected = any.tensor(of: Double.self), case .tensor(let own) = actual,
      own.shape == expected.shape, Self.endsAsFloat(actual.elementType), isBeyond(try largestMagnitude())
    else { return self }
    let elements = try zip(own.converted(to: Double.self).elements, expected.elements).map { actual, expected in
      actual.isInfinite && actual.sign == expected.sign && isBeyond(expected) ? actual : expected
    }
    return GraphValue(try Tensor(elements, shape: expected.shape))
  }
}
