import Apus
import ApusMotion
import FoundationEssentials

extension BehaviorClassifier {
  /// The file that ships, relative to the folder `Weights`.
  public static var fileName: String { "behavior-classifier.safetensors" }

  /// Reads the model from a safetensors file.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``; ``ModelFileError`` for labels that are not right.
  public init(path: String) throws {
    try self.init(SafetensorsFile(path: path))
  }

  /// Reads the model from a safetensors file.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``; ``ModelFileError`` for labels that are not right.
  public init(contentsOf url: URL) throws {
    try self.init(SafetensorsFile(contentsOf: url))
  }

  /// Reads the model from a safetensors file whose metadata describes it: `labels`, and `separable_labels`, the ones
  /// that were training targets, separated by commas; `trained_on`. Without them the labels are those of
  /// ``DogBehavior``.
  public init(_ file: SafetensorsFile) throws {
    try self.init(Weights(file), info: Self.info(metadata: file.metadata, file: file.name))
  }

  /// What `metadata` says of the model.
  static func info(metadata: [String: String], file: String) throws -> BehaviorModelInfo {
    func list(_ key: String) -> [String]? {
      metadata[key].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
    do {
      return try BehaviorModelInfo(
        name: metadata["model"] ?? "behavior-classifier", labels: list("labels") ?? DogBehavior.labels,
        trainedClasses: list("separable_labels"), windowLength: Self.windowLength, trainingData: metadata["trained_on"])
    } catch {
      throw ModelFileError(file: file, reason: "\(error)")
    }
  }
}
