import Apus
import ApusFormats
import ApusGraph
import ApusMedia
import ApusNetworks

/// What the caller knows of a detector and its file does not say.
public struct DetectorLoadingOptions: Sendable, Hashable {
  /// How its output is laid out; inferred from shapes and metadata when nil.
  public var layout: DetectionLayout?
  /// The sides of its input, where the model leaves them open; as the file says, or 640 × 640, when nil.
  public var inputWidth: Int?
  /// The height of its input, where the model leaves it open.
  public var inputHeight: Int?
  /// Whether it wants red first or blue first; when nil as the model or what lies beside it says, or as
  /// its layout is usually trained: blue first for YOLOX.
  public var colorOrder: ColorOrder?
  /// Whether it wants numbers from 0 to 255 instead of 0 to 1; when nil likewise: YOLOX does.
  public var wantsBytes: Bool?
  /// How bytes become its numbers, where ``wantsBytes`` does not say enough.
  package var normalization: ImageNormalization?
  /// What becomes of a picture, which keeps its proportions.
  package var fit: ImageInput.Fit?
  /// What its scores are; as numbers outside 0 to 1 show when nil.
  public var scores: ScoreScale?
  /// Whether boxes are turned and the last number of each object is the angle; as the metadata say when nil.
  public var isRotated: Bool?
  /// What the classes are called, instead of what the file says.
  public var classNames: [String]?
  /// `fast` allows kernels whose error is stated.
  public var precision = Execution.Precision.fast
  /// Where a model's weights are kept as they were laid out; see `InferenceSession.CacheUse` of `ApusGraph`. Nowhere when nil.
  public var cacheFolder: String?

  /// Everything from the file; `fast` kernels.
  public init() {}
}

extension Detector {
  /// The detector that ships, relative to the folder `Weights`: plates, bar ends and people in a gym.
  public static let shippedFile = "detector/shipped/model.safetensors"

  /// The detector that ships.
  ///
  /// - Parameter weights: a file, or a folder laid out as `Weights` is, to take instead.
  /// - Throws: ``WeightsLocatorError`` when it is nowhere to be found.
  public static func shipped(
    weights: String? = nil, options: DetectorLoadingOptions = DetectorLoadingOptions()
  ) throws -> Detector {
    try Detector(path: WeightsLocator(chosen: weights).path(of: shippedFile), options: options)
  }

  /// Reads a detector: an `.onnx` file, a Core ML model, or safetensors with the parameters of a ``YOLO``.
  ///
  /// What an exporter wrote into the file is honoured: `names`, `imgsz`, `kpt_shape`, `task`; and what a Core ML model
  /// that ends in its own suppression says of it: labels and thresholds. Where nobody names the classes, and there are
  /// 80, they are taken for those of COCO.
  ///
  /// - Throws: ``DetectorError`` for a model that is not a detector, or one that can be read in more than one way;
  ///   ``PictureModelError`` for other inputs than a picture; ``FileError`` and the errors of the files' readers.
  public init(path: String, options: DetectorLoadingOptions = DetectorLoadingOptions()) throws {
    if try FileFormat(of: path) == .safetensors {
      try self.init(safetensors: path, options)
    } else {
      try self.init(ModelFile.open(path), file: path, options: options)
    }
  }

  /// Reads what an exporter wrote into a file, and forgets it.
  /// - Throws: ``DetectorError`` for what makes no sense.
  package static func checkMetadata(_ entries: [String: String]) throws(DetectorError) {
    _ = try DetectorMetadata(entries)
  }

  private init(safetensors path: String, _ options: DetectorLoadingOptions) throws {
    let file = try SafetensorsFile(path: path)
    var metadata = try Self.metadata(file.metadata, path)
    let network = try YOLO<Float>(file)
    metadata.keypoints = network.configuration.keypoints
    if let names = metadata.names, names.count != network.configuration.classes {
      throw DetectorError(
        .badMetadata("the metadata name \(names.count) classes; the network has \(network.configuration.classes)"),
        file: path)
    }
    let size = try Self.size(options, metadata, declaredWidth: nil, declaredHeight: nil, file: path)
    try self.init(
      network: .yolo(network, options.precision), width: size.width, height: size.height, clues: options.clues,
      metadata: metadata, hasExponential: false, stated: .v8, options, file: path)
  }

  /// A detector of a model that was read.
  ///
  /// - Parameter path: where it lies; what lies beside it counts.
  /// - Throws: as ``init(path:options:)``.
  package init(_ model: any GraphModel, file path: String, options: DetectorLoadingOptions) throws {
    let model = try PictureGraph(
      model, file: path, precision: options.precision, cacheFolder: options.cacheFolder)
    var metadata = try Self.metadata(model.metadata, path)
    metadata.names = metadata.names ?? model.columnLabels
    guard !model.isChannelsLast else {
      throw DetectorError(
        .badInput("the input \"\(model.inputName)\" has its channels last; a detector's are [1, 3, height, width]"),
        file: path)
    }
    let size = try Self.size(
      options, metadata, declaredWidth: model.width, declaredHeight: model.height, file: path)
    try self.init(
      network: .graph(model, BuiltInSuppression(in: model.session.model.graph)), width: size.width,
      height: size.height, clues: options.clues + model.clues(file: path), metadata: metadata,
      hasExponential: model.contains(operator: "Exp"), stated: options.layout, options, file: path)
  }

  private static func metadata(_ entries: [String: String], _ file: String) throws(DetectorError) -> DetectorMetadata {
    do throws(DetectorError) {
      return try DetectorMetadata(entries)
    } catch {
      throw error.naming(file)
    }
  }

  /// The sides of the network's input.
  private static func size(
    _ options: DetectorLoadingOptions, _ metadata: DetectorMetadata, declaredWidth: Int?, declaredHeight: Int?,
    file: String
  ) throws(DetectorError) -> (width: Int, height: Int) {
    func side(_ name: String, declared: Int?, stated: Int?, written: Int?) throws(DetectorError) -> Int {
      if let declared, let stated, declared != stated {
        throw DetectorError(.badInput("the model's \(name) is \(declared); it cannot be \(stated)"), file: file)
      }
      let side = declared ?? stated ?? written ?? 640
      guard 1...PicturePreparation.longestSide ~= side, declared != nil || side.isMultiple(of: 32) else {
        throw DetectorError(
          .badInput("the \(name) is \(side); a multiple of 32 up to \(PicturePreparation.longestSide) was expected"),
          file: file)
      }
      return side
    }
    return (
      try side("width", declared: declaredWidth, stated: options.inputWidth, written: metadata.imageWidth),
      try side("height", declared: declaredHeight, stated: options.inputHeight, written: metadata.imageHeight)
    )
  }
}

extension DetectorLoadingOptions {
  /// What the caller knows of the pictures.
  fileprivate var clues: [PictureClue] {
    let normalization: ImageNormalization? = normalization ?? wantsBytes.map { $0 ? .bytes : .unit }
    return [PictureClue(origin: .stated, normalization: normalization, order: colorOrder)]
  }
}
