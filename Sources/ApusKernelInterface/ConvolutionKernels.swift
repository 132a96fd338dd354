/// Convolution over channel-blocked maps: what is not already ``MatrixKernels``.
package protocol ConvolutionKernels: SendableMetatype {
  /// ``MatrixKernels/accumulateRow`` for each of some rows of `width` positions.
  ///
  /// - Parameters:
  ///   - x: the input position under the first output position; the next row's is `rowStep` floats further.
  ///   - bias: what the sums are added to, sixteen floats a block.
  ///   - y: `[rows, width]` positions.
  static func accumulateRows(
    _ x: UnsafePointer<Float>, rowStep: Int, rows: Int, weights: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, width: Int, blocks: Int, walk: TileWalk)

  /// Whether rows of `width` positions are faster each by itself with `count` of `all` kernel rows than run together with
  /// others.
  static func isFasterAlone(width: Int, kernelRows count: Int, of all: Int) -> Bool

  /// Neighbouring positions of a convolution at stride 1 that has few outputs, over row-major planes: the sums of
  /// ``accumulateRows``, bit for bit, with positions in the lanes of vectors.
  ///
  /// - Parameters:
  ///   - x: the first position's first input; lanes of `walk` are `planeStep` floats apart.
  ///   - weights: sixteen a term, of which the first `outputs` are used.
  ///   - bias: a float an output.
  ///   - y: `[outputs, count]`, an output's plane `walk.outputBlockStep` floats after the one before.
  ///   - count: sixteen at least.
  static func accumulatePlanes(
    _ x: UnsafePointer<Float>, planeStep: Int, weights: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, outputs: Int, count: Int, walk: TileWalk)

  /// One row of a convolution of groups of 1, 2, 4 or 8 channels, of which there are as many out as in, over one block of
  /// sixteen channels, read where it lies: what the window covers beyond the map's sides is skipped.
  ///
  /// - Parameters:
  ///   - x: column 0 of the first row that the window covers; rows are `rowStep` floats apart.
  ///   - rows: the number of rows that it covers inside the map.
  ///   - weights: `[rows, taps, group, 16]`, those of the rows covered.
  ///   - addend: what sums begin with, sixteen floats a position, which is `addendStep` after the one before: a bias with a
  ///     step of 0, or earlier sums, which are not at `y`.
  ///   - group: the channels of a group.
  ///   - left: columns that the first window lies beyond the map's left side.
  ///   - inside: the positions whose window lies between the sides of the map; within `0..<width`.
  static func convolveDepthwiseRow(
    _ x: UnsafePointer<Float>, rowStep: Int, rows: Int, inputWidth: Int, weights: UnsafePointer<Float>,
    addend: UnsafePointer<Float>, addendStep: Int, _ y: UnsafeMutablePointer<Float>, width: Int, group: Int, taps: Int,
    stride: Int, dilation: Int, left: Int, inside: Range<Int>)

  /// Copies rows of floats to where the convolution reads them: `[rows, columns]` with zeros around.
  ///
  /// Row `r` of the result is the source's row `r - top`, and its column `j` the source's column `j - left`.
  static func padRows(
    _ x: UnsafePointer<Float>, height: Int, width: Int, top: Int, left: Int, _ y: UnsafeMutablePointer<Float>,
    rows: Int, columns: Int)

  /// The same of up to sixteen channels that become one block: `[rows, columns, 16]`. Channels beyond `channels` are zero.
  ///
  /// - Parameter channelStep: from one row-major channel to the next.
  static func stageBlock(
    _ x: UnsafePointer<Float>, channels: Int, channelStep: Int, height: Int, width: Int, top: Int, left: Int,
    _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int)

  /// Convolution weights `[outputs, inputs, rows, columns]` as the register tile reads them,
  /// `[outputs / 16, inputs / 16, rows, columns, 16, 16]` with the output channel last. Outputs are filled up with
  /// zeros; a last block of fewer inputs has fewer vectors.
  static func packConvolution(
    _ w: UnsafePointer<Float>, outputs: Int, inputs: Int, area: Int, _ y: UnsafeMutablePointer<Float>)

  /// `y[i] = factors[i] · Σ x[places[t * step + i]] * weights[t * step + i]` over the first `terms[i]` samples of each of
  /// `count` outputs, for all sixteen channels of a position: products and sums each rounded to `Double`, one term after
  /// the other.
  ///
  /// - Parameters:
  ///   - x: one block's plane; `places` are positions in it.
  ///   - factors: 1 each when nil.
  static func sampleBlock(
    _ x: UnsafePointer<Float>, places: UnsafePointer<Int>, weights: UnsafePointer<Double>, terms: UnsafePointer<Int>,
    step: Int, factors: UnsafePointer<Float>?, count: Int, _ y: UnsafeMutablePointer<Float>)

  /// Winograd's transform of the kernels of one block of sixteen outputs.
  ///
  /// - Parameters:
  ///   - w: nine taps an input, in the order of ``packConvolution(_:outputs:inputs:area:_:)``.
  ///   - v: a vector an input, side by side, for each of the tile's weight frequencies, `frequencyStep` floats apart.
  static func winogradWeights(
    tile: WinogradTile, _ w: UnsafePointer<Float>, inputs: Int, _ v: UnsafeMutablePointer<Float>, frequencyStep: Int)

  /// Winograd's transform of the input under some consecutive tiles of one block of channels.
  ///
  /// - Parameters:
  ///   - x: the block's plane, `[height, width, 16]`.
  ///   - tiles: their numbers, counted along rows of `tilesPerRow`.
  ///   - u: a vector a tile, side by side, for each of the tile's frequencies, `frequencyStep` floats apart.
  ///   - scratch: ``WinogradTile/room`` floats.
  static func winogradInput(
    tile: WinogradTile, _ x: UnsafePointer<Float>, height: Int, width: Int, top: Int, left: Int, tilesPerRow: Int,
    tiles: Range<Int>, _ u: UnsafeMutablePointer<Float>, frequencyStep: Int, scratch: UnsafeMutablePointer<Float>)

  /// The way back: products of frequencies become outputs, with their bias added and their activation applied.
  ///
  /// - Parameters:
  ///   - m: as `u` of ``winogradInput``.
  ///   - y: the block's plane, `[height, width, 16]`; tiles that reach beyond it are cut off.
  ///   - scratch: ``WinogradTile/room`` floats.
  static func winogradOutput(
    tile: WinogradTile, _ m: UnsafePointer<Float>, frequencyStep: Int, bias: UnsafePointer<Float>,
    activation: UnaryOperation?, _ y: UnsafeMutablePointer<Float>, height: Int, width: Int, tilesPerRow: Int,
    tiles: Range<Int>, scratch: UnsafeMutablePointer<Float>)
}
