import Apus
import ApusMotion

/// A model that ships with the package: where its files are, and how to check it.
public struct ShippedModel: Sendable {
  /// What the command line calls it.
  public let name: String
  /// The weights, relative to the folder `Weights`.
  public let weights: String
  /// The golden samples, relative to the folder `Weights`.
  public let golden: String
  private let run: @Sendable (SafetensorsFile, GoldenSamples, DataType, String, Tolerance?) throws -> [Verification]

  /// Every one of them.
  public static let all = [
    ShippedModel(
      name: "behavior-classifier", weights: BehaviorClassifier<Float>.fileName, golden: "samples/golden.safetensors"
    ) { file, golden, dataType, name, tolerance in
      dataType == .float64
        ? try Verification.run(BehaviorClassifier<Double>(file), named: name, on: golden, tolerance: tolerance)
        : try Verification.run(BehaviorClassifier<Float>(file), named: name, on: golden, tolerance: tolerance)
    }
  ]

  /// The element types a model is verified in.
  public static let verifiedTypes = [DataType.float32, .float64]

  /// Holds the model against its golden samples.
  ///
  /// - Parameters:
  ///   - weights: the path of other weights than those that ship.
  ///   - golden: the path of other golden samples.
  ///   - tolerance: `nil` takes ``Verification/tolerance(for:)``.
  /// - Returns: an entry for each element type and output.
  public func verify(
    weights: String? = nil, golden: String? = nil, tolerance: (DataType) -> Tolerance? = { _ in nil }
  ) throws -> [Verification] {
    let locator = WeightsLocator()
    let file = try SafetensorsFile(path: weights ?? locator.path(of: self.weights))
    let samples = try GoldenSamples(path: golden ?? locator.path(of: self.golden))
    return try Self.verifiedTypes.flatMap { try run(file, samples, $0, name, tolerance($0)) }
  }
}

extension BehaviorClassifier {
  /// The classifier that ships, found by ``WeightsLocator``.
  ///
  /// - Parameter weights: a file, or a folder laid out as `Weights` is, to take instead.
  /// - Throws: ``WeightsLocatorError`` when it is nowhere to be found.
  public static func shipped(weights: String? = nil) throws -> BehaviorClassifier {
    try BehaviorClassifier(path: WeightsLocator(chosen: weights).path(of: fileName))
  }
}
