import ApusKernelInterface

/// How the work of a direct convolution is cut into tasks, so that what a task reads again and again stays in a cache.
///
/// Weights are swept a *tile group* at a time: as many output blocks as the register tile takes. Small maps are staged as
/// a whole, then each task takes one group over many rows. Large maps go a *band* of rows at a time: a task stages its
/// band and puts all groups over it, so neither a staged map nor the input is read from memory twice. Results do not
/// depend on any of this: every output is summed in the same order.
struct DirectPlan: Sendable {
  /// Floats of input in a band: together with what it becomes, a part of the second-level cache.
  private static let bandCount = 32_768
  /// Floats of weights up to which every band meets all of them; more would push the band out of the cache.
  private static let bandWeightCount = 131_072
  /// Floats of a map from which on that may be right all the same: it is read from memory, the weights from a cache.
  private static let largeMapCount = 1_048_576

  /// Positions of a map that is a single row up to which its weights are fetched while those before are in use: with so few,
  /// reading them from memory takes as long as multiplying.
  private static let fetchingWidth = 196

  /// Tile groups over a band between two looks at the ``StopSign``, each of which takes some microseconds.
  private static let groupsPerLook = 8

  private struct TileGroup: Sendable {
    /// The first output block, how many, and the first input block of their convolution group.
    var first: Int
    var blocks: Int
    var inputBlock: Int
  }

  private let convolution: DirectConvolution
  private let source: ConvolutionInput
  private let batch: Int
  /// Output rows, their width in positions, and that of the last one.
  private let rows: Int
  private let width: Int
  private let lastWidth: Int
  private let rowsPerBand: Int
  private let bandMajor: Bool
  /// Output blocks of a convolution group, and how many of them the register tile takes.
  private let blocksPerGroup: Int
  private let tile: Int
  private let groupCount: Int
  /// Looked up once: many a task is shorter than it takes to look up three times.
  private let kernels: KernelSet
  private let rowsPerFlush: Int
  /// Whether rows of the kernel may be left out that meet nothing but padding: where there is some above or below the map.
  ///
  /// That changes no bit, for partial sums are added up after whole kernels or after single rows.
  private let leavesOutRows: Bool
  /// Positions of a tile group between two looks at the ``StopSign``. A row of a map is more where windows are very long.
  private let positionsPerLook: Int

  init(_ convolution: DirectConvolution, _ source: ConvolutionInput, batch: Int, size: Size2D) {
    self.convolution = convolution
    self.source = source
    self.batch = batch
    kernels = Execution.current.kernels
    let parameters = convolution.parameters
    rowsPerFlush = convolution.rowsPerFlush
    leavesOutRows =
      parameters.kernel.height > 1 && (parameters.padding.top > 0 || parameters.padding.bottom > 0)
      && (rowsPerFlush == 1 || rowsPerFlush.isMultiple(of: parameters.kernel.height))
    if parameters.isPointwise, source.isInPlace {
      // All positions in a row, cut where a band is full.
      let positions = size.height * size.width
      let part = ConvolutionTasks.wholeTiles(Self.bandCount / (source.blocks * source.unit))
      width = min(part, positions)
      rows = (positions + width - 1) / width
      lastWidth = positions - (rows - 1) * width
    } else {
      (rows, width, lastWidth) = (size.height, size.width, size.width)
    }
    tile = kernels.float32.blocksPerTile
    blocksPerGroup = TensorLayout.blocks(convolution.outputChannels) / parameters.groups
    groupCount = parameters.groups * ((blocksPerGroup + tile - 1) / tile)
    positionsPerLook = ConvolutionTasks.positionsPerLook(
      operations: convolution.weightBlockStep * min(tile, blocksPerGroup))

    let weightCount = TensorLayout.blocks(convolution.outputChannels) * convolution.weightBlockStep
    let rowStep = parameters.isPointwise && source.isInPlace ? width * source.unit : source.rowStep
    var rowCount = max(1, source.blocks * rowStep * parameters.stride.height)
    // Of few channels many are made, on which the activation comes while they are in the cache.
    if source.unit == 1 { rowCount = max(rowCount, TensorLayout.blocks(convolution.outputChannels) * width * 16) }
    let bandRows = max(1, min(rows, Self.bandCount / rowCount))
    let bands = (rows + bandRows - 1) / bandRows
    // What each order reads again and again, and staging as a whole writes and reads.
    let mapCount = source.blocks * rowStep * rows
    let isLarge = mapCount >= Self.largeMapCount && weightCount * bands <= mapCount * (groupCount + 2)
    bandMajor = batch * bands >= 4 && (weightCount <= Self.bandWeightCount || isLarge)
    let operationsPerRow = convolution.weightBlockStep * tile * width
    // Long tasks, for each fetches its weights and rows of small maps are joined, but not so long that there are few.
    let short = 1_048_576 / max(operationsPerRow, 1)
    let long = min(4 * short, groupCount * batch * rows / 16)
    rowsPerBand = bandMajor ? bandRows : max(1, min(rows, max(short, long)))
  }

  private func tileGroup(_ index: Int) -> TileGroup {
    let tiles = (blocksPerGroup + tile - 1) / tile
    let (group, first) = (index / tiles, index % tiles * tile)
    return TileGroup(
      first: group * blocksPerGroup + first, blocks: min(tile, blocksPerGroup - first),
      inputBlock: group * (source.blocks / convolution.parameters.groups))
  }

  /// Computes everything.
  func run(into y: ConvolutionOutput, activation: UnaryOperation?) throws {
    let bands = (rows + rowsPerBand - 1) / rowsPerBand
    let room = y.roomCount(blocks: min(tile, blocksPerGroup), positions: rowsPerBand * width)
    if source.isInPlace {
      let x = Unchecked(source.source.pointer)
      let blockStep = source.blockStep
      try withExtendedLifetime(source.source.storage) {
        try y.forEachTask(groupCount * batch * bands, room: room) { task, room in
          let (group, rest) =
            bandMajor ? (task % groupCount, task / groupCount) : (task / (batch * bands), task % (batch * bands))
          let rows = range(ofBand: rest % bands)
          let map = x.value + rest / bands * source.blocks * blockStep
          compute(
            tileGroup(group), sample: rest / bands, rows: rows, activation: activation, into: y, room: room,
            from: map + rows.lowerBound * inPlaceRowStep, rowStep: inPlaceRowStep, blockStep: blockStep)
        }
      }
    } else if bandMajor {
      let stagedCount = source.stagedCount(outputRows: rowsPerBand)
      try parallelWithScratch(batch * bands, of: Float.self, count: stagedCount + room) { task, staged in
        let (sample, rows) = (task / bands, range(ofBand: task % bands))
        source.stage(staged, sample: sample, outputRows: rows, blocks: 0..<source.blocks, kernels: kernels)
        for group in 0..<groupCount {
          if group > 0, group.isMultiple(of: Self.groupsPerLook), Execution.isStopped { return }
          compute(
            tileGroup(group), sample: sample, rows: rows, activation: activation, into: y, room: staged + stagedCount,
            from: staged, rowStep: convolution.parameters.stride.height * source.rowStep,
            blockStep: source.stagedStep(outputRows: rows.count))
        }
      }
    } else {
      let count = source.stagedCount(outputRows: self.rows)
      let bytes = try Shape.byteCount([batch, count], of: Float.self, operation: convolution.parameters.operation)
      let storage = try TensorStorage(byteCount: bytes)
      let staged = Unchecked(storage.base.assumingMemoryBound(to: Float.self))
      parallel(batch * source.blocks) { task in
        let (sample, block) = (task / source.blocks, task % source.blocks)
        source.stage(
          staged.value + sample * count, sample: sample, outputRows: 0..<self.rows, blocks: block..<(block + 1),
          kernels: kernels)
      }
      let rowStep = convolution.parameters.stride.height * source.rowStep
      try y.forEachTask(groupCount * batch * bands, room: room) { task, room in
        let sample = task / bands % batch
        let rows = range(ofBand: task % bands)
        compute(
          tileGroup(task / (batch * bands)), sample: sample, rows: rows, activation: activation, into: y, room: room,
          from: staged.value + sample * count + rows.lowerBound * rowStep, rowStep: rowStep,
          blockStep: source.stagedStep(outputRows: self.rows))
      }
      withExtendedLifetime(storage) {}
    }
  }

  private func range(ofBand band: Int) -> Range<Int> { band * rowsPerBand..<min((band + 1) * rowsPerBand, rows) }

  /// Floats between what two output rows read first, of a map that is read where it lies.
  private var inPlaceRowStep: Int {
    convolution.parameters.isPointwise
      ? width * source.unit : convolution.parameters.stride.height * source.rowStep
  }

  /// Some neighbouring rows, and columns of them where they are not all.
  private typealias Part = (row: Int, rows: Int, column: Int, width: Int)

  /// Calls `body` for rows of so many positions: at once as a rule, otherwise until the ``StopSign`` is raised.
  @inline(__always)
  private func forEachPart(rows: Int, width: Int, _ body: (Part) -> Void) {
    if rows * width <= positionsPerLook { return body((0, rows, 0, width)) }
    let rowStep = max(1, positionsPerLook / width)
    for row in stride(from: 0, to: rows, by: rowStep) {
      for column in stride(from: 0, to: width, by: positionsPerLook) {
        if row + column > 0, Execution.isStopped { return }
        body((row, min(rowStep, rows - row), column, min(positionsPerLook, width - column)))
      }
    }
  }

  /// Some rows of one tile group.
  private func compute(
    _ group: TileGroup, sample: Int, rows: Range<Int>, activation: UnaryOperation?, into y: ConvolutionOutput,
    room: UnsafeMutablePointer<Float>, from x: UnsafePointer<Float>, rowStep: Int, blockStep: Int
  ) {
    let block = TensorLayout.block
    let parameters = convolution.parameters
    let positions = (self.rows - 1) * width + lastWidth
    let part = ConvolutionOutput.Part(
      sample: sample, blocks: group.first..<group.first + group.blocks,
      positions: rows.lowerBound * width..<min(rows.upperBound * width, positions))
    let out = y.place(of: part, room: room)
    let weights = convolution.weights.base.assumingMemoryBound(to: Float.self)
    let bias = convolution.bias.base.assumingMemoryBound(to: Float.self)
    let bounds = convolution.epilogue.bounds(activation)
    source.columnOffsets.withUnsafeBufferPointer { columns in
      guard let offsets = columns.baseAddress else { return }
      let isByChannel = convolution.isByChannel
      var walk = TileWalk(
        positionStep: source.positionStep, termStep: block,
        blockCount: isByChannel ? convolution.inputsPerGroup : source.blocks / parameters.groups,
        // Channels are lanes of one vector, or planes.
        blockStep: isByChannel && source.unit > 1 ? 1 : blockStep,
        rowCount: parameters.kernel.height, rowStep: parameters.dilation.height * source.rowStep,
        tapCount: columns.count, tapOffsets: offsets,
        rowsPerFlush: rowsPerFlush,
        weightBlockStep: convolution.weightBlockStep, outputStep: block, outputBlockStep: out.blockStep,
        blockLanes: isByChannel ? 1 : block, lastBlockLanes: source.lastBlockLanes)
      walk.bounds = bounds
      if self.rows == 1, width <= Self.fetchingWidth {
        walk.weightsAhead = group.blocks * convolution.weightBlockStep
      }
      // The last row may be shorter.
      let whole = rows.upperBound == self.rows && lastWidth < width ? rows.count - 1 : rows.count
      func accumulate(_ run: RowRun, width: Int) {
        guard !run.rows.isEmpty else { return }
        let top = run.rows.lowerBound - rows.lowerBound
        let walk = walk.leavingOut(run.padding)
        let below = group.inputBlock * blockStep + run.padding.above * walk.rowStep
        let panel = group.first * convolution.weightBlockStep + walk.weights(before: run.padding.above)
        forEachPart(rows: run.rows.count, width: width) { part in
          kernels.convolution.accumulateRows(
            x + (top + part.row) * rowStep + part.column * walk.positionStep + below, rowStep: rowStep,
            rows: part.rows, weights: weights + panel, bias: bias + group.first * block,
            out.base + ((top + part.row) * self.width + part.column) * block, width: part.width,
            blocks: group.blocks, walk: walk)
        }
      }
      let (all, end) = (rows.lowerBound..<rows.lowerBound + whole, rows.lowerBound + whole..<rows.upperBound)
      if leavesOutRows {
        for run in rowRuns(in: all) { accumulate(run, width: width) }
      } else {
        accumulate((all, (0, 0)), width: width)
      }
      accumulate((end, (0, 0)), width: lastWidth)
    }
    for index in 0..<group.blocks where bounds == nil {
      convolution.epilogue(
        out.base + index * out.blockStep, positions: part.positions.count, panel: group.first + index, activation,
        kernels)
    }
    y.finish(part, room: room, kernels)
  }
}

extension DirectPlan {
  /// Rows of outputs that the same rows of the kernel reach, and how many of the kernel's do not.
  private typealias RowRun = (rows: Range<Int>, padding: (above: Int, below: Int))

  /// The rows of outputs by what of the kernel reaches them.
  ///
  /// The one that is reached most comes first, and uses all weights where others follow: it fetches them, which with gaps
  /// takes longer than with what is left out; but not of dilated windows, of which that is much.
  private func rowRuns(in rows: Range<Int>) -> [RowRun] {
    var runs: [RowRun] = []
    // As a rule those above, within and below the map.
    runs.reserveCapacity(3)
    for row in rows {
      let padding = rowsInPadding(row)
      if let last = runs.last, last.padding == padding {
        runs[runs.count - 1].rows = last.rows.lowerBound..<row + 1
      } else {
        runs.append((row..<row + 1, padding))
      }
    }
    runs.sort { $0.padding.above + $0.padding.below < $1.padding.above + $1.padding.below }
    let isDilated = convolution.parameters.dilation.height > 1
    let fetches = !isDilated && (runs.count > 1 || !bandMajor && rows.count < self.rows)
    if fetches, !runs.isEmpty { runs[0].padding = (0, 0) }
    return runs
  }

  /// The first and the last rows of the kernel that meet nothing but zeros above and below the map when they give this row
  /// of outputs. None where rows are not worth being told apart.
  private func rowsInPadding(_ row: Int) -> (above: Int, below: Int) {
    let parameters = convolution.parameters
    let count = parameters.kernel.height
    let taps = tapsInside(
      source.source.shape[2], from: row * parameters.stride.height - parameters.padding.top, count: count,
      dilation: parameters.dilation.height)
    let isFaster =
      taps.count < count && kernels.convolution.isFasterAlone(width: width, kernelRows: taps.count, of: count)
    return isFaster ? (taps.lowerBound, count - taps.upperBound) : (0, 0)
  }
}

extension TileWalk {
  /// Without the first and the last rows of the kernel, the partial sums the same.
  fileprivate func leavingOut(_ rows: (above: Int, below: Int)) -> TileWalk {
    var walk = self
    walk.rowCount -= rows.above + rows.below
    if rowsPerFlush >= rowCount { walk.rowsPerFlush = rowsPerFlush / rowCount * walk.rowCount }
    walk.weightGap = weights(ofRows: rows.below, lanes: blockLanes) + weights(ofRows: rows.above, lanes: blockLanes)
    walk.lastWeightGap = weights(ofRows: rows.below, lanes: blockLanes) + weights(ofRows: rows.above, lanes: lastLanes)
    return walk
  }

  /// Floats of weights of the first block before row `row`.
  fileprivate func weights(before row: Int) -> Int {
    weights(ofRows: row, lanes: blockCount == 1 ? lastLanes : blockLanes)
  }

  private var lastLanes: Int { min(blockLanes, lastBlockLanes) }

  private func weights(ofRows rows: Int, lanes: Int) -> Int { rows * tapCount * lanes * TensorLayout.block }
}

/// How convolutions divide their work.
enum ConvolutionTasks {
  /// Kernel rows between two flushes of the partial sums: at most 144 terms, or 1024 where speed matters more, and whole
  /// kernels where that many hold one.
  static func rowsPerFlush(termsPerRow: Int, kernelRows: Int = 1) -> Int {
    let rows = max(1, (Execution.current.precision == .exact ? 144 : 1024) / max(termsPerRow, 1))
    return rows < kernelRows ? rows : rows / kernelRows * kernelRows
  }

  /// Positions of every variant's register tiles over blocks of channels.
  static let tilePositions = 84

  /// Positions that take some milliseconds together, with so many products and sums each, after which a task that is not done
  /// looks whether anybody wants the rest; whole tiles of so many.
  static func positionsPerLook(operations: Int, tile: Int = tilePositions) -> Int {
    wholeTiles(268_435_456 / max(operations, 1), of: tile)
  }

  /// About so many positions, one tile at least.
  static func wholeTiles(_ positions: Int, of tile: Int = tilePositions) -> Int { max(tile, positions / tile * tile) }
}
