/// Convolution over channel-blocked maps: what is not already ``MatrixKernels/accumulateRow``.
public protocol ConvolutionKernels: SendableMetatype {
  /// One row of a depthwise convolution over one block of sixteen channels.
  ///
  /// Weights are `[rows, taps, 16]`, the bias sixteen floats; `walk` gives rows and taps, the rest of it is not looked
  /// at.
  static func convolveDepthwiseRow(
    _ x: UnsafePointer<Float>, weights: UnsafePointer<Float>, bias: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, width: Int, walk: TileWalk)

  /// Copies one block of a map to where the convolution reads it: padded with zeros, and with the columns of one
  /// phase of the stride side by side.
  ///
  /// Element `(channel, row, column)` of the source is `x[channel * channelStep + (row * width + column) * positionStep]`.
  /// The result is `[rows, phases, phaseWidth, 16]`: column `j` of phase `p` is the source's column
  /// `j * phases + p - left`, and row `r` its row `r - top`. Channels beyond `channels` are zero.
  static func stageBlock(
    _ x: UnsafePointer<Float>, channels: Int, channelStep: Int, positionStep: Int, height: Int, width: Int,
    top: Int, left: Int, _ y: UnsafeMutablePointer<Float>, rows: Int, phases: Int, phaseWidth: Int)

  /// Convolution weights `[outputs, inputs, rows, columns]` as the register tile reads them,
  /// `[outputs / 16, inputs / 16, rows, columns, 16, 16]` with the output channel last; filled up with zeros.
  static func packConvolution(
    _ w: UnsafePointer<Float>, outputs: Int, inputs: Int, area: Int, _ y: UnsafeMutablePointer<Float>)
}
