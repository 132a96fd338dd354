import Apus
import ApusGraph

extension ModelProto {
  /// A model of some nodes of another.
  ///
  /// The values that are fed give the declared types of the part's inputs, what the part gives that of its output: the
  /// reference may have another shape there.
  /// - Parameter whole: the file that the nodes are of; nil for a model of another format, whose operators must be the
  ///   standard's.
  /// - Throws: ``GraphError/graph(_:)`` for nodes that cannot be written: two versions of one set of operators, operators
  ///   of Apus' own, graphs within functions.
  public init(_ part: ParityReduction, of whole: ModelProto?) throws {
    try self.init(
      part.graph, of: whole, name: whole?.graph.name ?? "part",
      types: (part.inputs.mapValues(\.type), part.outputTypes))
    producerName = "apus reduce"
  }

  /// A model as a file: its graph, and what its own file says besides.
  ///
  /// - Parameter whole: the file that the graph was made of; nil for a model of another format.
  /// - Throws: ``GraphError/graph(_:)`` for nodes that cannot be written, as above.
  public init(_ model: any GraphModel, of whole: ModelProto?) throws {
    try self.init(model.graph, of: whole, name: model.graph.name, types: ([:], [:]))
    guard let whole else {
      metadata = model.metadata.sorted { $0.key < $1.key }.map { StringStringEntry(key: $0.key, value: $0.value) }
      return
    }
    (domain, modelVersion, docString, metadata) = (whole.domain, whole.modelVersion, whole.docString, whole.metadata)
  }

  /// - Parameter types: what is known of inputs and outputs, by name, beyond what the graph declares.
  private init(
    _ graph: Graph, of whole: ModelProto?, name: String,
    types: (inputs: [String: GraphValueType], outputs: [String: GraphValueType])
  ) throws {
    if whole == nil, let own = graph.nodes.first(where: { $0.operatorName.domain == "apus" }) {
      throw GraphError.graph(
        "node '\(own.name)' is \(own.operatorName), which the ONNX standard does not have, so that it cannot be written "
          + "as .onnx")
    }
    let original = OriginalGraph(whole?.graph ?? GraphProto())
    var proto = GraphProto(name: name, docString: original.graph.docString, metadata: original.graph.metadata)
    var imports = OperatorImports(of: whole)
    for node in graph.nodes {
      try imports.add(node.operatorName.domain, version: Int64(node.opset))
      let written = try NodeProto(node, in: graph, originals: original.nodes)
      try imports.addGraphs(within: written)
      proto.nodes.append(written)
    }
    let read = Set(graph.nodes.flatMap(\.reads)).union(graph.outputs)
    for (id, value) in graph.constants.sorted(by: { $0.key < $1.key }) where read.contains(id) {
      proto.initializers.append(try original.initializer(graph.values[id].name, value))
    }
    proto.inputs = graph.inputs.filter { graph.constants[$0] == nil || read.contains($0) }.map { id in
      let name = graph.values[id].name
      return original.declaration(name, type: types.inputs[name] ?? graph.values[id].type)
    }
    proto.outputs = graph.outputs.map { id in
      let (name, declared) = (graph.values[id].name, graph.values[id].type)
      let expected = types.outputs[name] ?? declared
      // The model's own declaration of the element type counts; the reference may be of higher precision.
      guard case .tensor(let type?, _) = declared, case .tensor(_, let shape)? = expected else {
        return original.declaration(name, type: expected)
      }
      return original.declaration(name, type: .tensor(type, shape))
    }
    // Before version 4 of the format every initialiser is an input as well.
    self.init(
      irVersion: max(4, whole?.irVersion ?? 10), opsetImports: imports.opsets, graph: proto,
      functions: imports.functions)
  }
}

/// What a file has under the names that are written again.
private struct OriginalGraph {
  let graph: GraphProto
  /// By the names of what they give.
  let nodes: [String: NodeProto]
  private let initializers: [String: TensorProto]
  private let declarations: [String: ValueInfoProto]

  init(_ graph: GraphProto) {
    self.graph = graph
    nodes = Dictionary(
      graph.nodes.flatMap { node in node.outputs.map { ($0, node) } }, uniquingKeysWith: { first, _ in first })
    initializers = Dictionary(graph.initializers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    declarations = Dictionary(
      (graph.inputs + graph.outputs).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// A constant as the file has it, or, where it is another one, as it is.
  func initializer(_ name: String, _ value: GraphValue) throws -> TensorProto {
    if let stored = initializers[name], let known = try? stored.value(), try known.hasSameBits(as: value) {
      return stored
    }
    return try TensorProto(name: name, value: value)
  }

  /// An input or an output, with what the file says of it besides its type.
  func declaration(_ name: String, type: GraphValueType?) -> ValueInfoProto {
    var declaration = declarations[name] ?? ValueInfoProto(name: name)
    declaration.type = type
    return declaration
  }
}

extension NodeProto {
  /// A node as the file has it, or, when a function brought it, as the function does.
  fileprivate init(_ node: Node, in graph: Graph, originals: [String: NodeProto]) throws {
    let inputs = node.inputs.map { $0.map { graph.values[$0].name } ?? "" }
    let outputs = node.outputs.map { $0.map { graph.values[$0].name } ?? "" }
    if let original = outputs.first(where: { !$0.isEmpty }).flatMap({ originals[$0] }),
      original.outputs == outputs, original.inputs == inputs || !node.subgraphs.isEmpty,
      OperatorName(domain: original.domain, type: original.opType) == node.operatorName
    {
      self = original
      self.inputs = inputs
      try changeGraphs { attribute, inner in
        guard let subgraph = node.subgraphs[attribute] else { return inner }
        return try inner.renamingCaptures(subgraph.captureNames(in: graph))
      }
      return
    }
    guard node.subgraphs.isEmpty else {
      throw GraphError.graph(
        "node '\(node.name)' (\(node.operatorName)) has graphs of its own and is not the file's, so that it cannot be "
          + "written")
    }
    self.init(
      name: node.name, opType: node.operatorName.type, domain: node.operatorName.domain, inputs: inputs,
      outputs: outputs,
      attributes: try node.attributes.sorted { $0.key < $1.key }.map { try AttributeProto(name: $0.key, $0.value) })
  }
}

extension Graph {
  /// What values of the graph around this one are called there now, by the names that they have in here.
  fileprivate func captureNames(in outer: Graph) -> [String: String] {
    let names = captures.map { (values[$0.inner].name, outer.values[$0.outer].name) }
    return Dictionary(names.filter { $0 != $1 }, uniquingKeysWith: { first, _ in first })
  }
}
