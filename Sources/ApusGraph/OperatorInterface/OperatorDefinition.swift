/// An operator that Apus has: its name, what is known of it, and how a node of it becomes a ``PreparedOperator``.
///
/// An object, for passes look an operator up for every node they meet, and would copy all that is known of it.
final class OperatorDefinition: Sendable {
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
