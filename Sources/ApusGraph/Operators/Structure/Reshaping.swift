import Apus

// Operators that give the same elements another shape and move nothing.

extension Operators {
  static let reshapes: [OperatorDefinition] = [
    OperatorDefinition("Reshape", .movement(.reshape, results: .reshapedInput, layout: .keepsBlockedChannels), Reshape),
    OperatorDefinition("Flatten", .movement(.flatten, results: .reshapedInput, layout: .keepsBlockedChannels), Flatten),
    OperatorDefinition(
      "Squeeze", .movement(.squeeze, results: .reshapedInput, layout: .keepsBlockedChannels, axes: .squeeze), Squeeze),
    OperatorDefinition(
      "Unsqueeze", .movement(.unsqueeze, results: .reshapedInput, layout: .keepsBlockedChannels, axes: .unsqueeze),
      Unsqueeze),
    OperatorDefinition(
      "ExpandDims", domain: "com.microsoft",
      .movement(.expandDims, results: .reshapedInput, layout: .keepsBlockedChannels), ExpandDims),
  ]

  /// In the shape of input 1 (an attribute before version 5), where -1 takes what is left over and 0, unless
  /// `allowzero` says otherwise, keeps the input's extent.
  static func Reshape(_ node: NodeDescription) throws -> PreparedOperator {
    let wanted = try node.integers(1, attribute: "shape", inputSince: 5)
    let allowsZero = try node.flag("allowzero")
    return { arguments in
      guard let wanted = try wanted(arguments) else { throw OperatorError("the shape is missing") }
      let x = try arguments.take(0)
      return [try x.reshaped(reshaped(x.extents, to: wanted, allowsZero: allowsZero))]
    }
  }

  /// `wanted` with what -1 and 0 stand for.
  static func reshaped(_ shape: [Int], to wanted: [Int], allowsZero: Bool) throws -> [Int] {
    func failure(_ reason: String) -> OperatorError {
      OperatorError("a tensor of shape \(shape) cannot take the shape \(wanted)\(reason)")
    }
    var target = wanted
    var kept: Set<Int> = []
    for (axis, size) in wanted.enumerated() where size == 0 && !allowsZero {
      guard axis < shape.count else { throw failure(": axis \(axis) is kept, which is not there") }
      target[axis] = shape[axis]
      kept.insert(axis)
    }
    let free = wanted.indices.filter { wanted[$0] == -1 }
    guard free.count <= 1 else { throw failure(": it has more than one -1") }
    let count = try Shape.elementCount(shape)
    if let axis = free.first {
      target[axis] = 1
      var (all, known) = (count, try Shape.elementCount(target))
      if known == 0 {
        // What is kept counts on neither side: [0, 4, 5] becomes [0, 20] where [0, -1] is asked for.
        all = try Shape.elementCount(shape.indices.filter { !kept.contains($0) }.map { shape[$0] })
        known = try Shape.elementCount(target.indices.filter { !kept.contains($0) }.map { target[$0] })
      }
      guard known > 0, all.isMultiple(of: known) else { throw failure("") }
      target[axis] = all / known
    }
    guard try Shape.elementCount(target) == count else { throw failure("") }
    return target
  }

  /// A matrix: the axes before `axis` and those from it on, each as one.
  static func Flatten(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: 1)
    return { arguments in
      let x = try arguments.take(0)
      return [try x.reshaped(flattened(x.extents, at: axis))]
    }
  }

  /// The extents of the matrix. Unlike axes elsewhere the one behind the last may be named: everything is before it.
  static func flattened(_ shape: [Int], at axis: Int) throws -> [Int] {
    let first = axis < 0 ? axis &+ shape.count : axis
    guard 0...shape.count ~= first else {
      throw OperatorError("axis \(axis) does not exist in a tensor of shape \(shape)")
    }
    return [try Shape.elementCount(Array(shape[..<first])), try Shape.elementCount(Array(shape[first...]))]
  }

  /// Without the axes of input 1 (an attribute before version 13), whose extent must be 1; without all such axes when
  /// none is named.
  static func Squeeze(_ node: NodeDescription) throws -> PreparedOperator {
    let axes = try node.integers(1, attribute: "axes", inputSince: 13)
    return { arguments in
      let x = try arguments.take(0)
      let shape = try x.extents
      let removed =
        try axes(arguments).map { try Axes.resolve($0, rank: shape.count) }
        ?? shape.indices.filter { shape[$0] == 1 }
      if let axis = removed.first(where: { shape[$0] != 1 }) {
        throw OperatorError("axis \(axis) of a tensor of shape \(shape) has extent \(shape[axis]), not 1")
      }
      return [try x.reshaped(shape.indices.filter { !removed.contains($0) }.map { shape[$0] })]
    }
  }

  /// With axes of extent 1 put in at the places that input 1 (an attribute before version 13) names in the result.
  static func Unsqueeze(_ node: NodeDescription) throws -> PreparedOperator {
    let axes = try node.integers(1, attribute: "axes", inputSince: 13)
    return { arguments in
      let x = try arguments.take(0)
      let shape = try x.extents
      guard let axes = try axes(arguments) else { throw OperatorError("the axes are missing") }
      let rank = shape.count + axes.count
      var (added, rest) = (try Axes.resolve(axes, rank: rank).sorted()[...], shape.makeIterator())
      let extents = (0..<rank).map { axis in
        guard axis == added.first else { return rest.next() ?? 1 }
        added.removeFirst()
        return 1
      }
      return [try x.reshaped(extents)]
    }
  }

  /// With one more axis of extent 1, at the place that input 1 names in the result.
  static func ExpandDims(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.integers(1)
    return { arguments in
      guard let axis = try axis(arguments), axis.count == 1 else { throw OperatorError("one axis is needed") }
      let x = try arguments.take(0)
      var extents = try x.extents
      extents.insert(1, at: try Axes.resolve(axis[0], rank: extents.count + 1))
      return [try x.reshaped(extents)]
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let reshape = ShapeRule.rule { facts in
    guard let wanted = try facts.integers(1, attribute: "shape", inputSince: 5) else { throw ShapeFacts.Unknown() }
    let x = try facts.input(0)
    let allowsZero = try facts.node.flag("allowzero")
    return [InferredType(x.elementType, try Operators.reshaped(x.shape, to: wanted, allowsZero: allowsZero))]
  }

  static let flatten = ShapeRule.rule { facts in
    let x = try facts.input(0)
    return [InferredType(x.elementType, try Operators.flattened(x.shape, at: facts.node.int("axis", default: 1)))]
  }

  static let squeeze = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let axes = try facts.integers(1, attribute: "axes", inputSince: 13)
    let removed =
      try axes.map { try Axes.resolve($0, rank: x.shape.count) }
      ?? x.shape.indices.filter { x.shape[$0] == 1 }
    guard removed.allSatisfy({ x.shape[$0] == 1 }) else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, x.shape.indices.filter { !removed.contains($0) }.map { x.shape[$0] })]
  }

  static let expandDims = ShapeRule.rule { facts in
    guard let axis = try facts.integers(1), axis.count == 1 else { throw ShapeFacts.Unknown() }
    var x = try facts.input(0)
    x.shape.insert(1, at: try Axes.resolve(axis[0], rank: x.shape.count + 1))
    return [x]
  }

  static let unsqueeze = ShapeRule.rule { facts in
    guard let axes = try facts.integers(1, attribute: "axes", inputSince: 13) else { throw ShapeFacts.Unknown() }
    let x = try facts.input(0)
    let rank = x.shape.count + axes.count
    let added = Set(try Axes.resolve(axes, rank: rank))
    var rest = x.shape.makeIterator()
    return [InferredType(x.elementType, (0..<rank).map { added.contains($0) ? 1 : rest.next() ?? 1 })]
  }
}

// MARK: - Axes

extension AxisRule {
  /// The axes that go, when they are named.
  static let squeeze = AxisRule.named(.first, exactly: true) { facts, order in
    guard let axes = try facts.integers(1, attribute: "axes", inputSince: 13) else { throw ShapeFacts.Unknown() }
    var renaming = Renaming(try order.without(axes))
    renaming.set(try axes.map { try order($0) }, 1, attribute: "axes", inputSince: 13, facts)
    return renaming
  }

  /// The axis that comes, when there is one. In memory it goes before the axis that it goes before.
  static let unsqueeze = AxisRule.named(.first, exactly: true) { facts, order in
    guard let axes = try facts.integers(1, attribute: "axes", inputSince: 13), axes.count == 1 else {
      throw ShapeFacts.Unknown()
    }
    let axis = try Axes.resolve(axes[0], rank: order.rank + 1)
    let place = axis < order.rank ? order.axes[axis] : order.rank
    var places = order.axes.map { $0 < place ? $0 : $0 + 1 }
    places.insert(place, at: axis)
    var renaming = Renaming(try AxisPermutation(places))
    renaming.set([place], 1, attribute: "axes", inputSince: 13, facts)
    return renaming
  }
}
