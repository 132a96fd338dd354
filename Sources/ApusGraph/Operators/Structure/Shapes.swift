import Apus

// What a tensor's shape is.

extension Operators {
  static let shapes: [OperatorDefinition] = [
    OperatorDefinition("Shape", .plain(.shape), ShapeOfTensor),
    OperatorDefinition("Size", .plain(.size), Size),
  ]

  /// The extents; since version 15 those from axis `start` to before axis `end`.
  ///
  /// Not named as the operator, which would hide the type `Shape` from all others.
  static func ShapeOfTensor(_ node: NodeDescription) throws -> PreparedOperator {
    let start = try node.int("start", default: 0)
    let end = try node.optionalInt("end")
    return { arguments in
      [GraphValue(try Tensor(extents(arguments.value(0).extents, from: start, to: end).map { Int64($0) }))]
    }
  }

  /// The extents from axis `start` to before axis `end`; bounds outside are moved to the nearest end.
  static func extents(_ shape: [Int], from start: Int, to end: Int?) -> [Int] {
    func bound(_ axis: Int) -> Int { min(max(axis < 0 ? axis &+ shape.count : axis, 0), shape.count) }
    let first = bound(start)
    return Array(shape[first..<max(first, bound(end ?? shape.count))])
  }

  /// The number of elements.
  static func Size(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let count = try Shape.elementCount(arguments.value(0).extents)
      return [GraphValue(try Tensor([Int64(count)], shape: []))]
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let shape = ShapeRule.sizes { facts in
    let extents = try Operators.extents(
      facts.shape(0), from: facts.node.int("start", default: 0), to: facts.node.optionalInt("end"))
    return GraphValue(try Tensor(extents.map { Int64($0) }))
  }

  static let size = ShapeRule.sizes { facts in
    GraphValue(try Tensor([Int64(Shape.elementCount(facts.shape(0)))], shape: []))
  }
}
