import Apus
import ApusGraph

extension GraphProto {
  /// An inner graph that reads values of the graphs around it under other names.
  ///
  /// - Parameter names: for names of values that are not its own, those that take their place.
  /// - Throws: ``GraphError/graph(_:)`` where a new name means a value of its own.
  func renamingCaptures(_ names: [String: String]) throws -> GraphProto {
    var own = Set(inputs.map(\.name)).union(nodes.flatMap(\.outputs))
    own.formUnion(initializers.map(\.name))
    own.formUnion(sparseInitializers.map(\.values.name))
    let names = names.filter { !own.contains($0.key) }
    if names.isEmpty { return self }
    if let taken = names.values.first(where: own.contains) {
      throw GraphError.graph(
        "graph '\(name)' has a value '\(taken)' of its own, which hides one that it would have to read")
    }
    var renamed = self
    renamed.nodes = try nodes.map { node in
      var node = node
      node.inputs = node.inputs.map { names[$0] ?? $0 }
      try node.changeGraphs { try $1.renamingCaptures(names) }
      return node
    }
    renamed.outputs = outputs.map { output in
      var output = output
      output.name = names[output.name] ?? output.name
      return output
    }
    return renamed
  }
}

extension NodeProto {
  /// Puts another graph in the place of each one within.
  /// - Parameter change: from the name of an attribute and its graph.
  mutating func changeGraphs(_ change: (_ attribute: String, GraphProto) throws -> GraphProto) rethrows {
    attributes = try attributes.map { attribute in
      var attribute = attribute
      switch attribute.value {
      case .graph(let graph): attribute.value = .graph(try change(attribute.name, graph))
      case .graphs(let graphs): attribute.value = .graphs(try graphs.map { try change(attribute.name, $0) })
      default: break
      }
      return attribute
    }
  }
}
