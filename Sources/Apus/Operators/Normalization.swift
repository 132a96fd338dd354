import ApusKernelInterface

/// Layer normalisation over the last axes, whose sizes are `normalizedShape`:
/// `(x - mean) / √(variance + epsilon) * weight + bias`, with the biased variance.
///
/// - Parameters:
///   - weight: of shape `normalizedShape`; 1 when absent.
///   - bias: of shape `normalizedShape`; 0 when absent.
/// - Throws: ``TensorError/shape(operation:reason:)`` when shapes do not fit.
@_specialize(where Scalar == Float)
public func layerNorm<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, normalizedShape: [Int], weight: Tensor<Scalar>? = nil, bias: Tensor<Scalar>? = nil,
  epsilon: Double = 1e-5
) throws -> Tensor<Scalar> {
  try checkNormalizedShape(normalizedShape, of: x, operation: "layerNorm")
  let weight = try checked(weight, "weight", normalizedShape, operation: "layerNorm")
  let bias = try checked(bias, "bias", normalizedShape, operation: "layerNorm")
  let source = try x.rowMajor
  let columns = normalizedShape.reduce(1, *)
  let kernels = Scalar.kernels
  return try withExtendedLifetime((source.storage, weight, bias)) {
    nonisolated(unsafe) let x = source.pointer
    nonisolated(unsafe) let parameters = (weight: weight?.pointer, bias: bias?.pointer)
    return try Tensor.filled(source.shape) { destination in
      guard columns > 0 else { return }
      nonisolated(unsafe) let y = destination
      parallelRows(source.count / columns, width: columns) { first, count in
        kernels.layerNormRows(
          x + first * columns, y + first * columns, rows: count, columns: columns, weight: parameters.weight,
          bias: parameters.bias, epsilon: epsilon)
      }
    }
  }
}

/// Normalisation over the last axes, whose sizes are `normalizedShape`, by their root mean square:
/// `x / √(mean x² + epsilon) * weight`.
///
/// - Parameter weight: of shape `normalizedShape`; 1 when absent.
/// - Throws: ``TensorError/shape(operation:reason:)`` when shapes do not fit.
@_specialize(where Scalar == Float)
public func rmsNorm<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, normalizedShape: [Int], weight: Tensor<Scalar>? = nil, epsilon: Double = 1e-5
) throws -> Tensor<Scalar> {
  try checkNormalizedShape(normalizedShape, of: x, operation: "rmsNorm")
  let weight = try checked(weight, "weight", normalizedShape, operation: "rmsNorm")
  let source = try x.rowMajor
  let columns = normalizedShape.reduce(1, *)
  let kernels = Scalar.kernels
  return try withExtendedLifetime((source.storage, weight)) {
    nonisolated(unsafe) let x = source.pointer
    nonisolated(unsafe) let weight = weight?.pointer
    return try Tensor.filled(source.shape) { destination in
      guard columns > 0 else { return }
      nonisolated(unsafe) let y = destination
      parallelRows(source.count / columns, width: columns) { first, count in
        kernels.rmsNormRows(
          x + first * columns, y + first * columns, rows: count, columns: columns, weight: weight, epsilon: epsilon)
      }
    }
  }
}

/// Group normalisation of `[batch, channels, …]`: the channels are divided into `groups`, each of which is normalised
/// with its own mean and biased variance over all its channels and positions.
///
/// - Parameters:
///   - weight: of shape `[channels]`; 1 when absent.
///   - bias: of shape `[channels]`; 0 when absent.
/// - Throws: ``TensorError`` when shapes do not fit, or the channels cannot be divided so.
public func groupNorm<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, groups: Int, weight: Tensor<Scalar>? = nil, bias: Tensor<Scalar>? = nil,
  epsilon: Double = 1e-5
) throws -> Tensor<Scalar> {
  guard x.rank >= 2 else {
    throw TensorError.shape(
      operation: "groupNorm", reason: "shape \(x.shape) has no channels; expected [batch, channels, …]")
  }
  let channels = x.shape[1]
  guard groups > 0, channels.isMultiple(of: groups) else {
    throw TensorError.argument(
      operation: "groupNorm", reason: "\(channels) channels of shape \(x.shape) cannot form \(groups) groups")
  }
  let weight = try checked(weight, "weight", [channels], operation: "groupNorm")
  let bias = try checked(bias, "bias", [channels], operation: "groupNorm")
  let source = try x.rowMajor
  let positions = x.shape[2...].reduce(1, *)
  let channelsPerGroup = channels / groups
  let width = channelsPerGroup * positions
  let kernels = Scalar.kernels
  return try withExtendedLifetime((source.storage, weight, bias)) {
    nonisolated(unsafe) let x = source.pointer
    nonisolated(unsafe) let parameters = (weight: weight?.pointer, bias: bias?.pointer)
    return try Tensor.filled(source.shape) { destination in
      guard width > 0 else { return }
      nonisolated(unsafe) let y = destination
      parallelRows(source.count / width, width: width) { first, count in
        for group in first..<(first + count) {
          let channel = group % groups * channelsPerGroup
          kernels.groupNorm(
            x + group * width, y + group * width, channels: channelsPerGroup, positions: positions,
            weight: parameters.weight.map { $0 + channel }, bias: parameters.bias.map { $0 + channel },
            epsilon: epsilon)
        }
      }
    }
  }
}

/// Batch normalisation of `[batch, channels, …]` with the statistics gathered in training:
/// `(x - runningMean) / √(runningVariance + epsilon) * weight + bias`, a channel at a time. The layout is kept.
///
/// - Parameters:
///   - runningMean: of shape `[channels]`.
///   - runningVariance: of shape `[channels]`.
///   - weight: of shape `[channels]`; 1 when absent.
///   - bias: of shape `[channels]`; 0 when absent.
/// - Throws: ``TensorError/shape(operation:reason:)`` when shapes do not fit.
public func batchNorm<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, runningMean: Tensor<Scalar>, runningVariance: Tensor<Scalar>, weight: Tensor<Scalar>? = nil,
  bias: Tensor<Scalar>? = nil, epsilon: Double = 1e-5
) throws -> Tensor<Scalar> {
  guard x.rank >= 2 else {
    throw TensorError.shape(
      operation: "batchNorm", reason: "shape \(x.shape) has no channels; expected [batch, channels, …]")
  }
  return try BatchNormalization(
    channels: x.shape[1], runningMean: runningMean, runningVariance: runningVariance, weight: weight, bias: bias,
    epsilon: epsilon)(x)
}

/// Batch normalisation with its factors computed: prepared once, applied often.
package struct BatchNormalization<Scalar: FloatingPointScalar>: Sendable {
  /// Numbers that stay in the first-level cache until their activation has been applied.
  private static var pieceCount: Int { 4096 }

  /// `[channels]` each: `(x - mean) · scale + shift`.
  let mean: Tensor<Scalar>
  let scale: Tensor<Scalar>
  let shift: Tensor<Scalar>

  /// - Throws: ``TensorError/shape(operation:reason:)`` for parameters that are not `[channels]`.
  package init(
    channels: Int, runningMean: Tensor<Scalar>, runningVariance: Tensor<Scalar>, weight: Tensor<Scalar>?,
    bias: Tensor<Scalar>?, epsilon: Double
  ) throws {
    mean = try checked(runningMean, "runningMean", [channels], operation: "batchNorm")
    let variance = try checked(runningVariance, "runningVariance", [channels], operation: "batchNorm")
    let weight = try checked(weight, "weight", [channels], operation: "batchNorm")
    shift = try checked(bias, "bias", [channels], operation: "batchNorm") ?? Tensor(zeros: [channels])
    let kernels = Scalar.kernels
    scale = try withExtendedLifetime((variance.storage, weight)) {
      try Tensor.filled([channels]) {
        kernels.batchNormScale(
          variance: variance.pointer, weight: weight?.pointer, epsilon: epsilon, scale: $0, count: channels)
      }
    }
  }

  private init(mean: Tensor<Scalar>, scale: Tensor<Scalar>, shift: Tensor<Scalar>) {
    (self.mean, self.scale, self.shift) = (mean, scale, shift)
  }

  /// The same for some of the channels.
  func ofChannels(_ channels: Range<Int>) throws -> BatchNormalization {
    func part(_ numbers: Tensor<Scalar>) throws -> Tensor<Scalar> {
      try numbers.sliced(axis: 0, from: channels.lowerBound, to: channels.upperBound)
    }
    return try BatchNormalization(mean: part(mean), scale: part(scale), shift: part(shift))
  }

  /// `(x - mean) · scale + shift` of rows with a channel for each column, and a function of that while it is in the cache.
  static func normalize(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, columns: Int,
    mean: UnsafePointer<Scalar>, scale: UnsafePointer<Scalar>, shift: UnsafePointer<Scalar>,
    _ activation: UnaryOperation?, _ kernels: any FloatingKernels<Scalar>.Type
  ) {
    let rowsPerPiece = max(1, pieceCount / columns)
    for row in stride(from: 0, to: rows, by: rowsPerPiece) {
      let (first, count) = (row * columns, min(rowsPerPiece, rows - row))
      kernels.affineRows(
        x + first, y + first, rows: count, columns: columns, mean: mean, scale: scale, shift: shift)
      if let activation { kernels.unary(activation, y + first, y + first, count: count * columns) }
    }
  }

  /// - Parameters:
  ///   - x: `[batch, channels, …]`.
  ///   - activation: applied while the result is in the cache, same bits as afterwards.
  /// - Returns: the same shape, in the same layout.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for another number of channels.
  #if compiler(>=6.3)
    @_specialize(where Scalar == Float)
  #endif
  package func callAsFunction(_ x: Tensor<Scalar>, activation: Activation = .identity) throws -> Tensor<Scalar> {
    let channels = mean.count
    guard x.rank >= 2, x.shape[1] == channels else {
      throw TensorError.shape(
        operation: "batchNorm", reason: "input has shape \(x.shape), expected [batch, \(channels), …]")
    }
    let kernels = Scalar.kernels
    let positions = x.shape[2...].reduce(1, *)
    // Blocks are read whole, the filling of the last one too.
    let isBlocked = x.layout == .channelBlocked
    let numbers = try isBlocked ? [mean, scale, shift].map { try $0.filledUp() } : [mean, scale, shift]
    return try withExtendedLifetime((x.storage, numbers)) {
      nonisolated(unsafe) let source = x.pointer
      nonisolated(unsafe) let parameters = (
        mean: numbers[0].pointer, scale: numbers[1].pointer, shift: numbers[2].pointer
      )
      return try Tensor.filled(x.shape, layout: x.layout) { destination in
        guard x.count > 0 else { return }
        nonisolated(unsafe) let y = destination
        let operation = activation.operation
        @Sendable func finish(_ start: Int, count: Int) {
          if let operation { kernels.unary(operation, y + start, y + start, count: count) }
        }
        /// So many rows of columns, from `start` on, of which the first is a certain channel's.
        @Sendable func normalize(_ start: Int, rows: Int, columns: Int, channel: Int) {
          Self.normalize(
            source + start, y + start, rows: rows, columns: columns, mean: parameters.mean + channel,
            scale: parameters.scale + channel, shift: parameters.shift + channel, operation, kernels)
        }
        if isBlocked {
          let (block, blocks) = (TensorLayout.block, TensorLayout.blocks(channels))
          parallelRows(x.shape[0] * blocks, width: positions * block) { first, count in
            for index in first..<(first + count) {
              normalize(index * positions * block, rows: positions, columns: block, channel: index % blocks * block)
            }
          }
        } else if positions == 1 {
          parallelRows(x.shape[0], width: channels) { first, count in
            normalize(first * channels, rows: count, columns: channels, channel: 0)
          }
        } else {
          /// So many planes, or a part of one, of which the first is a certain one.
          @Sendable func normalize(_ start: Int, planes: Int, positions: Int, plane: Int) {
            for index in 0..<planes {
              let (first, channel) = (start + index * positions, (plane + index) % channels)
              kernels.affine(
                source + first, y + first, count: positions, mean: parameters.mean[channel],
                scale: parameters.scale[channel], shift: parameters.shift[channel])
            }
            finish(start, count: planes * positions)
          }
          let planesPerPiece = max(1, Self.pieceCount / positions)
          parallelRows(x.shape[0] * channels, width: positions) { first, count in
            for plane in stride(from: first, to: first + count, by: planesPerPiece) {
              let planes = min(planesPerPiece, first + count - plane)
              for position in stride(from: 0, to: positions, by: Self.pieceCount) {
                normalize(
                  plane * positions + position, planes: planes, positions: min(Self.pieceCount, positions - position),
                  plane: plane)
              }
            }
          }
        }
      }
    }
  }
}

private func checkNormalizedShape<Scalar>(_ normalizedShape: [Int], of x: Tensor<Scalar>, operation: String) throws {
  guard !normalizedShape.isEmpty, x.shape.count >= normalizedShape.count,
    x.shape.suffix(normalizedShape.count).elementsEqual(normalizedShape)
  else {
    throw TensorError.shape(
      operation: operation, reason: "the last axes of shape \(x.shape) are not \(normalizedShape)")
  }
}

extension Tensor {
  /// A vector of channels, with zeros up to whole blocks.
  fileprivate func filledUp() throws -> Tensor {
    let size = TensorLayout.blocks(count) * TensorLayout.block
    return size == count ? self : try pad(self, [0, size - count])
  }
}

/// A parameter that has the shape it must have, row-major.
private func checked<Scalar>(
  _ tensor: Tensor<Scalar>?, _ name: String, _ shape: [Int], operation: String
) throws -> Tensor<Scalar>? {
  try tensor.map { try checked($0, name, shape, operation: operation) }
}

private func checked<Scalar>(
  _ tensor: Tensor<Scalar>, _ name: String, _ shape: [Int], operation: String
) throws -> Tensor<Scalar> {
  guard tensor.shape == shape else {
    throw TensorError.shape(operation: operation, reason: "\(name) has shape \(tensor.shape); expected \(shape)")
  }
  return try tensor.rowMajor
}
