import ApusKernelInterface

/// A convolution of 8-bit integers with its weights laid out once, and used often (ONNX's `ConvInteger` and
/// `QLinearConv`).
///
///     y[n, o, …] = bias[o] + Σ_c Σ_k (weight[o, c, k] - zw[o]) · (x[n, c, … · stride + k · dilation - padding] - zx)
///
/// Exact, in 32 bits that wrap around, for every combination of signed and unsigned operands. Padding counts as the
/// zero point.
package struct IntegerConvolution: Sendable {
  private(set) var parameters: ConvolutionParameters
  /// Axes of a map: 1 or 2.
  let spatialRank: Int
  let inputsPerGroup: Int
  let outputsPerGroup: Int
  let weights: Weights
  /// The zero points of the weights as they are laid out, and their sums, of each output.
  let zeroPoints: [Int32]
  let sums: [Int32]
  let bias: [Int32]

  enum Weights {
    /// In groups of rows, among signed numbers.
    case rows(SignedRows)
    /// Of groups that have one input each.
    case windows(WindowWeights)
  }

  /// - Parameters:
  ///   - weight: `[outputs, inputs / groups, height, width]`, or `[outputs, inputs / groups, width]` for maps of one
  ///     axis, whose other parameters are those of a map of height 1.
  ///   - zeroPoint: one value, or one per output; zero when absent.
  ///   - bias: `[outputs]`, added to the sums.
  /// - Throws: ``TensorError`` when shapes do not fit each other or an argument is out of its range.
  package init<Scalar: ByteScalar>(
    weight: Tensor<Scalar>, zeroPoint: Tensor<Scalar>? = nil, bias: Tensor<Int32>? = nil, stride: Size2D = 1,
    padding: Padding2D = 0, dilation: Size2D = 1, groups: Int = 1
  ) throws {
    let operation = "convInteger"
    guard weight.rank == 3 || weight.rank == 4 else {
      throw TensorError.shape(operation: operation, reason: "weight has shape \(weight.shape), expected 3 or 4 axes")
    }
    let isFlat = weight.rank == 3
    let kernel = Size2D(height: isFlat ? 1 : weight.shape[2], width: weight.shape[weight.rank - 1])
    func flat(_ size: Size2D) -> Size2D { isFlat ? Size2D(height: 1, width: size.width) : size }
    parameters = try ConvolutionParameters(
      operation: operation, kernel: kernel, stride: flat(stride),
      padding: isFlat ? Padding2D(top: 0, left: padding.left, bottom: 0, right: padding.right) : padding,
      dilation: flat(dilation), groups: groups)
    let (outputs, inputs) = (weight.shape[0], weight.shape[1])
    guard outputs > 0, inputs > 0, outputs.isMultiple(of: groups),
      !inputs.multipliedReportingOverflow(by: groups).overflow
    else {
      throw TensorError.shape(
        operation: operation, reason: "weight \(weight.shape) cannot be divided into \(groups) groups")
    }
    let points = try zeroPoint?.elements ?? [0]
    guard points.count == 1 || points.count == outputs else {
      throw TensorError.shape(
        operation: operation, reason: "\(points.count) zero points were given for \(outputs) outputs")
    }
    if let bias, bias.shape != [outputs] {
      throw TensorError.shape(operation: operation, reason: "bias has shape \(bias.shape), expected [\(outputs)]")
    }
    spatialRank = weight.rank - 2
    inputsPerGroup = inputs
    let outputsPerGroup = outputs / groups
    self.outputsPerGroup = outputsPerGroup
    self.bias = try bias?.elements ?? [Int32](repeating: 0, count: outputs)
    let moved = points.map(\.movedToSigned)
    let every = moved.count == 1 ? [Int32](repeating: moved[0], count: outputs) : moved
    let (source, area) = (try weight.rowMajor, kernel.height * kernel.width)
    if inputs == 1, groups > 1, parameters.hasNarrowWindows {
      let taps = withExtendedLifetime(source.storage) {
        Self.differences(source.bytes8, flip: Scalar.signedFlip, from: every, count: area)
      }
      weights = .windows(WindowWeights(taps, parameters))
      sums = (0..<outputs).map { taps[$0 * area..<($0 + 1) * area].reduce(0, &+) }
      zeroPoints = [Int32](repeating: 0, count: outputs)
      return
    }
    let rows = try withExtendedLifetime(source.storage) {
      try SignedRows(
        source.bytes8, matrices: groups, rows: outputsPerGroup, channels: inputs, area: area, flip: Scalar.signedFlip,
        mayMove: false)
    }
    weights = .rows(rows)
    sums = Array(UnsafeBufferPointer(start: rows.sums, count: outputs))
    zeroPoints = every
  }

  /// `count` bytes for each zero point, among signed numbers, less it.
  private static func differences(
    _ bytes: UnsafePointer<UInt8>, flip: UInt8, from zeroPoints: [Int32], count: Int
  ) -> [Int32] {
    var differences = [Int32](repeating: 0, count: zeroPoints.count * count)
    for (row, zeroPoint) in zeroPoints.enumerated() {
      for i in row * count..<(row + 1) * count {
        differences[i] = Int32(Int8(bitPattern: bytes[i] ^ flip)) &- zeroPoint
      }
    }
    return differences
  }

  /// The sums.
  ///
  /// - Parameters:
  ///   - input: `[batch, inputs, height, width]`, or `[batch, inputs, width]`.
  ///   - zeroPoint: the input's.
  /// - Returns: `[batch, outputs, height', width']`, or `[batch, outputs, width']`.
  /// - Throws: ``TensorError`` when the input's shape does not fit.
  package func callAsFunction<Scalar: ByteScalar>(
    _ input: Tensor<Scalar>, zeroPoint: Scalar = 0
  ) throws -> Tensor<Int32> {
    let shape = try outputShape(input.shape)
    return try Tensor.filled(shape) { y in
      try convolve(input, zeroPoint: zeroPoint, shape: shape, into: .integers(y))
    }
  }

  /// `activation(Float(sum) * scale + bias)`, each operation rounded as if it were alone.
  ///
  /// - Parameters:
  ///   - scale: one number, or one per output: the scale of the input times that of the weights.
  ///   - bias: one number per output, or none.
  package func scaled<Scalar: ByteScalar>(
    _ input: Tensor<Scalar>, zeroPoint: Scalar = 0, scale: Tensor<Float>, bias: Tensor<Float>? = nil,
    activation: Activation = .identity
  ) throws -> Tensor<Float> {
    let shape = try outputShape(input.shape)
    return try Tensor.filled(shape) { y in
      try withScale(scale, bias) { scale in
        try convolve(input, zeroPoint: zeroPoint, shape: shape, into: .floats(y, scale, activation.operation))
      }
    }
  }

  /// The same, quantised: `saturate(round(activation(…) / outputScale) + outputZeroPoint)`, ties to even. The numbers
  /// in between never lie in memory.
  package func scaled<Scalar: ByteScalar, Result: ByteScalar>(
    _ input: Tensor<Scalar>, zeroPoint: Scalar = 0, scale: Tensor<Float>, bias: Tensor<Float>? = nil,
    activation: Activation = .identity, outputScale: Float, outputZeroPoint: Result
  ) throws -> Tensor<Result> {
    let shape = try outputShape(input.shape)
    return try Tensor.filled(shape) { y in
      let range = Result.range(zeroPoint: outputZeroPoint)
      let narrowed = activation.operation.flatMap { range.limited(by: $0, scale: outputScale) }
      try withScale(scale, bias) { scale in
        // Of a NaN a limit makes another byte before it is quantised than after.
        let limited = narrowed.flatMap { scale.isFinite(count: self.bias.count) ? $0 : nil }
        try convolve(
          input, zeroPoint: zeroPoint, shape: shape,
          into: .quantizedFloats(
            y.bytes8, scale, limited == nil ? activation.operation : nil, scale: outputScale, limited ?? range))
      }
    }
  }

  /// Calls `body` with a scale and perhaps a bias for each output.
  private func withScale(
    _ scale: Tensor<Float>, _ bias: Tensor<Float>? = nil, _ body: (SumScale) throws -> Void
  ) throws {
    try SumScale.with(
      scale, bias, count: self.bias.count, isOfColumns: false, operation: parameters.operation, body)
  }

  /// `saturate(round(Float(sum) * scale) + outputZeroPoint)`, ties to even.
  ///
  /// - Parameters:
  ///   - scale: one number, or one per output: the scales of input and weights divided by that of the output.
  package func requantized<Scalar: ByteScalar, Result: ByteScalar>(
    _ input: Tensor<Scalar>, zeroPoint: Scalar = 0, scale: Tensor<Float>, outputZeroPoint: Result
  ) throws -> Tensor<Result> {
    let shape = try outputShape(input.shape)
    return try Tensor.filled(shape) { y in
      try withScale(scale) { scale in
        try convolve(
          input, zeroPoint: zeroPoint, shape: shape,
          into: .bytes(y.bytes8, scale, Result.range(zeroPoint: outputZeroPoint)))
      }
    }
  }

  /// The same convolution with another padding, for sizes whose padding depends on the input. The weights
  /// are shared.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for a padding that is negative or too large.
  package func padded(by padding: Padding2D) throws -> IntegerConvolution {
    if padding == parameters.padding { return self }
    var result = self
    result.parameters = try parameters.padded(by: padding)
    return result
  }

  private func outputShape(_ input: [Int]) throws -> [Int] {
    guard input.count == spatialRank + 2, input[1] == inputsPerGroup * parameters.groups else {
      throw TensorError.shape(
        operation: parameters.operation,
        reason: "input has shape \(input), expected \(inputsPerGroup * parameters.groups) channels and "
          + "\(spatialRank + 2) axes")
    }
    let size = try parameters.outputSize(
      Size2D(height: spatialRank == 1 ? 1 : input[2], width: input[input.count - 1]))
    return [input[0], bias.count] + (spatialRank == 1 ? [size.width] : [size.height, size.width])
  }

  private func convolve<Scalar: ByteScalar>(
    _ input: Tensor<Scalar>, zeroPoint: Scalar, shape: [Int], into output: SumOutput
  ) throws {
    guard !shape.contains(0) else { return }
    let source = try input.rowMajor
    let map = IntegerMap(
      bytes: source.bytes8, end: source.bytes8 + source.count,
      size: Size2D(height: spatialRank == 1 ? 1 : source.shape[2], width: source.shape[source.rank - 1]),
      flip: Scalar.unsignedFlip, zeroPoint: zeroPoint.movedToUnsigned)
    try withExtendedLifetime(source.storage) {
      try convolve(
        map, batch: shape[0],
        outputSize: Size2D(height: spatialRank == 1 ? 1 : shape[2], width: shape[shape.count - 1]), into: output)
    }
  }
}

/// The maps that an integer convolution reads.
struct IntegerMap: @unchecked Sendable {
  /// `[batch, channels, height, width]`.
  let bytes: UnsafePointer<UInt8>
  /// Where they end.
  let end: UnsafePointer<UInt8>
  let size: Size2D
  /// What the bytes are combined with to be unsigned, and the zero point of the outcome.
  let flip: UInt8
  let zeroPoint: Int32
}
