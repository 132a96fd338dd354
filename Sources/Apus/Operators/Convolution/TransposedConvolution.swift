import ApusKernelInterface

/// Transposed convolution: every input position adds its window of outputs, the gradient of a convolution.
///
///     y[n, o, r·stride + i·dilation - padding, …] += x[n, c, r, …] · weight[c, o, i, …]
///
/// Networks have it with channels enough to be ``SubpixelConvolution``. Otherwise, for each sample and group, a matrix
/// product gives all windows, and a second pass adds them up where they overlap.
package struct TransposedConvolution<Scalar: FloatingPointScalar>: Sendable {
  let parameters: ConvolutionParameters
  let outputPadding: Size2D
  /// `[inputs, outputs / groups, height, width]`.
  let weight: Tensor<Scalar>
  /// `[outputs]`.
  let bias: Tensor<Scalar>
  private let subpixel: SubpixelConvolution<Scalar>?

  /// - Parameter limitsOutputPadding: whether output padding must be less than stride or dilation, beyond which nothing
  ///   but the bias comes out; it may never be negative.
  package init(
    weight: Tensor<Scalar>, bias: Tensor<Scalar>?, parameters: ConvolutionParameters, outputPadding: Size2D,
    limitsOutputPadding: Bool = true
  ) throws {
    let operation = parameters.operation
    let inputs = weight.shape[0]
    let (outputs, overflow) = weight.shape[1].multipliedReportingOverflow(by: parameters.groups)
    guard inputs > 0, outputs > 0, !overflow, inputs.isMultiple(of: parameters.groups) else {
      throw TensorError.shape(
        operation: operation, reason: "weight \(weight.shape) cannot be divided into \(parameters.groups) groups")
    }
    if let bias, bias.shape != [outputs] {
      throw TensorError.shape(operation: operation, reason: "bias has shape \(bias.shape), expected [\(outputs)]")
    }
    let (stride, dilation) = (parameters.stride, parameters.dilation)
    for (padding, limit) in [
      (outputPadding.height, max(stride.height, dilation.height)),
      (outputPadding.width, max(stride.width, dilation.width)),
    ] {
      let limit = limitsOutputPadding ? limit : 1 << 31
      guard padding >= 0, padding < limit else {
        throw TensorError.argument(
          operation: operation, reason: "output padding \(padding) is not below stride or dilation, \(limit)")
      }
    }
    self.parameters = parameters
    self.outputPadding = outputPadding
    self.weight = try weight.rowMajor
    self.bias = try bias?.rowMajor ?? Tensor(zeros: [outputs])
    subpixel = try SubpixelConvolution(
      weight: self.weight, bias: self.bias, parameters: parameters, outputPadding: outputPadding)
    if subpixel != nil { weight.storage.discardFilePages() }
  }

  /// Whether windows move so.
  package func moves(as other: (parameters: ConvolutionParameters, outputPadding: Size2D)) -> Bool {
    parameters == other.parameters && outputPadding == other.outputPadding
  }

  /// - Parameter input: `[batch, inputs, height, width]`.
  /// - Returns: `[batch, outputs, height', width']`.
  package func callAsFunction(_ input: Tensor<Scalar>) throws -> Tensor<Scalar> {
    guard input.rank == 4, input.shape[1] == weight.shape[0] else {
      throw TensorError.shape(
        operation: parameters.operation,
        reason: "input has shape \(input.shape), expected \(weight.shape[0]) channels")
    }
    let map = Size2D(height: input.shape[2], width: input.shape[3])
    let size = try outputSize(map)
    if let subpixel, input.shape[0] > 0, subpixel.isWorth(map) { return try subpixel(input, size: size) }
    let source = try input.rowMajor
    let (batch, inputs) = (source.shape[0], source.shape[1])
    let groups = parameters.groups
    let (inputsPerGroup, outputsPerGroup) = (inputs / groups, weight.shape[1])
    let shape = [batch, outputsPerGroup * groups, size.height, size.width]
    guard try Shape.elementCount(shape, operation: parameters.operation) > 0 else { return try Tensor(zeros: shape) }

    let area = parameters.kernel.height * parameters.kernel.width
    let positions = map.height * map.width
    let terms = outputsPerGroup * area
    let windows = try Tensor<Scalar>(uninitialized: [terms, positions])
    let kernels = Scalar.kernels
    let walk = WindowWalk(
      rows: parameters.kernel.height, columns: parameters.kernel.width,
      rowDilation: parameters.dilation.height, columnDilation: parameters.dilation.width,
      columnStride: parameters.stride.width)
    let product = Unchecked(windows.storage.base.assumingMemoryBound(to: Scalar.self))
    let b = Unchecked(bias.pointer)
    let parameters = parameters

    return try Tensor.filled(shape) { destination in
      try withExtendedLifetime((source.storage, windows.storage, weight.storage, bias.storage)) {
        for task in 0..<batch * groups {
          let group = task % groups
          let weights = weight.pointer + group * inputsPerGroup * terms
          let x = source.pointer + task * inputsPerGroup * positions
          if positions == 1 {
            // A row times the matrix as it lies.
            try gemm(
              m: 1, n: terms, k: inputsPerGroup, MatrixOperand(x, leading: inputsPerGroup),
              MatrixOperand(weights, leading: terms), into: MatrixResult(base: product.value, leading: terms))
          } else {
            try gemm(
              m: terms, n: positions, k: inputsPerGroup,
              MatrixOperand(weights, leading: terms, isTransposed: true), MatrixOperand(x, leading: positions),
              into: MatrixResult(base: product.value, leading: positions))
          }
          let y = Unchecked(destination + task * outputsPerGroup * size.height * size.width)
          parallel(outputsPerGroup) { output in
            kernels.foldPlane(
              product.value + output * area * positions, height: map.height, width: map.width,
              row: -parameters.padding.top, column: -parameters.padding.left, window: walk,
              rowStride: parameters.stride.height, bias: b.value[group * outputsPerGroup + output],
              y.value + output * size.height * size.width, outputHeight: size.height, outputWidth: size.width)
          }
        }
      }
    }
  }

  /// `(size - 1) · stride - padding + dilation · (kernel - 1) + output padding + 1` along each axis.
  private func outputSize(_ input: Size2D) throws -> Size2D {
    let extent = parameters.extent
    func size(_ input: Int, _ stride: Int, _ padding: Int, _ extent: Int, _ outputPadding: Int) throws -> Int {
      guard input > 0, input <= 1 << 31 else {
        throw TensorError.shape(operation: parameters.operation, reason: "a map with \(input) positions along an axis")
      }
      // The checked product, for extents may be as large as 2⁶².
      let (reach, overflow) = ((input - 1) * stride).addingReportingOverflow(extent)
      let result = reach.subtractingReportingOverflow(padding)
      guard !overflow, !result.overflow, result.partialValue < 1 << 62, result.partialValue + outputPadding > 0 else {
        throw TensorError.shape(
          operation: parameters.operation,
          reason: "an axis of \(input) positions padded by \(padding) gives no output that could be held")
      }
      return result.partialValue + outputPadding
    }
    let (stride, padding) = (parameters.stride, parameters.padding)
    return Size2D(
      height: try size(input.height, stride.height, padding.top + padding.bottom, extent.height, outputPadding.height),
      width: try size(input.width, stride.width, padding.left + padding.right, extent.width, outputPadding.width))
  }
}
