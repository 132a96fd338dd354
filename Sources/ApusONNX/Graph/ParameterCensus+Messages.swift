import Apus
import ApusGraph

extension ParameterCensus {
  /// Counts the initialisers of a graph, those of subgraphs included.
  init(_ graph: GraphProto) {
    self.init()
    add(graph)
  }

  private mutating func add(_ graph: GraphProto) {
    for tensor in graph.initializers { add(tensor) }
    for tensor in graph.sparseInitializers { add(tensor.values) }
    for node in graph.nodes {
      for attribute in node.attributes {
        switch attribute.value {
        case .graph(let graph): add(graph)
        case .graphs(let graphs): for graph in graphs { add(graph) }
        default: break
        }
      }
    }
  }

  private mutating func add(_ tensor: TensorProto) {
    let type = ElementType(rawValue: tensor.elementType)
    var file: String?
    if case .external(let data, _) = tensor.contents { file = data.location }
    add(
      type: type.map { "\($0)" } ?? "type \(tensor.elementType)", shape: tensor.dims.lazy.map { Int(clamping: $0) },
      bits: type?.bitCount ?? 0, file: file)
  }
}
