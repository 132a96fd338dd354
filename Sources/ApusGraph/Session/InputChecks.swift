import Apus

extension Graph {
  /// The values for the graph's inputs, checked against what the model declares and widened for float64.
  func checkedInputs(_ inputs: [String: GraphValue], computesInFloat64: Bool, of side: String = "the model")
    throws -> [GraphValue?]
  {
    var given = self.inputs.map { inputs[values[$0].name] }
    if given.count(where: { $0 != nil }) != inputs.count { try checkNames(Array(inputs.keys), side) }
    var symbols = BoundSymbols()
    for (position, id) in self.inputs.enumerated() {
      let info = values[id]
      guard let value = given[position] else {
        guard constants[id] != nil else {
          throw GraphError.input(
            name: info.name, reason: "it is missing; it is \(info.type.map { "\($0)" } ?? "needed")")
        }
        continue
      }
      let checked = computesInFloat64 ? try value.widened() : value
      try check(checked, against: info, of: side, symbols: &symbols)
      given[position] = checked
    }
    try checkRules(given)
    return given
  }

  /// Checks shapes of inputs as ``checkedInputs(_:computesInFloat64:of:)`` checks values; any may be left out.
  func checkShapes(_ shapes: [String: [Int]]) throws {
    try checkNames(Array(shapes.keys), "the model")
    var symbols = BoundSymbols()
    for id in inputs {
      let info = values[id]
      guard let shape = shapes[info.name] else { continue }
      func mismatch(_ reason: String) -> GraphError {
        .input(name: info.name, reason: "its shape is given as \(shape); \(reason)")
      }
      guard shape.allSatisfy({ $0 >= 0 }) else { throw mismatch("an extent is below 0") }
      guard let declared = info.type else { continue }
      guard declared.admits(shape: shape) else { throw mismatch("the model declares \(declared)") }
      if let reason = symbols.contradiction(declared, shape, input: info.name) {
        throw mismatch("the model declares \(declared); \(reason)")
      }
    }
    let ordered = inputs.map { shapes[values[$0].name] }
    try checkRules(InputSizes(shapes: ordered, numbers: ordered.map { _ in nil }))
  }

  private func checkNames(_ given: [String], _ side: String) throws {
    let names = self.inputs.map { values[$0].name }
    let known = Set(names)
    for name in given.sorted() where !known.contains(name) {
      let nearest = nearestName(to: name, in: names).map { "; did you mean '\($0)'?" } ?? ""
      throw GraphError.input(name: name, reason: "\(side) has no such input\(nearest)")
    }
  }

  private func check(
    _ value: GraphValue, against info: Graph.ValueInfo, of side: String, symbols: inout BoundSymbols
  ) throws {
    guard let declared = info.type else { return }
    func mismatch(_ reason: String?) -> GraphError {
      .input(
        name: info.name,
        reason: "it is \(value.type); \(side) declares \(declared)" + (reason.map { "; \($0)" } ?? ""))
    }
    guard declared.admits(value) else { throw mismatch(value.foreignElement.map { "it holds \($0)" }) }
    if let shape = value.shape, let reason = symbols.contradiction(declared, shape, input: info.name) {
      throw mismatch(reason)
    }
  }
}

/// What the names of extents stand for in the inputs so far.
private struct BoundSymbols {
  private var bound: [String: (size: Int, input: String)] = [:]

  /// Takes an input of a declared type.
  /// - Returns: which name stands for another extent in an earlier input, or in this one; nil where none does.
  mutating func contradiction(_ declared: GraphValueType, _ shape: [Int], input: String) -> String? {
    guard case .tensor(_, let dimensions?) = declared else { return nil }
    for (dimension, size) in zip(dimensions, shape) {
      guard case .symbol(let name) = dimension else { continue }
      if let bound = bound[name], bound.size != size { return "'\(name)' is \(bound.size) in input '\(bound.input)'" }
      bound[name] = (size, input)
    }
    return nil
  }
}
