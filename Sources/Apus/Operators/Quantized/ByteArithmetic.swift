import ApusKernelInterface

/// `saturate(round(a · aScale + (b · bScale + rest)))`, both sums rounded once: what ONNX Runtime's `QLinearAdd` computes.
///
/// - Returns: nil where neither operand is repeated whole to make the other's shape.
package func addBytes<Scalar: ByteScalar>(
  _ a: Tensor<Scalar>, _ b: Tensor<Scalar>, aScale: Float, bScale: Float, rest: Float
) throws -> Tensor<Scalar>? {
  let kernels = Execution.current.kernels.quantized
  return try combined(a, b) { a, b, y, count in
    kernels.addBytes(
      a, b, aScale: aScale, bScale: bScale, rest: rest, isSigned: Scalar.isSigned, y, count: count)
  }
}

/// `saturate(round((a - aZeroPoint) · (b - bZeroPoint) · scale) + zeroPoint)`.
///
/// - Returns: nil where neither operand is repeated whole to make the other's shape.
package func multiplyBytes<Scalar: ByteScalar>(
  _ a: Tensor<Scalar>, _ b: Tensor<Scalar>, aZeroPoint: Scalar, bZeroPoint: Scalar, scale: Float, zeroPoint: Scalar
) throws -> Tensor<Scalar>? {
  let kernels = Execution.current.kernels.quantized
  let points = [aZeroPoint, bZeroPoint, zeroPoint].map { Int32(truncatingIfNeeded: $0) }
  return try combined(a, b) { a, b, y, count in
    kernels.multiplyBytes(
      a, b, aZeroPoint: points[0], bZeroPoint: points[1], scale: scale, zeroPoint: points[2],
      isSigned: Scalar.isSigned, y, count: count)
  }
}

private func combined<Scalar: ByteScalar>(
  _ a: Tensor<Scalar>, _ b: Tensor<Scalar>,
  _ body:
    @Sendable (
      _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, _ count: Int
    ) -> Void
) throws -> Tensor<Scalar>? {
  // The axes of the smaller one are the last of the larger one.
  let isFirst = a.count >= b.count && a.rank >= b.rank
  let (whole, part) = isFirst ? (a, b) : (b, a)
  let axes = part.shape.drop { $0 == 1 }
  guard whole.rank >= part.rank, part.count > 0, Array(axes) == Array(whole.shape.suffix(axes.count)) else {
    return nil
  }
  let (source, repeated) = (try whole.rowMajor, try part.rowMajor.repeatedBytes(upTo: whole.count))
  let (x, pattern, length) = (Unchecked(source.bytes8), Unchecked(repeated.bytes8), repeated.count)
  return try Tensor.filled(whole.shape) { y in
    let y = Unchecked(UnsafeMutableRawPointer(y).assumingMemoryBound(to: UInt8.self))
    parallelRanges(whole.count, grain: 4 * elementsPerPiece) { start, count in
      var place = start
      while place < start + count {
        let at = place % length
        let run = min(length - at, start + count - place)
        let (x, z) = (x.value + place, pattern.value + at)
        body(isFirst ? x : z, isFirst ? z : x, y.value + place, run)
        place += run
      }
    }
    withExtendedLifetime((source, repeated)) {}
  }
}

extension Tensor where Scalar: ByteScalar {
  /// The elements several times over, so that a run of them is worth a call.
  fileprivate func repeatedBytes(upTo limit: Int) throws -> Tensor {
    let times = min(limit / count, (1023 + count) / count)
    guard times > 1 else { return self }
    return try Tensor.filled([times * count]) { y in
      if count == 1 {
        y.update(repeating: pointer[0], count: times)
      } else {
        for index in 0..<times { (y + index * count).update(from: pointer, count: count) }
      }
    }
  }
}
