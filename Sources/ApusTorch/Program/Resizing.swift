import Apus
import ApusGraph

// Pictures in another size.

extension ProgramBuilder {
  static let resizing: [String: Lowering] = {
    var result: [String: Lowering] = [:]
    for (name, mode, nearest, antialias) in [
      ("upsample_nearest1d", "nearest", "floor", false), ("upsample_nearest2d", "nearest", "floor", false),
      ("upsample_nearest3d", "nearest", "floor", false),
      ("_upsample_nearest_exact1d", "nearest", "round_prefer_ceil", false),
      ("_upsample_nearest_exact2d", "nearest", "round_prefer_ceil", false),
      ("_upsample_nearest_exact3d", "nearest", "round_prefer_ceil", false), ("upsample_linear1d", "linear", "", false),
      ("upsample_bilinear2d", "linear", "", false), ("upsample_trilinear3d", "linear", "", false),
      ("upsample_bicubic2d", "cubic", "", false), ("_upsample_bilinear2d_aa", "linear", "", true),
      ("_upsample_bicubic2d_aa", "cubic", "", true),
    ] {
      result[name] = { call in
        let e = call.emitter
        let x = try call.x
        let count = try e.rank(x) - 2
        guard count >= 1 else { throw OperatorError("a picture has at least three axes") }
        if try antialias && call.bool("align_corners") { throw OperatorError("filters with corners aligned") }
        // Where corners are aligned, sizes alone say where numbers come from.
        let factors = try call.bool("align_corners") ? nil : scales(call, count)
        let extents = try extents(call, x, count)
        // Whatever the factor is, what stays as long as it is stays as it is.
        let keepsEqual = mode == "linear" || antialias || name == "upsample_nearest2d"
        if mode == "nearest", !areWhole(factors, from: try e.shape(x), to: extents) {
          return [
            try neighbours(
              call, x, factors, to: extents, areCentred: nearest != "floor", keepsEqual: keepsEqual)
          ]
        }
        var attributes: [String: AttributeValue] = [
          // What would lie outside does not count where weights are those of a filter.
          "mode": .text(mode), "antialias": .flag(antialias), "exclude_outside": .flag(antialias),
        ]
        if mode == "nearest" {
          attributes["nearest_mode"] = .text(nearest)
          attributes["coordinate_transformation_mode"] = .text(nearest == "floor" ? "asymmetric" : "half_pixel")
        } else {
          attributes["coordinate_transformation_mode"] = .text(
            try call.bool("align_corners") ? "align_corners" : "half_pixel")
          // Antialiased cubics are Pillow's, others those of the papers.
          attributes["cubic_coeff_a"] = .number(antialias ? -0.5 : -0.75)
        }
        if let factors, let list = try fitting(call, x, factors, to: extents, keepsEqual: keepsEqual) {
          return [try e.node("Resize", [x, nil, list], attributes)]
        }
        let sizes = try e.list([e.extent(x, 0), e.extent(x, 1)] + extents)
        return [try e.node("Resize", [x, nil, nil, sizes], attributes)]
      }
    }
    for name in ["grid_sampler", "grid_sampler_2d", "grid_sampler_3d"] {
      result[name] = { call in
        let modes = ["linear", "nearest", "cubic"], paddings = ["zeros", "border", "reflection"]
        let mode = try call.int("interpolation_mode"), padding = try call.int("padding_mode")
        guard modes.indices.contains(mode), paddings.indices.contains(padding) else {
          throw OperatorError("interpolation_mode \(mode), padding_mode \(padding)")
        }
        return [
          try call.emitter.node(
            "GridSample", [call.value("input"), call.value("grid")],
            [
              "mode": .text(modes[mode]), "padding_mode": .text(paddings[padding]),
              "align_corners": .flag(call.bool("align_corners")),
            ])
        ]
      }
    }
    result["affine_grid_generator"] = { call in
      [
        try call.emitter.node(
          "AffineGrid", [call.x, call.emitter.list(call.extents("size"))],
          ["align_corners": .flag(call.bool("align_corners"))])
      ]
    }
    return result
  }()

  /// The factors that the program gives, one for each axis; nil where it leaves one out.
  private static func scales(_ call: Call, _ count: Int) throws -> [Double]? {
    if let list = try call.doubles("scale_factors") { return list.count == count ? list : nil }
    let names = count == 1 ? ["scales"] : ["scales_d", "scales_h", "scales_w"].suffix(count)
    let list = try names.compactMap { try call.optionalDouble($0) }
    return list.count == count ? list : nil
  }

  /// The new sizes: what the program says of them, what is asked for, or what comes of the factors.
  private static func extents(_ call: Call, _ x: Graph.ValueID, _ count: Int) throws -> [GraphExtent] {
    let e = call.emitter
    let wanted = try Array((call.optionalExtents("output_size") ?? []).suffix(count))
    let declared = try Array(call.outputShape.suffix(count))
    let factors = try scales(call, count)
    return try (0..<count).map { index in
      if declared.indices.contains(index), let known = declared[index] { return .known(known) }
      if wanted.indices.contains(index) { return wanted[index] }
      guard let factors else { throw OperatorError("neither sizes nor factors are given") }
      return try e.scaled(e.extent(x, 2 + index), by: factors[index])
    }
  }

  /// Whether each element is repeated as often as the others.
  private static func areWhole(_ factors: [Double]?, from old: [Int?], to new: [GraphExtent]) -> Bool {
    if let factors { return factors.allSatisfy { $0 >= 1 && $0.rounded() == $0 } }
    return zip(old.suffix(new.count), new).allSatisfy { old, new in
      if case .known(let new) = new, let old, old > 0 { new.isMultiple(of: old) } else { false }
    }
  }

  /// The nearest elements as PyTorch finds them: a place times what a step is in the input, in float32, rounded down. For
  /// some factors the standard's quotient has other neighbours.
  private static func neighbours(
    _ call: Call, _ x: Graph.ValueID, _ factors: [Double]?, to extents: [GraphExtent], areCentred: Bool,
    keepsEqual: Bool
  ) throws -> Graph.ValueID {
    let e = call.emitter
    let map = keepsEqual ? try mapSize(extents, e) : .large
    var result = x
    for (index, extent) in extents.enumerated() {
      let axis = 2 + index
      if map == .small, case .known(let length) = extent, try e.shape(x)[axis] == length { continue }
      let (old, new) = (try e.list([e.extent(x, axis)]), try e.list([extent]))
      var step =
        try factors.map { try e.numbers(1 / $0[index], as: .float) }
        ?? e.node("Div", [e.cast(old, to: .float), e.cast(new, to: .float)])
      // Where an axis of a small map stays as long as it is, or becomes twice as long, its lengths count, not the factor.
      if map != .large, let factor = factors?[index], 1 < factor, factor < 3 {
        let times = factor < 2 ? 1 : 2
        var isTimes = try e.node("Equal", [e.node("Mul", [old, e.integers([times])]), new])
        if case .open(let isSmall) = map { isTimes = try e.node("And", [isTimes, isSmall]) }
        step = try e.node("Where", [isTimes, e.numbers(1 / Double(times), as: .float), step])
      }
      let range = try e.node("Range", [e.integer(0), e.squeeze(new, [0]), e.integer(1)])
      var places = try e.cast(range, to: .float)
      if areCentred { places = try e.node("Add", [places, e.numbers(0.5, as: .float)]) }
      let found = try e.cast(e.node("Floor", [e.node("Mul", [places, step])]), to: .int64)
      let last = try e.node("Sub", [old, e.integers([1])])
      result = try e.node("Gather", [result, e.node("Min", [found, last])], ["axis": .int(axis)])
    }
    return result
  }

  /// Which of PyTorch's kernels makes a map: that for small ones, that for large ones, or what a BOOL of shape [1] says,
  /// true for small.
  private enum MapSize: Equatable {
    case small, large
    case open(Graph.ValueID)
  }

  private static func mapSize(_ extents: [GraphExtent], _ e: Emitter) throws -> MapSize {
    let known = extents.compactMap { if case .known(let size) = $0 { size } else { nil } }
    guard known.count < extents.count else { return NearestRule.isSmallMap(known) ? .small : .large }
    guard known.allSatisfy({ $0 <= NearestRule.smallMapLimit }) else { return .large }
    let sum = try e.node("ReduceSum", [e.list(extents)])
    return .open(try e.node("LessOrEqual", [sum, e.integers([NearestRule.smallMapLimit])]))
  }

  /// The factors as the operator takes them, those of all axes; nil where they are not what the new sizes come of.
  ///
  /// Sizes come of factors in float64 in PyTorch, and in float32 here: where that makes a difference, the next number is
  /// taken that makes none.
  private static func fitting(
    _ call: Call, _ x: Graph.ValueID, _ factors: [Double], to extents: [GraphExtent], keepsEqual: Bool
  ) throws -> Graph.ValueID? {
    let e = call.emitter
    var (known, run): ([Float], [Graph.ValueID?]) = ([1, 1], [nil, nil])
    for (index, (factor, new)) in zip(factors, extents).enumerated() {
      switch (try e.extent(x, 2 + index), new) {
      case (.known(let old), .known(let new)):
        guard let same = exact(factor, from: old, to: new, keepsEqual: keepsEqual) else { return nil }
        known.append(same)
        run.append(nil)
      case (.value(let old), .value(let new)):
        known.append(Float(factor))
        // Halves are exact in both, and an axis that they keep as long as it is has one place.
        let isHalves = (2 * factor).rounded() == 2 * factor && factor <= 0x1p15
        run.append(isHalves ? nil : try e.fitting(factor, from: old, to: new, keepsEqual: keepsEqual))
      default: return nil
      }
    }
    guard run.contains(where: { $0 != nil }) else {
      return e.constant(GraphValue(try Tensor(known, shape: [known.count])))
    }
    let parts = try zip(known, run).map { try $1 ?? e.constant(GraphValue(Tensor([$0], shape: [1]))) }
    return try e.node("Concat", parts, ["axis": .int(0)])
  }

  /// The factor of an axis whose lengths are known.
  private static func exact(_ factor: Double, from old: Int, to new: Int, keepsEqual: Bool) -> Float? {
    if keepsEqual, old == new { return 1 }
    guard (Double(old) * factor).rounded(.down) == Double(new) else { return nil }
    let near = Float(factor)
    return [near, near.nextUp, near.nextDown].first { (Float(old) * $0).rounded(.down) == Float(new) }
  }
}

extension Emitter {
  /// As long as an axis becomes by a factor, in float64 as PyTorch computes it.
  fileprivate func scaled(_ extent: GraphExtent, by factor: Double) throws -> GraphExtent {
    guard factor > 0, factor.isFinite else { throw OperatorError("a factor of \(factor)") }
    switch extent {
    case .known(let size):
      guard let length = Int(exactly: (Double(size) * factor).rounded(.down)) else {
        throw OperatorError("\(size) positions cannot be scaled by \(factor)")
      }
      return .known(length.bounded)
    case .value(let size):
      let length = try node("Mul", [cast(size, to: .double), numbers(factor, as: .double)])
      return .value(try cast(node("Floor", [length]), to: .int64))
    }
  }

  /// The factor of an open axis, FLOAT of shape [1]: where the product of the nearest one would be another whole number
  /// in float32, one that is a little off.
  fileprivate func fitting(
    _ factor: Double, from old: Graph.ValueID, to new: Graph.ValueID, keepsEqual: Bool
  ) throws -> Graph.ValueID {
    let near = Float(factor)
    func number(_ value: Float) throws -> Graph.ValueID { try numbers(Double(value), as: .float) }
    let (length, whole) = (
      try node("Mul", [cast(old, to: .double), numbers(Double(near), as: .double)]), try cast(new, to: .double)
    )
    let next = try node("Add", [whole, numbers(1, as: .double)])
    let isShort = try node("Less", [length, whole])
    // Beyond this, products are rounded up to the next.
    let isLong = try node("Greater", [length, node("Mul", [next, numbers(1 - 0x1p-23, as: .double)])])
    let fitting = try node(
      "Where",
      [isShort, number(near.nextUp), node("Where", [isLong, number(near * (1 - 0x1p-22)), number(near)])])
    return keepsEqual ? try node("Where", [node("Equal", [old, new]), number(1), fitting]) : fitting
  }
}
