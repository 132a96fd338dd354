@testable import Apus

/// Integers evenly spread over their type, the same for the same seed.
func randomIntegers<Scalar: TensorScalar & FixedWidthInteger>(
  _ shape: [Int], seed: UInt64, as type: Scalar.Type = Scalar.self
) throws -> Tensor<Scalar> {
  var generator = SplitMix64(seed: seed)
  return try Tensor(
    (0..<shape.reduce(1, *)).map { _ in Scalar(truncatingIfNeeded: generator.next() >> 24) }, shape: shape)
}

/// `saturate(round(Float(sum) * scale) + zeroPoint)` in steps.
func requantized<Scalar: FixedWidthInteger>(
  _ sum: Int32, _ scale: Float, zeroPoint: Int, as type: Scalar.Type
) -> Scalar {
  let rounded = (Float(sum) * scale).rounded(.toNearestOrEven)
  return Scalar(clamping: Int(rounded) + zeroPoint)
}
