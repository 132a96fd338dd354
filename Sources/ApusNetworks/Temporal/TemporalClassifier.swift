import Apus

/// A network that turns a sequence into one number for each class.
///
/// Sequences are `[batch, features, time]`, the oldest step first, of any length from 1 on. What a network looks like
/// is read from its parameters and, where they do not determine it, from a ``TemporalConfiguration``.
public protocol TemporalClassifier<Scalar>: Sendable {
  /// The type that the network computes in.
  associatedtype Scalar: FloatingPointScalar

  /// - Throws: ``WeightsError`` for a parameter that is missing, has another shape than its neighbours or the
  ///   configuration ask for, or has no place in the network; ``TensorError`` for a setting out of range.
  init(_ weights: Weights, configuration: TemporalConfiguration) throws

  /// Numbers at every step.
  var featureCount: Int { get }
  /// Numbers that a sequence becomes.
  var classCount: Int { get }

  /// What the last layer makes its choice from: `[batch, hidden]`.
  ///
  /// - Parameter sequence: `[batch, features, time]`, with at least one step.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  func features(_ sequence: Tensor<Scalar>) throws -> Tensor<Scalar>

  /// The classes' numbers before softmax, `[batch, classes]`, of ``features(_:)``.
  func logits(features: Tensor<Scalar>) throws -> Tensor<Scalar>
}

extension TemporalClassifier {
  /// The classes' numbers before softmax, `[batch, classes]`.
  ///
  /// - Parameter sequence: `[batch, features, time]`, with at least one step.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another shape.
  public func callAsFunction(_ sequence: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try logits(features: features(sequence))
  }

  /// Reads the network from a safetensors file, whose metadata may hold a ``TemporalConfiguration`` as JSON under
  /// `configuration`.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``; ``ModelFileError`` for a configuration that
  ///   cannot be read.
  public init(path: String) throws {
    let file = try SafetensorsFile(path: path)
    try self.init(
      Weights(file), configuration: TemporalConfiguration(metadata: file.metadata, file: file.name))
  }

  /// Refuses what is not a sequence for this network.
  func checkShape(of sequence: Tensor<Scalar>) throws {
    guard sequence.rank == 3, sequence.shape[1] == featureCount, sequence.shape[2] > 0 else {
      throw TensorError.shape(
        operation: "\(Self.self)",
        reason: "the sequence has the shape \(sequence.shape), where [batch, \(featureCount), time] with at least one "
          + "step was expected")
    }
  }
}

/// The layer that decides, and where it stands among the parameters: the only one that is a matrix by itself.
struct LinearHead<Scalar: FloatingPointScalar>: Sendable {
  let path: String
  let classCount: Int
  private let layer: Linear<Scalar>

  /// - Parameters:
  ///   - weights: where to look for it, whatever it is called.
  ///   - classes: how many classes there must be; `nil` takes as many as there are.
  init(_ weights: Weights, inputs: Int, classes: Int?) throws {
    let candidates = try weights.names.filter {
      try $0.hasSuffix(".weight") && weights.shape(of: $0).count == 2
    }
    // With none the usual name is missed; with several all but one are refused as belonging to no layer.
    path = String((candidates.first ?? "linear.weight").dropLast(".weight".count))
    classCount = try classes ?? weights[path].outputCount("weight", rank: 2)
    layer = try Linear(weights[path], inputs: inputs, outputs: classCount)
  }

  func callAsFunction(_ features: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try layer(features).observed(as: path)
  }
}

extension Weights {
  /// The scope in which there is a parameter called `name`, or one that begins so, as high up as there is one: "" or
  /// "encoder.rnn".
  package func scope(holding name: String) -> String? {
    let paths = names.compactMap { path -> String? in
      guard let found = path.firstRange(of: name) else { return nil }
      let scope = path[..<found.lowerBound]
      return scope.isEmpty || scope.hasSuffix(".") ? String(scope.dropLast()) : nil
    }
    return paths.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
  }
}
