/// A network written in Swift whose outputs can be held against golden ones, or against those of an exported model.
public protocol VerifiableModel<Scalar>: Sendable {
  /// The type that the model computes in.
  associatedtype Scalar: FloatingPointScalar

  /// Builds the model.
  ///
  /// - Parameter metadata: what the file of the weights says of them, or the golden file where weights are generated; a
  ///   configuration, where the model has one, is under `configuration`.
  /// - Throws: an error that names the parameter, the metadata or the argument that fits no such model.
  init(verifying weights: Weights, metadata: [String: String]) throws

  /// What goes in, in the order in which the network takes it in PyTorch: `[ExpectedInput()]` for one input of any shape.
  var expectedInputs: [ExpectedInput] { get }

  /// All outputs for one sample, by name.
  func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Scalar>]
}

/// An input of a ``VerifiableModel``.
public struct ExpectedInput: Sendable, Hashable {
  /// The name among ``SampleInputs``; empty for the input of a model that has one.
  public var name: String
  /// The extents, nil where any will do; nil where the rank is not known either.
  public var extents: [Int?]?
  /// Whether the model does without.
  public var isOptional: Bool

  /// The input of a model that has one, unless it is named.
  public init(_ name: String = "", extents: [Int?]? = nil, isOptional: Bool = false) {
    self.name = name
    self.extents = extents
    self.isOptional = isOptional
  }
}
