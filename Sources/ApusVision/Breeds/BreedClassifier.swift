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
  /// How a picture becomes the network's input, and what that rests on.
  public let preparation: PicturePreparation
  /// The model's file.
  public let file: String
  private let network: ClassifierNetwork

  /// What the caller knows of a classifier and its file does not say.
  public struct Options: Sendable, Hashable {
    /// The side of its input, where the model leaves it open; when nil as is written beside it, or 224, 299 for
    /// InceptionV3.
    public var side: Int?
    /// How bytes become its numbers; when nil as ``PicturePreparation`` finds out, ImageNet's where nothing says it. Not
    /// asked of a Core ML model that declares an image and does that itself.
    public var normalization: ImageNormalization?
    /// `fast` allows kernels whose error is stated.
    public var precision = Execution.Precision.fast

    /// What the model's file says, or what lies beside it.
    public init() {}
  }

  /// Reads a classifier: an `.onnx` file, a Core ML model, or safetensors with the parameters of a ResNet, MobileNetV2 or InceptionV3.
  ///
  /// - Throws: ``PictureModelError`` for a model that does not take a picture, or whose file is of no known network;
  ///   ``BreedError`` for a side out of range; ``FileError`` and the errors of the files' readers.
  public init(path: String, options: Options = Options()) throws {
    network = try ClassifierNetwork(path: path, precision: options.precision)
    file = path
    let clues = try network.clues(file: path)
    let declared = network.declaredSize
    let written = clues.first { $0.width != nil }
    let side = options.side ?? network.usualSide
    guard 1...PicturePreparation.longestSide ~= side else {
      throw BreedError("\(path): a picture of \(side) pixels; 1 to \(PicturePreparation.longestSide) were expected")
    }
    for case let (declared?, asked?) in [(declared.width, options.side), (declared.height, options.side)]
    where declared != asked {
      throw BreedError("\(path): the model takes pictures of \(declared) pixels; it cannot be \(asked)")
    }
    let usual = ImageInput(
      width: declared.width ?? options.side ?? written?.width ?? side,
      height: declared.height ?? options.side ?? written?.height ?? side, fit: .centerCrop,
      filter: .antialiasedBilinear, layout: network.isChannelsLast ? .nhwc : .nchw, normalization: .imageNet)
    let stated = PictureClue(origin: .stated, normalization: options.normalization)
    let isDeclared = clues.first?.origin == .declared
    preparation = PicturePreparation(
      usual: usual, of: "a classifier of torchvision", clues: isDeclared ? clues : [stated] + clues)
  }

  /// What is seen in a picture.
  /// - Throws: ``BreedError`` for a classifier of other classes, and numbers that are not finite; ``ImageError``,
  ///   ``TensorError``, ``GraphError``.
  public func callAsFunction(_ image: Image<UInt8>) throws -> BreedPrediction {
    do {
      return try BreedPrediction(classes: network(preparation.input.tensor(image)))
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
  /// The probability of the likeliest of all classes, breeds or not.
  public let likeliest: Double

  /// With a smaller ``likeliest`` the network sees nothing in particular, which is what pictures brought to the wrong
  /// numbers look like.
  public static let leastLikeliest = 0.05

  /// Whether no class at all is likely.
  public var isFlat: Bool { likeliest < Self.leastLikeliest }

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
    likeliest = all.max() ?? 0
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
