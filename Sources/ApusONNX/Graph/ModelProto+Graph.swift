import Apus
import ApusGraph

extension ModelProto {
  /// A model of some nodes of another.
  ///
  /// The values that are fed give the declared types of the part's inputs, the expected one that of its output.
  /// - Parameter whole: the file that the nodes are of; nil for a model of another format, whose operators must be the
  ///   standard's.
  /// - Throws: ``GraphError/graph(_:)`` for nodes that cannot be written: two versions of one set of operators, operators
  ///   of Apus' own, graphs within functions.
  public init(_ part: ParityReduction, of whole: ModelProto?) throws {
    try self.init(
      part.graph, of: whole, name: whole?.graph.name ?? "part",
      types: (part.inputs.mapValues(\.type), part.outputs.mapValues(\.type)))
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
    let originals = Dictionary(
      (whole?.graph.nodes ?? []).flatMap { node in node.outputs.map { ($0, node) } },
      uniquingKeysWith: { first, _ in first })
    let stored = Dictionary(
      (whole?.graph.initializers ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    if whole == nil, let own = graph.nodes.first(where: { $0.operatorName.domain == "apus" }) {
      throw GraphError.graph(
        "node '\(own.name)' is \(own.operatorName), which the ONNX standard does not have, so that it cannot be written "
          + "as .onnx")
    }
    var proto = GraphProto(name: name)
    var opsets: [String: Int] = [:]
    for node in graph.nodes {
      let domain = node.operatorName.domain
      if let version = opsets[domain], version != node.opset {
        throw GraphError.graph(
          "there are operators of versions \(version) and \(node.opset) of one set, which no model can say")
      }
      opsets[domain] = node.opset
      proto.nodes.append(try NodeProto(node, in: graph, originals: originals))
    }
    let read = Set(graph.nodes.flatMap(\.reads)).union(graph.outputs)
    for (id, value) in graph.constants.sorted(by: { $0.key < $1.key }) where read.contains(id) {
      let name = graph.values[id].name
      proto.initializers.append(try stored[name] ?? TensorProto(name: name, value: value))
    }
    proto.inputs = graph.inputs.filter { graph.constants[$0] == nil || read.contains($0) }.map { id in
      let name = graph.values[id].name
      return ValueInfoProto(name: name, type: types.inputs[name] ?? graph.values[id].type)
    }
    proto.outputs = graph.outputs.map { id in
      let (name, declared) = (graph.values[id].name, graph.values[id].type)
      let expected = types.outputs[name] ?? declared
      // The model's own declaration of the element type counts; the reference may be of higher precision.
      guard case .tensor(let type?, _) = declared, case .tensor(_, let shape)? = expected else {
        return ValueInfoProto(name: name, type: expected)
      }
      return ValueInfoProto(name: name, type: .tensor(type, shape))
    }
    self.init(
      irVersion: whole?.irVersion ?? 10,
      opsetImports: opsets.sorted { $0.key < $1.key }.map { OperatorSetID(domain: $0.key, version: Int64($0.value)) },
      graph: proto)
  }
}

extension NodeProto {
  /// A node as the file has it, or, when a function brought it, as the function does.
  fileprivate init(_ node: Node, in graph: Graph, originals: [String: NodeProto]) throws {
    let inputs = node.inputs.map { $0.map { graph.values[$0].name } ?? "" }
    let outputs = node.outputs.map { $0.map { graph.values[$0].name } ?? "" }
    if let original = outputs.first(where: { !$0.isEmpty }).flatMap({ originals[$0] }),
      original.inputs == inputs, original.outputs == outputs,
      OperatorName(domain: original.domain, type: original.opType) == node.operatorName
    {
      self = original
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
