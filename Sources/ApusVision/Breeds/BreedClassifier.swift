import Apus
import ApusMedia

/// Classifies a dog's breed in a photo with any classifier of ImageNet's classes.
///
/// Of its 1000 classes (or 1001, where the first is the background) 120 are breeds. Their probabilities are divided by
/// their sum, ``BreedPrediction/dogMass``, which says how much of the picture's explanation is a dog at all. A
/// classifier of 120 classes is taken to know the breeds in the order of ``DogBreed/all``, and nothing else.
///
/// Pictures are cut to the largest square in their middle and resampled once, with antialiasing.
public struct BreedClassifier: Sendable {
  /// What the network wants of a picture.
  public let input: ImageInput
  /// The model's file.
  public let file: String
  private let network: ClassifierNetwork

  /// What the caller knows of a classifier and its file does not say.
  public struct Options: Sendable, Hashable {
    /// The side of its input, where the model leaves it open: 224 when nil, 299 for InceptionV3.
    public var side: Int?
    /// How bytes become its numbers; not asked of a Core ML model that declares an image and does that itself.
    public var normalization = ImageNormalization.imageNet
    /// `fast` allows kernels whose error is stated.
    public var precision = Execution.Precision.fast

    /// What torchvision's classifiers are trained with: 224 pixels, ImageNet's normalisation.
    public init() {}
  }

  /// Reads a classifier: an `.onnx` file, a Core ML model, or safetensors with the parameters of a ResNet, MobileNetV2 or InceptionV3.
  ///
  /// - Throws: ``PictureModelError`` for a model that does not take a picture, or whose file is of no known network;
  ///   ``BreedError`` for a side out of range; ``FileError`` and the errors of the files' readers.
  public init(path: String, options: Options = Options()) throws {
    network = try ClassifierNetwork(path: path, precision: options.precision)
    file = path
    let declared = network.declaredSize
    let side = options.side ?? network.usualSide
    guard 1...DetectorMetadata.longestSide ~= side else {
      throw BreedError("\(path): a picture of \(side) pixels; 1 to \(DetectorMetadata.longestSide) were expected")
    }
    for case let (declared?, asked?) in [(declared.width, options.side), (declared.height, options.side)]
    where declared != asked {
      throw BreedError("\(path): the model takes pictures of \(declared) pixels; it cannot be \(asked)")
    }
    input = ImageInput(
      width: declared.width ?? side, height: declared.height ?? side, fit: .centerCrop, filter: .antialiasedBilinear,
      layout: network.isChannelsLast ? .nhwc : .nchw, order: network.declaredOrder ?? .rgb,
      normalization: network.declaredOrder == nil ? options.normalization : .bytes)
  }

  /// What is seen in a picture.
  /// - Throws: ``BreedError`` for a classifier of other classes, and numbers that are not finite; ``ImageError``,
  ///   ``TensorError``, ``GraphError``.
  public func callAsFunction(_ image: Image<UInt8>) throws -> BreedPrediction {
    do {
      return try BreedPrediction(classes: network(input.tensor(image)))
    } catch let error as BreedError {
      throw BreedError("\(file): \(error)")
    }
  }
}

/// What a classifier says of a dog.
public struct BreedPrediction: Sendable, Hashable {
  /// The breeds, their probabilities adding up to one.
  public let ranking: BreedRanking
  /// The probability of all 120 together among all classes; nil for a classifier that knows no others.
  public let dogMass: Double?

  /// With a smaller ``dogMass`` there is probably no dog.
  public static let leastDogMass = 0.3

  /// Whether ``dogMass`` is at least ``leastDogMass``; true for a classifier that knows nothing but breeds.
  public var isDogLikely: Bool { dogMass.map { $0 >= Self.leastDogMass } ?? true }

  /// - Parameter classes: a number for each class of ImageNet, with or without a background before them, or for each
  ///   breed: probabilities that add up to one, or anything else, of which the softmax is taken.
  package init(classes: [Float]) throws {
    guard [1000, 1001, 120].contains(classes.count) else {
      throw BreedError(
        "the model distinguishes \(classes.count) classes; 1000 of ImageNet, 1001 with a background, or "
          + "120 breeds were expected")
    }
    if let index = classes.firstIndex(where: { !$0.isFinite }) {
      throw BreedError("class \(index) is \(classes[index])")
    }
    let all = try Self.probabilities(classes.map(Double.init))
    let breeds = DogBreed.all
    let places = classes.count == 120 ? Array(0..<120) : breeds.map { $0.imageNetIndex + (classes.count - 1000) }
    let mass = places.reduce(0) { $0 + all[$1] }
    dogMass = classes.count == 120 ? nil : min(mass, 1)
    ranking = try BreedRanking(
      labels: breeds.map(\.label), probabilities: places.map { mass > 0 ? min(all[$0] / mass, 1) : 1.0 / 120 })
  }

  /// The numbers themselves, where they are probabilities already.
  private static func probabilities(_ classes: [Double]) throws -> [Double] {
    let sum = classes.reduce(0, +)
    if abs(sum - 1) < 1e-3, classes.allSatisfy({ $0 >= 0 }) { return classes.map { $0 / sum } }
    return try softmax(Tensor(classes), axis: 0).elements
  }
}
