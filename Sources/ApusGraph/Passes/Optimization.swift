import Apus

extension Graph {
  /// The graph as it runs fastest. With `exact` precision every output stays the same, bit for bit.
  ///
  /// - Parameter isWhole: whether this is the model's graph and no subgraph.
  func optimized(_ precision: Execution.Precision, isWhole: Bool = true) throws -> Graph {
    // Matrices in pieces first: folding would join them.
    var graph = try withoutDeadNodes().inliningConstants().withoutIdentities(isWhole: isWhole)
      .readingUnchangedStates().expandingWeights().fusingLinear(precision)
    if isWhole { graph = try graph.foldingShapes() }
    graph = try graph.foldingConstants().withoutRepeatedNodes().countingTurns().withoutUnreadStates()
      .namingUnitAxes(isWhole: isWhole).withoutOpposedTranspositions(precision, isWhole: isWhole)
      .withoutOpposedUnitAxes(isWhole: isWhole).fusingPadding()
      .fusingLinear(precision).foldingScales(precision).movingBytes().fusingPadding()
    try TimeLimit.check()
    if precision == .fast, graph.hasNode("ReduceMean", "Softmax") {
      let types = try graph.inference(isWhole: isWhole).types
      graph = graph.fusingLayerNorm(types).fusingAttention(types)
    }
    graph = try graph.fusingRectifiers(precision).fusingGELU(precision).fusingHardActivations().fusingNaNReplacement()
      .fusingMaskedSoftmax()
    if isWhole { graph = try graph.fusingMovements() }
    graph = graph.fusingIntegerScales().fusingNormalizations().fusingActivations(precision).fusingQuantization()
      .fusingElementwise().withoutUnreadOutputs()
    for index in graph.nodes.indices {
      for (name, subgraph) in graph.nodes[index].subgraphs {
        graph.nodes[index].subgraphs[name] = try subgraph.closed(in: graph).optimized(precision, isWhole: false)
      }
    }
    return graph
  }
}
