import Apus

// Masks: −∞ in one file, −1e9 or the least number of FLOAT in another, where nothing is to be looked at. A Softmax makes
// zeros of either, and where it does the difference is of no effect.

extension GraphValue {
  /// Whether two values differ, and only where both have a constant of masks: −∞ or what ``ValueScale`` leaves out.
  func differsByMasksAlone(from expected: GraphValue, within tolerance: Tolerance) throws -> Bool {
    guard case .tensor(let a) = self, case .tensor(let e) = expected, a.shape == e.shape,
      a.dataType.isFloatingPoint, e.dataType.isFloatingPoint
    else { return false }
    let limit = min(try ValueScale(self).limit, ValueScale.leastOfMasks)
    let expectedLimit = min(try ValueScale(expected).limit, ValueScale.leastOfMasks)
    let (x, y) = (try a.converted(to: Double.self), try e.converted(to: Double.self))
    return try x.withUnsafeBufferPointer { x in
      try y.withUnsafeBufferPointer { y in
        var differs = false
        for (x, y) in zip(x, y) {
          let isWithin = (x - y).magnitude <= tolerance.absolute + tolerance.relative * y.magnitude
          if x == y || x.isNaN && y.isNaN || isWithin && y.isFinite { continue }
          guard x <= -limit, y <= -expectedLimit else { return false }
          differs = true
        }
        return differs
      }
    }
  }
}
