import Apus

/// A network as a list of nodes: what a `GraphProto` says, with names resolved to numbers and functions written out.
///
/// Nodes are in an order in which they can run. A subgraph is a graph of its own; the values that it reads from the
/// graph around it are its ``captures``.
public struct Graph: Sendable {
  /// The number of a value within its graph: an index of ``values``.
  package typealias ValueID = Int

  /// A value's name and what the model declares of it.
  package struct ValueInfo: Sendable {
    package var name: String
    package var type: GraphValueType?
  }

  /// A value of the surrounding graph, and what it is called in here.
  package struct Capture: Sendable {
    package var outer: ValueID
    package var inner: ValueID

    package init(outer: ValueID, inner: ValueID) {
      self.outer = outer
      self.inner = inner
    }
  }

  package var name: String
  package var values: [ValueInfo] = []
  /// The declared inputs, those with a default value (``constants``) included.
  package var inputs: [ValueID] = []
  package var outputs: [ValueID] = []
  /// What is known before anything runs: initialisers, and what passes have computed.
  package var constants: [ValueID: GraphValue] = [:]
  package var nodes: [Node] = []
  package var captures: [Capture] = []
  /// What is asked of the inputs beyond their types.
  package var inputRules: [InputRule] = []

  package init(name: String) {
    self.name = name
  }
}

/// An operator's name: `Conv` of the standard (domain `""`), `FusedMatMul` of `com.microsoft`.
public struct OperatorName: Sendable, Hashable {
  /// The set of operators it belongs to; empty for the standard's own, never `ai.onnx`.
  public var domain: String
  /// The operator within its set, such as `Conv`.
  public var type: String

  /// - Parameter domain: `ai.onnx` is the same as the empty domain.
  public init(domain: String = "", type: String) {
    self.domain = domain == "ai.onnx" ? "" : domain
    self.type = type
  }
}

extension OperatorName: CustomStringConvertible {
  /// `Conv` in the standard's domain, `com.microsoft.FusedMatMul` in another.
  public var description: String { domain.isEmpty ? type : "\(domain).\(type)" }
}

/// One operation of a graph.
///
/// A value in memory of its own, which copies share, and which is made anew where one of them is changed: passes copy nodes
/// all the time, and change few.
package struct Node: Sendable {
  private struct Fields: Sendable {
    var name: String
    var operatorName: OperatorName
    var opset: Int
    var inputs: [Graph.ValueID?]
    var outputs: [Graph.ValueID?]
    var attributes: [String: AttributeValue]
    var subgraphs: [String: Graph]
    var computesInFloat64 = false
    var activation = Activation.identity
    var parts: [Node] = []
  }

  private final class Storage: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  private var storage: Storage

  package init(
    name: String, operatorName: OperatorName, opset: Int, inputs: [Graph.ValueID?], outputs: [Graph.ValueID?],
    attributes: [String: AttributeValue] = [:], subgraphs: [String: Graph] = [:]
  ) {
    storage = Storage(
      Fields(
        name: name, operatorName: operatorName, opset: opset, inputs: inputs, outputs: outputs, attributes: attributes,
        subgraphs: subgraphs))
  }

  private var fields: Fields {
    _read { yield storage.fields }
    _modify {
      var changed = storage.fields
      defer { storage = Storage(changed) }
      yield &changed
    }
  }

  /// The node's name in the file, or one made from its operator and position.
  package var name: String {
    get { fields.name }
    set { fields.name = newValue }
  }
  package var operatorName: OperatorName {
    get { fields.operatorName }
    set { fields.operatorName = newValue }
  }
  /// The version of the operator set in effect for this operator's domain.
  package var opset: Int {
    get { fields.opset }
    set { fields.opset = newValue }
  }
  /// nil where an optional input is omitted.
  package var inputs: [Graph.ValueID?] {
    get { fields.inputs }
    _modify { yield &fields.inputs }
  }
  /// nil where an optional output is not wanted.
  package var outputs: [Graph.ValueID?] {
    get { fields.outputs }
    _modify { yield &fields.outputs }
  }

  /// Input `index`; nil where it is omitted, or where there are fewer.
  package func input(_ index: Int) -> Graph.ValueID? {
    fields.inputs.indices.contains(index) ? fields.inputs[index] : nil
  }

  /// Output `index`; nil where it is not wanted, or where there are fewer.
  package func output(_ index: Int) -> Graph.ValueID? {
    fields.outputs.indices.contains(index) ? fields.outputs[index] : nil
  }

  package var attributes: [String: AttributeValue] {
    get { fields.attributes }
    _modify { yield &fields.attributes }
  }
  /// The attributes that are graphs.
  package var subgraphs: [String: Graph] {
    get { fields.subgraphs }
    _modify { yield &fields.subgraphs }
  }
  /// Whether what the operator gives as FLOAT, whatever goes in, is to be DOUBLE.
  package var computesInFloat64: Bool {
    get { fields.computesInFloat64 }
    set { fields.computesInFloat64 = newValue }
  }
  /// The epilogue applied to the first output: put here by passes, for operators that can do it while the result is
  /// in the cache (``Fusion/appliesActivation``).
  package var activation: Activation {
    get { fields.activation }
    set { fields.activation = newValue }
  }
  /// The nodes that this one does the work of, first to last, when passes have made one of several.
  package var parts: [Node] {
    get { fields.parts }
    _modify { yield &fields.parts }
  }

  /// Every value that running the node reads: its inputs, and what its subgraphs capture.
  package var reads: [Graph.ValueID] {
    var result: [Graph.ValueID] = []
    forEachRead { result.append($0) }
    return result
  }

  /// Reads other values: for each that it reads now the one that `other` gives, or that one still where it gives none.
  mutating func redirectReads(_ other: (Graph.ValueID) -> Graph.ValueID?) {
    inputs = inputs.map { input in input.map { other($0) ?? $0 } }
    for name in subgraphs.keys {
      for position in subgraphs[name]?.captures.indices ?? 0..<0 {
        guard let outer = subgraphs[name]?.captures[position].outer, let new = other(outer) else { continue }
        subgraphs[name]?.captures[position].outer = new
      }
    }
  }

  /// The same as ``reads`` one by one, without a list of them: passes ask every node.
  func forEachRead(_ body: (Graph.ValueID) -> Void) {
    for case let value? in inputs { body(value) }
    for subgraph in subgraphs.values { for capture in subgraph.captures { body(capture.outer) } }
  }
}

extension Graph {
  /// The value called `name`; the first, should functions have brought several.
  package func value(named name: String) -> ValueID? {
    values.firstIndex { $0.name == name }
  }

  /// Adds a value, named for messages and for ``InferenceSession/run(_:fetching:)``.
  package mutating func addValue(named name: String, type: GraphValueType? = nil) -> ValueID {
    values.append(ValueInfo(name: name, type: type))
    return values.count - 1
  }

  /// The inputs of `node` that are known before anything runs, by their positions.
  func knownInputs(of node: Node) -> [Int: GraphValue] {
    var known: [Int: GraphValue] = [:]
    for (position, input) in node.inputs.enumerated() {
      if let input, let value = constants[input] { known[position] = value }
    }
    return known
  }

  /// Whether the first output of `node` is one of the graph's.
  func isResult(of node: Node) -> Bool { node.outputs.first.flatMap { $0 }.map(outputs.contains) ?? false }

  /// The inputs that have no default and must be given.
  package var requiredInputs: [ValueID] { inputs.filter { constants[$0] == nil } }
}

extension Graph {
  /// The subgraph with the constants of the graph around it as its own.
  func closed(in graph: Graph) -> Graph {
    var closed = self
    for capture in captures {
      if let value = graph.constants[capture.outer] { closed.constants[capture.inner] = value }
    }
    return closed
  }
}

extension Graph {
  /// Adds node, operator and operands to what `body` throws.
  func naming<Result>(_ node: Node, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as GraphError {
      throw error
    } catch {
      throw failure(of: node, "\(error)")
    }
  }

  /// That a node cannot be run, with its operands by name, and by type where that is known.
  func failure(of node: Node, _ reason: String, type: (Int) -> GraphValueType? = { _ in nil }) -> GraphError {
    let inputs = node.inputs.enumerated().map { index, id in
      guard let id else { return "—" }
      return "'\(values[id].name)'" + (type(index).map { " \($0)" } ?? "")
    }
    return .node(NodeFailure(node: node.name, operatorName: node.operatorName, inputs: inputs, reason: reason))
  }
}
