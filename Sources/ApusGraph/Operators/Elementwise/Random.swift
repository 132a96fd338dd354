import Apus

// Random tensors. With the attribute `seed` a node gives the same numbers each time; without, those follow from the
// run's own seed.

extension Operators {
  static let random: [OperatorDefinition] = [
    OperatorDefinition("RandomNormal", .random(.randomTensor, float64: .typeAttribute("dtype")), RandomNormal),
    OperatorDefinition(
      "RandomNormalLike", .random(.typedLikeInput, float64: .typeAttribute("dtype")), RandomNormalLike),
    OperatorDefinition("RandomUniform", .random(.randomTensor, float64: .typeAttribute("dtype")), RandomUniform),
    OperatorDefinition(
      "RandomUniformLike", .random(.typedLikeInput, float64: .typeAttribute("dtype")), RandomUniformLike),
    OperatorDefinition("Bernoulli", .random(.typedLikeInput, float64: .typeAttribute("dtype")), Bernoulli),
    OperatorDefinition("Multinomial", .random(.multinomial, float64: .typeAttribute("dtype")), Multinomial),
  ]

  /// Numbers from the normal distribution around `mean` with deviation `scale`.
  static func RandomNormal(_ node: NodeDescription) throws -> PreparedOperator {
    let draw = try normal(node)
    return try shaped(node) { draw(&$0) }
  }

  /// As RandomNormal, with the shape of the input, and its type unless `dtype` names one.
  static func RandomNormalLike(_ node: NodeDescription) throws -> PreparedOperator {
    let draw = try normal(node)
    return try like(node) { draw(&$0) }
  }

  /// Numbers from `low` to `high`, all equally likely.
  static func RandomUniform(_ node: NodeDescription) throws -> PreparedOperator {
    let draw = try uniform(node)
    return try shaped(node) { draw(&$0) }
  }

  /// As RandomUniform, with the shape of the input, and its type unless `dtype` names one.
  static func RandomUniformLike(_ node: NodeDescription) throws -> PreparedOperator {
    let draw = try uniform(node)
    return try like(node) { draw(&$0) }
  }

  /// 1 with the probability that the input gives, otherwise 0.
  static func Bernoulli(_ node: NodeDescription) throws -> PreparedOperator {
    let source = try RandomSource(node)
    let type = try node.optionalElementType("dtype")
    return { arguments in
      let x = try arguments.tensor(0)
      let probabilities = try arguments.floating(0, as: Double.self)
      var random = source.start(arguments)
      let result = try probabilities.withUnsafeBufferPointer { p in
        try Tensor<Double>.filled(probabilities.shape) { y in
          for i in 0..<p.count { y[i] = random.bernoulli(p[i]) ? 1 : 0 }
        }
      }
      return [.tensor(try AnyTensor(result).converted(to: dataType(type ?? ElementType(x.dataType))))]
    }
  }

  /// `sample_size` classes for each row of `[batch, classes]`, whose elements are logarithms of what is proportional to
  /// the probabilities.
  static func Multinomial(_ node: NodeDescription) throws -> PreparedOperator {
    let source = try RandomSource(node)
    let size = try node.int("sample_size", default: 1)
    let type = try dataType(node.optionalElementType("dtype") ?? .int32)
    guard size >= 0 else { throw OperatorError("attribute 'sample_size' is \(size), which is below zero") }
    return { arguments in
      let x = try arguments.floating(0, as: Double.self)
      guard x.rank == 2, x.shape[1] > 0 else {
        throw OperatorError("input 0 has shape \(x.shape); [batch, classes] is needed")
      }
      var random = source.start(arguments)
      let weights = try softmax(x).elements
      let classes = x.shape[1]
      var result = try Tensor<Int64>(zeros: [x.shape[0], size])
      // Probabilities gone through since somebody asked for the time.
      var steps = 0
      try result.withUnsafeMutableBufferPointer { y in
        for draw in y.indices {
          let row = draw / size
          // The first class up to which the probabilities reach the number drawn.
          var rest = random.uniform()
          var choice = 0
          while choice < classes - 1, rest >= weights[row * classes + choice] {
            rest -= weights[row * classes + choice]
            choice += 1
          }
          y[draw] = Int64(choice)
          steps += choice + 1
          if steps >= stepsPerLook {
            try arguments.context.checkCancellation()
            steps = 0
          }
        }
      }
      return [.tensor(try AnyTensor(result).converted(to: type))]
    }
  }

  // MARK: - How

  /// Numbers that are made or gone through, a few milliseconds, between two looks at the clock.
  private static let stepsPerLook = 1 << 20

  private typealias Draw = @Sendable (inout MersenneTwister) -> Double

  private static func normal(_ node: NodeDescription) throws -> Draw {
    let mean = Double(try node.float("mean", default: 0))
    let scale = Double(try node.float("scale", default: 1))
    return { mean + scale * $0.normal() }
  }

  private static func uniform(_ node: NodeDescription) throws -> Draw {
    let low = Double(try node.float("low", default: 0))
    let high = Double(try node.float("high", default: 1))
    return { low + (high - low) * $0.uniform() }
  }

  private static func shaped(_ node: NodeDescription, _ draw: @escaping Draw) throws -> PreparedOperator {
    let source = try RandomSource(node)
    let type = try dataType(node.optionalElementType("dtype") ?? .float)
    guard let shape = try node.optionalInts("shape") else { throw OperatorError("attribute 'shape' is missing") }
    return { arguments in [.tensor(try numbers(shape, type, source.start(arguments), arguments, draw))] }
  }

  private static func like(_ node: NodeDescription, _ draw: @escaping Draw) throws -> PreparedOperator {
    let source = try RandomSource(node)
    let type = try node.optionalElementType("dtype")
    return { arguments in
      let x = try arguments.value(0)
      guard let shape = x.shape, let own = x.elementType else {
        throw OperatorError("input 0 is \(x.type); a tensor is needed")
      }
      return [.tensor(try numbers(shape, dataType(type ?? own), source.start(arguments), arguments, draw))]
    }
  }

  private static func numbers(
    _ shape: [Int], _ type: DataType, _ random: MersenneTwister, _ arguments: Arguments, _ draw: Draw
  ) throws -> AnyTensor {
    var random = random
    let count = try Shape.elementCount(shape)
    let numbers = try Tensor<Double>.filled(shape) { y in
      for i in 0..<count {
        if i % stepsPerLook == 0 { try arguments.context.checkCancellation() }
        y[i] = draw(&random)
      }
    }
    return try AnyTensor(numbers).converted(to: type)
  }

  private static func dataType(_ type: ElementType) throws -> DataType {
    guard let dataType = type.dataType else { throw OperatorError("random numbers cannot be \(type)") }
    return dataType
  }
}

/// Where a node's random numbers come from.
struct RandomSource: Sendable {
  private let seed: UInt32?

  init(_ node: NodeDescription) throws {
    // A number in most operators, a whole one in Dropout.
    switch node.node.attributes["seed"] {
    case .int(let value): seed = UInt32(truncatingIfNeeded: value)
    case .float: seed = try node.optionalFloat("seed").map { UInt32(truncatingIfNeeded: Int64(clamping: Double($0))) }
    default: seed = nil
    }
  }

  func start(_ arguments: Arguments) -> MersenneTwister {
    MersenneTwister(seed: seed ?? UInt32(truncatingIfNeeded: arguments.context.random.next()))
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let randomTensor = ShapeRule.rule { facts in
    guard let shape = try facts.node.optionalInts("shape") else { throw ShapeFacts.Unknown() }
    return [InferredType(try facts.node.optionalElementType("dtype") ?? .float, shape)]
  }

  static let multinomial = ShapeRule.rule { facts in
    let x = try facts.shape(0)
    guard x.count == 2 else { throw ShapeFacts.Unknown() }
    let type = try facts.node.optionalElementType("dtype") ?? .int32
    return [InferredType(type, [x[0], try facts.node.int("sample_size", default: 1)])]
  }
}
