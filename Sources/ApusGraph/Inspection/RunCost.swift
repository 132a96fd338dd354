import Apus

/// What one run of a model costs: found by running it.
public struct RunCost: Sendable {
  /// Multiply-adds by operator; see ``Node/multiplyAdds(inputs:outputs:)`` for what is counted.
  public let multiplyAdds: [OperatorName: Int]
  /// The most bytes that tensors took at one time, from before the model was prepared: what it computes, scratch, and
  /// weights that were rearranged. Weights that lie in the mapped file are not counted, nor is memory of other kinds.
  public let peakMemory: Int

  /// The multiply-adds of all operators together; `Int.max` where they are more.
  public var total: Int { multiplyAdds.values.reduce(0) { $0.addingClamped($1) } }

  /// Runs `model` twice: node by node as the file has it, to count, and as it runs fastest, to see the memory.
  /// - Throws: ``GraphError`` when the model does not run on `inputs`.
  public init(
    measuring model: any GraphModel, on inputs: [String: GraphValue], options: InferenceSession.Options = .init()
  ) throws {
    peakMemory = try Execution.measuringPeakMemory { _ = try InferenceSession(model, options: options).run(inputs) }
    var plain = options
    plain.optimizes = false
    var counts: [OperatorName: Int] = [:]
    _ = try InferenceSession(model, options: plain).run(
      inputs,
      tallying: { node, inputs, outputs in
        guard let count = node.multiplyAdds(inputs: inputs.map { $0?.extents }, outputs: outputs.map { $0?.extents })
        else { return }
        counts[node.operatorName] = (counts[node.operatorName] ?? 0).addingClamped(count)
      })
    multiplyAdds = counts
  }
}

extension GraphValueType {
  /// The extents of a tensor when all of them are known.
  var extents: [Int]? {
    guard case .tensor(_, let dimensions?) = self else { return nil }
    let sizes = dimensions.compactMap { if case .size(let size) = $0 { size } else { nil } }
    return sizes.count == dimensions.count ? sizes : nil
  }
}
