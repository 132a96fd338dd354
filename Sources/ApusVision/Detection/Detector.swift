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
  /// What the network wants of a picture.
  public internal(set) var input: ImageInput
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
    network: DetectorNetwork, input: ImageInput, metadata: DetectorMetadata, hasExponential: Bool,
    stated: DetectionLayout?, file: String
  ) throws {
    // Shapes may be known only when the network runs: it runs once, on nothing.
    let outputs = try network(Tensor(zeros: input.shape)).map { (name: $0.name, shape: $0.tensor.shape) }
    do throws(DetectorError) {
      let found = try DetectionFormat.recognized(
        DetectorOutputs(
          outputs: outputs, inputWidth: input.width, inputHeight: input.height, metadata: metadata,
          hasExponential: hasExponential),
        stated: stated)
      outputNames = found.outputs
      var format = found.format
      format.keypointClasses = metadata.keypointClasses.map { names in
        Set(names.compactMap { metadata.names?.firstIndex(of: $0) })
      }
      self.format = format
    } catch {
      throw error.naming(file)
    }
    classNames = metadata.names ?? []
    self.network = network
    self.input = input
    self.file = file
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
    let parts = try outputNames.map { name in
      guard let output = outputs.first(where: { $0.name == name }) else {
        throw DetectorError(.unknownLayout("there is no output \"\(name)\" any longer"), file: file)
      }
      return output.tensor
    }
    let found = try parts.count == 1 ? parts[0] : concatenate(parts, axis: 1)
    let decoder = DetectionDecoder(format: format, inputWidth: input.width, inputHeight: input.height)
    do {
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
    let keypoints = format.keypoints.map { ", \($0.count) keypoints" } ?? ""
    return "\(file): \(format.layout.summary); \(classes)\(named)\(keypoints); input \(input.summary)"
  }
}

extension ImageInput {
  /// In words.
  var summary: String {
    let numbers = normalization == .bytes ? "0 to 255" : normalization == .unit ? "0 to 1" : "normalised"
    return "\(width) × \(height), \(order.rawValue.uppercased()), \(numbers), \(fit.rawValue)"
  }
}
