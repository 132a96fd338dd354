import Apus

/// A model that `apus verify` knows: where its weights and golden samples are, and how to check it.
///
/// The weights of a model that was trained ship with the package. Those of a network that shows what a family computes
/// are made by a formula that its golden file states, so that a file of a hundred megabytes need not ship.
public struct ShippedModel: Sendable {
  /// What the command line calls it.
  public let name: String
  /// The weights, relative to the folder `Weights`; `nil` where the golden file says how they are made.
  public let weights: String?
  /// The golden samples, relative to the folder `Weights`.
  public let golden: String
  /// The network in float32.
  public let single: any VerifiableModel<Float>.Type
  /// The network in float64.
  public let double: any VerifiableModel<Double>.Type
  /// Whether weights say everything of the network: what the golden file says is of its own weights alone.
  private let isReadFromWeights: Bool

  init(
    name: String, weights: String? = nil, golden: String? = nil,
    single: any VerifiableModel<Float>.Type, double: any VerifiableModel<Double>.Type, isReadFromWeights: Bool = false
  ) {
    self.name = name
    self.weights = weights
    self.golden = golden ?? "reference/golden/\(name).safetensors"
    self.single = single
    self.double = double
    self.isReadFromWeights = isReadFromWeights
  }

  /// The element types a model is verified in.
  public static let verifiedTypes = [DataType.float32, .float64]
}

extension ShippedModel {
  /// Holds the model against its golden samples.
  ///
  /// - Parameters:
  ///   - weights: the path of other weights than those that ship.
  ///   - golden: the path of other golden samples.
  ///   - tolerance: the tolerance of an output, given the model's type and ``Verification/tolerance(for:magnitude:)``.
  /// - Returns: an entry for each element type and output.
  /// - Throws: ``GoldenError``, and what the network throws for weights that do not fit it.
  public func verify(
    weights: String? = nil, golden: String? = nil, types: [DataType] = verifiedTypes,
    tolerance: (DataType, Tolerance) -> Tolerance = { $1 }
  ) throws -> [Verification] {
    let samples = try goldenSamples(path: golden)
    let parameters = try self.parameters(path: weights, samples)
    return try types.flatMap { type in
      type == .float64
        ? try run(double, parameters, samples, tolerance) : try run(single, parameters, samples, tolerance)
    }
  }

  /// The golden samples, those at `path` or those that ship.
  public func goldenSamples(path: String? = nil) throws -> GoldenSamples {
    try GoldenSamples(path: path ?? WeightsLocator().path(of: golden))
  }

  /// The model in float32, with its own weights or those of the safetensors file at `weights`.
  public func model(weights: String? = nil) throws -> any VerifiableModel<Float> {
    let parameters = try parameters(path: weights)
    return try single.init(verifying: parameters.weights, metadata: parameters.metadata)
  }

  /// The files that ``verify(weights:golden:types:tolerance:)`` and ``parameters(path:)`` read, as far as they are there.
  package func files(weights: String? = nil, golden: String? = nil) -> [String] {
    let locator = WeightsLocator()
    let parameters = weights ?? self.weights.flatMap { try? locator.path(of: $0) }
    return [parameters, golden ?? (try? locator.path(of: self.golden))].compactMap(\.self)
  }

  /// Weights, and what their file says of them.
  public typealias Parameters = (weights: Weights, metadata: [String: String])

  /// What the network is built from: the safetensors file at `path`, or what it is verified with.
  ///
  /// ```swift
  /// let (weights, metadata) = try model.parameters(path: "resnet50.safetensors")
  /// let network = try model.single.init(verifying: weights, metadata: metadata)
  /// ```
  ///
  /// - Throws: ``FileError``, ``SafetensorsError``, ``GoldenError``.
  public func parameters(path: String? = nil) throws -> Parameters { try parameters(path: path, goldenSamples()) }

  private func parameters(path: String?, _ samples: GoldenSamples) throws -> Parameters {
    if path == nil, weights == nil, let generated = try samples.generatedWeights {
      return (generated, samples.metadata)
    }
    guard let path = try path ?? weights.map({ try WeightsLocator().path(of: $0) }) else {
      throw GoldenError(
        file: samples.name, reason: .badMetadata("parameters", "it is missing, and no weights were given"))
    }
    let file = try SafetensorsFile(path: path)
    // A file of bare weights may leave the description to the golden file.
    let description = isReadFromWeights ? [:] : samples.metadata
    return (Weights(file), description.merging(file.metadata) { _, own in own })
  }

  private func run<Model: VerifiableModel>(
    _ type: Model.Type, _ parameters: Parameters, _ samples: GoldenSamples,
    _ tolerance: (DataType, Tolerance) -> Tolerance
  ) throws -> [Verification] {
    let model = try type.init(verifying: parameters.weights, metadata: parameters.metadata)
    return try Verification.run(model, named: name, on: samples, tolerance: tolerance)
  }
}
