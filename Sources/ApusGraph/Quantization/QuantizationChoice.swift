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
  /// mean square. One that has another shape in every probe is left out, and infinite where no other is left.
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
  ///   - tolerance: the greatest ``OutputError/total``, not below 0.
  ///   - kept: names of ``layers`` that stay in floats whatever they cost.
  ///   - progress: is told how many of how many measurements were made.
  /// - Throws: ``GraphError``; ``QuantizationError`` where no output is of floating-point numbers, so that nothing shows
  ///   what a layer costs, and for an argument that cannot be.
  public func choice(
    probes: [[String: GraphValue]], tolerance: Double = 0.05, keeping kept: Set<String> = [],
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> QuantizationChoice {
    try check(probes, tolerance, keeping: kept)
    let expected = try probes.map { try session.run($0).compactMapValues(\.floatingPointTensor) }
    guard expected.contains(where: { !$0.isEmpty }) else {
      throw QuantizationError(
        "no output is of floating-point numbers, so that nothing shows what eight bits cost: make an output of what they "
          + "follow from too")
    }
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

  private func check(_ probes: [[String: GraphValue]], _ tolerance: Double, keeping kept: Set<String>) throws {
    guard !probes.isEmpty else {
      throw QuantizationError("no probe is given, on which outputs could be compared", fault: .usage)
    }
    guard tolerance >= 0 else {
      throw QuantizationError("the tolerance is \(tolerance); a number not below 0 was expected", fault: .usage)
    }
    if let name = kept.subtracting(layers.map(\.name)).min() {
      throw QuantizationError("'\(name)' is to be kept: no layer that could be quantised has this name", fault: .usage)
    }
  }

  /// The error of the outputs with some layers in eight bits.
  private func error(
    with chosen: Set<Int>, _ probes: [[String: GraphValue]], _ expected: [[String: AnyTensor]]
  ) throws -> OutputError {
    let session = try InferenceSession(model(chosen), options: session.options)
    var errors: [String: RelativeError] = [:]
    for (inputs, expected) in zip(probes, expected) {
      for (name, value) in try session.run(inputs) {
        guard let found = value.floatingPointTensor, let wanted = expected[name], found.shape == wanted.shape else {
          continue
        }
        try errors[name, default: RelativeError()].add(found, of: wanted)
      }
    }
    let names = folded.graph.outputs.map { folded.graph.values[$0].name }
    // As far off as can be: what has another shape throughout, and what is NaN in one of them alone.
    guard !errors.isEmpty else {
      return OutputError(
        outputs: names.filter { name in expected.contains { $0[name] != nil } }.map { ($0, .infinity) })
    }
    return OutputError(
      outputs: names.compactMap { name in errors[name].map { (name, $0.value.isNaN ? .infinity : $0.value) } })
  }
}

extension RelativeError {
  /// In Double where one of the two is, else in Float, which holds all numbers of the narrower types.
  fileprivate mutating func add(_ x: AnyTensor, of y: AnyTensor) throws {
    if x.dataType == .float64 || y.dataType == .float64 {
      try add(x.converted(to: Double.self), of: y.converted(to: Double.self))
    } else {
      try add(x.converted(to: Float.self), of: y.converted(to: Float.self))
    }
  }
}

extension GraphValue {
  /// Floating-point numbers, of an optional too; nil for any other value.
  fileprivate var floatingPointTensor: AnyTensor? {
    switch self {
    case .tensor(let tensor): tensor.dataType.isFloatingPoint ? tensor : nil
    case .coded(let tensor): tensor.elementType.isFloatingPoint ? try? AnyTensor(tensor.widened()) : nil
    case .optional(let value, _): value?.floatingPointTensor
    case .strings, .sequence: nil
    }
  }
}
