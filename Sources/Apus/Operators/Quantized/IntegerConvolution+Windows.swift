import ApusKernelInterface

extension IntegerConvolution {
  /// Groups of one input: bands of maps are staged as lines with their padding, whose windows are summed. Small maps share
  /// a task, and narrow ones are summed where they lie.
  func convolve(
    _ map: IntegerMap, _ weights: WindowWeights, batch: Int, outputSize: Size2D, into output: SumOutput
  ) throws {
    let (kernel, stride, dilation) = (parameters.kernel, parameters.stride, parameters.dilation)
    let area = kernel.height * kernel.width
    let columns = (outputSize.width - 1) * stride.width + (kernel.width - 1) * dilation.width + 1
    let halo = (kernel.height - 1) * dilation.height + 1
    let tapOffsets = (0..<kernel.height).flatMap { row in
      (0..<kernel.width).map { row * dilation.height * columns + $0 * dilation.width }
    }
    // The sums of a band, and the lines they are of, fit the first-level cache.
    let bands = max(1, min(outputSize.height, outputSize.height * outputSize.width / 4096))
    let bandRows = (outputSize.height + bands - 1) / bands
    let kernels = weights.kernels
    let taps = parameters.taps(kernels)
    let narrow = bands == 1 && kernels.spreadsBytes ? narrowWindows(taps, map, outputSize: outputSize) : nil
    let wide =
      kernels.spreadsBytes && kernels.tapsPerWord == 4
      ? WideWindows(
        taps: taps, columnStride: stride.width, columnDilation: dilation.width, columns: outputSize.width) : nil
    let lineBytes = try Shape.elementCount([(bandRows - 1) * stride.height + halo, columns]) + 64
    let sumStep = bandRows * outputSize.width + 16
    let corrections = try corrections(map, terms: area)
    let (plane, outputPlane) = (map.size.height * map.size.width, outputSize.height * outputSize.width)
    let maps = batch * parameters.groups
    let shared = bands > 1 ? 1 : max(1, min(maps, 65_536 / max(1, outputPlane * area)))
    // The sums of several small maps are written in one go.
    let together = bands > 1 ? 1 : max(1, min(shared * outputsPerGroup, 4096 / sumStep))
    // Behind the sums the lines, and perhaps the numbers of an output.
    let linesStart = together * sumStep
    let numbersStart = linesStart + (narrow?.roomCount ?? (lineBytes + 3) / 4)
    let tasks = (maps + shared - 1) / shared * bands
    try parallelWithScratch(tasks, of: Float.self, count: numbersStart + (output.needsRoom ? sumStep : 0)) {
      task, room in
      let sums = UnsafeMutableRawPointer(room).assumingMemoryBound(to: Int32.self)
      let seen = sums + linesStart
      let lines = UnsafeMutableRawPointer(seen).assumingMemoryBound(to: UInt8.self)
      let firstRow = task % bands * bandRows
      let rows = min(bandRows, outputSize.height - firstRow)
      guard rows > 0 else { return }
      let first = task / bands * shared
      let end = min(first + shared, maps)
      var summed = 0
      for index in first..<end {
        if narrow == nil {
          kernels.stageLines(
            map.bytes + index * plane, end: map.end, height: map.size.height, width: map.size.width,
            firstRow: firstRow * stride.height - parameters.padding.top, firstColumn: 0 - parameters.padding.left,
            flip: map.flip, filler: UInt8(truncatingIfNeeded: map.zeroPoint), lines,
            rows: (rows - 1) * stride.height + halo, columns: columns)
        }
        for part in 0..<outputsPerGroup {
          let row = index % parameters.groups * outputsPerGroup + part
          let y = sums + summed * sumStep
          if let narrow {
            weights.withWords(of: row, taps) { words, parts in
              kernels.sumNarrowWindows(
                words, parts: parts, map.bytes + index * plane, end: map.end, flip: map.flip, narrow, seen, y)
            }
          } else if let wide {
            weights.withWords(of: row, taps) { words, parts in
              kernels.sumWideWindows(words, parts: parts, lines, lineStep: columns, wide, rows: rows, y)
            }
          } else {
            weights.withTaps(of: row) { taps in
              kernels.sumWindows(
                taps, tapCount: area, tapOffsets: tapOffsets, lines, rowStep: stride.height * columns,
                columnStep: stride.width, y, rows: rows, columns: outputSize.width)
            }
          }
          summed += 1
          let isLast = index == end - 1 && part == outputsPerGroup - 1
          guard summed == together || row == bias.count - 1 || isLast else { continue }
          let firstOutput = row + 1 - summed
          let offset = (index * outputsPerGroup + part + 1 - summed) * outputPlane + firstRow * outputSize.width
          output.write(
            sums, sumStep: sumStep, rows: summed, count: rows * outputSize.width,
            correction: SumCorrection(
              base: corrections.base + firstOutput, factors: corrections.factors + firstOutput, columns: nil),
            row: firstOutput, column: 0, offset: offset, step: outputPlane,
            numbers: output.needsRoom ? room + numbersStart : nil, kernels: kernels)
          output.activate(offset: offset, count: (summed - 1) * outputPlane + rows * outputSize.width)
          summed = 0
        }
      }
    }
    withExtendedLifetime(corrections) {}
  }

  /// How windows are summed of maps whose rows a register holds; nil for others, and for those of very many rows.
  private func narrowWindows(_ taps: WindowTaps, _ map: IntegerMap, outputSize: Size2D) -> NarrowWindows? {
    guard 1...16 ~= map.size.width, outputSize.width <= 16, taps.reach(rows: outputSize.height) <= 64 else {
      return nil
    }
    return NarrowWindows(
      taps: taps, columnStride: parameters.stride.width, columnDilation: parameters.dilation.width,
      top: parameters.padding.top, left: parameters.padding.left, height: map.size.height, width: map.size.width,
      rows: outputSize.height, columns: outputSize.width, filler: UInt8(truncatingIfNeeded: map.zeroPoint))
  }
}

extension ConvolutionParameters {
  /// Whether windows and steps are no wider than what their lines are laid out for.
  var hasNarrowWindows: Bool {
    max(stride.width, stride.height) <= 8 && max(dilation.width * kernel.width, dilation.height * kernel.height) <= 64
  }
}
