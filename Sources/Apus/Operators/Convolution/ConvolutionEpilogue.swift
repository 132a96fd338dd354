import ApusKernelInterface

/// What becomes of a convolution's sums while they are in a cache: a batch normalisation where there is one, then an
/// activation where there is one; bit for bit what both give afterwards.
struct ConvolutionEpilogue: Sendable {
  /// Its mean, scale and shift, laid out as biases are.
  private let normalization: (mean: TensorStorage, scale: TensorStorage, shift: TensorStorage)?
  /// Outputs of each channel, and how far apart the numbers of a channel's outputs are.
  private let multiplier: Int
  private let copyStep: Int

  /// - Parameters:
  ///   - normalization: of the outputs; nil for none.
  ///   - multiplier: outputs of each channel.
  init(_ normalization: BatchNormalization<Float>?, outputs: Int, multiplier: Int = 1) throws {
    self.multiplier = multiplier
    copyStep = TensorLayout.blocks(outputs / multiplier) * TensorLayout.block
    self.normalization = try normalization.map {
      func storage(_ numbers: Tensor<Float>) throws -> TensorStorage {
        try BlockedVector.storage(numbers, multiplier: multiplier)
      }
      return try (storage($0.mean), storage($0.scale), storage($0.shift))
    }
  }

  /// What an activation holds sums within, where that is all it does and all that becomes of them: kernels then do it.
  func bounds(_ activation: UnaryOperation?) -> SumBounds? { hasActivationOnly ? activation?.bounds : nil }

  /// Whether there is no batch normalisation.
  var hasActivationOnly: Bool { normalization == nil }

  /// - Parameters:
  ///   - y: sums of some positions of a block of channels.
  ///   - panel: the number of the block, as ``BlockedVector`` counts them.
  func callAsFunction(
    _ y: UnsafeMutablePointer<Float>, positions: Int, panel: Int, _ activation: UnaryOperation?, _ kernels: KernelSet
  ) {
    let block = TensorLayout.block
    guard let (mean, scale, shift) = numbers(panel * block) else {
      if let activation { kernels.float32.unary(activation, y, y, count: positions * block) }
      return
    }
    BatchNormalization<Float>.normalize(
      y, y, rows: positions, columns: block, mean: mean, scale: scale, shift: shift, activation, kernels.float32)
  }

  /// - Parameter y: sums of some positions of one output.
  func callAsFunction(
    _ y: UnsafeMutablePointer<Float>, positions: Int, output: Int, _ activation: UnaryOperation?, _ kernels: KernelSet
  ) {
    if let (mean, scale, shift) = numbers(output % multiplier * copyStep + output / multiplier) {
      kernels.float32.affine(y, y, count: positions, mean: mean[0], scale: scale[0], shift: shift[0])
    }
    if let activation { kernels.float32.unary(activation, y, y, count: positions) }
  }

  /// Mean, scale and shift from a place on.
  private func numbers(
    _ first: Int
  ) -> (mean: UnsafePointer<Float>, scale: UnsafePointer<Float>, shift: UnsafePointer<Float>)? {
    normalization.map { mean, scale, shift in
      func pointer(_ storage: TensorStorage) -> UnsafePointer<Float> {
        UnsafePointer(storage.base.assumingMemoryBound(to: Float.self) + first)
      }
      return (pointer(mean), pointer(scale), pointer(shift))
    }
  }
}
