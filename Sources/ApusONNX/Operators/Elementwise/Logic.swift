import Apus

extension Operators {
  static let logic: [OperatorDefinition] = [
    OperatorDefinition("And", And),
    OperatorDefinition("Or", Or),
    OperatorDefinition("Xor", Xor),
    OperatorDefinition("Not", Not),
  ]

  /// a ∧ b
  static func And(_ node: NodeDescription) throws -> Operation { try logic(node, Conjunction(), "And") }
  /// a ∨ b
  static func Or(_ node: NodeDescription) throws -> Operation { try logic(node, Disjunction(), "Or") }
  /// Either, and not both.
  static func Xor(_ node: NodeDescription) throws -> Operation { try logic(node, Difference(), "Xor") }
  /// ¬x
  static func Not(_ node: NodeDescription) throws -> Operation {
    { arguments in [Value(try mapElements(Inversion(), arguments.tensor(0, of: Bool.self)))] }
  }

  private static func logic(
    _ node: NodeDescription, _ function: some BinaryFunction<Bool, Bool>, _ name: String
  ) throws -> Operation {
    let stretch = try OldBroadcast(node)
    return { arguments in
      let a = try arguments.tensor(0, of: Bool.self)
      let b = try AnyTensor(arguments.tensor(1, of: Bool.self))
      let stretched = try stretch(b, against: AnyTensor(a)).converted(to: Bool.self)
      return [Value(try zipElements(function, a, stretched, operation: name))]
    }
  }
}

private struct Conjunction: BinaryFunction {
  @inline(__always)
  func callAsFunction(_ a: Bool, _ b: Bool) -> Bool { a && b }
}

private struct Disjunction: BinaryFunction {
  @inline(__always)
  func callAsFunction(_ a: Bool, _ b: Bool) -> Bool { a || b }
}

private struct Difference: BinaryFunction {
  @inline(__always)
  func callAsFunction(_ a: Bool, _ b: Bool) -> Bool { a != b }
}

private struct Inversion: UnaryFunction {
  @inline(__always)
  func callAsFunction(_ x: Bool) -> Bool { !x }
}
