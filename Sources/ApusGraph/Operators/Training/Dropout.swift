import Apus

extension Operators {
  static let dropouts: [OperatorDefinition] = [
    OperatorDefinition("Dropout", .movement(.dropout, results: .input, layout: .rowMajor, accuracy: .plain), Dropout)
  ]

  /// The input as it is, and as mask (output 1) that everything stays. Since opset 12, where input 2 says that this is
  /// training, elements become 0 with the probability `ratio` (input 1, 0.5 by default), and the others are divided by
  /// 1 - ratio. Before opset 10 the mask has the type of the input.
  static func Dropout(_ node: NodeDescription) throws -> PreparedOperator {
    let source = try RandomSource(node)
    let canTrain = node.opset >= 12
    let hasTypedMask = node.opset < 10
    let wantsMask = node.wants(1)
    return { arguments in
      let x = try arguments.value(0)
      let ratio = try canTrain && isTraining(arguments) ? ratio(arguments) : 0
      guard ratio == 0 else { return try dropped(arguments, ratio, source.start(arguments)) }
      guard wantsMask else { return [x] }
      guard let shape = x.shape else { throw OperatorError("input 0 is \(x.type); a tensor is needed") }
      let mask = AnyTensor(try Tensor<Bool>(repeating: true, shape: shape))
      if hasTypedMask, case .tensor(let x) = x { return [.tensor(x), .tensor(try mask.converted(to: x.dataType))] }
      return [x, .tensor(mask)]
    }
  }

  private static func isTraining(_ arguments: Arguments) throws -> Bool {
    arguments.has(2) ? try arguments.tensor(2, of: Bool.self).scalar : false
  }

  private static func ratio(_ arguments: Arguments) throws -> Double {
    let ratio: Double =
      switch arguments[1] {
      case nil: 0.5
      case .coded(let coded)?: Double(try coded.widened().scalar)
      default: try arguments.floating(1, as: Double.self).scalar
      }
    guard ratio >= 0, ratio < 1 else { throw OperatorError("the ratio is \(ratio); 0 ..< 1 is needed") }
    return ratio
  }

  private static func dropped(
    _ arguments: Arguments, _ ratio: Double, _ random: MersenneTwister
  ) throws -> [GraphValue?] {
    let type = try arguments.floatingType(0)
    let x = try arguments.floating(0, as: Double.self)
    var random = random
    let mask = try Tensor<Bool>.filled(x.shape) { mask in
      for i in 0..<x.count { mask[i] = random.uniform() >= ratio }
    }
    let y = try x * mask.converted(to: Double.self) * (1 / (1 - ratio))
    return [try GraphValue(rounding: y, to: type), GraphValue(mask)]
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let dropout = ShapeRule.rule { facts in
    let x = try facts.input(0)
    // The mask was of the type of the input once.
    return [x, InferredType(facts.opset >= 10 ? .bool : x.elementType, x.shape)]
  }
}
