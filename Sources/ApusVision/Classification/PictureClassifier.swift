import Apus
import ApusGraph
import ApusMedia
import ApusNetworks

/// Says what a picture shows, with any classifier.
///
/// ```swift
/// let classifier = try PictureClassifier(path: "mobilenet_v2.onnx")
/// let found = try classifier(ImageFile.read(path: "photo.jpg"))
/// for index in found.ranking.prefix(5) { print(found.name(ofClass: index), found.probabilities[index]) }
/// ```
///
/// How it wants its pictures is looked for wherever it may be written (``PicturePreparation``); so are the names of its
/// classes. Unless something says otherwise pictures are cut to the largest square in their middle and resampled once,
/// with antialiasing.
public struct PictureClassifier: Sendable {
  /// How a picture becomes the network's input, and what that rests on.
  public let preparation: PicturePreparation
  /// The model's file.
  public let file: String
  /// How the numbers become probabilities.
  public let scoring: ClassScoring
  /// What ``Options/cacheFolder`` was worth; nil without one.
  public var cacheUse: InferenceSession.CacheUse? { network.cacheUse }
  /// The paths of the files beside the model's own that hold tensors of it.
  package var externalFiles: [String] { network.externalFiles }
  /// What the classes are called, where anything says it.
  private let labels: ClassLabels?
  private let network: ClassifierNetwork

  /// What the caller knows of a classifier and its file does not say.
  public struct Options: Sendable, Hashable {
    /// The side of its input, where the model leaves it open; when nil as is written beside it, or 224, 299 for
    /// InceptionV3.
    public var side: Int?
    /// How bytes become its numbers; when nil as ``PicturePreparation`` finds out, ImageNet's where nothing says it. Not
    /// asked of a Core ML model that declares an image and does that itself.
    public var normalization: ImageNormalization?
    /// What its numbers are; as its last operator or they themselves show when nil.
    public var scores: ScoreScale?
    /// What its classes are called; when nil as its file says, or `config.json` beside it, or ImageNet.
    public var labels: ClassLabels?
    /// `fast` allows kernels whose error is stated.
    public var precision = Execution.Precision.fast
    /// Where a model's weights are kept as they were laid out; see `InferenceSession.CacheUse` of `ApusGraph`. Nowhere when
    /// nil.
    public var cacheFolder: String?

    /// What the model's file says, or what lies beside it.
    public init() {}
  }

  /// Reads a classifier: an `.onnx` file, a Core ML model, or safetensors with the parameters of a ResNet, MobileNetV2 or InceptionV3.
  ///
  /// - Throws: ``PictureModelError`` for a model that does not take a picture, whose file is of no known network, or
  ///   that takes pictures of another size; ``FileError`` and the errors of the files' readers.
  public init(path: String, options: Options = Options()) throws {
    network = try ClassifierNetwork(
      path: path, precision: options.precision, cacheFolder: options.cacheFolder)
    file = path
    preparation = try network.preparation(
      file: path,
      stated: PictureStatement(normalization: options.normalization, width: options.side, height: options.side))

    let configuration = try ModelCompanion.configuration(ofModel: path)
    scoring = ClassScoring(
      options.scores ?? network.scale, isExclusive: try configuration?.isMultiLabel != true,
      isStated: options.scores != nil)
    let named = [
      network.labels.map { ClassLabels($0, origin: .model) },
      configuration?.classNames.map { ClassLabels($0, origin: .configuration("config.json")) },
    ]
    labels =
      options.labels ?? named.compactMap(\.self).first(where: \.areMeaningful) ?? named.compactMap(\.self).first
  }

  /// What is seen in a picture.
  /// - Throws: ``PictureModelError`` for a model with other outputs than a number for each class;
  ///   ``ClassScoringError`` for numbers that are not finite or not of their scale; ``ClassLabelsError`` for labels that
  ///   are not those of the classes; ``ImageError``, ``TensorError``, ``GraphError``.
  public func callAsFunction(_ image: Image<UInt8>) throws -> ClassPrediction {
    do {
      let probabilities = try scoring.probabilities(network(preparation.input.tensor(image)))
      let imageNet = ClassLabels.imageNet(count: probabilities.count)
      let known = labels.flatMap { $0.areMeaningful ? $0 : nil } ?? imageNet ?? labels
      return try ClassPrediction(probabilities, labels: known)
    } catch let error as ClassScoringError {
      throw ClassScoringError("\(file): \(error)")
    } catch let error as PictureModelError {
      throw PictureModelError("\(file): \(error)")
    }
  }
}
