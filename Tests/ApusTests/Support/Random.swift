import ApusTestSupport

@testable import Apus

extension Tensor where Scalar: FloatingPointScalar {
  /// Values between -1 and 1.
  static func random(_ shape: [Int], using generator: inout SplitMix64) throws -> Tensor {
    try Tensor<Float>(randomNumbers(shape.reduce(1, *), in: -1...1, using: &generator), shape: shape).converted()
  }

  /// The same values in float64.
  var asDouble: Tensor<Double> {
    get throws { try converted() }
  }
}
