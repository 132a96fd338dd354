import Apus

extension InferenceSession {
  /// An input or output of a model.
  public struct Port: Sendable, Hashable {
    /// The value's name in the model; the key of ``InferenceSession/run(_:fetching:)``.
    public let name: String
    /// What the model declares of it; nil where it declares nothing.
    public let type: GraphValueType?
    /// Whether an input may be omitted: the model has a value for it.
    public let hasDefault: Bool

    /// The element type of a tensor, where the model declares it.
    public var elementType: ElementType? {
      guard case .tensor(let elementType, _)? = type else { return nil }
      return elementType
    }

    /// The extents of a tensor, where the model declares its rank; nil for those that it leaves open.
    public var shape: [Int?]? {
      guard case .tensor(_, let dimensions?)? = type else { return nil }
      return dimensions.map(\.extent)
    }
  }

  /// What the model takes, in its own order.
  public var inputs: [Port] {
    let graph = model.graph
    return graph.inputs.map { id in
      Port(name: graph.values[id].name, type: graph.values[id].type, hasDefault: graph.constants[id] != nil)
    }
  }

  /// What the model gives, in its own order.
  public var outputs: [Port] {
    let graph = model.graph
    return graph.outputs.map { Port(name: graph.values[$0].name, type: graph.values[$0].type, hasDefault: false) }
  }
}

extension GraphValue {
  /// The tensor, when its elements are of type `Scalar`; nil otherwise.
  ///
  /// ```swift
  /// if let logits = outputs["logits"]?.tensor(of: Float.self) { … }
  /// ```
  public func tensor<Scalar: TensorScalar>(of type: Scalar.Type) -> Tensor<Scalar>? {
    guard case .tensor(let any) = self else { return nil }
    return any.tensor(of: type)
  }
}
