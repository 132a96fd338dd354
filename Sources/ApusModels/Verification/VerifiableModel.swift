import Apus

/// A model whose outputs can be held against golden ones.
public protocol VerifiableModel<Scalar>: Sendable {
  associatedtype Scalar: FloatingPointScalar

  /// The names of the outputs, as golden files spell them.
  static var outputNames: [String] { get }

  /// All outputs for one input, by name.
  func outputs(for input: Tensor<Scalar>) throws -> [String: Tensor<Scalar>]
}

extension BehaviorClassifier: VerifiableModel {
  public static var outputNames: [String] { ["logits", "probabilities"] }

  public func outputs(for input: Tensor<Scalar>) throws -> [String: Tensor<Scalar>] {
    let logits = try logits(input)
    return ["logits": logits, "probabilities": try softmax(logits, axis: -1)]
  }
}
