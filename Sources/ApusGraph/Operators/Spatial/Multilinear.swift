import Apus

/// The samples around a position between them, with their weights: all corners of the cell it lies in.
///
/// Corners outside the map are ignored, as if it were surrounded by zeros.
struct Multilinear: Sendable {
  /// The extents of the map.
  let sizes: [Int]
  private let strides: [Int]
  /// The most corners that a position has.
  var cornerCount: Int { 1 << sizes.count }

  /// - Throws: ``OperatorError`` for more axes than corners can be counted for.
  init(_ sizes: [Int]) throws {
    guard 1...16 ~= sizes.count else { throw OperatorError("maps of \(sizes.count) axes cannot be sampled") }
    self.sizes = sizes
    strides = Shape.strides(sizes)
  }

  /// Writes the places and the weights of the corners around `position`.
  /// - Returns: how many there are.
  @inline(__always)
  func corners(
    _ position: UnsafePointer<Double>, _ places: UnsafeMutablePointer<Int>, _ weights: UnsafeMutablePointer<Double>
  ) -> Int {
    var count = 1
    places[0] = 0
    weights[0] = 1
    for axis in 0..<sizes.count {
      let x = position[axis]
      let size = sizes[axis]
      // Also for what is not a number, or far beyond what an integer holds.
      guard x > -1, x < Double(size) else { return 0 }
      let low = x.rounded(.down)
      let first = Int(low)
      let weight = x - low
      let takesSecond = first + 1 < size && weight > 0
      let step = strides[axis]
      let old = count
      if takesSecond {
        for i in 0..<old {
          places[count] = places[i] + (first + 1) * step
          weights[count] = weights[i] * weight
          count += 1
        }
      }
      if first >= 0 {
        for i in 0..<old {
          places[i] += first * step
          weights[i] *= 1 - weight
        }
      } else {
        // Only the second corners are inside.
        for i in old..<count {
          places[i - old] = places[i]
          weights[i - old] = weights[i]
        }
        count -= old
      }
      if count == 0 { return 0 }
    }
    return count
  }
}
