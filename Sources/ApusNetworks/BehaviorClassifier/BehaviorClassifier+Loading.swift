import Apus
import FoundationEssentials

extension BehaviorClassifier {
  /// The file that ships, relative to the folder `Weights`.
  public static var shippedFile: String { "behavior/shipped/behavior-classifier.safetensors" }

  /// Reads the network from a safetensors file.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``.
  public init(path: String) throws {
    try self.init(SafetensorsFile(path: path))
  }

  /// Reads the network from a safetensors file.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``.
  public init(contentsOf url: URL) throws {
    try self.init(SafetensorsFile(contentsOf: url))
  }

  /// Reads the network from a safetensors file, whose metadata may list its labels: `labels`, separated by commas. What
  /// they say is not looked at here.
  public init(_ file: SafetensorsFile) throws {
    try self.init(Weights(file), metadata: file.metadata)
  }

  init(_ weights: Weights, metadata: [String: String]) throws {
    let labels = metadata["labels"]?.split(separator: ",", omittingEmptySubsequences: false)
    try self.init(weights, labelCount: labels?.count ?? Self.usualLabelCount)
  }
}
