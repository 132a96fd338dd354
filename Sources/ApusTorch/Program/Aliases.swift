import Apus
import ApusGraph

/// Which values of a program share memory in PyTorch, so that an operator that writes over one changes the others too.
///
/// In the graph nothing is written over. What is changed in place may be read later under its own name alone; where a
/// view of it is, or what it is a view of, the program has to be decomposed first, which makes plain operators of it.
struct Aliases {
  /// What each view is a view of, followed to the end.
  private var roots: [String: String] = [:]
  private var members: [String: [String]] = [:]
  /// The last node that reads each value; outputs are read after all nodes.
  private var lastRead: [String: Int] = [:]

  init(_ graph: TorchGraph) {
    for (index, node) in graph.nodes.enumerated() {
      let reads = node.inputs.flatMap(\.argument.names)
      for name in reads { lastRead[name] = index }
      let target = OperatorTarget(node.target)
      guard target.isInPlace || Self.views.contains(target.name), let source = reads.first else { continue }
      let root = roots[source] ?? source
      for output in node.outputs.flatMap(\.names) {
        roots[output] = root
        members[root, default: [root]].append(output)
      }
    }
    for name in graph.outputs.flatMap(\.names) { lastRead[name] = graph.nodes.count }
  }

  /// - Throws: ``OperatorError`` where others see what `node` changes.
  func checkChange(by node: TorchNode, at index: Int) throws {
    guard let name = node.inputs.first?.argument.names.first, let all = members[roots[name] ?? name] else { return }
    // Those that come after what the node gives are views of the changed value.
    let results = node.outputs.flatMap(\.names)
    for other in all.prefix(while: { !results.contains($0) }) where other != name && lastRead[other] ?? -1 > index {
      throw OperatorError(
        "it writes over '\(name)', which shares its memory with '\(other)'; decompose the program first: "
          + "torch.export.save(torch.export.load(\"model.pt2\").run_decompositions(), \"core.pt2\")")
    }
  }

  private static let views: Set<String> = Set(
    [
      "alias", "as_strided", "chunk", "detach", "diagonal", "expand", "expand_as", "flatten", "movedim", "narrow",
      "permute", "reshape", "select", "slice", "split", "split_with_sizes", "squeeze", "swapaxes", "swapdims", "t",
      "tensor_split", "transpose", "unbind", "unflatten", "unfold", "unsqueeze", "view", "view_as", "contiguous", "to",
    ].map { "aten.\($0)" })
}
