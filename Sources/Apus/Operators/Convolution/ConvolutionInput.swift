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

  /// - Throws: ``TensorError/memory(bytes:limit:shape:)`` where the zeros around the map are more than can be counted.
  init(_ input: Tensor<Float>, inPlanes: Bool, parameters: ConvolutionParameters, output: Size2D) throws {
    let channels = input.shape[1]
    self.parameters = parameters
    if inPlanes {
      (unit, blocks, lastBlockLanes) = (1, channels, 1)
    } else {
      unit = TensorLayout.block
      blocks = TensorLayout.blocks(channels)
      lastBlockLanes = channels - (blocks - 1) * unit
    }
    source = parameters.isPointwise && !inPlanes ? try input.channelBlocked : input
    isInPlace = parameters.padding == 0 && source.layout == (inPlanes ? .rowMajor : .channelBlocked)
    let staged = (output.width - 1) * parameters.stride.width + parameters.extent.width
    rowStep = (isInPlace ? input.shape[3] : staged) * unit
    let step = parameters.dilation.width * unit
    columnOffsets = (0..<parameters.kernel.width).map { $0 * step }
    // A window may be far larger than the map. With whole blocks and room to spare, nothing that is counted overflows.
    let rows = max(rows(output.height), parameters.stride.height)
    _ = try Shape.byteCount(
      [max(blocks, TensorLayout.block), rows, rowStep], of: Float.self, operation: parameters.operation)
  }

  /// Floats from what one output reads first to what its neighbour does.
  var positionStep: Int { parameters.stride.width * unit }

  /// Floats from one block to the next, of a map that is read where it lies.
  var blockStep: Int { source.shape[2] * source.shape[3] * unit }

  /// Input rows under so many output rows.
  func rows(_ outputRows: Int) -> Int {
    (outputRows - 1) * parameters.stride.height + parameters.extent.height
  }

  /// Floats from one staged block to the next. Planes lie a cache line further apart than they need: where a power of two
  /// is between them, they would all want the same lines.
  func stagedStep(outputRows: Int) -> Int { rows(outputRows) * rowStep + (unit == 1 ? TensorLayout.block : 0) }

  /// Floats that staging so many output rows takes.
  func stagedCount(outputRows: Int) -> Int { blocks * stagedStep(outputRows: outputRows) }

  /// Stages the input of some output rows, or some blocks of it.
  func stage(
    _ destination: UnsafeMutablePointer<Float>, sample: Int, outputRows: Range<Int>, blocks range: Range<Int>,
    kernels: KernelSet
  ) {
    let (channels, height, width) = (source.shape[1], source.shape[2], source.shape[3])
    let (count, step) = (rows(outputRows.count), stagedStep(outputRows: outputRows.count))
    let top = parameters.padding.top - outputRows.lowerBound * parameters.stride.height
    let left = parameters.padding.left
    let plane = height * width
    withExtendedLifetime(source.storage) {
      switch (source.layout, unit == 1) {
      case (.rowMajor, false):
        for index in range {
          kernels.convolution.stageBlock(
            source.pointer + (sample * channels + index * unit) * plane, channels: min(unit, channels - index * unit),
            channelStep: plane, height: height, width: width, top: top, left: left, destination + index * step,
            rows: count, columns: rowStep / unit)
        }
      case (.channelBlocked, true):
        let block = TensorLayout.block
        for index in range.lowerBound / block..<TensorLayout.blocks(range.upperBound) {
          let planes = range.clamped(to: index * block..<(index + 1) * block)
          let map = source.pointer + (sample * TensorLayout.blocks(channels) + index) * plane * block
          stagePlanes(
            map + planes.lowerBound % block, count: planes.count, destination + planes.lowerBound * step,
            planeStep: step, rows: -top..<count - top, kernels)
        }
      default:
        for index in range {
          kernels.convolution.padRows(
            source.pointer + (sample * blocks + index) * plane * unit, height: height, width: width * unit, top: top,
            left: left * unit, destination + index * step, rows: count, columns: rowStep)
        }
      }
    }
  }

  /// Stages some channels of a block as planes.
  ///
  /// - Parameters:
  ///   - x: the first channel at the first position.
  ///   - rows: rows of the map, and beyond it.
  private func stagePlanes(
    _ x: UnsafePointer<Float>, count: Int, _ destination: UnsafeMutablePointer<Float>, planeStep: Int,
    rows: Range<Int>, _ kernels: KernelSet
  ) {
    let (height, width) = (source.shape[2], source.shape[3])
    let first = min(parameters.padding.left, rowStep)
    for row in rows {
      let line = destination + (row - rows.lowerBound) * rowStep
      let columns = row >= 0 && row < height ? min(width, rowStep - first) : 0
      for plane in 0..<count {
        let line = line + plane * planeStep
        line.update(repeating: 0, count: first)
        (line + first + columns).update(repeating: 0, count: rowStep - first - columns)
      }
      kernels.data.transpose(
        elementSize: MemoryLayout<Float>.stride, from: x + row * width * TensorLayout.block,
        sourceStride: TensorLayout.block, to: line + first, destinationStride: planeStep, rows: columns,
        columns: count)
    }
  }
}
