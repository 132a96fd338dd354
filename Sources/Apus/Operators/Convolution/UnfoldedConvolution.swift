import ApusKernelInterface

/// Convolution as a product of windows and weights, a row of outputs at a time, in any type: for float64.
struct UnfoldedConvolution<Scalar: FloatingPointScalar>: ConvolutionAlgorithm {
  var parameters: ConvolutionParameters
  let inputsPerGroup: Int
  let outputsPerGroup: Int
  /// One right operand a group: `[outputs / vector, terms, vector]`.
  let weights: [RightPanel<Scalar>]
  /// `[groups, outputs / vector, vector]`.
  let bias: TensorStorage

  init(weight: Tensor<Scalar>, bias: Tensor<Scalar>, parameters: ConvolutionParameters) throws {
    let outputs = weight.shape[0] / parameters.groups
    let terms = weight.shape[1] * weight.shape[2] * weight.shape[3]
    let vector = Scalar.kernels.vectorWidth
    let paddedOutputs = (outputs + vector - 1) / vector * vector
    let biasStorage = try TensorStorage(
      byteCount: parameters.groups * paddedOutputs * MemoryLayout<Scalar>.stride)
    let biases = biasStorage.base.assumingMemoryBound(to: Scalar.self)
    biases.initialize(repeating: 0, count: parameters.groups * paddedOutputs)
    weights = try withExtendedLifetime((weight.storage, bias.storage)) {
      try (0..<parameters.groups).map { group in
        (biases + group * paddedOutputs).update(from: bias.pointer + group * outputs, count: outputs)
        let matrix = MatrixOperand(weight.pointer + group * outputs * terms, leading: terms, isTransposed: true)
        return try RightPanel(stacking: [PanelPiece(matrix: matrix, depth: terms)], columns: outputs)
      }
    }
    self.bias = biasStorage
    self.parameters = parameters
    self.inputsPerGroup = weight.shape[1]
    self.outputsPerGroup = outputs
  }

  func callAsFunction(
    _ input: Tensor<Scalar>, shape: [Int], activation: UnaryOperation?, layout: TensorLayout
  ) throws -> Tensor<Scalar> {
    let source = try input.rowMajor
    let (batch, outputs) = (shape[0], shape[1])
    let size = Size2D(height: shape[2], width: shape[3])
    let (height, width) = (source.shape[2], source.shape[3])
    let kernels = Scalar.kernels
    let (data, stop) = (Execution.current.kernels.data, Execution.current.stop)
    let vector = kernels.vectorWidth
    let tile = kernels.blocksPerTile
    let termBlocks = weights[0].depthBlocks
    let outputBlocks = (outputsPerGroup + vector - 1) / vector
    let groups = parameters.groups
    let tasks = batch * groups * size.height

    // Each task unfolds its row into its own part, multiplies, and unblocks the product.
    let windowStep = termBlocks * size.width * vector
    let productStep = outputBlocks * size.width * vector
    let x = Unchecked(source.pointer)
    let b = Unchecked(bias.base.assumingMemoryBound(to: Scalar.self))
    let (parameters, inputsPerGroup, outputsPerGroup, weights) = (parameters, inputsPerGroup, outputsPerGroup, weights)
    let walk = WindowWalk(
      rows: parameters.kernel.height, columns: parameters.kernel.width,
      rowDilation: parameters.dilation.height, columnDilation: parameters.dilation.width,
      columnStride: parameters.stride.width)
    let weightBlockStep = termBlocks * vector * vector

    return try Tensor.filled(shape) { destination in
      let y = Unchecked(destination)
      try parallelWithScratch(tasks, of: Scalar.self, count: windowStep + productStep) { task, windows in
        let product = windows + windowStep
        let row = task % size.height
        let group = task / size.height % groups
        let sample = task / (size.height * groups)
        kernels.unfoldRow(
          x.value + (sample * groups + group) * inputsPerGroup * height * width,
          channels: inputsPerGroup, height: height, width: width,
          row: row * parameters.stride.height - parameters.padding.top, column: -parameters.padding.left,
          window: walk, outputWidth: size.width, windows, blockStep: size.width * vector)
        withUnsafePointer(to: 0) { noOffset in
          let tileWalk = TileWalk(
            positionStep: vector, termStep: vector, blockCount: termBlocks, blockStep: size.width * vector, rowCount: 1,
            rowStep: 0, tapCount: 1, tapOffsets: noOffset,
            rowsPerFlush: ConvolutionTasks.rowsPerFlush(termsPerRow: vector),
            weightBlockStep: weightBlockStep, outputStep: vector, outputBlockStep: size.width * vector)
          let panel = weights[group].storage.base.assumingMemoryBound(to: Scalar.self)
          for first in stride(from: 0, to: outputBlocks, by: tile) {
            if first > 0, let stop, stop.check() { return }
            kernels.accumulateRow(
              windows, weights: panel + first * weightBlockStep,
              addend: b.value + (group * outputBlocks + first) * vector, addendStep: 0, addendBlockStep: vector,
              shift: nil, product + first * size.width * vector, width: size.width,
              blocks: min(tile, outputBlocks - first), walk: tileWalk)
          }
        }
        if let activation { kernels.unary(activation, product, product, count: productStep) }
        let plane = size.height * size.width
        for block in 0..<outputBlocks {
          let first = block * vector
          data.transpose(
            elementSize: MemoryLayout<Scalar>.stride, from: product + first * size.width, sourceStride: vector,
            to: y.value + (sample * outputs + group * outputsPerGroup + first) * plane + row * size.width,
            destinationStride: plane, rows: size.width, columns: min(vector, outputsPerGroup - first))
        }
      }
      withExtendedLifetime(source.storage) {}
    }
  }
}
