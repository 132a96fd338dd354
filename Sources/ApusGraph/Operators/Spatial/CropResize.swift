import Apus

extension Operators {
  static let crops: [OperatorDefinition] = [
    OperatorDefinition("CropResize", domain: "apus", .plain(.cropResize), CropResize),
    OperatorDefinition("BoxSuppression", domain: "apus", .plain(.boxSuppression), BoxSuppression),
  ]

  /// Boxes cut out of maps and brought to one size by linear interpolation.
  ///
  /// Inputs x `[batch, channels, H, W]`, boxes `[N, 4]`, and the map that each box is for, INT32 `[N]`; without it, map 0, or
  /// with `every_map` all of them: `[N, batch, channels, height, width]`, otherwise `[N, channels, height, width]`.
  ///
  /// `box_mode` says what the four numbers are, `normalized` that they are fractions of H − 1 and W − 1, and
  /// `spatial_scale` what they are multiplied by. `sampling_mode` says where within a box samples lie. Positions outside of a
  /// map are moved to its edge; with `pad_value` they read that.
  ///
  /// With `UNALIGN_CORNERS`, an axis whose box begins beyond its end is sampled over the whole map. That is what Core ML does
  /// with it, and no document says so: the one public record is coremltools' test `test_builder_to_backend_smoke` of
  /// `TestCropResize`, for iOS 15 and, with a `pad_value`, for iOS 16. Both axes are such there; one alone is taken likewise.
  static func CropResize(_ node: NodeDescription) throws -> PreparedOperator {
    let settings = try CropSettings(node)
    return floating(Cropping<Float>(settings: settings), Cropping<Double>(settings: settings))
  }
}

private struct Cropping<Scalar: FloatingPointScalar>: FloatingOperator {
  let settings: CropSettings

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    [try GraphValue(rounding: settings.crop(arguments, Scalar.self), to: type)]
  }
}

private struct CropSettings: Sendable {
  enum Mode: String, Sendable {
    case strictAlignCorners = "STRICT_ALIGN_CORNERS"
    case alignCorners = "ALIGN_CORNERS"
    case upsampling = "DEFAULT"
    case offsetCorners = "OFFSET_CORNERS"
    case unalignCorners = "UNALIGN_CORNERS"
  }

  let height: Int
  let width: Int
  let isNormalized: Bool
  let scale: Double
  let isCentre: Bool
  let isWidthFirst: Bool
  let mode: Mode
  let padding: Double?
  let takesEveryMap: Bool

  init(_ node: NodeDescription) throws {
    height = try node.int("height", default: 1)
    width = try node.int("width", default: 1)
    guard height > 0, width > 0 else { throw OperatorError("boxes cannot become \(height) × \(width)") }
    isNormalized = try node.flag("normalized")
    scale = Double(try node.float("spatial_scale", default: 1))
    let box = try node.string("box_mode", default: "CORNERS_HEIGHT_FIRST")
    isCentre = box.hasPrefix("CENTER_SIZE")
    isWidthFirst = box.hasSuffix("WIDTH_FIRST")
    let name = try node.string("sampling_mode", default: "DEFAULT")
    guard let mode = Mode(rawValue: name) else { throw OperatorError("sampling_mode '\(name)' is not known") }
    self.mode = mode
    padding = try node.optionalFloat("pad_value").map(Double.init)
    takesEveryMap = try node.flag("every_map")
  }

  /// Where `count` samples lie between two positions of an axis of `size` places.
  private func positions(from start: Double, to end: Double, size: Int, count: Int) -> [Double] {
    var (start, end) = (start, end)
    if mode == .unalignCorners, end < start {
      (start, end) = (0, Double(size - 1))
    }
    let length = end - start
    return (0..<count).map { index in
      let i = Double(index)
      let n = Double(count)
      switch mode {
      case .strictAlignCorners: return count == 1 ? start : start + i * length / (n - 1)
      case .alignCorners: return count == 1 ? (start + end) / 2 : start + i * length / (n - 1)
      case .upsampling: return min(end, start + i * (length + 1) / n)
      case .offsetCorners:
        let spacing = max(1, length) / n
        return start + spacing / 2 + i * spacing
      case .unalignCorners: return min(max(start + (i + 0.5) * (length + 1) / n - 0.5, start), end)
      }
    }
  }

  /// The two positions and the weight of the second for a sample; nil outside, where there is a padding.
  private func taps(_ position: Double, size: Int) -> (low: Int, high: Int, weight: Double)? {
    guard position.isFinite else { return padding == nil ? (0, 0, 0) : nil }
    if padding != nil, position < 0 || position > Double(size - 1) { return nil }
    let place = min(max(position, 0), Double(size - 1))
    let low = Int(place)
    return (low, min(low + 1, size - 1), place - Double(low))
  }

  func shape(x: [Int], boxes: [Int]) throws -> [Int] {
    guard x.count == 4, boxes.count == 2, boxes[1] == 4 else {
      throw OperatorError("boxes of shape \(boxes) are cut out of maps of shape \(x); [N, 4] and rank 4 are needed")
    }
    return [boxes[0]] + (takesEveryMap ? [x[0]] : []) + [x[1], height, width]
  }

  func crop<Scalar: FloatingPointScalar>(_ arguments: Arguments, _: Scalar.Type) throws -> Tensor<Scalar> {
    let x = try arguments.floating(0, as: Scalar.self).rowMajor
    let boxes = try arguments.tensor(1).converted(to: Double.self)
    let shape = try shape(x: x.shape, boxes: boxes.shape)
    let (batch, channels) = (x.shape[0], x.shape[1])
    let (h, w) = (x.shape[2], x.shape[3])
    let count = boxes.shape[0]
    guard h > 0, w > 0 || count == 0 else { throw OperatorError("maps of shape \(x.shape) are empty") }
    let maps = try arguments.has(2) ? arguments.integers(2) : [Int](repeating: 0, count: count)
    guard maps.count == count, maps.allSatisfy({ 0..<max(batch, 1) ~= $0 }), batch > 0 || count == 0 else {
      throw OperatorError("maps \(maps.prefix(8)) are named for \(count) boxes in a batch of \(batch)")
    }
    _ = try Shape.elementCount(shape, operation: "CropResize")
    return try x.withUnsafeBufferPointer { x in
      try boxes.withUnsafeBufferPointer { boxes in
        try Tensor<Scalar>.filled(shape) { y in
          var out = 0
          for box in 0..<count {
            let (rows, columns) = samples(boxes, box * 4, h, w)
            for map in takesEveryMap ? Array(0..<batch) : [maps[box]] {
              for channel in 0..<channels {
                let plane = (map * channels + channel) * h * w
                for row in rows {
                  for column in columns {
                    if let row, let column {
                      let top =
                        Double(x[plane + row.low * w + column.low]) * (1 - column.weight)
                        + Double(x[plane + row.low * w + column.high]) * column.weight
                      let bottom =
                        Double(x[plane + row.high * w + column.low]) * (1 - column.weight)
                        + Double(x[plane + row.high * w + column.high]) * column.weight
                      y[out] = Scalar(top * (1 - row.weight) + bottom * row.weight)
                    } else {
                      y[out] = Scalar(padding ?? 0)
                    }
                    out += 1
                  }
                }
              }
            }
          }
        }
      }
    }
  }

  private typealias Taps = (low: Int, high: Int, weight: Double)

  /// Where the rows and columns of a box lie in a map of h × w.
  private func samples(
    _ boxes: UnsafeBufferPointer<Double>, _ first: Int, _ h: Int, _ w: Int
  ) -> (rows: [Taps?], columns: [Taps?]) {
    let numbers = (0..<4).map { boxes[first + $0] }
    var (y0, x0, y1, x1) =
      isWidthFirst
      ? (numbers[1], numbers[0], numbers[3], numbers[2]) : (numbers[0], numbers[1], numbers[2], numbers[3])
    if isCentre {
      // A centre and a size, as corners.
      let (cy, cx, height, width) = (y0, x0, y1, x1)
      (y0, y1) = (cy - height / 2, cy + height / 2)
      (x0, x1) = (cx - width / 2, cx + width / 2)
    }
    let vertical = scale * (isNormalized ? Double(h - 1) : 1)
    let horizontal = scale * (isNormalized ? Double(w - 1) : 1)
    return (
      positions(from: y0 * vertical, to: y1 * vertical, size: h, count: height).map { taps($0, size: h) },
      positions(from: x0 * horizontal, to: x1 * horizontal, size: w, count: width).map { taps($0, size: w) }
    )
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let cropResize = ShapeRule.rule { facts in
    [
      InferredType(
        facts.elementType(0), try CropSettings(facts.node).shape(x: facts.shape(0), boxes: facts.shape(1)))
    ]
  }
}
