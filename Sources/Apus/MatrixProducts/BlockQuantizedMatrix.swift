import ApusKernelInterface

/// The matrix of an affine map as codes of few bits, quantised in blocks of neighbouring inputs:
///
///     value[output, input] = (code[output, input] - zeroPoint[output, block]) * scale[output, block]
///
/// Without zero points, the middle of the codes stands for zero.
package struct BlockQuantizedMatrix<Scalar: FloatingPointScalar>: Sendable {
  /// `[outputs, blocks · blockSize · bits / 8]`, the first input in a byte's lowest bits.
  let codes: Tensor<UInt8>
  /// Four or eight.
  let bits: Int
  let blockSize: Int
  /// `[outputs, blocks]`.
  let scales: Tensor<Scalar>
  /// `[outputs, blocks]`.
  let zeroPoints: Tensor<UInt8>?
  let inputs: Int

  var outputs: Int { scales.shape[0] }
  var blockCount: Int { scales.shape[1] }

  /// Whether blocks are of a size that a layer keeps as they are.
  package static func isSupported(bits: Int, blockSize: Int) -> Bool {
    (bits == 4 || bits == 8) && blockSize >= 16 && blockSize <= 1 << 20 && blockSize & (blockSize - 1) == 0
  }

  /// - Parameters:
  ///   - codes: the bytes of each output, of whole blocks.
  ///   - zeroPoints: `[outputs, blocks]`.
  ///   - inputs: more than fill the blocks before the last one, and no more than fill all.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  package init(
    codes: Tensor<UInt8>, bits: Int, blockSize: Int, scales: Tensor<Scalar>, zeroPoints: Tensor<UInt8>?, inputs: Int
  ) throws {
    let shape = scales.shape
    guard Self.isSupported(bits: bits, blockSize: blockSize), shape.count == 2, inputs > 0, inputs <= 1 << 40,
      shape[1] == (inputs + blockSize - 1) / blockSize,
      codes.shape == [shape[0], shape[1] * blockSize * bits / 8],
      zeroPoints.map({ $0.shape == shape }) ?? true
    else {
      throw TensorError.shape(
        operation: "BlockQuantizedMatrix",
        reason:
          "codes \(codes.shape) of \(bits) bits, scales \(shape)\(zeroPoints.map { " and zero points \($0.shape)" } ?? "") "
          + "are not of \(inputs) inputs in blocks of \(blockSize)")
    }
    self.codes = try codes.rowMajor
    (self.bits, self.blockSize, self.inputs) = (bits, blockSize, inputs)
    self.scales = try scales.rowMajor
    self.zeroPoints = try zeroPoints?.rowMajor
  }
}
