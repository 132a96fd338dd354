import Apus
import ApusGraph

/// Writes the nodes of a graph: of a whole program, or of what one of its operators is called with.
struct GraphBuilder {
  let graph: TorchGraph
  let emitter: Emitter
  /// Which values share memory, so that what is written over is followed.
  var aliases: Aliases

  init(_ graph: TorchGraph, _ emitter: Emitter) {
    (self.graph, self.emitter) = (graph, emitter)
    aliases = Aliases(graph)
  }

  /// Writes all nodes, the names of whose inputs the emitter knows.
  /// - Returns: what the graph returns, in order.
  /// - Throws: ``TorchError/Reason``, `OperatorError`.
  mutating func write() throws -> [Graph.ValueID] {
    let inputs = Set(graph.inputs.flatMap(\.names))
    for (index, node) in graph.nodes.enumerated() {
      if OperatorTarget(node.target).isInPlace, let written = node.inputs.first?.argument.names.first,
        inputs.contains(aliases.root(of: written))
      {
        throw OperatorError("a graph within the program writes over '\(written)', which comes from outside")
      }
      try write(node, index)
    }
    return try graph.outputs.flatMap { output in
      let call = Call(node: TorchNode(output: output), graph: graph, emitter: emitter)
      if case .tensors = output { return try call.tensors() }
      return [try call.value()]
    }
  }

  /// Writes node number `index`.
  mutating func write(_ node: TorchNode, _ index: Int) throws {
    let name = OperatorTarget(node.target)
    if name.isCheck || Self.isOrderedCheck(node, name) { return }
    let isComplex = (node.inputs.flatMap(\.argument.names) + node.outputs.flatMap(\.names))
      .contains(where: emitter.complexNames.contains)
    guard
      let lowering = isComplex ? ProgramBuilder.complexLowering(of: name) : ProgramBuilder.lowering(of: name)
    else {
      throw TorchError.Reason.unsupported(
        at: "node '\(node.name)'", "the operator \(name)" + (isComplex ? " of complex numbers" : ""),
        advice: name.advice(isCore: emitter.isCore))
    }
    try TorchError.naming("node '\(node.name)' (\(name))") {
      emitter.operation = WrittenOperation(node.module.isEmpty ? node.name : "\(node.module)/\(node.name)")
      let firstNode = emitter.graph.nodes.count
      var results = try lowering(Call(node: node, graph: graph, emitter: emitter))
      if name.isInPlace { results = try keepingType(results, of: node) }
      let names = node.outputs.flatMap(\.places)
      guard results.count >= names.count else {
        throw OperatorError("it has \(names.count) outputs; \(results.count) are given")
      }
      for (name, result) in zip(names, results) {
        guard let result, let name else { continue }
        guard emitter.names[name] == nil else { throw OperatorError("the name '\(name)' is given to two values") }
        try emitter.bind(result, to: name, firstNode: firstNode)
        if let id = emitter.names[name], let type = graph.type(of: name) { emitter.declare(id, type) }
      }
      emitter.end(firstNode: firstNode)
      // What was changed in place is read under its old name as well.
      if name.isInPlace, let written = node.inputs.first?.argument.names.first, let result = names.first ?? nil {
        emitter.names[written] = emitter.names[result]
        try followChange(of: written, by: index)
      }
    }
  }

  /// What is written over keeps its element type, as where numbers are compared in place.
  private func keepingType(_ results: [Graph.ValueID?], of node: TorchNode) throws -> [Graph.ValueID?] {
    guard let first = results.first, let result = first, let name = node.outputs.first?.names.first,
      let kept = graph.tensors[name]?.elementType, let type = emitter.elementType(result), type != kept
    else { return results }
    return [try emitter.cast(result, to: kept)] + results.dropFirst()
  }

  /// Whether a call does nothing but run a check, in the order that the program gives.
  private static func isOrderedCheck(_ node: TorchNode, _ name: OperatorTarget) -> Bool {
    guard name.name == "higher_order.with_effects" else { return false }
    return node.inputs.contains { input in
      if case .operatorName(let called) = input.argument { OperatorTarget(called).isCheck } else { false }
    }
  }
}

extension TorchGraph {
  /// What is said of a tensor, or of a number that is known only when the program runs.
  func type(of name: String) -> TorchTensorType? { tensors[name] ?? (integers[name] != nil ? .integer : nil) }
}

extension TorchNode {
  /// What stands for something that a graph returns.
  init(output: TorchArgument) { inputs = [("value", output)] }
}

extension TorchError {
  /// What is wrong with what is written in `body` is wrong at `place`.
  static func naming<Result>(_ place: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error where error is OperatorError || error is TensorError || error is FileError {
      throw Reason.invalid(at: place, "\(error)")
    }
  }
}
