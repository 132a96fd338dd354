import Apus
import ApusGraph

// Maps sampled at other positions.

extension ProgramBuilder {
  static let resizing: [String: Lowering] = [
    "upsample_nearest_neighbor": { call in
      [try upsampled(call.value("x"), by: scaleFactors(call), nil, call.emitter)]
    },
    "resize_nearest_neighbor": { call in
      let size = try targetSize(call)
      return [try nearest(call.value("x"), size, call.emitter)]
    },
    "upsample_bilinear": { call in
      let aligns = try call.bool("align_corners", default: true)
      let isHalfPixel = try call.bool("half_pixel_centers", default: !aligns)
      let mode: SamplingMode = aligns ? .strictAlignCorners : isHalfPixel ? .unalignCorners : .default
      return [try upsampled(call.value("x"), by: scaleFactors(call), mode, call.emitter)]
    },
    "resize_bilinear": { call in
      [
        try bilinear(
          call.value("x"), targetSize(call).map { .known($0) }, samplingMode(call), call.emitter)
      ]
    },
    "resize": { call in [try resize(call)] },
    "crop_resize": { call in [try cropResize(call)] },
    "resample": { call in [try resample(call)] },
    "affine": { call in [try affine(call)] },
  ]

  private static func samplingMode(_ call: Call) throws -> SamplingMode {
    let name = try call.string("sampling_mode", default: "DEFAULT")
    guard let mode = SamplingMode(rawValue: name) else { throw OperatorError("sampling_mode '\(name)' is not known") }
    return mode
  }

  private static func targetSize(_ call: Call) throws -> [Int] {
    try [call.int("target_size_height", default: 1), call.int("target_size_width", default: 1)]
  }

  private static func scaleFactors(_ call: Call) throws -> [Float] {
    try [call.float("scale_factor_height", default: 1), call.float("scale_factor_width", default: 1)]
  }

  /// Position i of N reads position ⌊i · X / N⌋ of X.
  private static func nearest(_ x: Graph.ValueID, _ size: [Int], _ e: Emitter) throws -> Graph.ValueID {
    let first = try e.rank(x) - size.count
    guard size.allSatisfy({ 1...extentLimit ~= $0 }), first >= 0 else {
      throw OperatorError("a map cannot become \(size)")
    }
    var result = x
    for (index, target) in size.enumerated() {
      let places: Graph.ValueID
      switch try e.extent(x, first + index) {
      case .known(target): continue
      case .known(let extent): places = try e.integers((0..<target).map { $0 * extent / target })
      case .value(let extent):
        // In whole numbers: i / (N / X) is a little less than some of them.
        let products = try e.node("Mul", [e.integers(Array(0..<target)), extent])
        places = try e.node("Div", [products, e.integers([target])])
      }
      result = try e.node("Gather", [result, places], ["axis": .int(Int64(first + index))])
    }
    return result
  }

  /// The last axes of a size that may be known only when the model runs; 0 keeps an extent.
  private static func resize(_ call: Call) throws -> Graph.ValueID {
    let e = call.emitter
    let x = try call.value("x")
    let count = try call.int("resized_dims", default: 2)
    let rank = try e.rank(x)
    let sizes: [GraphExtent]
    if let target = try call.intsIfKnown("shape") {
      guard 0...target.count ~= count, count <= rank else {
        throw OperatorError("\(count) axes of a tensor of rank \(rank) are resized to \(target)")
      }
      sizes = try target.suffix(count).enumerated().map { index, size in
        guard size >= 0 else { throw OperatorError("a size of \(size) is asked for") }
        return size > 0 ? .known(size) : try e.extent(x, rank - count + index)
      }
    } else {
      guard let wanted = try e.shape(call.value("shape")).first ?? nil else {
        throw OperatorError("how many numbers the target has must be known before the model runs")
      }
      // The last numbers count.
      guard 0...wanted ~= count, count <= rank else { throw OperatorError("\(count) axes of \(rank) are resized") }
      let own = try e.slice(e.node("Shape", [x]), from: [rank - count], to: [rank], axes: [0])
      let given = try e.slice(e.int64(call.value("shape")), from: [wanted - count], to: [wanted], axes: [0])
      let isKept = try e.node("Equal", [given, e.integers([0])])
      let chosen = try e.node("Where", [isKept, own, given])
      sizes = try (0..<count).map { .value(try e.slice(chosen, from: [$0], to: [$0 + 1], axes: [0])) }
    }
    let isNearest = try call.string("interpolation_mode", default: "LINEAR") == "NEAREST_NEIGHBOR"
    let mode = try samplingMode(call)
    return try isNearest ? nearestSamples(x, sizes, mode, e) : bilinear(x, sizes, mode, e)
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
      let boxes = try call.value("boxes")
      let maps = try call.optional("box_indices") ?? everyIndex(of: boxes, e)
      return try e.node("CropResize", [x, boxes, maps], domain: "apus", attributes)
    }
    return try cropResize(x, regions: call.value("roi"), attributes, e)
  }

  /// 0, 1, … for the rows of a value: box n is for map n where the operation does not say it.
  private static func everyIndex(of rows: Graph.ValueID, _ e: Emitter) throws -> Graph.ValueID {
    let count: Graph.ValueID
    switch try e.extent(rows, 0) {
    case .known(let size): count = try e.integer(size)
    case .value(let size): count = try e.reshape(size, [Int]())
    }
    return try e.node("Range", [e.integer(0), count, e.integer(1)])
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
