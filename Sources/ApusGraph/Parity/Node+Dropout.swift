import Apus

extension Node {
  static let dropout = OperatorName(type: "Dropout")

  /// Whether elements are left out by chance: a Dropout that was left as in training.
  ///
  /// - Parameter known: the values that are known before a run.
  func dropsOut(_ known: [Graph.ValueID: GraphValue]) -> Bool {
    guard operatorName == Self.dropout, opset >= 12, case .tensor(let training)? = value(2, known),
      let isTraining = training.tensor(of: Bool.self), (try? isTraining.elements)?.contains(true) == true
    else { return false }
    guard case .tensor(let any)? = value(1, known), any.dataType.isFloatingPoint,
      let ratio = try? any.converted(to: Double.self).elements
    else { return true }
    return ratio != [0]
  }

  private func value(_ index: Int, _ known: [Graph.ValueID: GraphValue]) -> GraphValue? {
    guard inputs.indices.contains(index), let id = inputs[index] else { return nil }
    return known[id]
  }
}

extension Graph {
  /// What nodes give that do nothing but give a constant.
  var constantNodeValues: [ValueID: GraphValue] {
    nodes.reduce(into: [:]) { values, node in
      guard let output = node.outputs.first ?? nil, let value = try? Operators.constantValue(node) else { return }
      values[output] = value
    }
  }
}
