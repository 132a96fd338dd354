// What is known of a node by its operator.

extension Node {
  /// What is known of the node's operator; nil for one that Apus does not have.
  var facts: OperatorFacts? { Operators.byName[operatorName]?.facts }

  /// The multiply-adds that the node takes on values of these shapes; nil for an operator that is not made of them.
  /// See ``Work``.
  func multiplyAdds(inputs: [[Int]?], outputs: [[Int]?]) -> Int? {
    guard case .multiplyAdds(let count)? = facts?.work else { return nil }
    return count(NodeShapes(node: self, inputs: inputs, output: outputs.first ?? nil))
  }

  /// How many products or terms are added up for one element of the node's output, 1 for operators that add nothing up.
  ///
  /// - Parameters:
  ///   - inputs: the shapes of the node's inputs; nil where one is omitted or has none.
  ///   - output: the shape of its first output.
  func termCount(inputs: [[Int]?], output: [Int]) -> Int {
    guard case .counted(let count)? = facts?.accuracy.terms else { return 1 }
    return count(NodeShapes(node: self, inputs: inputs, output: output))
  }
}
