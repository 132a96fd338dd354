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
    try BehaviorModelInfo(
      metadata: metadata, file: file, name: "behavior-classifier", windowLength: Self.windowLength)
  }
}

extension BehaviorModelInfo {
  /// Reads `model`, `labels`, `separable_labels` and `trained_on`; lists are separated by commas.
  ///
  /// - Parameters:
  ///   - file: what messages call the file.
  ///   - name: the model's where the metadata has none.
  /// - Throws: ``ModelFileError`` for labels that are not right.
  init(metadata: [String: String], file: String, name: String, windowLength: Int) throws {
    func list(_ key: String) -> [String]? {
      metadata[key].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
    do {
      try self.init(
        name: metadata["model"] ?? name, labels: list("labels") ?? DogBehavior.labels,
        trainedClasses: list("separable_labels"), windowLength: windowLength, trainingData: metadata["trained_on"])
    } catch {
      throw ModelFileError(file: file, reason: "\(error)")
    }
  }
}
