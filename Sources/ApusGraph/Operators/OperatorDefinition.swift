import Apus

/// What a node does when it runs: inputs in, outputs out, one for each output of the node that is wanted or more.
///
/// An operation is made once for a node, with attributes decoded and weights packed, and may run many times, on several
/// threads at once.
package typealias PreparedOperator = @Sendable (inout Arguments) throws -> [GraphValue?]

/// An operator that Apus has: its name, what is known of it, and how a node of it becomes an ``PreparedOperator``.
struct OperatorDefinition: Sendable {
  let name: OperatorName
  let facts: OperatorFacts
  let prepare: @Sendable (NodeDescription) throws -> PreparedOperator

  init(
    _ type: String, domain: String = "", _ facts: OperatorFacts,
    _ prepare: @escaping @Sendable (NodeDescription) throws -> PreparedOperator
  ) {
    self.name = OperatorName(domain: domain, type: type)
    self.facts = facts
    self.prepare = { node in
      let operation = try prepare(node)
      guard node.node.computesInFloat64 else { return operation }
      return { arguments in try operation(&arguments).map { value in try value?.widened() } }
    }
  }
}

/// The operators, a family a file. Each is a function named as the operator that decodes the node's attributes and
/// gives what it does.
enum Operators {
  /// Every family; an operator that is not listed here does not exist.
  static let families: [[OperatorDefinition]] =
    elementwise + spatial + transformer + quantized + compressed + structure + [fused]

  static let byName: [OperatorName: OperatorDefinition] = {
    var result: [OperatorName: OperatorDefinition] = [:]
    for definition in families.joined() { result[definition.name] = definition }
    return result
  }()
}

extension Node {
  /// What is known of the node's operator; nil for one that Apus does not have.
  var facts: OperatorFacts? { Operators.byName[operatorName]?.facts }
}
