import Apus
import ApusMedia
import ApusPlatform

/// Boxes as a network proposes them, in pixels of its input: columns of equal length.
struct DetectionCandidates {
  var boxes: [PixelBox] = []
  var scores: [Float] = []
  var classes: [Int] = []
  /// Which anchor, or row, each is of.
  var anchors: [Int] = []
  /// The boxes as they are turned, where they are.
  var rotated: [RotatedBox]?

  mutating func append(_ box: PixelBox, score: Float, class index: Int, anchor: Int) throws(DetectorError) {
    guard box.isFinite, score.isFinite else {
      throw DetectorError(.notFinite("the network gave a box that is not finite, at anchor \(anchor)"))
    }
    boxes.append(box)
    scores.append(score)
    classes.append(index)
    anchors.append(anchor)
  }
}

/// Reads the output of a network in one of the layouts, and drops what shows the same thing.
public struct DetectionDecoder: Sendable, Hashable {
  /// How the network's output is laid out.
  public let format: DetectionFormat
  /// The sides of the network's input.
  public let inputWidth: Int
  /// The height of the network's input in pixels.
  public let inputHeight: Int

  /// A decoder for pictures that were fitted to an input of this size.
  public init(format: DetectionFormat, inputWidth: Int, inputHeight: Int) {
    self.format = format
    self.inputWidth = inputWidth
    self.inputHeight = inputHeight
  }

  /// What is in a picture, from the highest score to the lowest, in the picture's pixels.
  ///
  /// - Parameters:
  ///   - output: what the network gave, of a shape that the layout says.
  ///   - prototypes: the maps that masks are made of, `[1, coefficients, height, width]`, from a network that has them:
  ///     as many as the format has ``DetectionFormat/maskCoefficients``.
  ///   - letterbox: how the picture was brought into the network's input.
  /// - Throws: ``DetectorError`` for options, a format or sides out of range, another shape, another number of
  ///   prototypes, scores that are not on the format's scale, and numbers that are not finite.
  public func detections(
    in output: Tensor<Float>, prototypes: Tensor<Float>? = nil, letterbox: Letterbox,
    options: DetectionOptions = DetectionOptions()
  ) throws -> [Detection] {
    try options.validate()
    try format.validate()
    try checkSides()
    try checkShape(output.shape)
    try ScoreRange(output, in: format).check(format.scores)
    let maps = try options.includesMasks ? prototypes.map { try maskPrototypes($0, letterbox) } : nil
    var maskPixels = 0.0
    let found = try candidates(output, options)
    return try kept(found, options).map { index in
      let anchor = found.anchors[index]
      var detection = Detection(
        box: letterbox.toImage(found.boxes[index]), classIndex: found.classes[index], score: found.scores[index],
        keypoints: try keypoints(ofAnchor: anchor, found.classes[index], in: output).map { point in
          let (x, y) = letterbox.toImage(x: Double(point.x), y: Double(point.y))
          return DetectedKeypoint(x: Float(x), y: Float(y), visibility: point.visibility)
        })
      if let rotated = found.rotated?[index] {
        let turned = letterbox.toImage(rotated)
        detection.rotatedBox = turned
        detection.box = turned.bounds.clipped(width: letterbox.imageWidth, height: letterbox.imageHeight)
      }
      if let maps {
        maskPixels += detection.box.area
        guard maskPixels <= Double(Execution.memoryLimit) else {
          throw DetectorError(
            .badOption("the masks of a picture's objects have more pixels than memory may be used for"))
        }
        let coefficients = try numbers(format.maskNumbers, ofAnchor: anchor, in: output)
        detection.mask = try maps.mask(coefficients, in: detection.box, anchor: anchor)
      }
      return detection
    }
  }

  /// The candidates that are left of those that show the same thing, from the highest score to the lowest.
  private func kept(_ found: DetectionCandidates, _ options: DetectionOptions) -> [Int] {
    let overlap = format.layout.isSuppressed ? 1 : options.overlap
    guard let rotated = found.rotated else {
      return NonMaximumSuppression.kept(
        boxes: found.boxes, scores: found.scores, classes: found.classes, overlap: overlap,
        isClassAgnostic: options.isClassAgnostic, maximumCount: options.maximumCount,
        candidateLimit: options.candidateLimit)
    }
    return NonMaximumSuppression.kept(
      boxes: rotated, scores: found.scores, classes: found.classes, overlap: overlap,
      isClassAgnostic: options.isClassAgnostic, maximumCount: options.maximumCount,
      candidateLimit: options.candidateLimit
    ) { $0.probabilisticOverlap($1) }
  }

  /// - Throws: ``DetectorError`` for prototypes of another shape, or of another number than an object has coefficients.
  private func maskPrototypes(_ output: Tensor<Float>, _ letterbox: Letterbox) throws -> MaskPrototypes {
    let maps = try MaskPrototypes(output, letterbox: letterbox)
    guard maps.count == format.maskCoefficients else {
      throw DetectorError(
        .unknownLayout(
          "there are \(maps.count) prototypes of masks; the format has \(format.maskCoefficients) coefficients"))
    }
    return maps
  }

  private func checkSides() throws(DetectorError) {
    let sides = 1...PicturePreparation.longestSide
    guard sides ~= inputWidth, sides ~= inputHeight else {
      throw DetectorError(
        .badOption(
          "the network's input is \(inputWidth) × \(inputHeight) pixels; 1 to \(sides.upperBound) of each was expected")
      )
    }
  }

  /// Every index that is computed below is within an output of these shapes.
  private func checkShape(_ shape: [Int]) throws(DetectorError) {
    let numbers = format.angleNumbers.upperBound
    let isPlain = numbers == format.keypointNumbers.lowerBound
    let isRight =
      switch format.layout {
      case .v8: shape.count == 3 && shape[0] == 1 && shape[1] >= numbers
      // These layouts have no place for anything else.
      case .endToEndBatch: shape.count == 2 && shape[1] == 7 && isPlain
      case .boxesAndScores: shape.count == 2 && shape[1] == numbers && isPlain
      default: shape.count == 3 && shape[0] == 1 && shape[2] >= numbers
      }
    guard isRight, format.layout.isSuppressed || format.classCount ?? 0 > 0 else {
      throw DetectorError(
        .unknownLayout("an output of the shape \(shape) is not one of the layout \(format.layout.rawValue)"))
    }
  }

  /// The boxes whose score the options accept; the others are dropped before anything else is computed of them.
  /// - Throws: ``DetectorError``; ``TensorError``.
  private func candidates(_ output: Tensor<Float>, _ options: DetectionOptions) throws -> DetectionCandidates {
    var found = try uprightCandidates(output, options)
    guard format.isRotated else { return found }
    found.rotated = try zip(found.boxes, found.anchors).map { box, anchor in
      let angle = try numbers(format.angleNumbers, ofAnchor: anchor, in: output)[0]
      let (x, y) = box.center
      let rotated = RotatedBox(centerX: x, centerY: y, width: box.width, height: box.height, angle: Double(angle))
      guard rotated.isFinite else {
        throw DetectorError(.notFinite("the network gave an angle that is not finite, at anchor \(anchor)"))
      }
      return rotated.canonical
    }
    return found
  }

  /// The same without their angles.
  private func uprightCandidates(_ output: Tensor<Float>, _ options: DetectionOptions) throws -> DetectionCandidates {
    switch format.layout {
    case .v8: try anchorColumns(output, options)
    case .v8Transposed: try anchorColumns(output.transposed(), options)
    case .v5, .yolox, .yoloxDecoded: try anchorRows(output, options)
    case .endToEnd, .endToEndBatch: try finishedRows(output, options)
    case .boxesAndScores:
      try anchorColumns(
        output.transposed().reshaped([1, output.shape[1], output.shape[0]]), options,
        unit: (Float(inputWidth), Float(inputHeight)))
    }
  }

  /// The keypoints of an anchor, in pixels of the input.
  private func keypoints(
    ofAnchor anchor: Int, _ classIndex: Int, in output: Tensor<Float>
  ) throws -> [DetectedKeypoint] {
    guard let shape = format.keypoints, format.keypointClasses?.contains(classIndex) ?? true else { return [] }
    let values = try numbers(format.keypointNumbers, ofAnchor: anchor, in: output)
    return (0..<shape.count).map { point in
      let first = point * shape.dimensions
      return DetectedKeypoint(
        x: values[first], y: values[first + 1], visibility: shape.dimensions == 3 ? values[first + 2] : nil)
    }
  }

  /// Some of the numbers of an anchor.
  private func numbers(_ range: Range<Int>, ofAnchor anchor: Int, in output: Tensor<Float>) throws -> [Float] {
    let isColumn = format.layout == .v8
    let (numbers, anchors) = isColumn ? (output.shape[1], output.shape[2]) : (output.shape[2], output.shape[1])
    return try output.withUnsafeBufferPointer { values in
      range.map { isColumn ? values[$0 * anchors + anchor] : values[anchor * numbers + $0] }
    }
  }

  // MARK: - Layouts

  /// `[1, 4 + classes + …, anchors]`.
  /// - Parameter unit: the pixels that 1 stands for, along x and y.
  private func anchorColumns(
    _ output: Tensor<Float>, _ options: DetectionOptions, unit: (x: Float, y: Float) = (1, 1)
  ) throws -> DetectionCandidates {
    let anchors = output.shape[2]
    guard let classCount = format.classCount, anchors > 0 else { return DetectionCandidates() }
    let best = try output.sliced(axis: 1, from: 4, to: 4 + classCount).amax(axes: [1]).elements
    let (scale, lowest) = (format.scores, options.lowestConfidence)
    var found = DetectionCandidates()
    try output.withUnsafeBufferPointer { values in
      // A score that is NaN is not smaller than anything, and is reported.
      for anchor in 0..<anchors where !(scale(best[anchor]) <= lowest) {
        var (index, score) = (0, values[4 * anchors + anchor])
        for other in 1..<max(classCount, 1) where values[(4 + other) * anchors + anchor] > score {
          (index, score) = (other, values[(4 + other) * anchors + anchor])
        }
        score = scale(score)
        guard options.accepts(class: index, score: score) || score.isNaN else { continue }
        let box = PixelBox(
          centerX: values[anchor] * unit.x, centerY: values[anchors + anchor] * unit.y,
          width: values[2 * anchors + anchor] * unit.x, height: values[3 * anchors + anchor] * unit.y)
        try found.append(box, score: score, class: index, anchor: anchor)
      }
    }
    return found
  }

  /// `[1, anchors, 5 + classes]`.
  private func anchorRows(_ output: Tensor<Float>, _ options: DetectionOptions) throws -> DetectionCandidates {
    guard let classCount = format.classCount else { return DetectionCandidates() }
    let (anchors, numbers) = (output.shape[1], output.shape[2])
    let cells = format.layout == .yolox ? AnchorCells(width: inputWidth, height: inputHeight, count: anchors) : nil
    let (scale, lowest) = (format.scores, options.lowestConfidence)
    var found = DetectionCandidates()
    try output.withUnsafeBufferPointer { values in
      for anchor in 0..<anchors {
        let row = anchor * numbers
        let objectness = scale(values[row + 4])
        // The classes' scores are at most 1, so the product is at most this.
        if objectness <= lowest { continue }
        var (index, best) = (0, values[row + 5])
        for other in 1..<max(classCount, 1) where values[row + 5 + other] > best {
          (index, best) = (other, values[row + 5 + other])
        }
        let score = objectness * scale(best)
        guard options.accepts(class: index, score: score) || score.isNaN else { continue }
        let stored = (values[row], values[row + 1], values[row + 2], values[row + 3])
        try found.append(cells?.box(anchor, stored) ?? Self.box(stored), score: score, class: index, anchor: anchor)
      }
    }
    return found
  }

  private static func box(_ values: (Float, Float, Float, Float)) -> PixelBox {
    PixelBox(centerX: values.0, centerY: values.1, width: values.2, height: values.3)
  }

  /// `[1, boxes, 6 + …]` or `[boxes, 7]`.
  private func finishedRows(_ output: Tensor<Float>, _ options: DetectionOptions) throws -> DetectionCandidates {
    let isBatch = format.layout == .endToEndBatch
    let (rows, numbers) = isBatch ? (output.shape[0], output.shape[1]) : (output.shape[1], output.shape[2])
    let (corner, scoreAt, classAt) = isBatch ? (1, 6, 5) : (0, 4, 5)
    var found = DetectionCandidates()
    try output.withUnsafeBufferPointer { values in
      for row in 0..<rows {
        let start = row * numbers
        let (score, stored) = (format.scores(values[start + scoreAt]), values[start + classAt])
        if score <= options.lowestConfidence { continue }
        guard let index = Int(exactly: stored.rounded()), index >= 0, index < format.classCount ?? .max else {
          throw DetectorError(.notFinite("the network gave \(stored) for a class, in row \(row)"))
        }
        guard options.accepts(class: index, score: score) || score.isNaN else { continue }
        let numbers = (
          values[start + corner], values[start + corner + 1], values[start + corner + 2], values[start + corner + 3]
        )
        let box =
          format.isRotated
          ? Self.box(numbers)
          : PixelBox(x0: Double(numbers.0), y0: Double(numbers.1), x1: Double(numbers.2), y1: Double(numbers.3))
        try found.append(box, score: score, class: index, anchor: row)
      }
    }
    return found
  }
}

/// The cells of the maps of a network, one after the other.
private struct AnchorCells {
  private var maps: [(first: Int, columns: Int, step: Float)] = []

  /// - Parameter count: the cells of all maps together; with it, whether there is one of a step of 64.
  init(width: Int, height: Int, count: Int) {
    var first = 0
    for step in [8, 16, 32, 64] where first < count {
      maps.append((first, width / step, Float(step)))
      first += (width / step) * (height / step)
    }
  }

  /// x and y relative to the cell, in cells; width and height as logarithms of cells.
  func box(_ anchor: Int, _ stored: (Float, Float, Float, Float)) -> PixelBox? {
    guard let map = maps.last(where: { $0.first <= anchor }), map.columns > 0 else { return nil }
    let cell = anchor - map.first
    return PixelBox(
      centerX: (stored.0 + Float(cell % map.columns)) * map.step,
      centerY: (stored.1 + Float(cell / map.columns)) * map.step,
      width: Float(exp(Double(stored.2))) * map.step, height: Float(exp(Double(stored.3))) * map.step)
  }
}
