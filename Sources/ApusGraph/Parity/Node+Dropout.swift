import Apus

extension Node {
  /// Whether elements are left out by chance: a Dropout that was left as in training, or may be.
  ///
  /// - Parameter known: the values that are known before a run.
  func dropsOut(_ known: [Graph.ValueID: GraphValue]) -> Bool {
    guard operatorName == OperatorName(type: "Dropout"), opset >= 12, let isTraining = value(2, known) else {
      return false
    }
    if case .tensor(let any)? = isTraining, let tensor = any.tensor(of: Bool.self),
      (try? tensor.elements)?.contains(true) == false
    {
      return false
    }
    guard case .tensor(let any)? = value(1, known) ?? nil, any.dataType.isFloatingPoint,
      let ratio = try? any.converted(to: Double.self).elements
    else { return true }
    return ratio != [0]
  }

  /// What is known of an input; nil where it is omitted.
  private func value(_ index: Int, _ known: [Graph.ValueID: GraphValue]) -> GraphValue?? {
    guard inputs.indices.contains(index), let id = inputs[index] else { return nil }
    return .some(known[id])
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
