import ApusTestSupport

@testable import Apus

/// Numbers evenly spread over `range`, the same for the same seed.
func randomTensor<Scalar: FloatingPointScalar>(
  _ shape: [Int], seed: UInt64, in range: ClosedRange<Double> = -2...2, as type: Scalar.Type = Scalar.self
) throws -> Tensor<Scalar> {
  var generator = SplitMix64(seed: seed)
  return try Tensor<Double>(randomNumbers(shape.reduce(1, *), in: range, using: &generator), shape: shape).converted()
}

/// What `body` makes on every kernel variant.
///
/// - Throws: ``ThreadsChangeResult`` where it does not make the same bits with 1, 2 and 4 threads.
func resultsByVariant<Scalar: TensorScalar>(
  _ body: () throws -> Tensor<Scalar>
) throws -> [(variant: KernelVariant, result: Tensor<Scalar>)] {
  try Execution.availableVariants.map { variant in
    let single = try Execution.with(threads: 1, variant: variant) { try body() }
    let bytes = try single.bytes
    for threads in [2, 4] {
      let several = try Execution.with(threads: threads, variant: variant) { try body() }
      guard try several.bytes == bytes else { throw ThreadsChangeResult(threads: threads, variant: variant) }
    }
    return (variant, single)
  }
}

struct ThreadsChangeResult: Error {
  let threads: Int
  let variant: KernelVariant
}

extension Tensor {
  /// The row-major elements as they lie in memory, so that NaNs and signs of zero compare too.
  var bytes: [UInt8] {
    get throws { try withUnsafeBufferPointer { Array(UnsafeRawBufferPointer($0)) } }
  }
}
