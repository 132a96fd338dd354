import ApusKernelInterface

/// How a direct convolution reads its input: in *blocks* of sixteen channels, of which a position has a vector; or, maps of
/// few channels, pictures above all, in *planes*, a channel after the other and pixel by pixel.
///
/// A map that is laid out so and needs no padding is read where it lies. Others are *staged*, some output rows' worth at
/// a time: with zeros around.
struct ConvolutionInput: Sendable {
  /// Whether the map is read where it lies.
  let isInPlace: Bool
  let parameters: ConvolutionParameters
  let source: Tensor<Float>
  /// Blocks of channels, and lanes of the last one that hold numbers; or planes.
  let blocks: Int
  let lastBlockLanes: Int
  /// Floats that a block has at a position: 16, or of planes 1.
  let unit: Int
  /// Floats from one row to the next.
  let rowStep: Int
  /// Where a kernel column's input lies, relative to the first kernel column's.
  let columnOffsets: [Int]

  init(_ input: Tensor<Float>, inPlanes: Bool, parameters: ConvolutionParameters, outputWidth: Int) throws {
    let channels = input.shape[1]
    self.parameters = parameters
    if inPlanes {
      (unit, blocks, lastBlockLanes) = (1, channels, 1)
      source = try input.rowMajor
    } else {
      unit = TensorLayout.block
      blocks = TensorLayout.blocks(channels)
      lastBlockLanes = channels - (blocks - 1) * unit
      source = parameters.isPointwise ? try input.channelBlocked : input
    }
    isInPlace = parameters.padding == 0 && (inPlanes || source.layout == .channelBlocked)
    let staged = (outputWidth - 1) * parameters.stride.width + parameters.extent.width
    rowStep = (isInPlace ? input.shape[3] : staged) * unit
    let step = parameters.dilation.width * unit
    columnOffsets = (0..<parameters.kernel.width).map { $0 * step }
  }

  /// Floats from what one output reads first to what its neighbour does.
  var positionStep: Int { parameters.stride.width * unit }

  /// Floats from one block to the next, of a map that is read where it lies.
  var blockStep: Int { source.shape[2] * source.shape[3] * unit }

  /// Input rows under so many output rows.
  func rows(_ outputRows: Int) -> Int {
    (outputRows - 1) * parameters.stride.height + parameters.extent.height
  }

  /// Floats that staging so many output rows takes.
  func stagedCount(outputRows: Int) -> Int { blocks * rows(outputRows) * rowStep }

  /// Stages the input of some output rows, or some blocks of it.
  func stage(
    _ destination: UnsafeMutablePointer<Float>, sample: Int, outputRows: Range<Int>, blocks range: Range<Int>,
    kernels: any ConvolutionKernels.Type
  ) {
    let (channels, height, width) = (source.shape[1], source.shape[2], source.shape[3])
    let count = rows(outputRows.count)
    let top = parameters.padding.top - outputRows.lowerBound * parameters.stride.height
    let left = parameters.padding.left
    let plane = height * width
    let isLaidOut = unit == 1 || source.layout == .channelBlocked
    withExtendedLifetime(source.storage) {
      for index in range {
        let y = destination + index * count * rowStep
        if isLaidOut {
          kernels.padRows(
            source.pointer + (sample * blocks + index) * plane * unit, height: height, width: width * unit, top: top,
            left: left * unit, y, rows: count, columns: rowStep)
        } else {
          kernels.stageBlock(
            source.pointer + (sample * channels + index * unit) * plane, channels: min(unit, channels - index * unit),
            channelStep: plane, height: height, width: width, top: top, left: left, y, rows: count,
            columns: rowStep / unit)
        }
      }
    }
  }
}
