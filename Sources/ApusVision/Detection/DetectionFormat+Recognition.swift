/// What is known of a model's output before it is read as boxes.
struct DetectorOutputs {
  /// Names and shapes of the outputs, for the input of this size.
  var outputs: [(name: String, shape: [Int])]
  var inputWidth: Int
  var inputHeight: Int
  var metadata: DetectorMetadata
  /// Whether an exponential is computed in the graph: YOLOX's decoder needs one, the bare network has none.
  var hasExponential: Bool
  /// Whether the caller says that boxes are turned; as the metadata say when nil.
  var isRotated: Bool?

  /// The output that may be the prototypes of masks: the only one that is a stack of maps, each with as many cells a
  /// pixel across as down.
  var prototypes: (name: String, count: Int)? {
    let maps = outputs.filter { $0.shape.count == 4 }
    guard let only = maps.first, maps.count == 1, only.shape[0] == 1, 1...1024 ~= only.shape[1],
      only.shape[2] > 0, only.shape[3] > 0, inputHeight % only.shape[2] == 0, inputWidth % only.shape[3] == 0,
      inputHeight / only.shape[2] == inputWidth / only.shape[3]
    else { return nil }
    return (only.name, only.shape[1])
  }
}

/// The numbers of an object beyond its box, its scores and its joints.
private struct ExtraNumbers {
  var mask = 0
  /// Whether the mask's prototypes are there.
  var hasPrototypes = false
  var isRotated = false

  var count: Int { mask + (isRotated ? 1 : 0) }
}

extension DetectionFormat {
  /// Tells the layout from the shapes of the outputs and from what the exporter wrote into the file.
  ///
  /// - Parameter stated: the layout that the user says it is; shapes that contradict it are refused.
  /// - Returns: the format, and which output it is of; or which outputs, whose columns it is of. A format with masks
  ///   is of a model with ``DetectorOutputs/prototypes``.
  /// - Throws: ``DetectorError/Reason/unknownLayout(_:)`` where there is no possibility, or more than one.
  static func recognized(
    _ model: DetectorOutputs, stated: DetectionLayout? = nil
  ) throws(DetectorError) -> (format: DetectionFormat, outputs: [String]) {
    if stated == nil || stated == .boxesAndScores, let pair = boxesAndScores(model, isStated: stated != nil) {
      return pair
    }
    var plain = ExtraNumbers()
    plain.mask = model.metadata.maskCoefficients
    plain.isRotated = model.isRotated ?? (model.metadata.task == "obb")
    var extras = [plain]
    if let prototypes = model.prototypes, !plain.isRotated, [nil, "segment"].contains(model.metadata.task) {
      extras.insert(ExtraNumbers(mask: prototypes.count, hasPrototypes: true), at: 0)
    }
    var found: [(format: DetectionFormat, outputs: [String])] = []
    for extra in extras where found.isEmpty {
      for output in model.outputs {
        for layout in stated.map({ [$0] }) ?? DetectionLayout.allCases {
          if var format = format(layout, of: output.shape, model, extra, isStated: stated != nil) {
            format.maskCoefficients = extra.hasPrototypes ? extra.mask : 0
            format.isRotated = extra.isRotated
            found.append((format, [output.name]))
          }
        }
      }
    }
    if let only = found.first, found.count == 1 { return only }
    let shapes = model.outputs.map { "\"\($0.name)\" \($0.shape)" }.joined(separator: ", ")
    let input = "\(model.inputHeight) × \(model.inputWidth)"
    guard found.isEmpty else {
      let names = found.map { "\($0.format.layout.rawValue) of \"\($0.outputs[0])\"" }.joined(separator: ", ")
      throw DetectorError(
        .unknownLayout("the outputs \(shapes) of an input of \(input) may be read as \(names); say which layout it is"))
    }
    let expected = stated.map { "of the layout \($0.rawValue)" } ?? "of a detector that is known"
    throw DetectorError(
      .unknownLayout(
        "the outputs \(shapes) of an input of \(input) are not those \(expected) with \(model.metadata.summary)"))
  }

  /// The format, if an output of this shape can be in the layout.
  private static func format(
    _ layout: DetectionLayout, of shape: [Int], _ model: DetectorOutputs, _ extraNumbers: ExtraNumbers, isStated: Bool
  ) -> DetectionFormat? {
    let metadata = model.metadata
    let names = metadata.names?.count
    let keypoints = metadata.keypoints
    let extra = extraNumbers.count
    if layout == .endToEndBatch {
      return shape.count == 2 && shape[1] == 7 && extra == 0 ? DetectionFormat(layout: layout, classCount: names) : nil
    }
    guard shape.count == 3, shape[0] == 1 else { return nil }
    let isAnchorFirst = layout != .v8
    let (anchors, numbers) = isAnchorFirst ? (shape[1], shape[2]) : (shape[2], shape[1])
    let grids = cellCounts(width: model.inputWidth, height: model.inputHeight)

    switch layout {
    case .endToEnd:
      let isGrid = grids.contains { anchors == $0 || anchors == 3 * $0 }
      guard numbers == 6 + (keypoints?.numbers ?? 0) + extra, isStated || !isGrid else { return nil }
      return DetectionFormat(layout: layout, classCount: names, keypoints: keypoints)
    case .v8, .v8Transposed:
      let classes = numbers - 4 - (keypoints?.numbers ?? 0) - extra
      guard grids.contains(anchors), classes > 0, names ?? classes == classes else { return nil }
      // Without names an anchor a row is what YOLOX gives, which has no metadata.
      if layout == .v8Transposed, names == nil, !isStated { return nil }
      return DetectionFormat(layout: layout, classCount: classes, keypoints: keypoints)
    case .v5, .yolox, .yoloxDecoded:
      let classes = numbers - 5 - extra
      // Only v5 and its kin have masks, and none of these turned boxes.
      guard !extraNumbers.isRotated, layout == .v5 || !extraNumbers.hasPrototypes,
        grids.contains(where: { anchors == (layout == .v5 ? 3 : 1) * $0 }), classes > 0,
        names ?? classes == classes
      else { return nil }
      if !isStated, layout == .yolox && model.hasExponential || layout == .yoloxDecoded && !model.hasExponential {
        return nil
      }
      return DetectionFormat(layout: layout, classCount: classes)
    case .endToEndBatch, .boxesAndScores: return nil
    }
  }

  /// The format of two outputs with a row for each box. Unless it is stated, they must have the names that Core ML's
  /// suppression gives them, since boxes and scores of other networks may be anything.
  private static func boxesAndScores(
    _ model: DetectorOutputs, isStated: Bool
  ) -> (format: DetectionFormat, outputs: [String])? {
    let tables = model.outputs.filter { $0.shape.count == 2 }
    func named(_ ending: String) -> Int? { tables.firstIndex { $0.name.lowercased().hasSuffix(ending) } }
    let (boxes, scores) = (named("coordinates"), named("confidence"))
    guard tables.count == 2, tables[0].shape[0] == tables[1].shape[0], isStated || boxes != nil && scores != nil,
      let first = boxes ?? scores.map({ 1 - $0 }) ?? tables.firstIndex(where: { $0.shape[1] == 4 })
    else { return nil }
    let (coordinates, confidence) = (tables[first], tables[1 - first])
    let classes = confidence.shape[1]
    guard coordinates.shape[1] == 4, classes > 0, model.metadata.names?.count ?? classes == classes else { return nil }
    return (DetectionFormat(layout: .boxesAndScores, classCount: classes), [coordinates.name, confidence.name])
  }

  /// How many cells there are for the usual steps: of 8, 16 and 32 pixels, and with 64 as well.
  private static func cellCounts(width: Int, height: Int) -> [Int] {
    [[8, 16, 32], [8, 16, 32, 64]].map { steps in
      steps.reduce(0) { $0 + (width / $1) * (height / $1) }
    }
  }
}
