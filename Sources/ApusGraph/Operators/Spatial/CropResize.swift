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
  private func taps(_ position: Double, size: Int) -> Crop.Taps? {
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
    let numbers = try boxes.elements
    let filler = Scalar(padding ?? 0)
    let area = height * width
    return try withExtendedLifetime(x) {
      nonisolated(unsafe) let source = x.pointer
      return try Tensor.filled(shape) { destination in
        nonisolated(unsafe) let y = destination
        let planes = takesEveryMap ? batch * channels : channels
        parallelRows(count, width: planes * area) { first, number in
          for box in first..<(first + number) {
            let crop = crop(numbers[(box * 4)..<(box * 4 + 4)], h, w)
            let map = source + (takesEveryMap ? 0 : maps[box] * channels * h * w)
            for plane in 0..<planes {
              crop(map + plane * h * w, width: w, filler: filler, y + (box * planes + plane) * area)
            }
          }
        }
      }
    }
  }

  /// Where the rows and columns of a box lie in a map of h × w.
  private func crop(_ numbers: ArraySlice<Double>, _ h: Int, _ w: Int) -> Crop {
    let numbers = Array(numbers)
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
    return Crop(
      rows: positions(from: y0 * vertical, to: y1 * vertical, size: h, count: height).map { taps($0, size: h) },
      columns: positions(from: x0 * horizontal, to: x1 * horizontal, size: w, count: width).map { taps($0, size: w) })
  }
}

/// The samples of a box.
private struct Crop {
  /// The two positions of a sample along an axis, and the weight of the second.
  typealias Taps = (low: Int, high: Int, weight: Double)

  /// nil where a sample lies in the padding.
  let rows: [Taps?]
  let columns: [Taps?]

  /// - Parameter width: that of the map `x`.
  func callAsFunction<Scalar: FloatingPointScalar>(
    _ x: UnsafePointer<Scalar>, width: Int, filler: Scalar, _ y: UnsafeMutablePointer<Scalar>
  ) {
    for (index, row) in rows.enumerated() {
      let y = y + index * columns.count
      guard let row else {
        y.update(repeating: filler, count: columns.count)
        continue
      }
      let (top, bottom) = (x + row.low * width, x + row.high * width)
      for (index, column) in columns.enumerated() {
        guard let column else {
          y[index] = filler
          continue
        }
        let upper = Double(top[column.low]) * (1 - column.weight) + Double(top[column.high]) * column.weight
        let lower = Double(bottom[column.low]) * (1 - column.weight) + Double(bottom[column.high]) * column.weight
        y[index] = Scalar(upper * (1 - row.weight) + lower * row.weight)
      }
    }
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
