import Apus
import ApusGraph

// The last axes of a tensor sampled at other places. Extents and sizes may be known only when the model runs.

extension ProgramBuilder {
  /// Where along an axis of X positions N samples are taken.
  enum SamplingMode: String {
    case strictAlignCorners = "STRICT_ALIGN_CORNERS"
    case alignCorners = "ALIGN_CORNERS"
    case `default` = "DEFAULT"
    case offsetCorners = "OFFSET_CORNERS"
    case unalignCorners = "UNALIGN_CORNERS"

    /// What the standard calls it, where it has the same.
    var transformation: String? {
      switch self {
      case .strictAlignCorners: "align_corners"
      case .default: "asymmetric"
      case .unalignCorners: "half_pixel"
      case .alignCorners, .offsetCorners: nil
      }
    }
  }

  /// A map longer than this along an axis is not meant.
  static let extentLimit = 1 << 24

  /// The last axes made of a size by the standard's operator.
  private static func resized(
    _ x: Graph.ValueID, _ size: [GraphExtent], _ mode: String, _ transformation: String, _ e: Emitter
  ) throws -> Graph.ValueID {
    try e.node(
      "Resize", [x, nil, nil, e.list(size)],
      [
        "mode": .string(Array(mode.utf8)), "nearest_mode": .string(Array("round_prefer_ceil".utf8)),
        "coordinate_transformation_mode": .string(Array(transformation.utf8)),
        "axes": list(Array(-size.count..<0)),
      ])
  }

  /// Linear interpolation along the last axes.
  static func bilinear(
    _ x: Graph.ValueID, _ size: [GraphExtent], _ mode: SamplingMode, _ e: Emitter
  ) throws -> Graph.ValueID {
    try check(size)
    if let transformation = mode.transformation { return try resized(x, size, "linear", transformation, e) }
    // It differs from the strict mode in a single sample alone.
    if mode == .alignCorners, size.allSatisfy({ if case .known(let target) = $0 { target != 1 } else { false } }) {
      return try bilinear(x, size, .strictAlignCorners, e)
    }
    // Each axis by the matrix of its weights.
    let rank = try e.rank(x)
    var result = x
    for (axis, extent, target) in try axes(of: x, size, e) {
      let weights = try weights(extent, target, mode, e)
      if axis == rank - 1 {
        result = try e.node("MatMul", [result, e.transpose(weights, [1, 0])])
      } else {
        var order = Array(0..<rank)
        order.swapAt(axis, rank - 2)
        result = try e.transpose(e.node("MatMul", [weights, e.transpose(result, order)]), order)
      }
    }
    return result
  }

  /// The nearest to where a sampling mode puts the samples, the later of two.
  static func nearestSamples(
    _ x: Graph.ValueID, _ size: [GraphExtent], _ mode: SamplingMode, _ e: Emitter
  ) throws -> Graph.ValueID {
    try check(size)
    let areKnown = size.allSatisfy { if case .known = $0 { true } else { false } }
    if let transformation = mode.transformation, try !areKnown || e.shape(x).suffix(size.count).contains(nil) {
      return try resized(x, size, "nearest", transformation, e)
    }
    var result = x
    for (axis, extent, target) in try axes(of: x, size, e) {
      let places: Graph.ValueID
      if case (.known(let extent), .known(let target)) = (extent, target) {
        if extent == target { continue }
        places = try e.integers(
          positions(extent, target, mode).map { min(max(Int(($0 + 0.5).rounded(.down)), 0), extent - 1) })
      } else {
        let later = try e.node("Floor", [e.node("Add", [positions(extent, target, mode, e), e.number(0.5)])])
        places = try e.int64(inside(extent, later, e))
      }
      result = try e.node("Gather", [result, places], ["axis": .int(Int64(axis))])
    }
    return result
  }

  /// A tensor whose last axes are so many times as long, without a fraction. Samples go by the extents that come out, of the
  /// nearest as of a sampling mode.
  /// - Parameter mode: nil for the nearest.
  static func upsampled(
    _ x: Graph.ValueID, by factors: [Float], _ mode: SamplingMode?, _ e: Emitter
  ) throws -> Graph.ValueID {
    let first = try e.rank(x) - factors.count
    guard first >= 0, factors.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      throw OperatorError("a map cannot become \(factors) times as large")
    }
    let areWhole = factors.allSatisfy { $0 == $0.rounded() }
    if areWhole, try e.shape(x).suffix(factors.count).contains(nil) {
      // The standard's operator goes by factors in another way, which is the same for whole ones.
      return try e.node(
        "Resize", [x, nil, e.numbers(factors)],
        [
          "mode": .string(Array((mode == nil ? "nearest" : "linear").utf8)),
          "nearest_mode": .string(Array("floor".utf8)),
          "coordinate_transformation_mode": .string(Array((mode?.transformation ?? "asymmetric").utf8)),
          "axes": list(Array(-factors.count..<0)),
        ])
    }
    let extents = try factors.indices.map { try e.extent(x, first + $0) }
    let size = try zip(extents, factors).map { try scaled($0, by: $1, e) }
    if let mode { return try bilinear(x, size, mode, e) }
    var result = x
    for (index, factor) in factors.enumerated() where factor != 1 {
      let places = try nearestPlaces(extents[index], size[index], e)
      result = try e.node("Gather", [result, places], ["axis": .int(Int64(first + index))])
    }
    return result
  }

  /// Sample i of N is element ⌊i · X / N⌋ of X, whatever the factor was rounded from: so coremltools' own tests have it.
  private static func nearestPlaces(
    _ extent: GraphExtent, _ target: GraphExtent, _ e: Emitter
  ) throws -> Graph.ValueID {
    if case (.known(let extent), .known(let target)) = (extent, target) {
      return try e.integers((0..<target).map { $0 * extent / target })
    }
    let (x, n) = try (e.list([extent]), e.list([target]))
    return try e.node("Div", [e.node("Mul", [e.int64(count(target, e)), x]), n])
  }

  /// The whole part of an extent that is multiplied in FLOAT, as the shapes are that coremltools declares.
  private static func scaled(_ extent: GraphExtent, by factor: Float, _ e: Emitter) throws -> GraphExtent {
    switch extent {
    case .known(let size):
      guard let product = Int(exactly: (Float(size) * factor).rounded(.down)), 1...extentLimit ~= product else {
        throw OperatorError("an axis of \(size) cannot become \(factor) times as long")
      }
      return .known(product)
    case .value(let id):
      return .value(try e.int64(e.node("Floor", [e.node("Mul", [e.cast(id, to: .float), e.number(factor)])])))
    }
  }

  // MARK: Places and weights

  private static func check(_ size: [GraphExtent]) throws {
    for case .known(let target) in size {
      guard 1...extentLimit ~= target else { throw OperatorError("an axis cannot become \(target)") }
    }
  }

  /// The last axes of a tensor, each with what it is and what it becomes.
  private static func axes(
    of x: Graph.ValueID, _ size: [GraphExtent], _ e: Emitter
  ) throws -> [(axis: Int, extent: GraphExtent, target: GraphExtent)] {
    let first = try e.rank(x) - size.count
    guard first >= 0 else {
      throw OperatorError("\(size.count) axes of a tensor of rank \(first + size.count) are resized")
    }
    return try size.enumerated().map { index, target in
      let extent = try e.extent(x, first + index)
      if case .known(0) = extent { throw OperatorError("a map is empty") }
      return (first + index, extent, target)
    }
  }

  /// Where along `extent` positions `target` samples lie.
  private static func positions(_ extent: Int, _ target: Int, _ mode: SamplingMode) -> [Double] {
    let (x, n) = (Double(extent), Double(target))
    return (0..<target).map { step in
      let i = Double(step)
      switch mode {
      case .strictAlignCorners: return target == 1 ? 0 : i * (x - 1) / (n - 1)
      case .alignCorners: return target == 1 ? (x - 1) / 2 : i * (x - 1) / (n - 1)
      case .default: return i * x / n
      case .unalignCorners: return (i + 0.5) * x / n - 0.5
      case .offsetCorners: return (i + 0.5) * max(1, x - 1) / n
      }
    }
  }

  /// The same when the model runs, of the modes that the standard's operator does not have.
  private static func positions(
    _ extent: GraphExtent, _ target: GraphExtent, _ mode: SamplingMode, _ e: Emitter
  ) throws -> Graph.ValueID {
    let (last, n) = try (last(extent, e), e.cast(e.list([target]), to: .float))
    let i = try count(target, e)
    if mode == .offsetCorners {
      let middles = try e.node("Add", [i, e.number(0.5)])
      return try e.node("Div", [e.node("Mul", [middles, e.node("Max", [last, e.number(1)])]), n])
    }
    let steps = try e.node("Max", [e.node("Sub", [n, e.number(1)]), e.number(1)])
    let spread = try e.node("Div", [e.node("Mul", [i, last]), steps])
    // A single sample is taken in the middle.
    let isSingle = try e.cast(e.node("Equal", [n, e.number(1)]), to: .float)
    return try e.node("Add", [spread, e.node("Mul", [isSingle, e.node("Mul", [last, e.number(0.5)])])])
  }

  /// How much of each element, a column, is in each sample, a row.
  private static func weights(
    _ extent: GraphExtent, _ target: GraphExtent, _ mode: SamplingMode, _ e: Emitter
  ) throws -> Graph.ValueID {
    guard case (.known(let extent), .known(let target)) = (extent, target) else {
      let places = try e.unsqueeze(inside(extent, positions(extent, target, mode, e), e), [1])
      let distances = try e.node("Abs", [e.node("Sub", [places, count(extent, e)])])
      return try e.node("Relu", [e.node("Sub", [e.number(1), distances])])
    }
    try Shape.checkMemory([target, extent], of: Float.self, operation: "resize")
    var weights = [Float](repeating: 0, count: target * extent)
    for (row, position) in positions(extent, target, mode).enumerated() {
      let place = min(max(position, 0), Double(extent - 1))
      let low = Int(place)
      let high = min(low + 1, extent - 1)
      weights[row * extent + low] += Float(1 - (place - Double(low)))
      weights[row * extent + high] += Float(place - Double(low))
    }
    return try e.numbers(weights, shape: [target, extent])
  }

  /// The last position of an axis, FLOAT.
  private static func last(_ extent: GraphExtent, _ e: Emitter) throws -> Graph.ValueID {
    try e.node("Sub", [e.cast(e.list([extent]), to: .float), e.number(1)])
  }

  /// Positions moved into an axis.
  private static func inside(_ extent: GraphExtent, _ positions: Graph.ValueID, _ e: Emitter) throws -> Graph.ValueID {
    try e.node("Min", [e.node("Max", [positions, e.number(0)]), last(extent, e)])
  }

  /// 0, 1, … up to an extent, FLOAT.
  private static func count(_ extent: GraphExtent, _ e: Emitter) throws -> Graph.ValueID {
    let end = try e.reshape(e.list([extent]), [Int]())
    return try e.cast(e.node("Range", [e.integer(0), end, e.integer(1)]), to: .float)
  }
}
