import Apus
import ApusGraph

/// How many numbers a model's file holds as initialisers, those of subgraphs included, and what room they take.
public struct ParameterCensus: Sendable {
  public struct Entry: Sendable {
    /// The name of the element type, `FLOAT`; a number for one that Apus does not know.
    public let type: String
    public internal(set) var tensors = 0
    public internal(set) var elements = 0
    public internal(set) var bytes = 0
  }

  /// By element type, what takes most room first.
  public let entries: [Entry]
  public let tensors: Int
  public let elements: Int
  public let bytes: Int
  /// The files beside the model's own that hold tensors.
  public let externalFiles: [String]

  public init(_ graph: GraphProto) {
    var counter = Counter()
    counter.add(graph)
    entries = counter.entries.values.sorted { ($1.bytes, $0.type) < ($0.bytes, $1.type) }
    (tensors, elements, bytes) = entries.reduce((0, 0, 0)) { sum, entry in
      (sum.0 + entry.tensors, sum.1.addingClamped(entry.elements), sum.2.addingClamped(entry.bytes))
    }
    externalFiles = counter.externalFiles.sorted()
  }

  private struct Counter {
    var entries: [Int32: Entry] = [:]
    var externalFiles: Set<String> = []

    mutating func add(_ graph: GraphProto) {
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
      // What the file claims need not be true: no sum may overflow.
      let elements = tensor.dims.reduce(1) { Int(clamping: $1).multipliedClamped(by: $0) }
      let name = type.map { "\($0)" } ?? "type \(tensor.elementType)"
      var entry = entries[tensor.elementType] ?? Entry(type: name)
      entry.tensors += 1
      entry.elements = entry.elements.addingClamped(elements)
      let bits = elements.multipliedClamped(by: type?.bitCount ?? 0)
      entry.bytes = entry.bytes.addingClamped(bits / 8 + (bits % 8 == 0 ? 0 : 1))
      entries[tensor.elementType] = entry
      if case .external(let data, _) = tensor.contents { externalFiles.insert(data.location) }
    }
  }
}
