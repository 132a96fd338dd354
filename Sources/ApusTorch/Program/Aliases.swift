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
      guard target.isInPlace || Self.views.contains(target.name) else { continue }
      // Of several tensors, each is a view of its own.
      var viewed = (node.inputs.first?.argument.names ?? [])[...]
      let areSeveral = if case .tensors? = node.inputs.first?.argument { true } else { false }
      for output in node.outputs.flatMap(\.names) {
        guard let source = areSeveral ? viewed.popFirst() : viewed.first else { break }
        // Another element type is not made in place.
        if Self.copies.contains(target.name), let old = graph.tensors[source]?.scalar,
          let new = graph.tensors[output]?.scalar, old != new
        {
          continue
        }
        let root = roots[source] ?? source
        sources[output] = (index, source)
        roots[output] = root
        members[root, default: [root]].append(output)
      }
    }
    for name in graph.outputs.flatMap(\.names) { lastRead[name] = graph.nodes.count }
  }

  /// What a value is a view of in the end, or itself.
  func root(of name: String) -> String { roots[name] ?? name }

  /// Whether a value, or what shares memory with it, is read after node number `index`.
  func isRead(_ name: String, after index: Int) -> Bool {
    members[root(of: name), default: [name]].contains { lastRead[$0] ?? -1 > index }
  }

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
      "as_strided", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_tensors", "broadcast_to", "chunk", "diagonal",
      "dsplit", "expand", "expand_as", "hsplit", "imag", "linalg_diagonal", "meshgrid", "moveaxis", "movedim", "narrow",
      "permute", "select", "slice", "split", "split_with_sizes", "squeeze", "swapaxes", "swapdims", "tensor_split",
      "transpose", "unbind", "unflatten", "unfold", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes",
      "unsqueeze", "view", "_unsafe_view", "view_as", "view_as_complex", "view_as_real", "vsplit",
    ].map { "aten.\($0)" }
  ).union(turns).union(same).union(copies)

  /// Views whose last two axes, or all, are in the opposite order: what undoes one is the same again.
  static let turns: Set<String> = Set(
    ["adjoint", "mH", "mT", "matrix_H", "numpy_T", "t", "transpose", "swapaxes", "swapdims"].map { "aten.\($0)" })

  /// What gives its argument itself: what would drop elements in training among it, and what concerns complex numbers.
  static let same: Set<String> = Set(
    [
      "alias", "alpha_dropout", "conj", "_conj", "conj_physical", "detach", "dropout", "feature_alpha_dropout",
      "feature_dropout", "lift", "lift_fresh", "positive", "real", "requires_grad", "resolve_conj", "resolve_neg",
    ].map { "aten.\($0)" })

  /// Those that are copies where the elements do not lie as they would have to: which of both, the program does not say.
  static let copies: Set<String> = Set(
    ["contiguous", "flatten", "ravel", "reshape", "reshape_as", "_reshape_alias", "to", "type_as"].map { "aten.\($0)" })
}
