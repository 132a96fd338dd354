import ApusBase
import ApusKernelInterface

/// 3×3 convolution by Winograd's minimal filtering: tiles of 2×2 or 4×4 outputs for 16 or 36 products a channel pair
/// instead of 36 or 144. `Precision.fast` only, for its rounding error is larger (`docs/performance.md` has figures).
///
/// Some tiles at a time are transformed, multiplied frequency by frequency with the register tile that all
/// convolutions share, and transformed back, as many outputs at a time as that tile takes: so what is between the steps
/// stays in a cache, and weights are read one after the other.
struct WinogradConvolution: Sendable {
  private let direct: DirectConvolution
  private let tile: Int
  /// `[outputs / 16, frequencies, inputs, 16]`.
  private let weights: TensorStorage

  /// The tile that suits an output of this shape; `nil` where direct sums are the better choice.
  static func tile(for convolution: DirectConvolution, output shape: [Int]) -> Int? {
    let parameters = convolution.parameters
    let block = TensorLayout.block
    guard parameters.kernel == 3, parameters.stride == 1, parameters.dilation == 1, parameters.groups == 1,
      convolution.columnsPerTap == nil, convolution.inputsPerGroup >= block, convolution.outputChannels >= block
    else { return nil }
    // Multiply-adds a channel pair, and the reading of its weights, which takes as long as some twenty of them: small
    // maps of many channels are a matter of memory.
    let reading = 20
    func cost(_ tile: Int) -> Int {
      let tiles = shape[0] * ((shape[2] + tile - 1) / tile) * ((shape[3] + tile - 1) / tile)
      return (tile + 2) * (tile + 2) * (tiles + reading)
    }
    let direct = 9 * (shape[0] * shape[2] * shape[3] + reading)
    let best = cost(4) <= cost(2) ? 4 : 2
    // The transforms should be worth it.
    return cost(best) * 5 < direct * 4 ? best : nil
  }

  init(_ convolution: DirectConvolution, tile: Int) throws {
    let block = TensorLayout.block
    let inputs = convolution.inputsPerGroup
    let outputBlocks = TensorLayout.blocks(convolution.outputChannels)
    let frequencies = (tile + 2) * (tile + 2)
    let shape = [outputBlocks, frequencies, inputs, block]
    let byteCount = try Shape.byteCount(shape, of: Float.self, operation: "conv2d")
    weights = try PackedMemory.storage(byteCount: byteCount, at: convolution.place?.derived("winograd", [tile])) {
      let v = Unchecked($0.base.assumingMemoryBound(to: Float.self))
      let w = Unchecked(convolution.weights.base.assumingMemoryBound(to: Float.self))
      let kernels = Execution.current.kernels.convolution
      let weightBlockStep = convolution.weightBlockStep
      parallel(outputBlocks) { output in
        for input in 0..<inputs {
          let first = input / block * block
          let lanes = min(block, inputs - first)
          kernels.winogradWeights(
            tile: tile, w.value + output * weightBlockStep + (first * 9 + input - first) * block,
            tapStep: lanes * block, v.value + (output * frequencies * inputs + input) * block,
            frequencyStep: inputs * block)
        }
      }
      withExtendedLifetime(convolution.weights) {}
    }
    (direct, self.tile) = (convolution, tile)
  }

  func callAsFunction(
    _ input: Tensor<Float>, shape: [Int], padding: Padding2D, activation: UnaryOperation?
  ) throws -> Tensor<Float> {
    let source = try input.channelBlocked
    let plan = WinogradPlan(tile: tile, inputs: direct.inputsPerGroup, output: shape)
    let (batch, bands) = (shape[0], plan.bands)
    let x = Unchecked(source.pointer)
    let positions = shape[2] * shape[3]
    return try Tensor.filled(shape, layout: .channelBlocked) { y in
      let y = Unchecked(y)
      try parallelWithScratch(batch * bands, of: Float.self, count: plan.scratchCount) { task, scratch in
        let sample = task / bands
        run(
          plan, tiles: plan.tiles(ofBand: task % bands), padding: padding, height: source.shape[2],
          width: source.shape[3],
          x.value + sample * plan.inputBlocks * source.shape[2] * source.shape[3] * TensorLayout.block,
          y.value + sample * plan.outputBlocks * positions * TensorLayout.block, scratch, activation)
      }
      withExtendedLifetime(source.storage) {}
    }
  }

  /// Some tiles of one sample. Where a sample is a single band, its blocks are spread over threads.
  private func run(
    _ plan: WinogradPlan, tiles: Range<Int>, padding: Padding2D, height: Int, width: Int, _ x: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>, _ activation: UnaryOperation?
  ) {
    let block = TensorLayout.block
    let (convolution, kernels) = (Execution.current.kernels.convolution, Execution.current.kernels.float32)
    let (u, m) = (Unchecked(scratch), Unchecked(scratch + plan.products))
    let (rooms, zeros) = (Unchecked(scratch + plan.rooms), Unchecked(scratch + plan.zeros))
    let (x, y) = (Unchecked(x), Unchecked(y))
    zeros.value.initialize(repeating: 0, count: block)
    let w = Unchecked(weights.base.assumingMemoryBound(to: Float.self))
    let bias = Unchecked(direct.bias.base.assumingMemoryBound(to: Float.self))
    let (tile, inputs) = (tile, direct.inputsPerGroup)

    parallel(plan.inputBlocks) { index in
      convolution.winogradInput(
        tile: tile, x.value + index * height * width * block, height: height, width: width, top: padding.top,
        left: padding.left, tilesPerRow: plan.tilesPerRow, tiles: tiles, u.value + index * tiles.count * block,
        frequencyStep: plan.inputStep, scratch: rooms.value + index * WinogradPlan.room)
    }
    parallel(plan.lanes) { lane in
      let products = m.value + lane * plan.frequencies * plan.outputStep
      for first in plan.firstBlocks(ofLane: lane) {
        let outputs = first..<min(first + plan.blocksPerGroup, plan.outputBlocks)
        withUnsafePointer(to: 0) { noOffset in
          let walk = TileWalk(
            blockCount: plan.inputBlocks, blockStep: tiles.count * block, rowCount: 1, rowStep: 0, tapCount: 1,
            tapOffsets: noOffset, rowsPerFlush: ConvolutionTasks.rowsPerFlush(termsPerRow: block),
            weightBlockStep: plan.frequencies * inputs * block, outputStep: block,
            outputBlockStep: tiles.count * block, lastBlockLanes: inputs - (plan.inputBlocks - 1) * block,
            weightsAhead: inputs * block)
          for frequency in 0..<plan.frequencies {
            kernels.accumulateRow(
              u.value + frequency * plan.inputStep,
              weights: w.value + (first * plan.frequencies + frequency) * inputs * block,
              addend: zeros.value, addendStep: 0, addendBlockStep: 0, shift: nil,
              products + frequency * plan.outputStep, width: tiles.count, blocks: outputs.count, walk: walk)
          }
        }
        for index in outputs {
          convolution.winogradOutput(
            tile: tile, products + (index - first) * tiles.count * block, frequencyStep: plan.outputStep,
            bias: bias.value + index * block, activation: activation, y.value + index * plan.positions * block,
            height: plan.height, width: plan.width, tilesPerRow: plan.tilesPerRow, tiles: tiles,
            scratch: rooms.value + lane * WinogradPlan.room)
        }
      }
    }
  }
}

/// Sizes of one Winograd convolution over one sample.
private struct WinogradPlan: Sendable {
  let height: Int
  let width: Int
  let inputBlocks: Int
  let outputBlocks: Int
  let frequencies: Int
  let tilesPerRow: Int
  let tileCount: Int
  let bands: Int
  /// Output blocks that are multiplied and transformed back at a time.
  let blocksPerGroup: Int
  let groups: Int
  /// Threads that share the output blocks of a band.
  let lanes: Int
  /// Floats from one frequency to the next, of transformed inputs and of a group's products.
  let inputStep: Int
  let outputStep: Int

  /// Floats that a transform works in.
  static let room = 72 * 16

  /// - Parameter shape: the output's, `[batch, outputs, height, width]`.
  init(tile: Int, inputs: Int, output shape: [Int]) {
    let block = TensorLayout.block
    (height, width) = (shape[2], shape[3])
    inputBlocks = TensorLayout.blocks(inputs)
    outputBlocks = TensorLayout.blocks(shape[1])
    frequencies = (tile + 2) * (tile + 2)
    tilesPerRow = (width + tile - 1) / tile
    tileCount = tilesPerRow * ((height + tile - 1) / tile)
    let execution = Execution.current
    let blocksPerTile = execution.kernels.float32.blocksPerTile
    // A band's inputs and products should stay in the second-level cache; but where weights are many, they should be
    // worth reading.
    let perTile = frequencies * (inputBlocks + blocksPerTile) * block
    let least = frequencies * inputs * shape[1] > 131_072 ? 42 : 14
    let most = max(least, 131_072 / perTile / 14 * 14)
    bands = (tileCount + most - 1) / most
    let tilesPerBand = (tileCount + bands - 1) / bands
    let isAlone = shape[0] * bands == 1
    blocksPerGroup = isAlone && outputBlocks < execution.threads * blocksPerTile ? 1 : blocksPerTile
    groups = (outputBlocks + blocksPerGroup - 1) / blocksPerGroup
    lanes = isAlone ? min(execution.threads, groups) : 1
    // An odd number of vectors apart, frequencies do not compete for the same lines of a cache.
    inputStep = (inputBlocks * tilesPerBand | 1) * block
    outputStep = (blocksPerGroup * tilesPerBand | 1) * block
  }

  var positions: Int { height * width }

  /// Where products, the rooms that transforms work in, and a vector of zeros lie behind the transformed input.
  var products: Int { frequencies * inputStep }
  var rooms: Int { products + lanes * frequencies * outputStep }
  var zeros: Int { rooms + max(inputBlocks, lanes) * Self.room }
  var scratchCount: Int { zeros + TensorLayout.block }

  func tiles(ofBand band: Int) -> Range<Int> { evenPart(band, of: bands, in: tileCount) }

  /// The first blocks of the groups that a lane computes.
  func firstBlocks(ofLane lane: Int) -> StrideTo<Int> {
    let part = evenPart(lane, of: lanes, in: groups)
    return stride(from: part.lowerBound * blocksPerGroup, to: part.upperBound * blocksPerGroup, by: blocksPerGroup)
  }
}

/// Transformed weights, made when first asked for and kept.
final class WinogradCache: Sendable {
  private let convolutions = Locked<[Int: WinogradConvolution]>([:])

  func convolution(of direct: DirectConvolution, tile: Int) throws -> WinogradConvolution {
    if let made = convolutions.withLock({ $0[tile] }) { return made }
    // Not to be broken off: it outlives the run that is stopped.
    let made = try Execution.withoutStop { try WinogradConvolution(direct, tile: tile) }
    convolutions.withLock { $0[tile] = made }
    return made
  }
}
