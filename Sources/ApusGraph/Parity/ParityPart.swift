import Apus

/// The nodes of a model that lead to one value from values that are given.
struct ParityPart {
  /// The nodes' positions, in order.
  private(set) var steps: [Int] = []
  /// The values that are to be given: those that were cut, and inputs of the model.
  private(set) var boundary: [Graph.ValueID] = []
  /// What the nodes compute, the value itself included.
  private(set) var values: Set<Graph.ValueID> = []
  private var constants: Set<Graph.ValueID> = []
  private let target: Graph.ValueID

  /// - Parameters:
  ///   - cuts: values that nothing need lead to.
  ///   - given: the inputs of the model that have a value, those with a default included.
  init(of target: Graph.ValueID, cutting cuts: Set<Graph.ValueID>, given: Set<Graph.ValueID>, in check: ParityCheck) {
    self.target = target
    var open = [target]
    var seen: Set<Graph.ValueID> = [target]
    var steps: Set<Int> = []
    while let id = open.popLast() {
      if id != target, cuts.contains(id) {
        boundary.append(id)
      } else if let index = check.producers[id] {
        values.insert(id)
        guard steps.insert(index).inserted else { continue }
        for read in check.steps[index].node.reads where seen.insert(read).inserted { open.append(read) }
      } else if check.graph.constants[id] != nil, !given.contains(id) {
        constants.insert(id)
      } else {
        boundary.append(id)
      }
    }
    self.steps = steps.sorted()
    boundary.sort()
  }

  /// The part as a graph of its own: its inputs are the ``boundary``, its one output is the value.
  func graph(of check: ParityCheck) -> Graph {
    var graph = check.graph
    graph.nodes = steps.map { check.steps[$0].node }
    graph.inputs = boundary
    // They are of the whole graph's inputs.
    graph.inputRules = []
    graph.outputs = [target]
    graph.constants = graph.constants.filter { constants.contains($0.key) }
    return graph
  }
}
