import ApusKernelInterface

extension IntegerConvolution {
  func convolve(_ map: IntegerMap, batch: Int, outputSize: Size2D, into output: SumOutput) throws {
    switch weights {
    case .rows(let rows): try convolve(map, rows, batch: batch, outputSize: outputSize, into: output)
    case .windows(let weights): try convolve(map, weights, batch: batch, outputSize: outputSize, into: output)
    }
  }

  /// Bands of the maps are tasks: each is staged, multiplied by eight outputs' weights at a time, corrected and
  /// written.
  private func convolve(
    _ map: IntegerMap, _ weights: SignedRows, batch: Int, outputSize: Size2D, into output: SumOutput
  ) throws {
    let threads = Execution.current.threads
    let groups = parameters.groups
    let area = parameters.kernel.height * parameters.kernel.width
    let terms = inputsPerGroup * area
    let plan = IntegerConvolutionPlan(
      parameters: parameters, output: outputSize, channels: inputsPerGroup, maps: batch * groups,
      outputs: outputsPerGroup, terms: terms, threads: threads)
    let tapOffsets = plan.tapOffsets
    let corrections = try corrections(map, terms: terms)
    let bands = plan.bands
    let stagedCount = try plan.stagedCount()
    // Scratch: the staged band, sums over channels, sums over windows, sums of eight outputs, and perhaps the numbers of
    // one and the bytes of all. Words are as large as floats.
    let needsWindowSums = zeroPoints.contains { $0 != 0 }
    let channelSumCount = needsWindowSums ? (plan.blockStep + 47) / 16 * 16 : 0
    let sumStep = (plan.positions(rows: plan.bandRows) + 15) / 16 * 16 + 16
    let numbersStart = stagedCount + channelSumCount + 10 * sumStep
    let count = numbersStart + (output.needsRoom ? 3 * sumStep : 0)
    // With few bands, outputs are divided too.
    let rowGroups = RowGroups(rows: outputsPerGroup)
    let tasks = batch * groups * bands
    let isLarge = outputsPerGroup >= 32 && outputsPerGroup * terms > 32_768
    let parts = tasks < threads && isLarge ? min(threads, rowGroups.count) : 1
    let kernels = weights.kernels
    let ones = needsWindowSums ? WindowOnes(blocks: plan.blocks, taps: tapOffsets.count, kernels) : nil
    try parallelWithScratch(tasks * parts, of: Float.self, count: count) { task, room in
      let scratch = UnsafeMutableRawPointer(room).assumingMemoryBound(to: Int32.self)
      let part = task % parts
      let index = task / parts % bands
      let group = task / (parts * bands) % groups
      let sample = task / (parts * bands * groups)
      let firstRow = index * plan.bandRows
      let rows = min(plan.bandRows, outputSize.height - firstRow)
      plan.stage(
        map, map.bytes + (sample * groups + group) * inputsPerGroup * map.size.height * map.size.width,
        channels: inputsPerGroup, firstRow: firstRow, rows: rows, scratch, kernels: kernels)
      let band = IntegerBand(
        plan: plan, words: scratch, tapOffsets: tapOffsets, firstRow: firstRow, rows: rows,
        positions: plan.positions(rows: rows), channelSums: scratch + stagedCount,
        windowSums: scratch + (stagedCount + channelSumCount),
        sums: scratch + (stagedCount + channelSumCount + sumStep),
        sumStep: sumStep, numbers: output.needsRoom ? room + numbersStart : nil)
      let hasWindowSums =
        ones.map { band.sumWindows(zeroPoints[group * outputsPerGroup..<(group + 1) * outputsPerGroup], $0, kernels) }
        ?? false
      for index in evenPart(part, of: parts, in: rowGroups.count) {
        let (first, count) = rowGroups[index]
        let row = group * outputsPerGroup + first
        band.multiply(weights.words(matrix: group, first: first), rows: count, kernels)
        let correction = SumCorrection(
          base: corrections.base + row, factors: corrections.factors + row,
          columns: hasWindowSums ? UnsafePointer(band.windowSums) : nil)
        band.write(
          to: output, outputs: count, row: row, plane: sample * bias.count + row, correction: correction, kernels)
      }
    }
    withExtendedLifetime((corrections, weights)) {}
  }

  /// What the sums of each output lack: `bias + zx (terms · zw - Σ w)`, and `-zw` times the sum of the window.
  func corrections(_ map: IntegerMap, terms: Int) throws -> RowCorrections {
    let corrections = try RowCorrections(rows: bias.count)
    let count = Int32(truncatingIfNeeded: terms)
    for output in bias.indices {
      corrections.mutableBase[output] = bias[output] &+ map.zeroPoint &* (count &* zeroPoints[output] &- sums[output])
      corrections.mutableFactors[output] = 0 &- zeroPoints[output]
    }
    return corrections
  }
}

/// Weights of one, with which what a window sees is summed.
private struct WindowOnes: Sendable {
  let channels: [Int32]
  let taps: [Int32]

  init(blocks: Int, taps: Int, _ kernels: any QuantizedKernels.Type) {
    let bytes = [UInt8](repeating: 1, count: 4 * blocks)
    let wordCount = kernels.headerWordsPerRow + blocks * kernels.wordsPerRowWord
    channels = [Int32](unsafeUninitializedCapacity: wordCount) { words, count in
      count = wordCount
      var sum: Int32 = 0
      guard let base = words.baseAddress else { return }
      kernels.packRows(bytes, rows: 1, channels: bytes.count, area: 1, flip: 0, mayMove: false, base, sums: &sum)
    }
    self.taps = [Int32](repeating: 1, count: taps)
  }
}

/// A staged band of an input, and room for what is computed from it.
private struct IntegerBand {
  let plan: IntegerConvolutionPlan
  let words: UnsafeMutablePointer<Int32>
  let tapOffsets: [Int]
  let firstRow: Int
  let rows: Int
  let positions: Int
  let channelSums: UnsafeMutablePointer<Int32>
  let windowSums: UnsafeMutablePointer<Int32>
  let sums: UnsafeMutablePointer<Int32>
  let sumStep: Int
  /// Room for the numbers of one output, and behind it for the bytes of eight.
  let numbers: UnsafeMutablePointer<Float>?

  /// Sums what each window sees, if any zero point is not 0, and says so.
  func sumWindows(
    _ zeroPoints: ArraySlice<Int32>, _ ones: WindowOnes, _ kernels: any QuantizedKernels.Type
  ) -> Bool {
    guard zeroPoints.contains(where: { $0 != 0 }) else { return false }
    // First over channels, which is a product with ones, then over taps.
    withUnsafePointer(to: 0) { noOffset in
      kernels.multiplyWords(
        ones.channels, rows: 1, words, count: plan.blockStep, blockCount: plan.blocks,
        blockStep: plan.blockStep, tapCount: 1, tapOffsets: noOffset, channelSums, sumStep: 0)
    }
    kernels.sumTaps(
      ones.taps, channelSums, count: positions, tapCount: tapOffsets.count, tapOffsets: tapOffsets, windowSums)
    return true
  }

  func multiply(_ weights: UnsafePointer<Int32>, rows: Int, _ kernels: any QuantizedKernels.Type) {
    kernels.multiplyWords(
      weights, rows: rows, words, count: positions, blockCount: plan.blocks, blockStep: plan.blockStep,
      tapCount: tapOffsets.count, tapOffsets: tapOffsets, sums, sumStep: sumStep)
  }

  /// Writes the sums of some outputs, skipping positions that belong to none.
  ///
  /// - Parameters:
  ///   - row: the first output.
  ///   - plane: the number of its plane in the result.
  func write(
    to output: SumOutput, outputs: Int, row: Int, plane: Int, correction: SumCorrection,
    _ kernels: any QuantizedKernels.Type
  ) {
    let size = plan.output
    let step = size.height * size.width
    let offset = plane * step + firstRow * size.width
    let isDense = plan.columns == size.width
    if !isDense, let numbers,
      case .quantizedFloats(let y, let scale, let activation, let outputScale, let range) = output
    {
      // One run over all rows; then rows are put in their places.
      let bytes = UnsafeMutableRawPointer(numbers + sumStep).assumingMemoryBound(to: UInt8.self)
      SumOutput.quantizedFloats(bytes, scale, activation, scale: outputScale, range).write(
        sums, sumStep: sumStep, rows: outputs, count: (rows - 1) * plan.columns + size.width, correction: correction,
        row: row, column: 0, offset: 0, step: sumStep, numbers: numbers, kernels: kernels)
      for index in 0..<outputs {
        for line in 0..<rows {
          (y + (offset + index * step + line * size.width)).update(
            from: bytes + (index * sumStep + line * plan.columns), count: size.width)
        }
      }
      return
    }
    for line in 0..<(isDense ? 1 : rows) {
      var correction = correction
      if let columns = correction.columns { correction.columns = columns + line * plan.columns }
      output.write(
        sums + line * plan.columns, sumStep: sumStep, rows: outputs, count: isDense ? rows * size.width : size.width,
        correction: correction, row: row, column: 0, offset: offset + line * size.width, step: step, numbers: numbers,
        kernels: kernels)
    }
    for index in 0..<outputs { output.activate(offset: offset + index * step, count: rows * size.width) }
  }
}
