import Apus
import ApusGraph

/// Which values of a program share memory in PyTorch, so that an operator that writes over one changes the others too.
struct Aliases {
  /// The node that gives a view, and what it is a view of.
  private(set) var sources: [String: (node: Int, name: String)] = [:]
  private var roots: [String: String] = [:]
  private var members: [String: [String]] = [:]
  /// The last node that reads each value; outputs are read after all nodes.
  private var lastRead: [String: Int] = [:]
  /// At how many values was looked.
  private var looks = 0

  init(_ graph: TorchGraph) {
    for (index, node) in graph.nodes.enumerated() {
      let reads = node.inputs.flatMap(\.argument.names)
      for name in reads { lastRead[name] = index }
      let target = OperatorTarget(node.target)
      guard target.isInPlace || Self.views.contains(target.name), let source = reads.first else { continue }
      let root = roots[source] ?? source
      for output in node.outputs.flatMap(\.names) {
        sources[output] = (index, source)
        roots[output] = root
        members[root, default: [root]].append(output)
      }
    }
    for name in graph.outputs.flatMap(\.names) { lastRead[name] = graph.nodes.count }
  }

  /// What a value is a view of in the end, or itself.
  func root(of name: String) -> String { roots[name] ?? name }

  /// What a value is a view of, whatever that is a view of, and so on, with the nodes that give the views.
  func chain(from name: String) -> [(node: Int, view: String, source: String)] {
    Array(
      sequence(state: name) { name in
        guard let source = sources[name] else { return nil }
        defer { name = source.name }
        return (source.node, name, source.name)
      })
  }

  /// Of what shares memory with `name` before node number `index` writes over it, what is read later, with all that lies
  /// between it and the root: in the order in which it is made.
  /// - Throws: ``OperatorError`` where so much shares memory and is written over that this would take long.
  mutating func readLater(than index: Int, sharing name: String) throws -> [String] {
    let all = members[root(of: name), default: []].prefix { sources[$0].map { $0.node < index } ?? true }
    looks += all.count
    guard looks < 10_000_000 else { throw OperatorError("too many views of values that are written over") }
    var wanted: Set<String> = []
    for other in all where other != name && lastRead[other] ?? -1 > index {
      var place: String? = other
      while let name = place, wanted.insert(name).inserted { place = sources[name]?.name }
    }
    return all.filter(wanted.contains)
  }

  private static let views: Set<String> = Set(
    [
      "alias", "as_strided", "chunk", "detach", "diagonal", "expand", "expand_as", "flatten", "movedim", "narrow",
      "permute", "reshape", "select", "slice", "split", "split_with_sizes", "squeeze", "swapaxes", "swapdims", "t",
      "tensor_split", "transpose", "unbind", "unflatten", "unfold", "unsqueeze", "view", "view_as", "contiguous", "to",
      "view_as_complex", "view_as_real", "real", "imag",
    ].map { "aten.\($0)" })

  /// Those that are copies where the elements do not lie as they would have to: which of both, the program does not say.
  static let copies: Set<String> = ["aten.contiguous", "aten.flatten", "aten.reshape", "aten.to"]
}
