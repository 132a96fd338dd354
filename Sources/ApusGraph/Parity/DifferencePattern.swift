import Apus

/// What a difference is made of: a hypothesis that holds for every element, with its evidence.
public enum DifferencePattern: Sendable, Hashable {
  /// Every element is the reference's, times this.
  case factor(Double)
  /// Every element is the reference's, plus this.
  case shift(Double)
  /// The elements are the reference's with its axes in this order.
  case axes([Int])
  /// One side ends at a value that the other exceeds in so many elements.
  case saturation(at: Double, count: Int, isReference: Bool)
  /// So many elements are beyond the largest number of FLOAT16 or FLOAT on one side, and infinite or at the end on the
  /// other.
  case overflow(of: ElementType, count: Int)
  /// All that differs is at these places along an axis of so many.
  case places(axis: Int, places: [Int], extent: Int)
  /// All that differs is at every n-th place along an axis, from the first on.
  case everyPlace(axis: Int, step: Int, first: Int)
  /// All that differs is at the first or last place of one of these axes.
  case border(axes: [Int])
  /// With this value of an attribute the node gives the reference's value.
  case attribute(name: String, value: String)
}

extension DifferencePattern {
  /// One or two words for programs.
  public var name: String {
    switch self {
    case .factor: "factor"
    case .shift: "shift"
    case .axes: "axes"
    case .saturation: "saturation"
    case .overflow(let type, _): type == .float16 ? "float16_overflow" : "float_overflow"
    case .places: "places"
    case .everyPlace: "every_place"
    case .border: "border"
    case .attribute: "attribute"
    }
  }
}

extension DifferencePattern: CustomStringConvertible {
  /// A sentence without its end.
  public var description: String {
    switch self {
    case .factor(let factor): "every element is the reference's times \(NumberText.short(factor, digits: 6))"
    case .shift(let shift): "every element is the reference's plus \(NumberText.short(shift, digits: 6))"
    case .axes(let axes): "it is the reference's value with its axes in the order \(axes)"
    case .saturation(let limit, let count, let isReference):
      "\(isReference ? "the reference" : "this file") ends at \(NumberText.short(limit, digits: 6)), which the other "
        + "exceeds in \(count) elements"
    case .overflow(let type, let count):
      "\(count) elements are beyond \(type == .float16 ? "65504" : "3.4e38"), the largest number of \(type), on one side, "
        + "and end there or are infinite on the other"
    case .places(let axis, let places, let extent):
      "all that differs is at \(places.count == 1 ? "place" : "places") "
        + places.prefix(8).map(String.init).joined(separator: ", ") + (places.count > 8 ? ", …" : "")
        + " of \(extent) along axis \(axis)"
    case .everyPlace(let axis, let step, let first):
      "all that differs is at one place in \(step) along axis \(axis), from \(first) on"
    case .border(let axes): "all that differs is at the border of axes \(axes), as where padding differs"
    case .attribute(let name, let value): "with \(name) = \(value) this node gives the reference's value"
    }
  }
}

extension DifferencePattern: Encodable {
  enum CodingKeys: String, CodingKey { case kind, text }

  /// An object with the `kind` and the sentence.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .kind)
    try container.encode(description, forKey: .text)
  }
}

// MARK: - Finding

extension DifferencePattern {
  /// What holds of two tensors of one shape, the most telling first; nothing where no hypothesis does.
  static func all(_ actual: GraphValue, _ expected: GraphValue, tolerance: Tolerance) throws -> [DifferencePattern] {
    guard case .tensor(let a) = actual, case .tensor(let e) = expected, a.shape == e.shape, a.count > 1 else {
      return []
    }
    let numbers = try Numbers(
      actual: a.converted(to: Double.self), expected: e.converted(to: Double.self), tolerance: tolerance)
    return try [numbers.overflow, numbers.saturation, numbers.factor, numbers.shift, numbers.axes()].compactMap { $0 }
      + numbers.places
  }

  /// Both sides, and where they differ.
  private struct Numbers {
    let actual: [Double]
    let expected: [Double]
    let value: Tensor<Double>
    let shape: [Int]
    let tolerance: Tolerance
    let differing: [Int]

    init(actual: Tensor<Double>, expected: Tensor<Double>, tolerance: Tolerance) throws {
      (self.actual, self.expected, value, shape) = (try actual.elements, try expected.elements, expected, actual.shape)
      self.tolerance = tolerance
      let (own, other) = (self.actual, self.expected)
      differing = own.indices.filter { !Self.agree(own[$0], other[$0], tolerance) }
    }

    static func agree(_ a: Double, _ b: Double, _ tolerance: Tolerance) -> Bool {
      if !a.isFinite || !b.isFinite { return a == b || a.isNaN && b.isNaN }
      return (a - b).magnitude <= tolerance.absolute + tolerance.relative * b.magnitude
    }

    /// Whether a change of the expected elements explains all of them; a little wider, for what is estimated rounds too. Where
    /// no change explains them as well, none does.
    func explains(_ change: (Double) -> Double) -> Bool {
      let wider = Tolerance(relative: 4 * tolerance.relative, absolute: 4 * tolerance.absolute)
      func holds(_ change: (Double) -> Double) -> Bool {
        actual.indices.allSatisfy { Self.agree(actual[$0], change(expected[$0]), wider) }
      }
      return holds(change) && !holds { $0 }
    }

    var factor: DifferencePattern? {
      let squares = expected.reduce(0) { $0 + $1 * $1 }
      let product = zip(actual, expected).reduce(0) { $0 + $1.0 * $1.1 }
      let factor = product / squares
      guard factor.isFinite, factor != 0, explains({ $0 * factor }) else { return nil }
      return .factor(factor)
    }

    var shift: DifferencePattern? {
      let shift = zip(actual, expected).reduce(0) { $0 + ($1.0 - $1.1) } / Double(actual.count)
      guard shift.isFinite, shift != 0, explains({ $0 + shift }) else { return nil }
      return .shift(shift)
    }

    func axes() throws -> DifferencePattern? {
      for order in AxisOrder.all(from: shape, to: shape) {
        guard let axes = order.axes else { continue }
        let moved = try order(value).elements
        if actual.indices.allSatisfy({ Self.agree(actual[$0], moved[$0], tolerance) }) { return .axes(axes) }
      }
      return nil
    }

    /// Of the type that all of them are beyond.
    var overflow: DifferencePattern? {
      let half = overflowCount(beyond: 65504)
      let single = overflowCount(beyond: Double(Float.greatestFiniteMagnitude))
      if single > 0, single >= half { return .overflow(of: .float, count: single) }
      return half > 0 ? .overflow(of: .float16, count: half) : nil
    }

    private func overflowCount(beyond limit: Double) -> Int {
      func isBeyond(_ a: Double, _ b: Double) -> Bool {
        a.isFinite && a.magnitude > limit && (!b.isFinite || b.magnitude == limit)
      }
      return differing.count { isBeyond(expected[$0], actual[$0]) || isBeyond(actual[$0], expected[$0]) }
    }

    var saturation: DifferencePattern? {
      func ending(_ side: [Double], _ other: [Double]) -> Double? {
        guard let first = differing.first, differing.count > 1, side[first].isFinite else { return nil }
        let limit = side[first]
        let isUpper = other[first] > limit
        let isEnd = side.allSatisfy { isUpper ? $0 <= limit : $0 >= limit }
        let isOnly = differing.allSatisfy { side[$0] == limit && (isUpper ? other[$0] > limit : other[$0] < limit) }
        return isEnd && isOnly ? limit : nil
      }
      if let limit = ending(actual, expected) {
        return .saturation(at: limit, count: differing.count, isReference: false)
      }
      return ending(expected, actual).map { .saturation(at: $0, count: differing.count, isReference: true) }
    }

    /// Where what differs is, along the axis on which that says most.
    var places: [DifferencePattern] {
      var found: [Set<Int>] = shape.map { _ in [] }
      var borders = 0
      // Axes of maps: what comes after samples and channels.
      let spatial = shape.indices.filter { $0 >= 2 && shape[$0] > 2 }
      for offset in differing {
        var isBorder = false
        for (axis, place) in Shape.index(ofOffset: offset, in: shape).enumerated() {
          found[axis].insert(place)
          if spatial.contains(axis), place == 0 || place == shape[axis] - 1 { isBorder = true }
        }
        if isBorder { borders += 1 }
      }
      let few = shape.indices.filter { shape[$0] > 1 && found[$0].count * 2 <= shape[$0] && !found[$0].isEmpty }
      let axis = few.min { found[$0].count * shape[$1] < found[$1].count * shape[$0] }
      if let axis {
        let places = found[axis].sorted()
        let step = places.count > 2 ? places[1] - places[0] : 0
        if step > 1, places == Array(stride(from: places[0], to: shape[axis], by: step)), places[0] < step {
          return [.everyPlace(axis: axis, step: step, first: places[0])]
        }
        return [.places(axis: axis, places: places, extent: shape[axis])]
      }
      return !spatial.isEmpty && borders == differing.count ? [.border(axes: spatial)] : []
    }
  }
}
