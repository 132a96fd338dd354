/// Names that nothing has yet.
struct NewNames {
  private var taken: Set<String>

  init(besides names: [String]) { taken = Set(names) }

  /// Names for values of a graph. Those of its inner graphs are taken too, where the same name would be another value.
  init(besidesValuesOf graph: Graph) { self.init(besides: graph.allValueNames) }

  /// The name; with a number, where something has it.
  mutating func next(_ name: String) -> String {
    var (free, number) = (name, 0)
    while !taken.insert(free).inserted {
      number += 1
      free = "\(name).\(number)"
    }
    return free
  }
}

extension Graph {
  /// The names of all values, those of inner graphs included.
  fileprivate var allValueNames: [String] {
    values.map(\.name) + nodes.flatMap { $0.subgraphs.values.flatMap(\.allValueNames) }
  }
}
