import ApusKernelInterface

extension IntegerConvolution {
  /// Groups of one input: bands of maps are staged as lines with their padding, whose windows are summed row by row. Small
  /// maps share a task.
  ///
  /// - Parameter taps: `[outputs, height, width]`, less the weights' zero points.
  func convolve(
    _ map: IntegerMap, _ taps: [Int32], batch: Int, outputSize: Size2D, into output: SumOutput
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
    let lineBytes = try Shape.elementCount([(bandRows - 1) * stride.height + halo, columns]) + 64
    let sumStep = bandRows * outputSize.width + 16
    // Behind the sums the lines, and perhaps the numbers of an output.
    let numbersStart = sumStep + (lineBytes + 3) / 4
    let kernels = Execution.current.kernels.quantized
    let corrections = try corrections(map, terms: area)
    let plane = map.size.height * map.size.width
    let maps = batch * parameters.groups
    let shared = bands > 1 ? 1 : max(1, min(maps, 65_536 / max(1, outputSize.height * outputSize.width * area)))
    let tasks = (maps + shared - 1) / shared * bands
    try parallelWithScratch(tasks, of: Float.self, count: numbersStart + (output.needsRoom ? sumStep : 0)) {
      task, room in
      let sums = UnsafeMutableRawPointer(room).assumingMemoryBound(to: Int32.self)
      let lines = UnsafeMutableRawPointer(room + sumStep).assumingMemoryBound(to: UInt8.self)
      let firstRow = task % bands * bandRows
      let rows = min(bandRows, outputSize.height - firstRow)
      guard rows > 0 else { return }
      let first = task / bands * shared
      for index in first..<min(first + shared, maps) {
        kernels.stageLines(
          map.bytes + index * plane, end: map.end, height: map.size.height, width: map.size.width,
          firstRow: firstRow * stride.height - parameters.padding.top, firstColumn: 0 - parameters.padding.left,
          flip: map.flip, filler: UInt8(truncatingIfNeeded: map.zeroPoint), lines,
          rows: (rows - 1) * stride.height + halo, columns: columns)
        for part in 0..<outputsPerGroup {
          let row = index % parameters.groups * outputsPerGroup + part
          taps.withUnsafeBufferPointer { taps in
            guard let weights = taps.baseAddress else { return }
            kernels.sumWindows(
              weights + row * area, tapCount: area, tapOffsets: tapOffsets, lines, rowStep: stride.height * columns,
              columnStep: stride.width, sums, rows: rows, columns: outputSize.width)
          }
          let offset =
            ((index * outputsPerGroup + part) * outputSize.height + firstRow) * outputSize.width
          output.write(
            sums, sumStep: 0, rows: 1, count: rows * outputSize.width,
            correction: SumCorrection(base: corrections.base + row, factors: corrections.factors + row, columns: nil),
            row: row, column: 0, offset: offset, step: 0, numbers: output.needsRoom ? room + numbersStart : nil,
            kernels: kernels)
          output.activate(offset: offset, count: rows * outputSize.width)
        }
      }
    }
    withExtendedLifetime(corrections) {}
  }
}

extension ConvolutionParameters {
  /// Whether windows and steps are no wider than what their lines are laid out for.
  var hasNarrowWindows: Bool {
    max(stride.width, stride.height) <= 8 && max(dilation.width * kernel.width, dilation.height * kernel.height) <= 64
  }
}
