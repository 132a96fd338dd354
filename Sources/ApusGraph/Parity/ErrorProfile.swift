import Apus

/// How the errors of a value are spread over its elements: what a report shows of it.
public struct ErrorProfile: Sendable, Hashable {
  /// An element, and what it should be.
  public struct Element: Sendable, Hashable {
    /// One index for each axis.
    public let index: [Int]
    /// What the model has there.
    public let actual: Double
    /// What the reference has there.
    public let expected: Double
  }

  /// The elements counted by the size of their error in relation to the ``ValueScale``: equal ones first, then
  /// by powers of ten from below 10⁻⁹ to 1 and above, which NaN and infinities on one side belong to.
  public let counts: [Int]
  /// The elements with the largest errors, the worst first; eight at most, none that is equal.
  public let worst: [Element]
  /// The axis along which the error is spread least evenly; nil for a single element and where nothing differs.
  public let axis: Int?
  /// The root mean square of the error at each place along that axis; empty where there is none.
  public let alongAxis: [Double]

  /// What the bins of ``counts`` are, in order.
  public static let bins: [String] =
    ["0", "< 1e-9"] + (-9 ... -1).map { "1e\($0)" } + ["≥ 1"]

  private static let worstCount = 8

  /// nil for what is no pair of tensors of one shape.
  package init?(_ actual: GraphValue, _ expected: GraphValue) throws {
    guard case .tensor(let a) = actual, case .tensor(let e) = expected, a.shape == e.shape, a.count > 0 else {
      return nil
    }
    let shape = a.shape
    let scale = try ValueScale(GraphValue(e.converted(to: Double.self))).largest
    var counts = [Int](repeating: 0, count: Self.bins.count)
    var squares = shape.map { [Double](repeating: 0, count: $0) }
    var worst: [(offset: Int, error: Double)] = []
    let (own, other) = (try a.converted(to: Double.self), try e.converted(to: Double.self))
    let elements = try own.withUnsafeBufferPointer { x in
      try other.withUnsafeBufferPointer { y in
        for offset in x.indices {
          let error = Self.error(x[offset], y[offset])
          counts[Self.bin(scale > 0 ? error / scale : error)] += 1
          guard error > 0 else { continue }
          if worst.count < Self.worstCount || error > worst[worst.count - 1].error {
            worst.insert((offset, error), at: worst.firstIndex { error > $0.error } ?? worst.count)
            if worst.count > Self.worstCount { worst.removeLast() }
          }
          var rest = offset
          for axis in shape.indices.reversed() {
            squares[axis][rest % shape[axis]] += error * error
            rest /= shape[axis]
          }
        }
        return worst.map {
          Element(index: Shape.index(ofOffset: $0.offset, in: shape), actual: x[$0.offset], expected: y[$0.offset])
        }
      }
    }
    self.counts = counts
    self.worst = elements
    // The largest share that one place has, in relation to an even one.
    let unevenness = squares.map { places in
      let sum = places.reduce(0, +)
      return sum > 0 ? (places.max() ?? 0) / sum * Double(places.count) : 0
    }
    let axis = shape.indices.filter { shape[$0] > 1 && unevenness[$0] > 0 }.max { unevenness[$0] < unevenness[$1] }
    self.axis = axis
    alongAxis = axis.map { axis in squares[axis].map { ($0 / Double(a.count / shape[axis])).squareRoot() } } ?? []
  }

  private static func error(_ actual: Double, _ expected: Double) -> Double {
    if actual == expected || actual.isNaN && expected.isNaN { return 0 }
    let error = (actual - expected).magnitude
    return error.isNaN ? .infinity : error
  }

  private static func bin(_ error: Double) -> Int {
    if error == 0 { return 0 }
    var (bin, limit) = (1, 1e-9)
    while bin < bins.count - 1, error >= limit { (bin, limit) = (bin + 1, limit * 10) }
    return bin
  }
}
