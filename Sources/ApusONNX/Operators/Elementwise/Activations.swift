import Apus

// Functions of single elements that networks use between layers.

extension Operators {
  static let activations: [OperatorDefinition] = [
    OperatorDefinition("Relu", Relu),
    OperatorDefinition("LeakyRelu", LeakyRelu),
    OperatorDefinition("Sigmoid", Sigmoid),
  ]

  /// max(0, x)
  static func Relu(_ node: NodeDescription) throws -> Operation {
    floatingUnary({ try relu($0) }, { try relu($0) })
  }

  /// x where x ≥ 0, otherwise αx.
  static func LeakyRelu(_ node: NodeDescription) throws -> Operation {
    let slope = try node.float("alpha", default: 0.01)
    return floatingUnary(
      { try leakyReLU($0, negativeSlope: Double(slope)) }, { try leakyReLU($0, negativeSlope: Double(slope)) })
  }

  /// 1 / (1 + e^-x)
  static func Sigmoid(_ node: NodeDescription) throws -> Operation {
    floatingUnary({ try sigmoid($0) }, { try sigmoid($0) })
  }
}
