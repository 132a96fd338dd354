import Apus

/// A model whose outputs can be held against golden ones.
public protocol VerifiableModel<Scalar>: Sendable {
  /// The type that the model computes in.
  associatedtype Scalar: FloatingPointScalar

  /// Builds the model.
  ///
  /// - Parameter metadata: what the file of the weights says of them, or the golden file where weights are generated; a
  ///   configuration, where the model has one, is under `configuration`.
  /// - Throws: ``WeightsError``, ``ModelFileError``, ``TensorError``.
  init(verifying weights: Weights, metadata: [String: String]) throws

  /// All outputs for one sample, by name.
  func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Scalar>]
}
