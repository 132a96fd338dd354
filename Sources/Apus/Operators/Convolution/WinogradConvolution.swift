import ApusBase
import ApusKernelInterface

/// 3×3 convolution by Winograd's minimal filtering: tiles of 2×2 or 4×4 outputs for 16 or 36 products a channel pair
/// instead of 36 or 144; at stride 2 of 4×4 for 81. `Precision.fast` only, for its rounding error is larger
/// (`docs/performance.md` has figures).
///
/// Weights are transformed in every run, as the input is: transformed ones take four times the memory of those that are
/// kept, and about as long to read as to make. Of the two what takes less room is transformed as a whole, and some of the
/// other at a time, multiplied frequency by frequency with the register tile that all convolutions share, and transformed
/// back: so what is between the steps stays in a cache.
struct WinogradConvolution {
  private let direct: DirectConvolution
  private let plan: WinogradPlan

  /// - Parameter shape: the output's, `[batch, outputs, height, width]`.
  /// - Returns: `nil` where direct sums are the better choice.
  init?(_ convolution: DirectConvolution, output shape: [Int]) {
    let parameters = convolution.parameters
    let block = TensorLayout.block
    // A normalisation is part of the weights with `Precision.fast`, as a rule.
    guard convolution.epilogue.hasActivationOnly, parameters.kernel == 3, parameters.dilation == 1,
      parameters.groups == 1,
      convolution.inputsPerGroup >= block, convolution.outputChannels >= block,
      let plan = WinogradPlan(inputs: convolution.inputsPerGroup, stride: parameters.stride, output: shape)
    else { return nil }
    (direct, self.plan) = (convolution, plan)
  }

  func callAsFunction(_ input: Tensor<Float>, activation: UnaryOperation?) throws -> Tensor<Float> {
    let source = try input.channelBlocked
    return try Tensor.filled(plan.shape, layout: .channelBlocked) { y in
      let map = InputMap(
        pointer: source.pointer, height: source.shape[2], width: source.shape[3], padding: direct.parameters.padding)
      let back = WayBack(y: y, bias: direct.bias.base.assumingMemoryBound(to: Float.self), activation: activation)
      try plan.hasFewTiles ? runByOutputs(map, back) : runByTiles(map, back)
      withExtendedLifetime((source.storage, direct.bias)) {}
    }
  }

  /// The whole input, then some outputs at a time.
  private func runByOutputs(_ map: InputMap, _ back: WayBack) throws {
    let plan = plan
    let storage = try TensorStorage(byteCount: plan.input.byteCount)
    let u = Unchecked(storage.base.assumingMemoryBound(to: Float.self))
    try parallelWithScratch(plan.inputBlocks, of: Float.self, count: WinogradTile.room) { index, room in
      transform(map, block: index, tiles: 0..<plan.tiles, into: u.value, room)
    }
    let scratchCount = plan.weights.count + plan.backCount
    try parallelWithScratch(plan.groups, of: Float.self, count: scratchCount) { group, v in
      let outputs = plan.blocks(ofGroup: group)
      let products = v + plan.weights.count
      for (index, output) in outputs.enumerated() { transformWeights(output, into: v + index * plan.weights.blockStep) }
      for band in 0..<plan.bands {
        let tiles = plan.tiles(ofBand: band)
        multiply(u.value + tiles.lowerBound * TensorLayout.block, v, outputs, tiles, products)
        transformBack(outputs, tiles, back, products)
      }
    }
    withExtendedLifetime(storage) {}
  }

  /// All weights, then some tiles at a time.
  private func runByTiles(_ map: InputMap, _ back: WayBack) throws {
    let plan = plan
    let storage = try TensorStorage(byteCount: plan.weights.byteCount)
    let v = Unchecked(storage.base.assumingMemoryBound(to: Float.self))
    parallel(plan.outputBlocks) { transformWeights($0, into: v.value + $0 * plan.weights.blockStep) }
    let scratchCount = plan.input.count + plan.backCount
    try parallelWithScratch(plan.bands, of: Float.self, count: scratchCount) { band, u in
      let tiles = plan.tiles(ofBand: band)
      let scratch = u + plan.input.count
      for index in 0..<plan.inputBlocks {
        transform(map, block: index, tiles: tiles, into: u, scratch + plan.products.count)
      }
      for group in 0..<plan.groups {
        let outputs = plan.blocks(ofGroup: group)
        multiply(u, v.value + outputs.lowerBound * plan.weights.blockStep, outputs, tiles, scratch)
        transformBack(outputs, tiles, back, scratch)
      }
    }
    withExtendedLifetime(storage) {}
  }

  private func transformWeights(_ output: Int, into v: UnsafeMutablePointer<Float>) {
    let w = direct.weights.base.assumingMemoryBound(to: Float.self) + output * direct.weightBlockStep
    Execution.current.kernels.convolution.winogradWeights(
      tile: plan.tile, w, inputs: direct.inputsPerGroup, v, frequencyStep: plan.weights.frequencyStep)
  }

  private func transform(
    _ map: InputMap, block index: Int, tiles: Range<Int>, into u: UnsafeMutablePointer<Float>,
    _ room: UnsafeMutablePointer<Float>
  ) {
    let kernels = Execution.current.kernels.convolution
    let block = TensorLayout.block
    var u = u + index * plan.input.blockStep
    for (sample, tiles) in plan.samples(of: tiles) {
      kernels.winogradInput(
        tile: plan.tile, map.pointer + (sample * plan.inputBlocks + index) * map.height * map.width * block,
        height: map.height, width: map.width, top: map.padding.top, left: map.padding.left,
        tilesPerRow: plan.tilesPerRow, tiles: tiles, u, frequencyStep: plan.input.frequencyStep, scratch: room)
      u += tiles.count * block
    }
  }

  /// - Parameters:
  ///   - u: the transformed input under the first of the tiles.
  ///   - v: the transformed weights of the first of the outputs.
  private func multiply(
    _ u: UnsafePointer<Float>, _ v: UnsafePointer<Float>, _ outputs: Range<Int>, _ tiles: Range<Int>,
    _ scratch: UnsafeMutablePointer<Float>
  ) {
    let block = TensorLayout.block
    let kernels = Execution.current.kernels.float32
    let zeros = scratch + plan.products.count + WinogradTile.room
    zeros.initialize(repeating: 0, count: block)
    withUnsafePointer(to: 0) { noOffset in
      let walk = TileWalk(
        positionStep: block, termStep: block, blockCount: plan.inputBlocks, blockStep: plan.input.blockStep,
        rowCount: 1, rowStep: 0, tapCount: 1, tapOffsets: noOffset,
        rowsPerFlush: ConvolutionTasks.rowsPerFlush(termsPerRow: block),
        weightBlockStep: plan.weights.blockStep, outputStep: block, outputBlockStep: plan.products.blockStep,
        lastBlockLanes: direct.inputsPerGroup - (plan.inputBlocks - 1) * block,
        weightsAhead: plan.weights.frequencyStep)
      for frequency in 0..<plan.tile.frequencies {
        kernels.accumulateRow(
          u + frequency * plan.input.frequencyStep,
          weights: v + plan.tile.weightFrequency(frequency) * plan.weights.frequencyStep,
          addend: zeros, addendStep: 0, addendBlockStep: 0, shift: nil,
          scratch + frequency * plan.products.frequencyStep, width: tiles.count, blocks: outputs.count, walk: walk)
      }
    }
  }

  private func transformBack(
    _ outputs: Range<Int>, _ tiles: Range<Int>, _ back: WayBack, _ scratch: UnsafeMutablePointer<Float>
  ) {
    let kernels = Execution.current.kernels.convolution
    let block = TensorLayout.block
    for (index, output) in outputs.enumerated() {
      var products = scratch + index * plan.products.blockStep
      for (sample, tiles) in plan.samples(of: tiles) {
        kernels.winogradOutput(
          tile: plan.tile, products, frequencyStep: plan.products.frequencyStep, bias: back.bias + output * block,
          activation: back.activation,
          back.y + (sample * plan.outputBlocks + output) * plan.height * plan.width * block, height: plan.height,
          width: plan.width, tilesPerRow: plan.tilesPerRow, tiles: tiles, scratch: scratch + plan.products.count)
        products += tiles.count * block
      }
    }
  }
}

/// The channel-blocked maps that are read.
private struct InputMap: @unchecked Sendable {
  let pointer: UnsafePointer<Float>
  let height: Int
  let width: Int
  let padding: Padding2D
}

/// Where results go, and what becomes of them there.
private struct WayBack: @unchecked Sendable {
  let y: UnsafeMutablePointer<Float>
  let bias: UnsafePointer<Float>
  let activation: UnaryOperation?
}

/// Sizes of one Winograd convolution.
private struct WinogradPlan: Sendable {
  /// The output's.
  let shape: [Int]
  let tile: WinogradTile
  let inputBlocks: Int
  let outputBlocks: Int
  let tilesPerRow: Int
  let tilesPerSample: Int
  /// Whether the transformed input is smaller than the transformed weights.
  let hasFewTiles: Bool
  /// Parts of the tiles, which are counted through all samples.
  let bands: Int
  /// Output blocks that are multiplied and transformed back at a time.
  let blocksPerGroup: Int
  let input: Spectrum
  let weights: Spectrum
  let products: Spectrum

  /// - Parameter shape: the output's, `[batch, outputs, height, width]`.
  init?(inputs: Int, stride: Size2D, output shape: [Int]) {
    let block = TensorLayout.block
    // Of sixteen inputs, 81 vectors that go through the second-level cache and back are as long as what they save.
    guard let tile = Self.tile(for: shape, stride: stride), tile != .strided || inputs >= 2 * block else { return nil }
    let frequencies = tile.frequencies
    (self.shape, self.tile) = (shape, tile)
    (inputBlocks, outputBlocks) = (TensorLayout.blocks(inputs), TensorLayout.blocks(shape[1]))
    let counts = Self.tiles(tile, shape)
    (tilesPerRow, tilesPerSample) = (counts.columns, counts.rows * counts.columns)
    let tiles = shape[0] * tilesPerSample
    hasFewTiles = frequencies * tiles <= tile.weightFrequencies * shape[1]

    let execution = Execution.current
    let blocksPerTile = execution.kernels.float32.blocksPerTile
    let isShared = hasFewTiles && outputBlocks < execution.threads * blocksPerTile
    blocksPerGroup = isShared ? 1 : blocksPerTile
    // What is transformed in parts and the products should stay in the second-level cache together; but where weights are
    // many, they should be worth reading. (Beside 42 tiles at stride 2, 81 vectors a block each, that cache would hold none.)
    let perTile = frequencies * (hasFewTiles ? blocksPerTile : inputBlocks + blocksPerTile) * block
    let hasManyWeights = tile.weightFrequencies * inputs * shape[1] > 131_072
    let least = hasManyWeights && (hasFewTiles || tile != .strided) ? 42 : 14
    let most = max(least, (hasFewTiles ? 65_536 : 131_072) / perTile / 14 * 14)
    let bands = (tiles + most - 1) / most
    // Few bands should be shared evenly.
    let threads = hasFewTiles ? 1 : execution.threads
    self.bands = bands < 4 * threads ? min((bands + threads - 1) / threads * threads, tiles) : bands

    let tilesPerBand = (tiles + self.bands - 1) / self.bands
    input = Spectrum(vectors: hasFewTiles ? tiles : tilesPerBand, blocks: inputBlocks, frequencies: frequencies)
    products = Spectrum(vectors: tilesPerBand, blocks: blocksPerGroup, frequencies: frequencies)
    weights = Spectrum(
      frequencies: tile.weightFrequencies, vectors: inputs, blocks: hasFewTiles ? blocksPerGroup : outputBlocks)
  }

  /// The tile that suits an output of this shape; `nil` where direct sums do.
  private static func tile(for shape: [Int], stride: Size2D) -> WinogradTile? {
    // Multiply-adds a channel pair, the transform of its weights, of which each takes as long as seven, and the reading of
    // what that is made of: small maps of many channels are a matter of memory.
    let reading = 180
    func cost(_ tile: WinogradTile) -> Int {
      let (rows, columns) = tiles(tile, shape)
      return tile.frequencies * shape[0] * rows * columns + 7 * tile.weightFrequencies + reading
    }
    let direct = 9 * shape[0] * shape[2] * shape[3] + reading
    let candidates = WinogradTile.allCases.filter { stride == Size2D(height: $0.stride, width: $0.stride) }
    guard let best = candidates.min(by: { cost($0) < cost($1) }) else { return nil }
    // The transforms of maps should be worth it. (Maps of 2⁵⁸ positions are refused later.)
    return cost(best) / 4 < direct / 5 ? best : nil
  }

  private static func tiles(_ tile: WinogradTile, _ shape: [Int]) -> (rows: Int, columns: Int) {
    let side = tile.outputs
    return ((shape[2] + side - 1) / side, (shape[3] + side - 1) / side)
  }

  var height: Int { shape[2] }
  var width: Int { shape[3] }
  var tiles: Int { shape[0] * tilesPerSample }
  var groups: Int { (outputBlocks + blocksPerGroup - 1) / blocksPerGroup }

  /// Floats that products, and the way back from them, take.
  var backCount: Int { products.count + WinogradTile.room + TensorLayout.block }

  func tiles(ofBand band: Int) -> Range<Int> { evenPart(band, of: bands, in: tiles) }

  func blocks(ofGroup group: Int) -> Range<Int> {
    group * blocksPerGroup..<min((group + 1) * blocksPerGroup, outputBlocks)
  }

  /// The samples that some tiles belong to, each with their numbers in it.
  func samples(of tiles: Range<Int>) -> some Sequence<(Int, Range<Int>)> {
    let samples = tiles.lowerBound / tilesPerSample..<(tiles.upperBound + tilesPerSample - 1) / tilesPerSample
    return samples.lazy.map { sample in
      let first = sample * tilesPerSample
      let part = tiles.clamped(to: first..<first + tilesPerSample)
      return (sample, part.lowerBound - first..<part.upperBound - first)
    }
  }
}

/// How the vectors of all frequencies lie.
private struct Spectrum: Sendable {
  /// Floats from one block to the next, and from one frequency to the next.
  let blockStep: Int
  let frequencyStep: Int
  let count: Int

  /// `[frequencies, blocks, vectors, 16]`. An odd number of vectors apart, frequencies do not compete for the same lines of
  /// a cache.
  init(vectors: Int, blocks: Int, frequencies: Int) {
    blockStep = vectors * TensorLayout.block
    frequencyStep = (blocks * vectors | 1) * TensorLayout.block
    count = frequencies * frequencyStep
  }

  /// `[blocks, frequencies, vectors, 16]`.
  init(frequencies: Int, vectors: Int, blocks: Int) {
    frequencyStep = (vectors | 1) * TensorLayout.block
    blockStep = frequencies * frequencyStep
    count = blocks * blockStep
  }

  var byteCount: Int { count * MemoryLayout<Float>.stride }
}
