import Apus

extension Activation {
  /// The function that fused nodes and recurrent ones name in an attribute; nil for a name that not both know.
  ///
  /// - Parameters:
  ///   - name: the name of the operator that it is, in capitals or not: ONNX Runtime takes those of recurrent nodes so.
  ///   - parameter: gives a parameter, or the standard's default. It is asked in the standard's order.
  init?(attribute name: String, parameter: (_ name: String, _ default: Float) -> Float) {
    func number(_ name: String, default value: Float) -> Double { Double(parameter(name, value)) }
    switch name.lowercased() {
    case "relu": self = .relu
    case "sigmoid": self = .sigmoid
    case "tanh": self = .tanh
    // Beyond the threshold the logarithm adds less than half a digit, in both working types.
    case "softplus": self = .softplus(beta: 1, threshold: 40)
    case "softsign": self = .softsign
    case "leakyrelu": self = .leakyReLU(negativeSlope: number("alpha", default: 0.01))
    case "elu": self = .elu(alpha: number("alpha", default: 1))
    case "hardsigmoid":
      self = .clampedLine(slope: number("alpha", default: 0.2), offset: number("beta", default: 0.5))
    default: return nil
    }
  }
}
