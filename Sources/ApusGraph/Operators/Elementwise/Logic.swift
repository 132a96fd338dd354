import Apus

extension Operators {
  static let logic: [OperatorDefinition] = [
    OperatorDefinition("And", .plain(.comparison, axes: .free), And),
    OperatorDefinition("Or", .plain(.comparison, axes: .free), Or),
    OperatorDefinition("Xor", .plain(.comparison, axes: .free), Xor),
    OperatorDefinition("Not", .plain(.boolLikeInput, axes: .free), Not),
  ]

  /// a ∧ b
  static func And(_ node: NodeDescription) throws -> PreparedOperator { try logic(node) { try $0.and($1) } }
  /// a ∨ b
  static func Or(_ node: NodeDescription) throws -> PreparedOperator { try logic(node) { try $0.or($1) } }
  /// Either, and not both.
  static func Xor(_ node: NodeDescription) throws -> PreparedOperator { try logic(node) { try $0.xor($1) } }
  /// ¬x
  static func Not(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in [GraphValue(try !arguments.tensor(0, of: Bool.self))] }
  }

  private static func logic(
    _ node: NodeDescription, _ function: @escaping @Sendable (Tensor<Bool>, Tensor<Bool>) throws -> Tensor<Bool>
  ) throws -> PreparedOperator {
    let stretch = try OldBroadcast(node)
    return { arguments in
      let a = try arguments.tensor(0, of: Bool.self)
      let b = try stretch(AnyTensor(arguments.tensor(1, of: Bool.self)), against: AnyTensor(a))
      return [GraphValue(try function(a, b.converted()))]
    }
  }
}
