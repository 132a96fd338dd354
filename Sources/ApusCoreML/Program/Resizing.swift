import Apus
import ApusGraph

// Maps sampled at other positions.

extension ProgramBuilder {
  static let resizing: [String: Lowering] = [
    "upsample_nearest_neighbor": { call in
      let e = call.emitter
      let x = try call.value("x")
      let factors = try [
        call.float("scale_factor_height", default: 1), call.float("scale_factor_width", default: 1),
      ]
      let shape = try e.shape(x).suffix(2).compactMap { $0 }
      if shape.count == 2, let sizes = zip(shape, factors).map({ Double($0) * Double($1) }).extents {
        return [try nearest(x, sizes, e)]
      }
      let scales = try e.numbers(factors)
      return [
        try e.node(
          "Resize", [x, nil, scales],
          [
            "mode": .string(Array("nearest".utf8)), "nearest_mode": .string(Array("floor".utf8)),
            "coordinate_transformation_mode": .string(Array("asymmetric".utf8)),
            "axes": list([-2, -1]),
          ])
      ]
    },
    "resize_nearest_neighbor": { call in
      let size = try targetSize(call)
      return [try nearest(call.value("x"), size, call.emitter)]
    },
    "upsample_bilinear": { call in
      let e = call.emitter
      let x = try call.value("x")
      let aligns = try call.bool("align_corners", default: true)
      let isHalfPixel = try call.bool("half_pixel_centers", default: !aligns)
      let scales = try (
        call.float("scale_factor_height", default: 1), call.float("scale_factor_width", default: 1)
      )
      let mode: SamplingMode = aligns ? .strictAlignCorners : isHalfPixel ? .unalignCorners : .default
      let shape = try e.shape(x)
      guard shape.count >= 2, let height = shape[shape.count - 2], let width = shape[shape.count - 1] else {
        return [try linear(x, scales: [scales.0, scales.1], mode, e)]
      }
      guard let target = [Double(height) * Double(scales.0), Double(width) * Double(scales.1)].extents else {
        throw OperatorError("a map of \(height) × \(width) cannot become \(scales) times as large")
      }
      return [try bilinear(x, target, mode, e)]
    },
    "resize_bilinear": { call in
      [try bilinear(call.value("x"), targetSize(call), samplingMode(call), call.emitter)]
    },
    "resize": { call in
      let e = call.emitter
      let x = try call.value("x")
      let count = try call.int("resized_dims", default: 2)
      let rank = try e.rank(x)
      let isNearest = try call.string("interpolation_mode", default: "LINEAR") == "NEAREST_NEIGHBOR"
      guard let target = try call.intsIfKnown("shape") else {
        let mode = try samplingMode(call)
        guard let wanted = try e.shape(call.value("shape")).first ?? nil, let transformation = mode.transformation
        else {
          throw OperatorError(
            "a target of unknown length, or one for \(mode.rawValue), must be known before the model runs")
        }
        // The last numbers count; 0 keeps the extent.
        guard 0...wanted ~= count, count <= rank else { throw OperatorError("\(count) axes of \(rank) are resized") }
        let own = try e.slice(e.node("Shape", [x]), from: [rank - count], to: [rank], axes: [0])
        let sizes = try e.slice(e.int64(call.value("shape")), from: [wanted - count], to: [wanted], axes: [0])
        let isKept = try e.node("Equal", [sizes, e.integers([0])])
        return [
          try e.node(
            "Resize", [x, nil, nil, e.node("Where", [isKept, own, sizes])],
            [
              "mode": .string(Array((isNearest ? "nearest" : "linear").utf8)),
              "nearest_mode": .string(Array("round_prefer_ceil".utf8)),
              "coordinate_transformation_mode": .string(Array(transformation.utf8)), "axes": axes(count),
            ])
        ]
      }
      guard 0...target.count ~= count, count <= rank else {
        throw OperatorError("\(count) axes of a tensor of rank \(rank) are resized to \(target)")
      }
      let sizes = try target.suffix(count).enumerated().map { index, size -> Int in
        if size > 0 { return size }
        guard size == 0, let own = try e.shape(x)[rank - count + index] else {
          throw OperatorError("a size of \(size) is asked for")
        }
        return own
      }
      if isNearest { return [try nearestSamples(x, sizes, samplingMode(call), e)] }
      return [try bilinear(x, sizes, samplingMode(call), e)]
    },
    "crop_resize": { call in [try cropResize(call)] },
    "resample": { call in [try resample(call)] },
    "affine": { call in [try affine(call)] },
  ]

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
  private static let extentLimit = 1 << 24

  private static func samplingMode(_ call: Call) throws -> SamplingMode {
    let name = try call.string("sampling_mode", default: "DEFAULT")
    guard let mode = SamplingMode(rawValue: name) else { throw OperatorError("sampling_mode '\(name)' is not known") }
    return mode
  }

  private static func targetSize(_ call: Call) throws -> [Int] {
    try [call.int("target_size_height", default: 1), call.int("target_size_width", default: 1)]
  }

  private static func axes(_ count: Int) -> AttributeValue { list(Array(-count..<0)) }

  /// Position i of N reads position ⌊i · X / N⌋ of X.
  static func nearest(_ x: Graph.ValueID, _ size: [Int], _ e: Emitter) throws -> Graph.ValueID {
    let shape = try e.shape(x)
    guard size.allSatisfy({ 1...extentLimit ~= $0 }), size.count <= shape.count else {
      throw OperatorError("a map cannot become \(size)")
    }
    var result = x
    for (index, target) in size.enumerated() {
      let axis = shape.count - size.count + index
      guard let extent = shape[axis] else {
        return try e.node(
          "Resize", [x, nil, nil, e.integers(size)],
          [
            "mode": .string(Array("nearest".utf8)), "nearest_mode": .string(Array("floor".utf8)),
            "coordinate_transformation_mode": .string(Array("asymmetric".utf8)), "axes": axes(size.count),
          ])
      }
      if extent == target { continue }
      let places = try e.integers((0..<target).map { $0 * extent / target })
      result = try e.node("Gather", [result, places], ["axis": .int(Int64(axis))])
    }
    return result
  }

  /// The nearest to where a sampling mode puts the samples, the later of two.
  private static func nearestSamples(
    _ x: Graph.ValueID, _ size: [Int], _ mode: SamplingMode, _ e: Emitter
  ) throws -> Graph.ValueID {
    let shape = try e.shape(x)
    var result = x
    for (index, target) in size.enumerated() {
      let axis = shape.count - size.count + index
      guard let extent = shape[axis], extent > 0, 1...extentLimit ~= target else {
        throw OperatorError("the extent of axis \(axis) is not known")
      }
      if extent == target { continue }
      let places = positions(extent, target, mode).map { min(max(Int(($0 + 0.5).rounded(.down)), 0), extent - 1) }
      result = try e.node("Gather", [result, e.integers(places)], ["axis": .int(Int64(axis))])
    }
    return result
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

  private static func linear(
    _ x: Graph.ValueID, sizes: [Int]? = nil, scales: [Float]? = nil, _ mode: SamplingMode, _ e: Emitter
  ) throws -> Graph.ValueID {
    guard let transformation = mode.transformation else {
      throw OperatorError("\(mode.rawValue) needs extents that are known before the model runs")
    }
    return try e.node(
      "Resize", [x, nil, scales.map { try e.numbers($0) }, sizes.map { try e.integers($0) }],
      [
        "mode": .string(Array("linear".utf8)),
        "coordinate_transformation_mode": .string(Array(transformation.utf8)),
        "axes": axes(sizes?.count ?? scales?.count ?? 2),
      ])
  }

  /// Linear interpolation along the last axes.
  static func bilinear(
    _ x: Graph.ValueID, _ size: [Int], _ mode: SamplingMode, _ e: Emitter
  ) throws -> Graph.ValueID {
    guard size.allSatisfy({ 1...extentLimit ~= $0 }) else { throw OperatorError("a map cannot become \(size)") }
    if mode.transformation != nil { return try linear(x, sizes: size, mode, e) }
    if mode == .alignCorners, !size.contains(1) { return try linear(x, sizes: size, .strictAlignCorners, e) }
    // Each axis by the matrix of its weights.
    var result = x
    let shape = try e.shape(x)
    guard size.count == 2, shape.count >= 2 else { throw OperatorError("\(mode.rawValue) needs two axes") }
    for (index, target) in size.enumerated() {
      guard let extent = shape[shape.count - 2 + index] else {
        throw OperatorError("\(mode.rawValue) needs extents that are known before the model runs")
      }
      try Shape.checkMemory([target, extent], of: Float.self, operation: "resize")
      guard extent > 0 else { throw OperatorError("a map is empty") }
      let positions = positions(extent, target, mode)
      var weights = [Float](repeating: 0, count: target * extent)
      for (row, position) in positions.enumerated() {
        let place = min(max(position, 0), Double(extent - 1))
        let low = Int(place)
        let high = min(low + 1, extent - 1)
        weights[row * extent + low] += Float(1 - (place - Double(low)))
        weights[row * extent + high] += Float(place - Double(low))
      }
      let matrix = try e.numbers(weights, shape: [target, extent])
      result =
        try index == 0
        ? e.node("MatMul", [matrix, result]) : e.node("MatMul", [result, e.transpose(matrix, [1, 0])])
    }
    return result
  }

  // MARK: Positions that the model computes

  private static func cropResize(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    var attributes: [String: AttributeValue] = [
      "height": .int(Int64(try call.int("target_height", default: 1))),
      "width": .int(Int64(try call.int("target_width", default: 1))),
      "normalized": .int(try call.bool("normalized_coordinates") ? 1 : 0),
      "spatial_scale": .float(try call.float("spatial_scale", default: 1)),
      "box_mode": .string(Array(try call.string("box_coordinate_mode", default: "CORNERS_HEIGHT_FIRST").utf8)),
      "sampling_mode": .string(Array(try samplingMode(call).rawValue.utf8)),
    ]
    if call.has("pad_value") { attributes["pad_value"] = .float(try call.float("pad_value", default: 0)) }
    if call.has("boxes") {
      return try e.node(
        "CropResize", [x, call.value("boxes"), call.optional("box_indices")], domain: "apus", attributes)
    }
    return try cropResize(x, regions: call.value("roi"), attributes, e)
  }

  /// Regions `[N, 1, 4 or 5, 1, 1]`, of which the fifth number, the first, says from which map to cut.
  static func cropResize(
    _ x: Graph.ValueID, regions: Graph.ValueID, _ attributes: [String: AttributeValue], _ e: Emitter
  ) throws -> Graph.ValueID {
    let shape = try e.shape(regions)
    guard shape.count >= 3, let width = shape[shape.count - 3], width == 4 || width == 5 else {
      throw OperatorError("regions of shape \(shape.map { $0.map(String.init) ?? "?" }) are given")
    }
    let rows = try e.reshape(regions, [-1, width])
    if width == 5 {
      let indices = try e.reshape(e.slice(rows, from: [0], to: [1], axes: [1]), [-1])
      let boxes = try e.slice(rows, from: [1], to: [5], axes: [1])
      let crops = try e.node("CropResize", [x, boxes, e.cast(indices, to: .int32)], domain: "apus", attributes)
      return try e.unsqueeze(crops, [1])
    }
    var attributes = attributes
    attributes["every_map"] = .int(1)
    return try e.node("CropResize", [x, rows, nil], domain: "apus", attributes)
  }

  /// Samples at coordinates (x, y): GridSample with the coordinates in its own terms.
  private static func resample(_ call: Call) throws -> Graph.ValueID {
    let coordinates = try call.emitter.cast(call.value("coordinates"), to: .float)
    return try sampled(call, at: coordinates)
  }

  private static func sampled(_ call: Call, at coordinates: Graph.ValueID) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    let shape = try e.shape(x)
    guard shape.count == 4 else { throw OperatorError("a tensor of rank 4 is needed") }
    let sampling = try call.string("sampling_mode", default: "bilinear")
    let padding = try call.string("padding_mode", default: "constant")
    let space = try call.string("coordinates_mode", default: "unnormalized")
    var aligns = try call.bool("align_corners", default: true)
    var grid = coordinates
    switch space {
    case "normalized_minus_one_to_one": break
    case "normalized_zero_to_one":
      grid = try e.node("Sub", [e.node("Mul", [grid, e.number(2)]), e.number(1)])
    case "unnormalized":
      aligns = padding != "symmetric"
      guard let height = shape[2], let width = shape[3] else {
        throw OperatorError("unnormalized coordinates need extents that are known before the model runs")
      }
      // Position p of n is -1 + 2 p / (n - 1) where -1 and 1 are the first and the last, -1 + (2 p + 1) / n otherwise.
      let sizes = [Float(width), Float(height)]
      let scale: [Float] = sizes.map { 2 / (aligns ? max(1, $0 - 1) : $0) }
      let shift: [Float] = sizes.map { aligns ? -1 : 1 / $0 - 1 }
      grid = try e.node("Add", [e.node("Mul", [grid, e.numbers(scale)]), e.numbers(shift)])
    default: throw OperatorError("coordinates_mode '\(space)' is not known")
    }
    if (padding == "symmetric" && aligns) || (padding == "reflection" && !aligns) {
      // The padding goes by the other kind of ends.
      guard let height = shape[2], let width = shape[3] else {
        throw OperatorError("padding_mode '\(padding)' needs extents that are known before the model runs")
      }
      let sizes = [Float(width), Float(height)]
      let factor: [Float] = sizes.map { aligns ? ($0 - 1) / $0 : $0 / max(1, $0 - 1) }
      grid = try e.node("Mul", [grid, e.numbers(factor)])
      aligns.toggle()
    }
    let modes = ["constant": "zeros", "border": "border", "reflection": "reflection", "symmetric": "reflection"]
    guard var mode = modes[padding] else { throw OperatorError("padding_mode '\(padding)' is not known") }
    guard sampling == "bilinear" || sampling == "nearest" else {
      throw OperatorError("sampling_mode '\(sampling)' is not known")
    }
    if sampling == "nearest", mode == "reflection" {
      // GridSample rounds a place before it mirrors it, and Core ML after.
      grid = try mirrored(grid, e)
      mode = "border"
    }
    let value = try call.float("padding_value", default: 0)
    let isShifted = padding == "constant" && value != 0
    // What lies outside is zero for GridSample: another value is taken away first and put back after.
    let source = try isShifted ? e.node("Sub", [x, e.number(value)]) : x
    let result = try e.node(
      "GridSample", [source, grid],
      [
        "mode": .string(Array((sampling == "nearest" ? "nearest" : "linear").utf8)),
        "padding_mode": .string(Array(mode.utf8)), "align_corners": .int(aligns ? 1 : 0),
      ])
    return try isShifted ? e.node("Add", [result, e.number(value)]) : result
  }

  /// Numbers mirrored at -1 and at 1 until they lie between.
  private static func mirrored(_ grid: Graph.ValueID, _ e: Emitter) throws -> Graph.ValueID {
    let fromStart = try e.node("Abs", [e.node("Add", [grid, e.number(1)])])
    let rest = try e.node("Mod", [fromStart, e.number(4)], ["fmod": .int(1)])
    let fromTurn = try e.node("Abs", [e.node("Sub", [rest, e.number(2)])])
    return try e.node("Sub", [e.number(1), fromTurn])
  }

  private static func affine(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    let (height, width) = try (call.int("output_height", default: 1), call.int("output_width", default: 1))
    guard height > 0, width > 0, height <= 1 << 24, width <= 1 << 24 else {
      throw OperatorError("a map of \(height) × \(width) is asked for")
    }
    guard try call.string("coordinates_mode", default: "") == "normalized_minus_one_to_one",
      try call.bool("align_corners", default: true)
    else { throw OperatorError("only normalized_minus_one_to_one with align_corners is known") }
    let matrix = try e.reshape(call.value("transform_matrix"), [-1, 2, 3])
    let batch = try e.list([e.extent(x, 0), .known(2), .known(3)])
    let grid = try e.node(
      "AffineGrid",
      [
        e.node("Expand", [matrix, batch]),
        e.list([e.extent(x, 0), e.extent(x, 1), .known(height), .known(width)]),
      ], ["align_corners": .int(1)])
    return try sampled(call, at: grid)
  }
}

extension [Double] {
  /// The numbers without their fractions; nil where one is no extent.
  fileprivate var extents: [Int]? {
    let result = compactMap { Int(exactly: $0.rounded(.down)) }.filter { $0 > 0 }
    return result.count == count ? result : nil
  }
}
