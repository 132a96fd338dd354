import Apus
import ApusGraph

// What operators in place change. In the graph nothing is written over: what shares its memory with the changed value is made
// anew from it, as far as it is read later.

extension GraphBuilder {
  /// Makes what shares memory with `name` anew, after node number `index` wrote over it.
  ///
  /// A part is put into what it is a part of, and so on up to a value that is no view; then the other views are taken
  /// again.
  /// - Throws: ``OperatorError`` where it cannot be told what changed.
  mutating func followChange(of name: String, by index: Int) throws {
    let others = try aliases.readLater(than: index, sharing: name)
    guard !others.isEmpty else { return }
    guard !emitter.complexNames.contains(name), !others.contains(where: emitter.complexNames.contains) else {
      throw Self.unclear(name, others[0])
    }
    var known: Set<String> = [name]
    for (node, view, source) in aliases.chain(from: name) {
      try update(source, with: written(view, into: source, by: graph.nodes[node], others[0]))
      known.insert(source)
    }
    for other in others where !known.contains(other) {
      guard let source = aliases.sources[other] else { continue }
      let node = graph.nodes[source.node]
      let target = OperatorTarget(node.target)
      if target.isInPlace {
        emitter.names[other] = emitter.names[source.name]
      } else {
        guard !Aliases.copies.contains(target.name), let lowering = ProgramBuilder.lowering(of: target) else {
          throw Self.unclear(name, other)
        }
        let results = try lowering(Call(node: node, graph: graph, emitter: emitter))
        for (output, result) in zip(node.outputs.flatMap(\.names), results) where output == other {
          if let result { update(other, with: result) }
        }
      }
    }
  }

  private func update(_ name: String, with id: Graph.ValueID) {
    emitter.names[name] = id
    if let type = graph.tensors[name] { emitter.declare(id, type) }
  }

  /// `source` with what its view became.
  private func written(
    _ view: String, into source: String, by node: TorchNode, _ other: String
  ) throws -> Graph.ValueID {
    let target = OperatorTarget(node.target)
    // The operator that undoes the view, or puts a part where it was.
    var call = node
    call.outputs = [.tensor(source)]
    switch target.name {
    case _ where target.isInPlace || Aliases.same.contains(target.name):
      if let id = emitter.names[view] { return id }
    case "aten.slice", "aten.select":
      call.target = "torch.ops.\(target.name)_scatter.default"
      call.inputs.insert(("src", .tensor(view)), at: 1)
    case _ where Aliases.turns.contains(target.name): call.inputs[0].argument = .tensor(view)
    case "aten.movedim", "aten.moveaxis":
      call.inputs[0].argument = .tensor(view)
      guard call.inputs.count == 3 else { throw Self.unclear(view, other) }
      (call.inputs[1].argument, call.inputs[2].argument) = (call.inputs[2].argument, call.inputs[1].argument)
    case "aten.unsqueeze", "aten.squeeze", "aten.unflatten", "aten.view", "aten.view_as", "aten._unsafe_view",
      "aten.atleast_1d", "aten.atleast_2d", "aten.atleast_3d":
      call.target = "torch.ops.aten.view_as.default"
      call.inputs = [("self", .tensor(view)), ("other", .tensor(source))]
    case "aten.permute":
      let arguments = Call(node: node, graph: graph, emitter: emitter)
      let rank = try emitter.rank(arguments.x)
      let order = try arguments.ints("dims").map { try emitter.axis($0, rank: rank) }
      let inverse = order.indices.sorted { order[$0] < order[$1] }
      call.inputs = [("self", .tensor(view)), ("dims", .integers(inverse.map { .known($0) }))]
    default: throw Self.unclear(view, other)
    }
    guard let lowering = ProgramBuilder.lowering(of: OperatorTarget(call.target)),
      let result = try lowering(Call(node: call, graph: graph, emitter: emitter)).first ?? nil
    else { throw Self.unclear(view, other) }
    return result
  }

  private static func unclear(_ name: String, _ other: String) -> OperatorError {
    OperatorError(
      "it writes over '\(name)', which may share its memory with '\(other)'; decompose the program first: "
        + TorchError.decomposing)
  }
}
