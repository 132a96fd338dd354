import Apus

/// The windows of a convolution over any number of axes as those of one over two, or over one.
///
/// While there are more than two axes, neighbours along which every position is a window become one. All but the last
/// two of the rest are folded: what a window sees along them are channels, and its places samples.
///
///     [batch, channels, depth, height, width] → [batch · places, channels · taps, height, width]
struct PlanarWindows: Sendable {
  private let windows: WindowAttributes
  private let axes: [WindowAxis]
  /// Which axes are one.
  private let runs: [Range<Int>]

  /// - Parameter kernel: the size of the window along each axis.
  init(_ windows: WindowAttributes, kernel: [Int]) throws {
    let axes = try windows.axes(kernel: kernel)
    var runs = axes.indices.map { $0..<$0 + 1 }
    while runs.count > 2,
      let first = runs.indices.dropLast().first(where: {
        axes[runs[$0].lowerBound..<runs[$0 + 1].upperBound].allSatisfy(\.isPointwise)
      })
    {
      runs.replaceSubrange(first...first + 1, with: [runs[first].lowerBound..<runs[first + 1].upperBound])
    }
    (self.windows, self.axes, self.runs) = (windows, axes, runs)
  }

  /// The axes that stay; rows stand still where there is one.
  var rowsAndColumns: (WindowAxis, WindowAxis) { rowsAndColumns(of: axes) }

  private func rowsAndColumns(of axes: [WindowAxis]) -> (WindowAxis, WindowAxis) {
    let kept = runs.suffix(2).map { axes[$0.lowerBound] }
    return kept.count == 1 ? (.single, kept[0]) : (kept[0], kept[1])
  }

  /// The shape of a weight `[outputs, channels, …]` when axes are folded.
  func weightShape(_ shape: [Int]) -> [Int] {
    let taps = runs.dropLast(2).map { axes[$0.lowerBound].kernel }.product
    return [shape[0], shape[1].multipliedClamped(by: taps)] + runs.suffix(2).map { axes[$0.lowerBound].kernel }
  }

  /// - Parameters:
  ///   - x: `[batch, channels, …]`.
  ///   - filler: what padding is.
  ///   - convolve: makes `[samples, outputs, …]` of maps with two axes, or the one that there is.
  func callAsFunction<Element: ByteScalar, Result: TensorScalar>(
    _ x: Tensor<Element>, filler: Element,
    convolve: (_ maps: Tensor<Element>, _ padding: Padding2D) throws -> Tensor<Result>
  ) throws -> Tensor<Result> {
    guard x.rank == axes.count + 2 else {
      throw OperatorError("the input has shape \(x.shape); \(axes.count) axes to move along are needed")
    }
    let sizes = Array(x.shape[2...])
    let padded = try zip(axes, sizes).map { try windows.padded($0, size: $1) }
    let (rows, columns) = rowsAndColumns(of: padded)
    let padding = Padding2D(rows: rows, columns: columns)
    guard axes.count > 2 else { return try convolve(x, padding) }
    let outputs = try zip(padded, sizes).map { try windows.outputs($0, size: $1) }
    var maps = try x.reshaped(x.shape[..<2] + runs.map { Array(sizes[$0]).product })
    var places = 1
    for run in runs.dropLast(2) {
      let axis = padded[run.lowerBound]
      let count = Array(outputs[run]).product
      places = places.multipliedClamped(by: count)
      maps = try maps.foldingWindows(
        taps: axis.kernel, stride: axis.stride, dilation: axis.dilation, before: axis.before, places: count,
        filler: filler)
    }
    let y = try convolve(maps, padding)
    let channels = y.shape[1]
    return try y.reshaped([x.shape[0], places, channels] + y.shape[2...]).permuted([0, 2, 1] + (3...y.rank).map { $0 })
      .reshaped([x.shape[0], channels] + outputs)
  }
}
