import ApusKernelInterface

// A function of one byte, of many of them, is computed once for each of the 256 that there are.

/// From how many bytes on that takes less than to compute it of all of them.
package var leastLookUp: Int { 1024 }

extension Tensor where Scalar: ByteScalar {
  /// Every byte that there is, in the order of their bits.
  package static var everyByte: Tensor {
    get throws {
      try Tensor.filled([256]) { y in
        for byte in 0...UInt8.max { y.bytes8[Int(byte)] = byte }
      }
    }
  }
}

/// What `table` holds for each element: its elements are those of ``Tensor/everyByte``.
///
/// - Throws: ``TensorError`` when the table has not 256 elements, or memory is exhausted.
package func lookUp<Scalar: ByteScalar, Result: ByteScalar>(
  _ x: Tensor<Scalar>, in table: Tensor<Result>
) throws -> Tensor<Result> {
  guard table.shape == [256] else {
    throw TensorError.argument(operation: "lookUp", reason: "a table of shape \(table.shape) is not one of 256 bytes")
  }
  let (source, table) = (try x.rowMajor, try table.rowMajor)
  return try withExtendedLifetime((source, table)) {
    try Tensor<Result>.filled(source.shape) { y in
      lookUp(source.bytes8, table: table.pointer, y, count: source.count)
    }
  }
}

/// Writes what the table holds for each of `count` bytes.
func lookUp<Result>(
  _ x: UnsafePointer<UInt8>, table: UnsafeRawPointer, _ y: UnsafeMutablePointer<Result>, count: Int
) {
  let kernels = Execution.current.kernels.quantized
  let size = MemoryLayout<Result>.stride
  let (source, table, result) = (Unchecked(x), Unchecked(table), Unchecked(UnsafeMutableRawPointer(y)))
  parallelRanges(count) { start, count in
    kernels.lookUp(
      source.value + start, table: table.value, result.value + start * size, isWide: size > 1, count: count)
  }
}
