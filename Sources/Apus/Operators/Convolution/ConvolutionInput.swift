import ApusKernelInterface

/// How a direct convolution reads its input: the register tile wants the inputs of neighbouring outputs a vector apart.
///
/// A blocked map that needs neither padding nor a stride along its rows is read where it lies. Others are *staged*, some
/// output rows' worth at a time: padded with zeros, and with the columns of one stride phase side by side. Maps of
/// few channels, pictures above all, are staged *thin*: what an output column sees in one row becomes one vector.
struct ConvolutionInput: Sendable {
  enum Form: Sendable {
    case inPlace
    case staged
    /// So many kernel columns share a vector.
    case thin(columnsPerTap: Int)
  }

  let form: Form
  let parameters: ConvolutionParameters
  let source: Tensor<Float>
  /// Vectors of input channels a position has, and lanes of the last one that hold numbers.
  let blocks: Int
  let lastBlockLanes: Int
  /// Floats from one row to the next.
  let rowStep: Int
  /// Where a kernel column's input lies, relative to the first kernel column's.
  let columnOffsets: [Int]
  /// Vectors that hold the columns of a kernel row.
  private let taps: Int
  private let outputWidth: Int
  private let phases: Int

  init(_ input: Tensor<Float>, thin columnsPerTap: Int?, parameters: ConvolutionParameters, outputWidth: Int) throws {
    let block = TensorLayout.block
    let channels = input.shape[1]
    self.parameters = parameters
    self.outputWidth = outputWidth
    if let columnsPerTap {
      form = .thin(columnsPerTap: columnsPerTap)
      source = try input.rowMajor
      blocks = 1
      lastBlockLanes = columnsPerTap * channels
      phases = 1
      taps = (parameters.kernel.width + columnsPerTap - 1) / columnsPerTap
      rowStep = taps * outputWidth * block
      columnOffsets = (0..<parameters.kernel.width).map { column in
        column / columnsPerTap * outputWidth * block + column % columnsPerTap * channels
      }
      return
    }
    taps = parameters.kernel.width
    blocks = TensorLayout.blocks(channels)
    lastBlockLanes = channels - (blocks - 1) * block
    let isPlain = parameters.stride.width == 1 && parameters.padding == 0
    source = isPlain && parameters.isPointwise ? try input.channelBlocked : input
    if isPlain, source.layout == .channelBlocked {
      form = .inPlace
      phases = 1
      rowStep = input.shape[3] * block
      columnOffsets = (0..<parameters.kernel.width).map { $0 * parameters.dilation.width * block }
    } else {
      form = .staged
      let phases = parameters.stride.width
      self.phases = phases
      let columns = (outputWidth - 1) * phases + parameters.extent.width
      let phaseWidth = (columns + phases - 1) / phases
      rowStep = phases * phaseWidth * block
      columnOffsets = (0..<parameters.kernel.width).map { tap in
        let column = tap * parameters.dilation.width
        return (column % phases * phaseWidth + column / phases) * block
      }
    }
  }

  var isInPlace: Bool {
    if case .inPlace = form { return true }
    return false
  }

  /// Input rows under so many output rows.
  func rows(_ outputRows: Int) -> Int {
    (outputRows - 1) * parameters.stride.height + parameters.extent.height
  }

  /// Floats that staging so many output rows takes.
  func stagedCount(outputRows: Int) -> Int {
    let count = blocks * rows(outputRows) * rowStep
    guard case .thin(let columnsPerTap) = form else { return count }
    // The line in which channels are put side by side.
    let columns = (outputWidth - 1) * parameters.stride.width + taps * columnsPerTap
    return count + columns * source.shape[1] + 2 * TensorLayout.block
  }

  /// Stages the input of some output rows, or some blocks of it.
  func stage(
    _ destination: UnsafeMutablePointer<Float>, sample: Int, outputRows: Range<Int>, blocks range: Range<Int>,
    kernels: any ConvolutionKernels.Type
  ) {
    let (channels, height, width) = (source.shape[1], source.shape[2], source.shape[3])
    let count = rows(outputRows.count)
    let top = parameters.padding.top - outputRows.lowerBound * parameters.stride.height
    let plane = height * width
    withExtendedLifetime(source.storage) {
      if case .thin(let columnsPerTap) = form {
        kernels.stageThinRows(
          source.pointer + sample * channels * plane, channels: channels, height: height, width: width, top: top,
          left: parameters.padding.left, destination, rows: count, taps: taps,
          columnsPerTap: columnsPerTap, columns: parameters.kernel.width, positions: outputWidth,
          stride: parameters.stride.width, line: destination + count * rowStep)
        return
      }
      let block = TensorLayout.block
      let isBlocked = source.layout == .channelBlocked
      for index in range {
        let filled = min(block, channels - index * block)
        let from = isBlocked ? (sample * blocks + index) * block * plane : (sample * channels + index * block) * plane
        kernels.stageBlock(
          source.pointer + from, channels: isBlocked ? block : filled, channelStep: isBlocked ? 1 : plane,
          positionStep: isBlocked ? block : 1, height: height, width: width, top: top, left: parameters.padding.left,
          destination + index * count * rowStep, rows: count, phases: phases, phaseWidth: rowStep / (phases * block))
      }
    }
  }
}
