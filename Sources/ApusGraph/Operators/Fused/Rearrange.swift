import Apus

extension Operators {
  /// What several nodes move, moved once: the elements of an input of shape `source` that lie `strides` apart from `offset`
  /// on, in shape `view`, and then in the shape `shape`.
  static func Rearrange(_ node: NodeDescription) throws -> PreparedOperator {
    let source = try node.ints("source", default: [])
    let shape = try node.ints("shape", default: [])
    guard
      let view = StridedView(
        shape: try node.ints("view", default: []), strides: try node.ints("strides", default: []),
        offset: try node.int("offset"),
        of: try Shape.elementCount(source))
    else { throw OperatorError("elements outside of shape \(source) are asked for") }
    let copy = ViewCopy(view: view, shape: shape)
    return { arguments in
      let x = try arguments.take(0)
      guard try x.extents == source else {
        throw OperatorError("the input has shape \(try x.extents); \(source) is expected")
      }
      return [try copy.run(x)]
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let rearrange = ShapeRule.rule { facts in
    [InferredType(facts.elementType(0), try facts.node.ints("shape", default: []))]
  }
}
