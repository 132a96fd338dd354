import Apus

/// A network as a list of nodes: what a `GraphProto` says, with names resolved to numbers and functions written out.
///
/// Nodes are in an order in which they can run. A subgraph is a graph of its own; the values that it reads from the
/// graph around it are its ``captures``.
public struct Graph: Sendable {
  /// The number of a value within its graph: an index of ``values``.
  public typealias ValueID = Int

  /// A value's name and what the model declares of it.
  public struct ValueInfo: Sendable {
    public var name: String
    public var type: ValueType?
  }

  /// A value of the surrounding graph, and what it is called in here.
  public struct Capture: Sendable {
    public var outer: ValueID
    public var inner: ValueID

    public init(outer: ValueID, inner: ValueID) {
      self.outer = outer
      self.inner = inner
    }
  }

  public var name: String
  public var values: [ValueInfo] = []
  /// The declared inputs, those with a default value (``constants``) included.
  public var inputs: [ValueID] = []
  public var outputs: [ValueID] = []
  /// What is known before anything runs: initialisers, and what passes have computed.
  public var constants: [ValueID: Value] = [:]
  public var nodes: [Node] = []
  public var captures: [Capture] = []

  public init(name: String) {
    self.name = name
  }
}

/// An operator's name: `Conv` of the standard (domain `""`), `FusedMatMul` of `com.microsoft`.
public struct OperatorName: Sendable, Hashable {
  public var domain: String
  public var type: String

  /// - Parameter domain: `ai.onnx` is the same as the empty domain.
  public init(domain: String = "", type: String) {
    self.domain = domain == "ai.onnx" ? "" : domain
    self.type = type
  }
}

extension OperatorName: CustomStringConvertible {
  public var description: String { domain.isEmpty ? type : "\(domain).\(type)" }
}

/// One operation of a graph.
public struct Node: Sendable {
  /// The node's name in the file, or one made from its operator and position.
  public var name: String
  public var operatorName: OperatorName
  /// The version of the operator set in effect for this operator's domain.
  public var opset: Int
  /// nil where an optional input is left out.
  public var inputs: [Graph.ValueID?]
  /// nil where an optional output is not wanted.
  public var outputs: [Graph.ValueID?]
  public var attributes: [String: AttributeValue]
  /// The attributes that are graphs.
  public var subgraphs: [String: Graph] = [:]
  /// Whether what the operator gives as FLOAT, whatever goes in, is to be DOUBLE.
  public var computesInFloat64 = false
  /// What the first output goes through at last: put here by passes, for operators that can do it while the result is
  /// in the cache (``OperatorDefinition/appliesActivation``).
  public var activation = Activation.identity
  /// The nodes that this one does the work of, first to last, when passes have made one of several.
  public var parts: [Node] = []

  public init(
    name: String, operatorName: OperatorName, opset: Int, inputs: [Graph.ValueID?], outputs: [Graph.ValueID?],
    attributes: [String: AttributeValue] = [:], subgraphs: [String: Graph] = [:]
  ) {
    self.name = name
    self.operatorName = operatorName
    self.opset = opset
    self.inputs = inputs
    self.outputs = outputs
    self.attributes = attributes
    self.subgraphs = subgraphs
  }

  /// Every value that running the node reads: its inputs, and what its subgraphs capture.
  public var reads: [Graph.ValueID] {
    let own = inputs.compactMap { $0 }
    return subgraphs.isEmpty ? own : own + subgraphs.values.flatMap { $0.captures.map(\.outer) }
  }
}

extension Graph {
  /// The value called `name`; the first, should functions have brought several.
  public func value(named name: String) -> ValueID? {
    values.firstIndex { $0.name == name }
  }

  /// Adds a value, named for messages and for ``Session/run(_:fetching:)``.
  public mutating func addValue(named name: String, type: ValueType? = nil) -> ValueID {
    values.append(ValueInfo(name: name, type: type))
    return values.count - 1
  }

  /// The inputs that have no default and must be given.
  public var requiredInputs: [ValueID] { inputs.filter { constants[$0] == nil } }
}
