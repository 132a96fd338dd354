import Apus
import ApusMedia

/// Classifies a dog's breed in a photo with any classifier of ImageNet's classes, or of breeds.
///
/// Of ImageNet's 1000 classes (or 1001, where the first is the background) 120 are breeds. Their probabilities are divided
/// by their sum, ``BreedPrediction/dogMass``, which says how much of the picture's explanation is a dog at all.
///
/// A classifier that names its classes is taken at its word: those that are called as a breed is are that breed. One of
/// 120 classes that does not is taken to know the breeds in the order of ``DogBreed/all``, and nothing else.
public struct BreedClassifier: Sendable {
  /// What finds the classes.
  public let classifier: PictureClassifier

  /// How a picture becomes the network's input, and what that rests on.
  public var preparation: PicturePreparation { classifier.preparation }

  /// Reads a classifier, as ``PictureClassifier`` does.
  ///
  /// - Throws: ``PictureModelError`` for a model that does not take a picture, whose file is of no known network, or
  ///   that takes pictures of another size; ``FileError`` and the errors of the files' readers.
  public init(path: String, options: PictureClassifier.Options = .init()) throws {
    classifier = try PictureClassifier(path: path, options: options)
  }

  /// What is seen in a picture.
  /// - Throws: ``BreedError`` for a classifier of other classes; ``ClassScoringError`` for numbers that are not finite;
  ///   ``ClassLabelsError``, ``PictureModelError``, ``ImageError``, ``TensorError``, ``GraphError``.
  public func callAsFunction(_ image: Image<UInt8>) throws -> BreedPrediction {
    do {
      return try BreedPrediction(classifier(image))
    } catch let error as BreedError {
      throw BreedError("\(classifier.file): \(error)")
    }
  }
}

/// What a classifier says of a dog.
public struct BreedPrediction: Sendable, Hashable {
  /// The breeds, their probabilities adding up to one.
  public let ranking: BreedRanking
  /// The probability of all breeds together among all classes; nil for a classifier that knows no others.
  public let dogMass: Double?
  /// The probability of the likeliest of all classes, breeds or not.
  public let likeliest: Double

  /// Whether no class at all is likely.
  public var isFlat: Bool { likeliest < ClassPrediction.leastLikeliest }

  /// With a smaller ``dogMass`` there is probably no dog.
  public static let leastDogMass = 0.3

  /// Whether ``dogMass`` is at least ``leastDogMass``; true for a classifier that knows nothing but breeds.
  public var isDogLikely: Bool { dogMass.map { $0 >= Self.leastDogMass } ?? true }

  /// - Throws: ``BreedError`` for classes that are no breeds.
  public init(_ found: ClassPrediction) throws {
    let classes = try BreedClasses(found)
    let all = found.probabilities
    likeliest = found.likeliest
    let mass = classes.places.reduce(0) { $0 + all[$1] }
    dogMass = classes.areAll ? nil : min(mass, 1)
    ranking = try BreedRanking(
      labels: classes.labels,
      probabilities: classes.places.map { mass > 0 ? min(all[$0] / mass, 1) : 1 / Double(classes.places.count) })
  }

  /// - Parameter classes: a number for each class, which have no names.
  package init(classes: [Float]) throws {
    try self.init(ClassPrediction(ClassScoring().probabilities(classes), labels: nil))
  }
}
