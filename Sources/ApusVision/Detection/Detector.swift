import Apus
import ApusGraph
import ApusMedia

/// Finds objects in pictures: a network, what it wants of a picture, and how its numbers become boxes.
///
/// ```swift
/// let detector = try Detector(path: "yolov8n.onnx")
/// for found in try detector.detections(in: ImageFile.read(path: "photo.jpg")) {
///   print(detector.name(ofClass: found.classIndex), found.score, found.box)
/// }
/// ```
///
/// A detector is a value that may be used from several threads at once.
public struct Detector: Sendable {
  /// What the network's numbers mean.
  public let format: DetectionFormat
  /// What the classes are called, by index; empty where nobody says.
  public let classNames: [String]
  /// What the keypoints are called, by index; nil where the file does not say.
  public let keypointNames: [String]?
  /// Whether ``classNames`` are those of COCO because nobody says, and there are as many.
  public let assumesCOCO: Bool
  /// How a picture becomes the network's input, and what that rests on.
  public let preparation: PicturePreparation
  /// What the network wants of a picture.
  public var input: ImageInput { preparation.input }
  /// The model's file.
  public let file: String
  /// Files beside it that hold tensors of the model, as an ONNX model may have them; sorted.
  public var externalFiles: [String] { network.externalFiles }
  /// What ``DetectorLoadingOptions/cacheFolder`` was worth; nil without one.
  public var cacheUse: InferenceSession.CacheUse? { network.cacheUse }
  /// What detections are made with unless the caller says otherwise: the thresholds of a model that brings its own
  /// suppression, and the usual ones for all others.
  public var defaultOptions: DetectionOptions { network.options }
  private var network: DetectorNetwork
  /// The output that holds the boxes, or the outputs whose columns do.
  private let outputNames: [String]
  /// The output that masks are made of.
  private let prototypesName: String?

  init(
    network: DetectorNetwork, width: Int, height: Int, clues: [PictureClue], metadata: DetectorMetadata,
    hasExponential: Bool, stated: DetectionLayout?, _ options: DetectorLoadingOptions, file: String
  ) throws {
    // Shapes may be known only when the network runs: it runs once, on nothing.
    let nothing = try Tensor<Float>(zeros: [1, 3, height, width])
    let outputs = try network(nothing)
    do {
      let shapes = DetectorOutputs(
        outputs: outputs.map { ($0.name, $0.tensor.shape) }, inputWidth: width, inputHeight: height,
        metadata: metadata, hasExponential: hasExponential, isRotated: options.isRotated)
      let found = try Self.recognized(shapes, stated: stated, labels: options.classNames)
      outputNames = found.outputs
      prototypesName = found.format.maskCoefficients > 0 ? shapes.prototypes?.name : nil
      var format = found.format
      format.keypointClasses = metadata.keypointClasses.map { names in
        Set(names.compactMap { metadata.names?.firstIndex(of: $0) })
      }
      // Of a picture of nothing most scores are low: below 0 where they are logits.
      let range = try ScoreRange(Self.joined(outputs, found.outputs), in: format)
      format.scores = options.scores ?? range.scale ?? .probabilities
      try range.check(format.scores)
      self.format = format
    } catch let error as DetectorError {
      throw error.naming(file)
    }
    let names = options.classNames ?? metadata.names
    assumesCOCO = names == nil && format.classCount == COCOClasses.names.count
    classNames = names ?? (assumesCOCO ? COCOClasses.names : [])
    keypointNames = metadata.keypointNames
    self.network = network
    // Boxes are brought back into the picture, which takes one that is whole.
    let unframed = clues.map { clue in
      var clue = clue
      (clue.framing, clue.unheeded) = (nil, [])
      return clue
    }
    var preparation = PicturePreparation(
      usual: format.layout.usualInput(width: width, height: height), of: format.layout.summary, clues: unframed)
    if let fit = options.fit {
      guard fit == .letterbox || fit == .letterboxTopLeft else {
        throw DetectorError(
          .badOption("the fit is \(fit.rawValue); a detector's pictures keep their proportions"), file: file)
      }
      preparation.input.fit = fit
    }
    self.preparation = preparation
    self.file = file
  }

  /// The model and how it is fed; nil for a network that is none.
  var graph: PictureGraph? { if case .graph(let graph, _) = network { graph } else { nil } }

  /// The same detector with another model, which has the same inputs and outputs.
  ///
  /// - Throws: ``GraphError`` for a model that cannot be run.
  package func running(_ model: any GraphModel) throws -> Detector {
    guard case .graph(let graph, let suppression) = network else { return self }
    var other = self
    other.network = try .graph(graph.running(model), suppression)
    return other
  }

  /// Tells the layout, of a file without names from the caller's.
  private static func recognized(
    _ model: DetectorOutputs, stated: DetectionLayout?, labels: [String]?
  ) throws(DetectorError) -> (format: DetectionFormat, outputs: [String]) {
    guard let labels else { return try DetectionFormat.recognized(model, stated: stated) }
    var labelled = model
    labelled.metadata.names = model.metadata.names ?? labels
    func check(_ count: Int?) throws(DetectorError) {
      if let count, count != labels.count {
        throw DetectorError(.badMetadata("the labels name \(labels.count) classes; the network distinguishes \(count)"))
      }
    }
    do throws(DetectorError) {
      let found = try DetectionFormat.recognized(labelled, stated: stated)
      try check(found.format.classCount)
      return found
    } catch {
      // Perhaps only their number is wrong.
      if let other = try? DetectionFormat.recognized(model, stated: stated) { try check(other.format.classCount) }
      throw error
    }
  }

  /// The outputs of these names, as one where their columns stand together.
  private static func joined(_ outputs: [(name: String, tensor: Tensor<Float>)], _ names: [String]) throws -> Tensor<
    Float
  > {
    let parts = try names.map { name in
      guard let output = outputs.first(where: { $0.name == name }) else {
        throw DetectorError(.unknownLayout("there is no output \"\(name)\" any longer"))
      }
      return output.tensor
    }
    return try parts.count == 1 ? parts[0] : concatenate(parts, axis: 1)
  }

  /// The class's name; its index where the model names none.
  public func name(ofClass index: Int) -> String {
    classNames.indices.contains(index) ? classNames[index] : "class \(index)"
  }

  /// The index of the class of this name.
  public func classIndex(named name: String) -> Int? { classNames.firstIndex(of: name) }

  /// What is in a picture, from the highest score to the lowest.
  ///
  /// - Parameter options: ``defaultOptions`` when nil.
  /// - Throws: ``DetectorError`` for options out of range and for numbers that are not finite; ``ImageError``,
  ///   ``TensorError``, ``GraphError``.
  public func detections(
    in image: Image<UInt8>, options: DetectionOptions? = nil
  ) throws -> [Detection] {
    let options = options ?? defaultOptions
    try options.validate()
    guard let letterbox = try input.letterbox(imageWidth: image.width, imageHeight: image.height) else {
      throw DetectorError(.badInput("a detector's pictures keep their proportions"), file: file)
    }
    let outputs = try network(input.tensor(image), options: options)
    let decoder = DetectionDecoder(format: format, inputWidth: input.width, inputHeight: input.height)
    do {
      let found = try Self.joined(outputs, outputNames)
      let prototypes = try prototypesName.map { try Self.joined(outputs, [$0]) }
      return try decoder.detections(
        in: found, prototypes: prototypes, letterbox: letterbox, options: options
      ).map { detection in
        guard options.roundClasses.contains(detection.classIndex), detection.rotatedBox == nil else { return detection }
        var fitted = detection
        fitted.box = detection.box.fittedToOutline(in: image)
        return fitted
      }
    } catch let error as DetectorError {
      throw error.naming(file)
    }
  }
}

extension Detector {
  /// What it looks for: the names of its classes, of many the first ones.
  public var knownClasses: String {
    if classNames.isEmpty { return format.classCount.map { "\($0) classes without names" } ?? "classes without names" }
    let first = classNames.prefix(8).joined(separator: ", ")
    return classNames.count > 8 ? "\(classNames.count) classes: \(first), …" : first
  }

  /// How the network is read, in a line.
  public var summary: String {
    let classes = format.classCount.map { "\($0) classes" } ?? "classes unknown"
    let named = classNames.isEmpty ? ", unnamed" : assumesCOCO ? ", unnamed, taken for COCO's" : ""
    let scores = format.scores == .logits ? ", scores as logits" : ""
    let keypoints = format.keypoints.map { ", \($0.count) keypoints" } ?? ""
    let shapes = (format.isRotated ? ", turned boxes" : "") + (format.maskCoefficients > 0 ? ", masks" : "")
    return
      "\(file): \(format.layout.summary); \(classes)\(named)\(keypoints)\(shapes)\(scores); input \(preparation.summary)"
  }
}
