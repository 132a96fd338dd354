@testable import Apus

extension Tensor where Scalar: FloatingPointScalar {
  /// Values between -1 and 1.
  static func random(_ shape: [Int], using generator: inout SplitMix64) throws -> Tensor {
    let count = shape.reduce(1, *)
    return try Tensor((0..<count).map { _ in Scalar(Float.random(in: -1...1, using: &generator)) }, shape: shape)
  }

  /// The same values in float64.
  var asDouble: Tensor<Double> {
    get throws { try Tensor<Double>(elements.map { Double($0) }, shape: shape) }
  }
}

func largestDifference(_ a: [some BinaryFloatingPoint], _ b: [Double]) -> Double {
  zip(a, b).reduce(0) { max($0, abs(Double($1.0) - $1.1)) }
}
