import ApusKernelInterface

/// How an integer convolution reads its input: staged as words of four channels, a band of output rows at a time.
///
/// A band is staged as `[blocks, phases, rows, columns]`: rows and columns of one phase of the stride side by side, so
/// that the inputs of neighbouring outputs are neighbours, and outputs of all rows are one run of *positions*, `columns` of
/// them a row. The last ones of a row belong to no output where the window is wider than the stride; their sums are
/// dropped.
struct IntegerConvolutionPlan: Sendable {
  let parameters: ConvolutionParameters
  let output: Size2D
  /// Words of four channels.
  let blocks: Int
  /// Output rows of a band.
  let bandRows: Int
  /// Staged columns of a phase.
  let columns: Int
  /// Whether each column of the window has a phase of its own, from its first place on: then there are as many columns as
  /// outputs.
  let hasPhasePerTap: Bool
  /// Staged rows of a phase that a band of one output row needs beyond it.
  let halo: Int
  /// The phases that the window touches: of rows, and of columns.
  let rowPhases: [Int]
  let columnPhases: [Int]

  /// - Parameters:
  ///   - maps: samples times groups.
  ///   - terms: products that an output is the sum of.
  ///   - threads: that share the work.
  init(
    parameters: ConvolutionParameters, output: Size2D, channels: Int, maps: Int, outputs: Int, terms: Int, threads: Int
  ) {
    func reach(_ kernel: Int, _ dilation: Int, _ stride: Int) -> Int { (kernel - 1) * dilation / stride }
    func phases(_ kernel: Int, _ dilation: Int, _ stride: Int) -> [Int] {
      Set((0..<min(kernel, stride)).map { $0 * dilation % stride }).sorted()
    }
    let (kernel, stride, dilation) = (parameters.kernel, parameters.stride, parameters.dilation)
    self.parameters = parameters
    self.output = output
    blocks = (channels + 3) / 4
    let beyond = reach(kernel.width, dilation.width, stride.width)
    let shared = phases(kernel.width, dilation.width, stride.width)
    // Sums beyond the outputs of a row, half a cycle for each vector of words, against words staged several times, eight.
    hasPhasePerTap =
      Double(beyond) * Double(kernel.height) * Double(kernel.width) * Double(outputs)
      > 16 * Double(kernel.width - shared.count) * Double(output.width)
    columns = output.width + (hasPhasePerTap ? 0 : beyond)
    halo = reach(kernel.height, dilation.height, stride.height)
    rowPhases = phases(kernel.height, dilation.height, stride.height)
    columnPhases = hasPhasePerTap ? (0..<kernel.width).map { $0 * dilation.width } : shared

    // What is staged fits the second-level cache, and the sums of eight outputs the first.
    let wordsPerRow = Double(blocks) * Double(columns) * Double(rowPhases.count * columnPhases.count)
    var rows = max(1, min(output.height, 1024 / columns, Int(65_536 / wordsPerRow)))
    // Several bands, so that threads can share the work, where there is enough of it, and of positions in each band.
    let work = Double(output.height) * Double(output.width) * Double(outputs) * Double(terms)
    if threads > 1, maps < 2 * threads, work > 4_000_000 {
      rows = min(rows, max((output.height + 2 * threads - 1) / (2 * threads), (48 + columns - 1) / columns))
    }
    let bands = (output.height + rows - 1) / rows
    bandRows = (output.height + bands - 1) / bands
  }

  var bands: Int { (output.height + bandRows - 1) / bandRows }
  var stagedRows: Int { bandRows + halo }
  var phaseStep: Int { stagedRows * columns }
  /// Words of a block.
  var blockStep: Int { rowPhases.count * columnPhases.count * phaseStep }

  /// The positions of `rows` output rows, up to the last output.
  func positions(rows: Int) -> Int { (rows - 1) * columns + output.width }

  /// Where the input of each tap lies, relative to the first output's position.
  var tapOffsets: [Int] {
    let (kernel, stride, dilation) = (parameters.kernel, parameters.stride, parameters.dilation)
    return (0..<kernel.height).flatMap { row in
      (0..<kernel.width).map { column in
        let (y, x) = (row * dilation.height, column * dilation.width)
        let rowPhase = rowPhases.firstIndex(of: y % stride.height) ?? 0
        let columnPhase = hasPhasePerTap ? column : columnPhases.firstIndex(of: x % stride.width) ?? 0
        return (rowPhase * columnPhases.count + columnPhase) * phaseStep + y / stride.height * columns
          + (hasPhasePerTap ? 0 : x / stride.width)
      }
    }
  }

  /// Words that a staged band takes, with those read beyond it.
  /// - Throws: ``TensorError`` when that is more than an `Int` can say.
  func stagedCount() throws -> Int {
    try Shape.elementCount([blocks, rowPhases.count * columnPhases.count, stagedRows, columns]) + 32
  }

  /// Stages what `rows` output rows from `firstRow` on see of some channels.
  ///
  /// - Parameters:
  ///   - bytes: the channels' planes.
  func stage(
    _ map: IntegerMap, _ bytes: UnsafePointer<UInt8>, channels: Int, firstRow: Int, rows: Int,
    _ y: UnsafeMutablePointer<Int32>, kernels: any QuantizedKernels.Type
  ) {
    for block in 0..<blocks {
      let filled = min(4, channels - block * 4)
      // The zero point in the bytes of the channels there are.
      let filler = UInt32(truncatingIfNeeded: map.zeroPoint) &* (0x0101_0101 >> UInt32(8 * (4 - filled)))
      var out = y + block * blockStep
      for rowPhase in rowPhases {
        let first = firstRow * parameters.stride.height + rowPhase - parameters.padding.top
        for columnPhase in columnPhases {
          kernels.stageWords(
            bytes + block * 4 * map.size.height * map.size.width, end: map.end, channels: filled,
            height: map.size.height, width: map.size.width, firstRow: first, rowStep: parameters.stride.height,
            firstColumn: columnPhase - parameters.padding.left, columnStep: parameters.stride.width, flip: map.flip,
            filler: Int32(bitPattern: filler), out, rows: rows + halo, columns: columns)
          out += phaseStep
        }
      }
    }
  }
}
