/// What a node does when it runs: inputs in, outputs out, one for each output of the node that is wanted or more.
///
/// An operation is made once for a node, with attributes decoded and weights packed, and may run many times, on several
/// threads at once.
package typealias PreparedOperator = @Sendable (inout Arguments) throws -> [GraphValue?]

/// A node made ready to run: what it does, and what it reads.
///
/// A class, as a run that copied nodes would do little else in a small model.
final class PreparedNode: Sendable {
  let node: Node
  let operation: PreparedOperator
  /// The values read, nil where an input is omitted or absorbed.
  let inputs: [Graph.ValueID?]
  /// The values that the node's subgraphs read.
  let captures: [Graph.ValueID]

  init(_ node: Node, _ operation: @escaping PreparedOperator, inputs: [Graph.ValueID?], captures: [Graph.ValueID]) {
    (self.node, self.operation, self.inputs, self.captures) = (node, operation, inputs, captures)
  }
}

/// A subgraph made ready to run, as the operator sees it that owns it. How graphs run is not an operator's matter: who
/// prepares the node brings these along (``NodeDescription/subgraph(_:)``).
package protocol PreparedSubgraph: Sendable {
  var inputCount: Int { get }
  var outputCount: Int { get }
  /// What the model declares of the inputs.
  var inputTypes: [GraphValueType?] { get }
  /// What the model declares of the outputs.
  var outputTypes: [GraphValueType?] { get }

  /// Whether anything reads input `input`.
  func reads(input: Int) -> Bool

  /// Runs the subgraph.
  ///
  /// - Parameters:
  ///   - inputs: a value for each input of the subgraph that is read; given up.
  ///   - arguments: the node's, for what the subgraph captures.
  /// - Returns: the subgraph's outputs.
  func callAsFunction(_ inputs: consuming [GraphValue?], _ arguments: Arguments) throws -> [GraphValue]
}
