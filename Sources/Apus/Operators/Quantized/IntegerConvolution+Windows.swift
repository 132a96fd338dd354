import ApusKernelInterface

extension IntegerConvolution {
  /// Groups of one input. Small maps share a task, and the sums of several are written in one go.
  func convolve(
    _ map: IntegerMap, _ weights: WindowWeights, batch: Int, outputSize: Size2D, into output: SumOutput
  ) throws {
    let corrections = try corrections(map, terms: parameters.kernel.height * parameters.kernel.width)
    let windows = MapWindows(
      convolution: self, map: map, weights: weights, maps: batch * parameters.groups, outputSize: outputSize,
      corrections: corrections, output: output)
    try withExtendedLifetime(corrections) {
      if let narrow = windows.narrow { try windows.sumNarrow(narrow) } else { try windows.sumLines() }
    }
  }
}

/// Windows over the planes of a map, each of which `outputsPerGroup` kernels read.
private struct MapWindows: Sendable {
  let convolution: IntegerConvolution
  let map: IntegerMap
  let weights: WindowWeights
  /// Planes of all samples.
  let maps: Int
  let outputSize: Size2D
  let corrections: RowCorrections
  let output: SumOutput

  private var parameters: ConvolutionParameters { convolution.parameters }
  private var kernels: any QuantizedKernels.Type { weights.kernels }
  private var outputPlane: Int { outputSize.height * outputSize.width }
  private var plane: Int { map.size.height * map.size.width }

  /// How many sums the first-level cache holds beside what they are of.
  private static let sumsAtOnce = 4096

  /// How many maps share a task.
  private var mapsPerTask: Int {
    max(1, min(maps, 65_536 / max(1, outputPlane * parameters.kernel.height * parameters.kernel.width)))
  }

  /// How windows are summed of maps whose rows a register holds; nil for others, and for those of very many rows.
  var narrow: NarrowWindows? {
    let taps = parameters.taps(kernels)
    guard kernels.spreadsBytes, 1...16 ~= map.size.width, outputSize.width <= 16,
      taps.reach(rows: outputSize.height) <= 64
    else { return nil }
    return NarrowWindows(
      taps: taps, columnStride: parameters.stride.width, columnDilation: parameters.dilation.width,
      top: parameters.padding.top, left: parameters.padding.left, height: map.size.height, width: map.size.width,
      rows: outputSize.height, columns: outputSize.width, filler: UInt8(truncatingIfNeeded: map.zeroPoint))
  }

  /// Sums windows of narrow maps where they lie.
  func sumNarrow(_ narrow: NarrowWindows) throws {
    let outputsPerGroup = convolution.outputsPerGroup
    let sumStep = outputPlane + 16
    let outputsAtOnce = max(1, min(outputsPerGroup, Self.sumsAtOnce / sumStep))
    let mapsAtOnce = outputsAtOnce < outputsPerGroup ? 1 : max(1, Self.sumsAtOnce / (sumStep * outputsPerGroup))
    let sumCount = min(mapsPerTask, mapsAtOnce) * outputsAtOnce * sumStep
    let numbersStart = sumCount + narrow.roomCount
    let tasks = (maps + mapsPerTask - 1) / mapsPerTask
    try parallelWithScratch(tasks, of: Float.self, count: numbersStart + (output.needsRoom ? sumStep : 0)) {
      task, room in
      let sums = UnsafeMutableRawPointer(room).assumingMemoryBound(to: Int32.self)
      let end = min((task + 1) * mapsPerTask, maps)
      var first = task * mapsPerTask
      while first < end {
        // The maps of one sample, whose corrections follow each other.
        let group = first % parameters.groups
        let count = min(mapsAtOnce, end - first, parameters.groups - group)
        for part in stride(from: 0, to: outputsPerGroup, by: outputsAtOnce) {
          let outputs = min(outputsAtOnce, outputsPerGroup - part)
          let row = group * outputsPerGroup + part
          weights.withWords { words, starts in
            kernels.sumNarrowWindows(
              words, starts: starts + row, outputs: outputs, maps: count, map.bytes + first * plane, end: map.end,
              flip: map.flip, narrow, sums + sumCount, sums, sumStep: sumStep)
          }
          write(
            sums, sumStep: sumStep, outputs: count * outputs, row: row, plane: first * outputsPerGroup + part,
            from: 0, count: outputPlane, numbers: room + numbersStart)
        }
        first += count
      }
    }
  }

  /// Stages bands of maps as lines with their padding, and sums their windows.
  func sumLines() throws {
    let (kernel, stride, dilation) = (parameters.kernel, parameters.stride, parameters.dilation)
    let outputsPerGroup = convolution.outputsPerGroup
    let lines = WindowLines(parameters, outputSize: outputSize, weights)
    // The sums of a band, and the lines they are of, fit the first-level cache.
    let bands = max(1, min(outputSize.height, outputPlane / Self.sumsAtOnce))
    let bandRows = (outputSize.height + bands - 1) / bands
    let halo = (kernel.height - 1) * dilation.height + 1
    let lineBytes = try Shape.elementCount([(bandRows - 1) * stride.height + halo, lines.columns]) + 64
    let sumStep = bandRows * outputSize.width + 16
    let shared = bands > 1 ? 1 : mapsPerTask
    let together = bands > 1 ? 1 : max(1, min(shared * outputsPerGroup, Self.sumsAtOnce / sumStep))
    // Behind the sums the lines, and perhaps the numbers of an output.
    let linesStart = together * sumStep
    let numbersStart = linesStart + (lineBytes + 3) / 4
    let tasks = (maps + shared - 1) / shared * bands
    try parallelWithScratch(tasks, of: Float.self, count: numbersStart + (output.needsRoom ? sumStep : 0)) {
      task, room in
      let sums = UnsafeMutableRawPointer(room).assumingMemoryBound(to: Int32.self)
      let staged = UnsafeMutableRawPointer(sums + linesStart).assumingMemoryBound(to: UInt8.self)
      let firstRow = task % bands * bandRows
      let rows = min(bandRows, outputSize.height - firstRow)
      guard rows > 0 else { return }
      let first = task / bands * shared
      let end = min(first + shared, maps)
      var summed = 0
      for index in first..<end {
        kernels.stageLines(
          map.bytes + index * plane, end: map.end, height: map.size.height, width: map.size.width,
          firstRow: firstRow * stride.height - parameters.padding.top, firstColumn: 0 - parameters.padding.left,
          flip: map.flip, filler: UInt8(truncatingIfNeeded: map.zeroPoint), staged,
          rows: (rows - 1) * stride.height + halo, columns: lines.columns)
        for part in 0..<outputsPerGroup {
          let row = index % parameters.groups * outputsPerGroup + part
          lines.sum(weights, row, staged, rows: rows, sums + summed * sumStep)
          summed += 1
          let isLast = index == end - 1 && part == outputsPerGroup - 1
          guard summed == together || row == convolution.bias.count - 1 || isLast else { continue }
          write(
            sums, sumStep: sumStep, outputs: summed, row: row + 1 - summed,
            plane: index * outputsPerGroup + part + 1 - summed, from: firstRow * outputSize.width,
            count: rows * outputSize.width, numbers: room + numbersStart)
          summed = 0
        }
      }
    }
  }

  /// Writes the sums of neighbouring planes of the result, `count` from one place of each on.
  private func write(
    _ sums: UnsafePointer<Int32>, sumStep: Int, outputs: Int, row: Int, plane: Int, from first: Int, count: Int,
    numbers: UnsafeMutablePointer<Float>
  ) {
    let offset = plane * outputPlane + first
    output.write(
      sums, sumStep: sumStep, rows: outputs, count: count,
      correction: SumCorrection(base: corrections.base + row, factors: corrections.factors + row, columns: nil),
      row: row, column: 0, offset: offset, step: outputPlane, numbers: output.needsRoom ? numbers : nil,
      kernels: kernels)
    output.activate(offset: offset, count: (outputs - 1) * outputPlane + count)
  }
}

/// How windows of staged lines are summed.
private struct WindowLines: Sendable {
  /// Bytes of a line.
  let columns: Int
  private let outputColumns: Int
  private let rowStride: Int
  private let columnStride: Int
  private let taps: WindowTaps
  private let wide: WideWindows?
  private let tapOffsets: [Int]

  init(_ parameters: ConvolutionParameters, outputSize: Size2D, _ weights: WindowWeights) {
    let (kernel, stride, dilation) = (parameters.kernel, parameters.stride, parameters.dilation)
    let columns = (outputSize.width - 1) * stride.width + (kernel.width - 1) * dilation.width + 1
    (self.columns, outputColumns) = (columns, outputSize.width)
    (rowStride, columnStride) = (stride.height, stride.width)
    taps = parameters.taps(weights.kernels)
    wide =
      weights.kernels.spreadsBytes && weights.kernels.tapsPerWord == 4
      ? WideWindows(
        taps: taps, columnStride: stride.width, columnDilation: dilation.width, columns: outputSize.width) : nil
    tapOffsets = (0..<kernel.height).flatMap { row in
      (0..<kernel.width).map { row * dilation.height * columns + $0 * dilation.width }
    }
  }

  /// The sums of `rows` rows of one output.
  func sum(
    _ weights: WindowWeights, _ output: Int, _ lines: UnsafePointer<UInt8>, rows: Int,
    _ sums: UnsafeMutablePointer<Int32>
  ) {
    if let wide {
      weights.withWords(of: output, taps) { words, parts in
        weights.kernels.sumWideWindows(words, parts: parts, lines, lineStep: columns, wide, rows: rows, sums)
      }
    } else {
      weights.withTaps(of: output) { taps in
        weights.kernels.sumWindows(
          taps, tapCount: tapOffsets.count, tapOffsets: tapOffsets, lines, rowStep: rowStride * columns,
          columnStep: columnStride, sums, rows: rows, columns: outputColumns)
      }
    }
  }
}

extension ConvolutionParameters {
  /// Whether windows and steps are no wider than what their lines are laid out for.
  var hasNarrowWindows: Bool {
    max(stride.width, stride.height) <= 8 && max(dilation.width * kernel.width, dilation.height * kernel.height) <= 64
  }
}
