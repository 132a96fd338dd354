import Apus
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
  /// What the classes are called, by index; empty where the file does not say.
  public let classNames: [String]
  /// What the keypoints are called, by index; nil where the file does not say.
  public let keypointNames: [String]?
  /// How a picture becomes the network's input, and what that rests on.
  public let preparation: PicturePreparation
  /// What the network wants of a picture.
  public var input: ImageInput { preparation.input }
  /// The model's file.
  public let file: String
  /// Files beside it that hold tensors of the model, as an ONNX model may have them; sorted.
  public var externalFiles: [String] { network.externalFiles }
  /// What detections are made with unless the caller says otherwise: the thresholds of a model that brings its own
  /// suppression, and the usual ones for all others.
  public var defaultOptions: DetectionOptions { network.options }
  private let network: DetectorNetwork
  /// The output that holds the boxes, or the outputs whose columns do.
  private let outputNames: [String]

  init(
    network: DetectorNetwork, width: Int, height: Int, clues: [PictureClue], metadata: DetectorMetadata,
    hasExponential: Bool, stated: DetectionLayout?, scores: ScoreScale?, file: String
  ) throws {
    // Shapes may be known only when the network runs: it runs once, on nothing.
    let nothing = try Tensor<Float>(zeros: [1, 3, height, width])
    let outputs = try network(nothing)
    do {
      let found = try DetectionFormat.recognized(
        DetectorOutputs(
          outputs: outputs.map { ($0.name, $0.tensor.shape) }, inputWidth: width, inputHeight: height,
          metadata: metadata, hasExponential: hasExponential),
        stated: stated)
      outputNames = found.outputs
      var format = found.format
      format.keypointClasses = metadata.keypointClasses.map { names in
        Set(names.compactMap { metadata.names?.firstIndex(of: $0) })
      }
      // Of a picture of nothing most scores are low: below 0 where they are logits.
      let range = try ScoreRange(Self.joined(outputs, found.outputs), in: format)
      format.scores = scores ?? range.scale ?? .probabilities
      try range.check(format.scores)
      self.format = format
    } catch let error as DetectorError {
      throw error.naming(file)
    }
    classNames = metadata.names ?? []
    keypointNames = metadata.keypointNames
    self.network = network
    // Boxes are brought back into the picture, which takes one that is whole.
    let unframed = clues.map { clue in
      var clue = clue
      clue.framing = nil
      return clue
    }
    preparation = PicturePreparation(
      usual: format.layout.usualInput(width: width, height: height), of: format.layout.summary, clues: unframed)
    self.file = file
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
      return try decoder.detections(in: found, letterbox: letterbox, options: options).map { detection in
        guard options.roundClasses.contains(detection.classIndex) else { return detection }
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
  /// How the network is read, in a line.
  public var summary: String {
    let classes = format.classCount.map { "\($0) classes" } ?? "classes unknown"
    let named = classNames.isEmpty ? ", unnamed" : ""
    let scores = format.scores == .logits ? ", scores as logits" : ""
    let keypoints = format.keypoints.map { ", \($0.count) keypoints" } ?? ""
    return "\(file): \(format.layout.summary); \(classes)\(named)\(keypoints)\(scores); input \(preparation.summary)"
  }
}
