import Apus

// What ONNX Runtime's optimiser makes of networks for diffusion, with the channels of maps last.

extension Operators {
  static let diffusion: [OperatorDefinition] = [
    OperatorDefinition("GroupNorm", domain: "com.microsoft", .reduction(.likeInput, terms: .partOfSample), GroupNorm),
    OperatorDefinition(
      "SkipGroupNorm", domain: "com.microsoft", .reduction(.skipGroupNorm, terms: .partOfSample), SkipGroupNorm),
    OperatorDefinition(
      "NhwcConv", domain: "com.microsoft",
      .product(.nhwcConv, work: .convolution(weights: 1), accuracy: .sum(.filter(weights: 1))), NhwcConv),
    OperatorDefinition("BiasSplitGelu", domain: "com.microsoft", .plain(.biasSplitGelu), BiasSplitGelu),
    OperatorDefinition("BiasAdd", domain: "com.microsoft", .plain(.likeInput), BiasAdd),
  ]

  /// Groups of channels of every sample by their own mean and variance, and SiLU of that where `activation` is 1.
  static func GroupNorm(_ node: NodeDescription) throws -> PreparedOperator {
    floating(
      try MapNormalization<Float>(node, addsSkip: false), try MapNormalization<Double>(node, addsSkip: false))
  }

  /// The same of `x + skip + bias`, which may be shown as well.
  static func SkipGroupNorm(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try MapNormalization<Float>(node, addsSkip: true), try MapNormalization<Double>(node, addsSkip: true))
  }

  /// The standard's Conv of maps `[batch, …, channels]` and a weight `[outputs, …, channels / group]`. That is what the
  /// optimiser writes and the kernel reads; the operator's own text has the weight as the standard does.
  static func NhwcConv(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try ChannelsLastConvolution<Float>(node), try ChannelsLastConvolution<Double>(node))
  }

  /// `a · Gelu(b)` of the two halves of `x + bias` along the last axis.
  static func BiasSplitGelu(_ node: NodeDescription) throws -> PreparedOperator {
    floating(HalfGated<Float>(), HalfGated<Double>())
  }

  /// `x + bias + skip`
  static func BiasAdd(_ node: NodeDescription) throws -> PreparedOperator {
    floating(BiasedSum<Float>(), BiasedSum<Double>())
  }
}

private struct MapNormalization<Scalar: FloatingPointScalar>: FloatingOperator {
  private let groups: Int
  private let epsilon: Double
  private let isLast: Bool
  private let activation: Activation
  private let addsSkip: Bool

  init(_ node: NodeDescription, addsSkip: Bool) throws {
    groups = try node.int("groups")
    epsilon = Double(try node.float("epsilon", default: 1e-5))
    isLast = try node.flag("channels_last", default: true)
    activation = try node.flag("activation") ? .silu : .identity
    self.addsSkip = addsSkip
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let input = try arguments.floating(0, as: Scalar.self)
    guard input.rank == 4 else { throw OperatorError("x has shape \(input.shape); maps of four axes are needed") }
    let x = try addsSkip ? sum(channelsFirst(input), arguments) : channelsFirst(input)
    guard groups > 0, x.shape[1] > 0, x.shape[1].isMultiple(of: groups) else {
      throw OperatorError("an input of shape \(input.shape) cannot form \(groups) groups of channels")
    }
    var y = x
    if x.count > 0 {
      y = try groupNorm(
        x, groups: groups, weight: arguments.floating(1, as: Scalar.self),
        bias: arguments.floating(2, as: Scalar.self), epsilon: epsilon)
      try y.apply(activation)
    }
    return try (addsSkip ? [y, x] : [y]).map { try GraphValue(rounding: inOrder($0), to: type) }
  }

  /// `x + skip + bias` with the channels as the second axis. A skip may have a number for each channel of a sample.
  private func sum(_ x: Tensor<Scalar>, _ arguments: Arguments) throws -> Tensor<Scalar> {
    let given = try arguments.floating(3, as: Scalar.self)
    let skip = try given.rank == 2 ? given.reshaped(given.shape + [1, 1]) : channelsFirst(given)
    guard skip.shape == x.shape || skip.shape == [x.shape[0], x.shape[1], 1, 1] else {
      throw OperatorError("a skip of shape \(given.shape) does not fit maps of \(x.shape[1]) channels")
    }
    let sum = try x + skip
    guard let bias = try arguments.optionalFloating(4, as: Scalar.self) else { return sum }
    guard bias.shape == [x.shape[1]] else {
      throw OperatorError("bias has shape \(bias.shape); [\(x.shape[1])] is needed")
    }
    return try sum + bias.reshaped([x.shape[1], 1, 1])
  }

  private func channelsFirst(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try isLast ? x.permuted(Operators.channelsFirst(x.rank)) : x
  }

  private func inOrder(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try isLast ? x.permuted(Operators.channelsLast(x.rank)) : x
  }
}

private struct ChannelsLastConvolution<Scalar: FloatingPointScalar>: FloatingOperator {
  private let windows: WindowAttributes
  private let groups: Int
  private let prepared: PreparedConvolution<Scalar>?

  init(_ node: NodeDescription) throws {
    windows = try WindowAttributes(node)
    groups = try node.int("group", default: 1)
    let bias = try node.ownConstant(2, as: Scalar.self)
    guard let weight = try node.ownConstant(1, as: Scalar.self), bias != nil || !node.has(2) else {
      prepared = nil
      return
    }
    prepared = try Self.convolution(weight, bias, windows, groups)
    for index in 1...2 where node.has(index) { node.absorb(index) }
  }

  private static func convolution(
    _ weight: Tensor<Scalar>, _ bias: Tensor<Scalar>?, _ windows: WindowAttributes, _ groups: Int
  ) throws -> PreparedConvolution<Scalar> {
    try PreparedConvolution(
      weight: weight.permuted(Operators.channelsFirst(weight.rank)), bias: bias, normalization: nil, windows: windows,
      groups: groups)
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let convolution =
      try prepared
      ?? Self.convolution(
        arguments.floating(1, as: Scalar.self), arguments.optionalFloating(2, as: Scalar.self), windows, groups)
    let x = try arguments.floating(0, as: Scalar.self)
    let y = try convolution(x.permuted(Operators.channelsFirst(x.rank)), layout: .rowMajor)
    return [try GraphValue(rounding: y.permuted(Operators.channelsLast(y.rank)), to: type)]
  }
}

private struct HalfGated<Scalar: FloatingPointScalar>: FloatingOperator {
  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let bias = try arguments.floating(1, as: Scalar.self)
    guard let width = x.shape.last, bias.shape == [width], width.isMultiple(of: 2) else {
      throw OperatorError("an input of shape \(x.shape) and a bias of shape \(bias.shape) have no two halves")
    }
    let halves = try (x + bias).split(sizes: [width / 2, width / 2], axis: x.rank - 1)
    let gate = try Apus.activation(halves[1], .gelu(approximate: .none))
    return [try GraphValue(rounding: halves[0] * gate, to: type)]
  }
}

private struct BiasedSum<Scalar: FloatingPointScalar>: FloatingOperator {
  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let bias = try arguments.floating(1, as: Scalar.self)
    let skip = try arguments.floating(2, as: Scalar.self)
    guard let width = x.shape.last, bias.shape == [width], skip.shape == x.shape else {
      throw OperatorError(
        "a bias of shape \(bias.shape) and a skip of shape \(skip.shape) do not fit an input of shape \(x.shape)")
    }
    return [try GraphValue(rounding: x + bias + skip, to: type)]
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let skipGroupNorm = ShapeRule.rule { facts in
    let x = try facts.input(0)
    return [x, x]
  }

  static let nhwcConv = ShapeRule.rule { facts in
    let (x, weight) = try (facts.shape(0), facts.shape(1))
    func ordered(_ shape: [Int]) -> [Int] { Operators.channelsFirst(shape.count).map { shape[$0] } }
    let y = try convolved(ordered(x), weight: ordered(weight), facts.node)
    return [InferredType(facts.elementType(0), Operators.channelsLast(y.count).map { y[$0] })]
  }

  static let biasSplitGelu = ShapeRule.rule { facts in
    let x = try facts.input(0)
    guard let width = x.shape.last, width.isMultiple(of: 2) else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, x.shape.dropLast() + [width / 2])]
  }
}

// MARK: - Terms

extension TermCount {
  /// The elements of a group of channels, whichever axis they are.
  fileprivate static let partOfSample: TermCount = .counted { shapes in
    shapes.shape(0).dropFirst().nonzeroProduct / max(1, shapes.int("groups") ?? 1)
  }
}
