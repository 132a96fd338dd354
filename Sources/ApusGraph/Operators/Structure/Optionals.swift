import Apus

// Values that may be missing.

extension Operators {
  static let optionals: [OperatorDefinition] = [
    OperatorDefinition("Optional", .plain(.unknown("it gives an optional")), OptionalOf),
    OperatorDefinition("OptionalGetElement", .plain(.likeInput), OptionalGetElement),
    OperatorDefinition("OptionalHasElement", .plain(.oneTruthValue), OptionalHasElement),
  ]

  /// The input as a value that may be missing; without an input a missing one of type `type`.
  ///
  /// Not named as the operator, which would hide the type `Optional` from all others.
  static func OptionalOf(_ node: NodeDescription) throws -> PreparedOperator {
    let type: GraphValueType? = if case .type(let type)? = node.node.attributes["type"] { type } else { nil }
    return { arguments in
      guard let value = arguments[0] else {
        guard let type else { throw OperatorError("neither an input nor a type is given") }
        return [.optional(nil, element: type)]
      }
      return [.optional(value, element: value.type)]
    }
  }

  /// The value; an error where it is missing. Since version 18 any other value is itself.
  static func OptionalGetElement(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      guard case .optional(let value, let element) = try arguments.value(0) else { return [try arguments.take(0)] }
      guard let value else { throw OperatorError("the optional \(element) has no value") }
      return [value]
    }
  }

  /// Whether there is a value.
  static func OptionalHasElement(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let hasElement = if case .optional(nil, _)? = arguments[0] { false } else { arguments.has(0) }
      return [GraphValue(try Tensor([hasElement], shape: []))]
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let oneTruthValue = ShapeRule.rule { _ in [InferredType(.bool, [])] }
}
