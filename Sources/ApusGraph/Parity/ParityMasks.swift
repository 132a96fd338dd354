import Apus

// Masks: −∞ in one file, −1e9 or the least number of FLOAT or FLOAT16 in another, where nothing is to be looked at. A Softmax
// makes zeros of either, and where it does the difference is of no effect.

extension GraphValue {
  /// From here on downwards a number may be what a mask wrote and something was added to: tools that convert to FLOAT16 write
  /// −10⁴ in place of less.
  ///
  /// That it is one shows in what follows, which has to be the same either way.
  private static let greatestOfMasks = -0x1p13

  /// Whether two values differ, and only where either has what masks write.
  func differsByMasksAlone(from expected: GraphValue, within tolerance: Tolerance) throws -> Bool {
    guard case .tensor(let a) = self, case .tensor(let e) = expected, a.shape == e.shape,
      a.dataType.isFloatingPoint, e.dataType.isFloatingPoint
    else { return false }
    let limit = max(-(try ValueScale(self).limit), Self.greatestOfMasks)
    let expectedLimit = max(-(try ValueScale(expected).limit), Self.greatestOfMasks)
    let (x, y) = (try a.converted(to: Double.self), try e.converted(to: Double.self))
    return try x.withUnsafeBufferPointer { x in
      try y.withUnsafeBufferPointer { y in
        var differs = false
        for (x, y) in zip(x, y) {
          let isWithin = (x - y).magnitude <= tolerance.absolute + tolerance.relative * y.magnitude
          if x == y || x.isNaN && y.isNaN || isWithin && y.isFinite { continue }
          guard x <= limit, y <= expectedLimit else { return false }
          differs = true
        }
        return differs
      }
    }
  }
}
