import Apus

// Convolutions and pools over `[batch, channels, …]`.

extension ShapeRules {
  static let windows: [ShapeRule] = [
    ShapeRule("Conv") { facts in
      [InferredType(facts.elementType(0), try convolved(facts.shape(0), weight: facts.shape(1), facts.node))]
    },
    ShapeRule("ConvTranspose") { facts in
      let (x, weight) = try (facts.shape(0), facts.shape(1))
      guard weight.count >= 3, x.count == weight.count else { throw ShapeFacts.Unknown() }
      let placement = try TransposedWindows(facts.node).placement(x, kernel: Array(weight.dropFirst(2)))
      let channels = try Extent.product(weight[1], facts.node.int("group", default: 1))
      return [InferredType(facts.elementType(0), [x[0], channels] + placement.outputs)]
    },
    ShapeRule("MaxPool", "AveragePool", "LpPool") { facts in
      let x = try facts.input(0)
      let windows = try WindowAttributes(facts.node)
      guard x.shape.count >= 3, let kernel = windows.kernel else { throw ShapeFacts.Unknown() }
      let shape = try x.shape.prefix(2) + windows.outputs(kernel: kernel, sizes: Array(x.shape.dropFirst(2)))
      return [InferredType(x.elementType, Array(shape)), InferredType(.int64, Array(shape))]
    },
    ShapeRule("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool") { facts in
      let x = try facts.input(0)
      guard x.shape.count >= 3 else { throw ShapeFacts.Unknown() }
      return [InferredType(x.elementType, x.shape.prefix(2) + x.shape.dropFirst(2).map { _ in 1 })]
    },
    ShapeRule("MaxRoiPool", "RoiAlign") { facts in
      let (x, regions) = try (facts.input(0), facts.shape(1))
      let isPool = facts.node.node.operatorName.type == "MaxRoiPool"
      let size = try isPool
        ? facts.node.ints("pooled_shape", default: [])
        : [facts.node.int("output_height", default: 1), facts.node.int("output_width", default: 1)]
      guard x.shape.count == 4, regions.count == 2, size.count == 2 else { throw ShapeFacts.Unknown() }
      return [InferredType(x.elementType, [regions[0], x.shape[1]] + size)]
    },
  ]

  /// What a convolution of an input of shape `x` gives.
  static func convolved(_ x: [Int], weight: [Int], _ node: NodeDescription) throws -> [Int] {
    guard weight.count >= 3, x.count == weight.count else { throw ShapeFacts.Unknown() }
    let windows = try WindowAttributes(node)
    return try [x[0], weight[0]] + windows.outputs(kernel: Array(weight.dropFirst(2)), sizes: Array(x.dropFirst(2)))
  }
}

extension WindowAttributes {
  /// The number of windows along each axis.
  fileprivate func outputs(kernel: [Int], sizes: [Int]) throws -> [Int] {
    let axes = try axes(kernel: kernel)
    guard axes.count == sizes.count else { throw ShapeFacts.Unknown() }
    return try zip(axes, sizes).map { try outputs(padded($0, size: $1), size: $1) }
  }
}
