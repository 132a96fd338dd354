import Apus

// What nodes say of the reference's values in doubt that lead to them, and of the differences that may have no effect.

extension ParityRun {
  // MARK: Doubts

  /// Runs the node on what the model computes in place of what is in doubt as well, and takes over what that tells.
  mutating func settle(_ outcome: inout ParityOutcome, _ step: ParityStep, at index: Int) throws {
    let inDoubt = outcome.inDoubt
    let way = doubts.applied(to: fed)
    let result = try way.run(index, check.options.precision, context)
    let left = held.subtracting(disputed(inDoubt))
    let other = try judge(step, outcome.expected, own: outcome.own, fed: result, on: way, left)
    outcome.doubted = result
    switch settlement(outcome.judged, other, outcome.expected, inDoubt) {
    case .open: noteEffect(of: inDoubt, outcome.judged, other, on: step.node)
    case .passesOn:
      outcome.passedOn = other.harmless
      handedOn.formUnion(
        step.node.outputs.compactMap { $0 }.filter { other.harmless.contains(check.graph.values[$0].name) })
      if isOutput(step.node, other.harmless) { doubts.noteEffect(of: inDoubt) }
    case .referenceFits:
      doubts.clear(inDoubt)
      outcome.inDoubt = []
    case .referenceDoesNotFit(let cause):
      for position in inDoubt where !disputed([position]).isEmpty {
        report.nodes[position].status = .unfit(
          .init(values: names(disputed([position])), witness: step.node.name, cause: cause))
      }
      held = left
      doubts.settle(inDoubt, into: &fed)
      (outcome.fed, outcome.judged, outcome.inDoubt) = (result, other, [])
    }
  }

  /// Takes note that an output that differs, or hands such a difference on, is in doubt.
  mutating func noteDoubt(
    of output: Graph.ValueID, _ position: Int, _ outcome: ParityOutcome, _ step: ParityStep, at index: Int,
    isWrong: Bool
  ) throws {
    let computed = outcome.doubted ?? outcome.fed
    guard !outcome.inDoubt.isEmpty || isWrong, !step.lastUses.contains(output),
      let value = computed.outcome.value(position)
    else { return }
    // What was judged right takes the reference's value either way, and with it doubts end.
    let name = check.graph.values[output].name
    let isDisputed =
      (outcome.judged.differs(name) || outcome.passedOn.contains(name)) && !modelOutputs.contains(output)
    guard outcome.expected[output] == nil ? !outcome.inDoubt.isEmpty : isDisputed else { return }
    doubts.add(
      output, try value.narrowed(to: outcome.fed.outcome.value(position)?.elementType),
      truth: computed.truth?.value(position),
      nodes: isDisputed ? outcome.inDoubt.union([index]) : outcome.inDoubt)
  }

  private enum Settlement {
    case open
    case referenceFits
    case referenceDoesNotFit(ParityReport.UnfitReference.Cause)
    /// It hands on what may differ without effect.
    case passesOn
  }

  /// What a node says of the doubts that lead to it.
  ///
  /// - Parameters:
  ///   - fed: its outputs on the reference's values.
  ///   - doubted: its outputs on what the model computes in place of those in doubt.
  private func settlement(
    _ fed: ParityJudgement, _ doubted: ParityJudgement, _ expected: [Graph.ValueID: GraphValue], _ inDoubt: Set<Int>
  ) -> Settlement {
    // NaN comes of whatever leads to NaN: where nothing is a number, nothing is told.
    guard doubted.hasNumbers, fed.hasNumbers else { return .open }
    switch (fed.isRight, doubted.isRight) {
    case (true, false): return doubted.differsHarmlessly && doubts.areHarmless(inDoubt) ? .passesOn : .referenceFits
    case (false, true): return .referenceDoesNotFit(.folded)
    case (false, false):
      // A mask and what is added to it differ either way where one side has infinities of the other's numbers.
      let isHarmless = fed.differsHarmlessly && doubted.differsHarmlessly && doubts.areHarmless(inDoubt)
      return isHarmless ? .passesOn : .open
    case (true, true):
      // Both lead to the same, as a negative number and zero do before Relu: only that the reference has one value
      // under two names tells that the later was recorded in place of the earlier.
      let values = disputed(inDoubt).compactMap { try? reference.value(named: check.graph.values[$0].name) }
      let isOverwritten = values.allSatisfy { value in
        expected.values.contains { (try? $0.hasSameBytes(as: value)) == true }
      }
      return isOverwritten && !values.isEmpty ? .referenceDoesNotFit(.overwritten) : .open
    }
  }

  /// The values at which the nodes were judged to differ, or to hand a difference on.
  private func disputed(_ nodes: Set<Int>) -> Set<Graph.ValueID> {
    nodes.reduce(into: []) { values, position in
      let differing = Set(report.nodes[position].outputs.filter { $0.isolated?.isAcceptable == false }.map(\.name))
      for case let output? in check.steps[position].node.outputs
      where differing.contains(check.graph.values[output].name) || handedOn.contains(output) {
        values.insert(output)
      }
    }
  }

  private func names(_ values: Set<Graph.ValueID>) -> [String] { values.sorted().map { check.graph.values[$0].name } }

  // MARK: Without effect

  /// Whether one of the names is an output of the model.
  private func isOutput(_ node: Node, _ names: Set<String>) -> Bool {
    node.outputs.contains { output in
      output.map { modelOutputs.contains($0) && names.contains(check.graph.values[$0].name) } ?? false
    }
  }

  /// - Parameter names: the outputs of the node that differ by what may have no effect.
  mutating func noteHarmless(_ index: Int, _ names: Set<String>, _ judged: ParityJudgement) {
    guard !names.isEmpty, judged.differsHarmlessly, !isOutput(check.steps[index].node, names) else { return }
    doubts.noteHarmless(index, names.isDisjoint(with: reference.guesses) ? .mask : .likeness)
  }

  /// What a node says of such differences in doubt that lead to it: where it is checked and not right either way, they have
  /// an effect. A value that is paired by likeness alone and differs either way says nothing.
  private mutating func noteEffect(
    of inDoubt: Set<Int>, _ fed: ParityJudgement, _ doubted: ParityJudgement, on node: Node
  ) {
    let isModelOutput = node.outputs.contains { output in output.map(modelOutputs.contains) ?? false }
    if fed.outputs.isEmpty, !isModelOutput { return }
    if !fed.isRight, !doubted.isRight, [fed, doubted].allSatisfy({ $0.differsOnlyAt(reference.guesses) }) { return }
    if !fed.outputs.isEmpty, fed.isRight, doubted.isRight, fed.hasNumbers, doubted.hasNumbers {
      doubts.noteNoEffect(of: inDoubt, on: node.name)
    } else {
      doubts.noteEffect(of: inDoubt)
    }
  }

  /// Of differences that nothing reads from here on, those that need have an effect and had none do not count.
  mutating func setHarmlessApart() {
    for (position, witness, cause) in doubts.ended() {
      let names = report.nodes[position].outputs
        .filter { $0.isolated?.isAcceptable == false || $0.cumulative?.isAcceptable == false }.map(\.name)
      guard !names.isEmpty else { continue }
      report.nodes[position].status = .unfit(.init(values: names, witness: witness, cause: cause))
    }
  }
}
