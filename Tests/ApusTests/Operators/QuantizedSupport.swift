@testable import Apus

/// Integers evenly spread over their type, the same for the same seed.
func randomIntegers<Scalar: TensorScalar & FixedWidthInteger>(
  _ shape: [Int], seed: UInt64, as type: Scalar.Type = Scalar.self
) throws -> Tensor<Scalar> {
  var generator = SplitMix64(seed: seed)
  return try Tensor(
    (0..<shape.reduce(1, *)).map { _ in Scalar(truncatingIfNeeded: generator.next() >> 24) }, shape: shape)
}

/// Integers within ±60, but for one of sixteen, which may be as great as a byte allows and often is.
func fewGreatIntegers(_ shape: [Int], seed: UInt64) throws -> Tensor<Int8> {
  var generator = SplitMix64(seed: seed)
  return try Tensor(
    (0..<shape.reduce(1, *)).map { _ in
      let bits = generator.next() >> 24
      guard bits & 15 == 0 else { return Int8(Int(bits >> 4 & 0xFFFF) % 121 - 60) }
      return [-128, 127, Int8(truncatingIfNeeded: bits >> 8), Int8(truncatingIfNeeded: bits >> 16)][Int(bits >> 4 & 3)]
    }, shape: shape)
}

/// `saturate(round(Float(sum) * scale) + zeroPoint)` in steps.
func requantized<Scalar: FixedWidthInteger>(
  _ sum: Int32, _ scale: Float, zeroPoint: Int, as type: Scalar.Type
) -> Scalar {
  let rounded = (Float(sum) * scale).rounded(.toNearestOrEven)
  return Scalar(clamping: Int(rounded) + zeroPoint)
}
