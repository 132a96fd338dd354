import Apus

extension Operators {
  static let skipNormalizations: [OperatorDefinition] = [
    OperatorDefinition(
      "SkipLayerNormalization", domain: "com.microsoft",
      .reduction(.skipLayerNormalization, terms: .columns), SkipLayerNormalization),
    OperatorDefinition(
      "SkipSimplifiedLayerNormalization", domain: "com.microsoft",
      .reduction(.skipLayerNormalization, terms: .columns), SkipSimplifiedLayerNormalization),
    OperatorDefinition(
      "SimplifiedLayerNormalization", .reduction(.simplifiedLayerNormalization, terms: .fromAxisOn),
      SimplifiedLayerNormalization),
    OperatorDefinition(
      "SimplifiedLayerNormalization", domain: "com.microsoft",
      .reduction(.simplifiedLayerNormalization, terms: .fromAxisOn), SimplifiedLayerNormalization),
    OperatorDefinition(
      "EmbedLayerNormalization", domain: "com.microsoft",
      .reduction(.embedLayerNormalization, terms: .features), EmbedLayerNormalization),
    OperatorDefinition(
      "QEmbedLayerNormalization", domain: "com.microsoft",
      .reduction(.quantizedEmbedLayerNormalization, terms: .features), QEmbedLayerNormalization),
  ]

  /// Layer normalisation of `input + skip + bias`, which may be shown as well.
  static func SkipLayerNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    floating(
      try SkipNormalization<Float>(node, isSimplified: false), try SkipNormalization<Double>(node, isSimplified: false))
  }

  /// `s / √(mean(s²) + epsilon) · gamma` of `s = input + skip + bias`, which may be shown as well.
  static func SkipSimplifiedLayerNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    floating(
      try SkipNormalization<Float>(node, isSimplified: true), try SkipNormalization<Double>(node, isSimplified: true))
  }

  /// `x / √(mean(x²) + epsilon) · scale` over the axes from `axis` on; of the type of the scale.
  static func SimplifiedLayerNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    floating(
      likeInput: 1, try SimplifiedNormalization<Float>(node), try SimplifiedNormalization<Double>(node))
  }

  /// What BERT begins with: word, position and segment embeddings added up, and normalised.
  static func EmbedLayerNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    floating(
      likeInput: 2, try EmbedNormalization<Float>(node, isQuantized: false),
      try EmbedNormalization<Double>(node, isQuantized: false))
  }

  /// The same with tables, scale and bias of bytes, each with a scale and a zero point.
  static func QEmbedLayerNormalization(_ node: NodeDescription) throws -> PreparedOperator {
    floating(
      likeInput: 8, try EmbedNormalization<Float>(node, isQuantized: true),
      try EmbedNormalization<Double>(node, isQuantized: true))
  }
}

private struct SkipNormalization<Scalar: FloatingPointScalar>: FloatingOperator {
  let isSimplified: Bool
  let epsilon: Double
  let wantsStatistics: Bool

  init(_ node: NodeDescription, isSimplified: Bool) throws {
    self.isSimplified = isSimplified
    epsilon = Double(try node.float("epsilon", default: 1e-12))
    wantsStatistics = node.wants(1) || node.wants(2)
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    guard let features = x.shape.last else { throw OperatorError("a single value cannot be normalised") }
    let skip = try arguments.floating(1, as: Scalar.self)
    guard skip.rank <= x.rank, try Shape.broadcast(skip.shape, x.shape, operation: "skip") == x.shape else {
      throw OperatorError("a skip of shape \(skip.shape) does not fit an input of shape \(x.shape)")
    }
    var sum = try x + skip
    let gamma = try arguments.floating(2, as: Scalar.self)
    let beta = isSimplified ? nil : try arguments.optionalFloating(3, as: Scalar.self)
    if let bias = try arguments.optionalFloating(isSimplified ? 3 : 4, as: Scalar.self) {
      guard bias.shape == [features] else {
        throw OperatorError("bias has shape \(bias.shape); [\(features)] is needed")
      }
      sum = try sum + bias
    }
    let output =
      try isSimplified
      ? rmsNorm(sum, normalizedShape: [features], weight: gamma, epsilon: epsilon)
      : layerNorm(sum, normalizedShape: [features], weight: gamma, bias: beta, epsilon: epsilon)
    var statistics: (mean: Tensor<Scalar>, inverse: Tensor<Scalar>)?
    if wantsStatistics {
      let mean = try sum.mean(axes: [-1], keepDims: true)
      let spread =
        try isSimplified
        ? sum.square().mean(axes: [-1], keepDims: true) : sum.variance(axes: [-1], correction: 0, keepDims: true)
      statistics = (mean, try (spread + Scalar(epsilon)).rsqrt())
    }
    return [
      try GraphValue(rounding: output, to: type), statistics.map { GraphValue($0.mean) },
      statistics.map { GraphValue($0.inverse) },
      try GraphValue(rounding: sum, to: type),
    ]
  }
}

private struct SimplifiedNormalization<Scalar: FloatingPointScalar>: FloatingOperator {
  let epsilon: Double
  let axis: Int
  let wantsStatistics: Bool

  init(_ node: NodeDescription) throws {
    epsilon = Double(try node.float("epsilon", default: 1e-5))
    axis = try node.int("axis", default: -1)
    wantsStatistics = node.wants(1)
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let x = try arguments.floating(0, as: Scalar.self)
    let first = try Shape.axis(axis, in: x.shape, operation: "SimplifiedLayerNormalization")
    let output = try x.rmsNormalized(from: first, scale: arguments.floating(1, as: Scalar.self), epsilon: epsilon)
    var inverse: GraphValue?
    if wantsStatistics {
      let squares = try x.square().mean(axes: Array(first..<x.rank), keepDims: true)
      inverse = GraphValue(try (squares + Scalar(epsilon)).rsqrt())
    }
    return [try GraphValue(rounding: output, to: type), inverse]
  }
}

private struct EmbedNormalization<Scalar: FloatingPointScalar>: FloatingOperator {
  let epsilon: Double
  let isQuantized: Bool

  init(_ node: NodeDescription, isQuantized: Bool) throws {
    epsilon = Double(try node.float("epsilon", default: 1e-12))
    self.isQuantized = isQuantized
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let words = try arguments.tensor(0).converted(to: Int64.self)
    guard words.rank == 2 else { throw OperatorError("input_ids has shape \(words.shape); [batch, time] is needed") }
    let (batch, time) = (words.shape[0], words.shape[1])
    // Without words there may be very many samples or places.
    try Shape.checkMemory([max(batch, time)], of: Int64.self, operation: "EmbedLayerNormalization")
    var sum = try embedded(words, by: 2, arguments)
    let positions =
      try isQuantized ? nil : arguments.optionalTensor(8)?.converted(to: Int64.self)
    let places = try positions ?? Tensor((0..<time).map { Int64($0) }, shape: [1, time])
    guard places.shape == words.shape || places.shape == [1, time] else {
      throw OperatorError("position_ids has shape \(places.shape); [\(batch), \(time)] is needed")
    }
    sum = try sum + embedded(places, by: 3, arguments)
    guard arguments.has(1) == arguments.has(4) else {
      throw OperatorError("segment_ids and segment_embedding are given one without the other")
    }
    if arguments.has(1) {
      let segments = try arguments.tensor(1).converted(to: Int64.self)
      guard segments.shape == words.shape else {
        throw OperatorError("segment_ids has shape \(segments.shape); \(words.shape) is needed")
      }
      sum = try sum + embedded(segments, by: 4, arguments)
    }
    let features = sum.shape[2]
    let output = try layerNorm(
      sum, normalizedShape: [features], weight: numbers(5, arguments), bias: numbers(6, arguments), epsilon: epsilon)
    var lengths = [Int32](repeating: 0, count: batch)
    if let mask = try arguments.optionalIntegers(7) {
      guard mask.count == batch * time else {
        throw OperatorError("mask has \(mask.count) elements; [\(batch), \(time)] is needed")
      }
      for (index, value) in mask.enumerated() where value == 1 { lengths[index / max(1, time)] += 1 }
    }
    return [
      try GraphValue(rounding: output, to: type), GraphValue(try Tensor(lengths)),
      try GraphValue(rounding: sum, to: type),
    ]
  }

  /// The entries of table `index` that tokens name.
  private func embedded(_ tokens: Tensor<Int64>, by index: Int, _ arguments: Arguments) throws -> Tensor<Scalar> {
    guard isQuantized else { return try embedding(tokens, weight: arguments.floating(index, as: Scalar.self)) }
    // Of a large table few entries are read.
    switch try arguments.tensor(index) {
    case .uint8(let table): return try numbers(.uint8(table.indexSelect(axis: 0, tokens)), index, arguments)
    case .int8(let table): return try numbers(.int8(table.indexSelect(axis: 0, tokens)), index, arguments)
    case let other: throw OperatorError("input \(index) is \(other.dataType); bytes are needed")
    }
  }

  /// Input `index` as numbers.
  private func numbers(_ index: Int, _ arguments: Arguments) throws -> Tensor<Scalar> {
    guard isQuantized else { return try arguments.floating(index, as: Scalar.self) }
    return try numbers(arguments.tensor(index), index, arguments)
  }

  /// Of inputs 2 to 6, 8 to 12 are the scales and 13 to 17 the zero points.
  private func numbers(_ bytes: AnyTensor, _ index: Int, _ arguments: Arguments) throws -> Tensor<Scalar> {
    let (scale, point) = (try arguments.floating(index + 6, as: Scalar.self), try arguments.tensor(index + 11))
    guard scale.count == 1, point.count == 1, point.dataType == bytes.dataType else {
      throw OperatorError("the scale or the zero point of input \(index) is not one number of its type")
    }
    let zero = try point.converted(to: Scalar.self).reshaped([]).scalar
    return try (bytes.converted(to: Scalar.self) - zero) * scale.reshaped([]).scalar
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let skipLayerNormalization = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let statistics = try normalizationStatistics(x.elementType, x.shape, axis: -1)
    return [x, statistics, statistics, x]
  }

  static let simplifiedLayerNormalization = ShapeRule.rule { facts in
    let (type, shape) = (facts.elementType(1), try facts.shape(0))
    let axis = try facts.node.int("axis", default: -1)
    return [InferredType(type, shape), try normalizationStatistics(type, shape, axis: axis)]
  }

  static let embedLayerNormalization = ShapeRule.rule { facts in
    let (words, table) = try (facts.shape(0), facts.input(2))
    guard words.count == 2, table.shape.count == 2 else { throw ShapeFacts.Unknown() }
    // Embeddings of another size would be stretched, or would stretch those of the words.
    for index in [3, 4] where try facts.has(index) && facts.shape(index).last != table.shape[1] {
      throw ShapeFacts.Unknown()
    }
    let sum = InferredType(table.elementType, words + [table.shape[1]])
    return [sum, InferredType(.int32, [words[0]]), sum]
  }

  static let quantizedEmbedLayerNormalization = ShapeRule.rule { facts in
    let (words, table) = try (facts.shape(0), facts.shape(2))
    guard words.count == 2, table.count == 2 else { throw ShapeFacts.Unknown() }
    return [InferredType(facts.elementType(8), words + [table[1]]), InferredType(.int32, [words[0]])]
  }
}

// MARK: - Terms

extension TermCount {
  /// The features of a word.
  static let features: TermCount = .counted { $0.shape(2).last ?? 1 }
}
