import Apus

/// Which layers are computed in eight bits, and what that costs.
public struct QuantizationChoice: Sendable {
  /// Indices of ``StaticQuantization/layers``.
  public internal(set) var layers: Set<Int>
  /// The error of the model's outputs where one layer alone is in eight bits, for each layer.
  public let effects: [Double]
  /// The error of the model's outputs with the chosen layers in eight bits.
  public internal(set) var error: OutputError
}

/// How far a model's outputs are from those in floats.
public struct OutputError: Sendable {
  /// For each output of floating-point numbers the root of the mean squared difference as a part of the root of its own
  /// mean square.
  public let outputs: [(name: String, relativeError: Double)]

  /// The root of the mean square over the outputs.
  public var total: Double {
    let squares = outputs.map { $0.relativeError * $0.relativeError }
    return squares.isEmpty ? 0 : (squares.reduce(0, +) / Double(squares.count)).squareRoot()
  }
}

extension StaticQuantization {
  /// Finds the layers that eight bits cost little, by measuring.
  ///
  /// Each layer is quantised alone first, which takes as many runs of the model as there are layers and probes. Errors of
  /// layers that do not know of each other add up as squares, so those with the greatest effect stay in floats until
  /// what is left is within `tolerance`; then the model is measured whole, and more layers stay in floats while it is
  /// beyond, a quarter of all at most.
  ///
  /// - Parameters:
  ///   - probes: inputs on which outputs are compared, at least one.
  ///   - tolerance: the greatest ``OutputError/total``.
  ///   - kept: names of nodes that stay in floats whatever they cost.
  ///   - progress: is told how many of how many measurements were made.
  /// - Throws: ``GraphError``.
  public func choice(
    probes: [[String: GraphValue]], tolerance: Double = 0.05, keeping kept: Set<String> = [],
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> QuantizationChoice {
    let expected = try probes.map { try session.run($0) }
    let total = layers.count + 1
    var effects: [Double] = []
    for index in layers.indices {
      progress(index, total)
      effects.append(try error(with: [index], probes, expected).total)
    }
    progress(layers.count, total)
    let order = layers.indices.filter { !kept.contains(layers[$0].name) }.sorted { effects[$0] < effects[$1] }
    var chosen: [Int] = []
    var sum = 0.0
    for index in order {
      sum += effects[index] * effects[index]
      guard sum <= tolerance * tolerance else { break }
      chosen.append(index)
    }
    var error = try error(with: Set(chosen), probes, expected)
    let fewest = order.count - order.count / 4
    while error.total > tolerance, chosen.count > fewest {
      chosen.removeLast(min(max(1, order.count / 32), chosen.count - fewest))
      error = try self.error(with: Set(chosen), probes, expected)
    }
    return QuantizationChoice(layers: Set(chosen), effects: effects, error: error)
  }

  /// The error of the outputs with some layers in eight bits.
  private func error(
    with chosen: Set<Int>, _ probes: [[String: GraphValue]], _ expected: [[String: GraphValue]]
  ) throws -> OutputError {
    let session = try InferenceSession(model(chosen), options: session.options)
    var errors: [String: RelativeError] = [:]
    for (inputs, expected) in zip(probes, expected) {
      for (name, value) in try session.run(inputs) {
        guard case .tensor(.float32(let found)) = value, case .tensor(.float32(let wanted))? = expected[name],
          found.shape == wanted.shape
        else { continue }
        errors[name, default: RelativeError()].add(found, of: wanted)
      }
    }
    let graph = folded.graph
    return OutputError(
      outputs: graph.outputs.compactMap { output in
        let name = graph.values[output].name
        // What is NaN in one of them alone is as far off as can be.
        return errors[name].map { (name, $0.value.isNaN ? .infinity : $0.value) }
      })
  }
}
