@testable import Apus

/// A small generator whose sequence is the same everywhere.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

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
