import Apus

extension Graph {
  /// The values for the graph's inputs, checked against what the model declares and widened for float64.
  func checkedInputs(_ inputs: [String: GraphValue], computesInFloat64: Bool, of side: String = "the model")
    throws -> [GraphValue?]
  {
    var given = self.inputs.map { inputs[values[$0].name] }
    if given.count(where: { $0 != nil }) != inputs.count { try checkNames(of: inputs, side) }
    var symbols: [String: (size: Int, input: String)] = [:]
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
    return given
  }

  private func checkNames(of inputs: [String: GraphValue], _ side: String) throws {
    let names = self.inputs.map { values[$0].name }
    let known = Set(names)
    for name in inputs.keys.sorted() where !known.contains(name) {
      let nearest = nearestName(to: name, in: names).map { "; did you mean '\($0)'?" } ?? ""
      throw GraphError.input(name: name, reason: "\(side) has no such input\(nearest)")
    }
  }

  private func check(
    _ value: GraphValue, against info: Graph.ValueInfo, of side: String,
    symbols: inout [String: (size: Int, input: String)]
  ) throws {
    guard let declared = info.type else { return }
    func mismatch(_ reason: String = "") -> GraphError {
      .input(name: info.name, reason: "it is \(value.type); \(side) declares \(declared)\(reason)")
    }
    guard declared.admits(value) else { throw mismatch() }
    guard case .tensor(_, let dimensions?) = declared, let shape = value.shape else { return }
    for (dimension, size) in zip(dimensions, shape) {
      guard case .symbol(let name) = dimension else { continue }
      if let bound = symbols[name], bound.size != size {
        throw mismatch("; '\(name)' is \(bound.size) in input '\(bound.input)'")
      }
      symbols[name] = (size, info.name)
    }
  }
}
