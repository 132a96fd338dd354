/// What one node came to, each way.
struct ParityOutcome {
  /// The reference's values of its outputs.
  let expected: [Graph.ValueID: GraphValue]
  let own: ParityWay.Result
  /// On the reference's values, but for those that turned out not to fit.
  var fed: ParityWay.Result
  /// Whether what it read was the same both ways.
  let isShared: Bool
  var judged: ParityJudgement
  /// The nodes that lead to it with the reference's values in doubt.
  var inDoubt: Set<Int>
  /// On what the model computes in place of what is in doubt; nil where nothing is.
  var doubted: ParityWay.Result?
  /// The names of the outputs that hand on a difference without effect.
  var passedOn: Set<String> = []
}
