import ApusKernelInterface

/// `saturate(round(a · aScale + (b · bScale + rest)))`, both sums rounded once: what ONNX Runtime's `QLinearAdd` computes.
///
/// - Returns: nil where neither operand makes the other's shape by ``ByteRepetition``.
package func addBytes<Scalar: ByteScalar>(
  _ a: Tensor<Scalar>, _ b: Tensor<Scalar>, aScale: Float, bScale: Float, rest: Float
) throws -> Tensor<Scalar>? {
  let kernels = Execution.current.kernels.quantized
  return try combined(a, b) { a, b, y, count in
    kernels.addBytes(
      a, b, aScale: aScale, bScale: bScale, rest: rest, isSigned: Scalar.isSigned, y, count: count)
  }
}

/// `saturate(round((a - aZeroPoint) · (b - bZeroPoint) · scale + zeroPoint))`, product and sum each rounded: what ONNX
/// Runtime's `QLinearMul` computes.
///
/// - Returns: nil where neither operand makes the other's shape by ``ByteRepetition``.
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
  let isFirst = a.count >= b.count && a.rank >= b.rank
  let (whole, part) = isFirst ? (a, b) : (b, a)
  guard let repetition = try ByteRepetition(part, over: whole.shape) else { return nil }
  let source = try whole.rowMajor
  let x = Unchecked(source.bytes8)
  return try Tensor.filled(whole.shape) { y in
    let y = Unchecked(UnsafeMutableRawPointer(y).assumingMemoryBound(to: UInt8.self))
    parallelRanges(whole.count, grain: 4 * elementsPerPiece) { start, count in
      repetition.forRuns(of: start..<(start + count)) { place, z, count in
        let x = x.value + place
        body(isFirst ? x : z, isFirst ? z : x, y.value + place, count)
      }
    }
    withExtendedLifetime((source, repetition)) {}
  }
}

/// Bytes that broadcasting repeats: whole, one after the other, or each of them as often as the last axes say (`[C, 1, 1]`
/// over `[N, C, H, W]`).
private struct ByteRepetition<Scalar: ByteScalar>: @unchecked Sendable {
  private let bytes: Tensor<Scalar>
  /// How often each is repeated by itself.
  private let times: Int

  /// A run of bytes is worth a call.
  private static var runCount: Int { 1024 }

  /// - Returns: nil where it is neither.
  init?(_ part: Tensor<Scalar>, over shape: [Int]) throws {
    guard part.rank <= shape.count, part.count > 0, !shape.contains(0) else { return nil }
    let axes = Array(repeating: 1, count: shape.count - part.rank) + part.shape
    let first = axes.firstIndex { $0 != 1 } ?? axes.count
    let last = (axes.lastIndex { $0 != 1 } ?? axes.count - 1) + 1
    guard first >= last || axes[first..<last] == shape[first..<last] else { return nil }
    times = shape[last...].reduce(1, *)
    let total = shape.reduce(1, *)
    bytes = try times == 1 ? part.rowMajor.repeatedBytes(upTo: total, run: Self.runCount) : part.rowMajor
  }

  /// Calls `body` with runs of places and with the bytes that belong there.
  func forRuns(
    of range: Range<Int>, _ body: (_ place: Int, _ bytes: UnsafePointer<UInt8>, _ count: Int) -> Void
  ) {
    let (pattern, length) = (bytes.bytes8, bytes.count)
    var place = range.lowerBound
    if times == 1 {
      while place < range.upperBound {
        let at = place % length
        let run = min(length - at, range.upperBound - place)
        body(place, pattern + at, run)
        place += run
      }
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: min(times, Self.runCount)) { room in
      guard let same = room.baseAddress else { return }
      while place < range.upperBound {
        let index = place / times
        let end = min((index + 1) * times, range.upperBound)
        same.update(repeating: pattern[index % length], count: min(end - place, room.count))
        while place < end {
          let run = min(room.count, end - place)
          body(place, same, run)
          place += run
        }
      }
    }
  }
}

extension Tensor where Scalar: ByteScalar {
  /// The elements several times over, so that at least `run` of them follow each other, but not more than `limit`.
  fileprivate func repeatedBytes(upTo limit: Int, run: Int) throws -> Tensor {
    let times = min(limit / count, (run - 1 + count) / count)
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
