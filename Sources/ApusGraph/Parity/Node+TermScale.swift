import Apus

extension Node {
  /// The largest `Σ |term|` over the elements of a node's output; nil for operators that are not sums of their inputs
  /// or of products of these, and where it cannot be computed.
  ///
  /// - Parameter inputs: the node's inputs, those that are constants included.
  func largestSum(of inputs: [GraphValue?], _ context: RunContext) -> Double? {
    guard let definition = Operators.byName[operatorName], definition.facts.accuracy.addends.areLinear else {
      return nil
    }
    do {
      let operation = try definition.prepare(NodeDescription(node: self))
      var arguments = Arguments(try inputs.map { try $0?.magnitudes() }, context: context)
      return try operation(&arguments).first.flatMap { $0 }?.largestMagnitude()
    } catch {
      // The scale only ever widens a tolerance: without it the stricter one holds.
      return nil
    }
  }
}

extension GraphValue {
  /// FLOAT and DOUBLE without their signs; anything else as it is.
  fileprivate func magnitudes() throws -> GraphValue {
    guard case .tensor(let any) = self else { return self }
    if let tensor = any.tensor(of: Float.self) { return GraphValue(try tensor.abs()) }
    if let tensor = any.tensor(of: Double.self) { return GraphValue(try tensor.abs()) }
    return self
  }
}
