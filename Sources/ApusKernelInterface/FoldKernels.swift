/// The inverse of unfolding: windows added up where they overlap.
package protocol FoldKernels<Scalar> {
  associatedtype Scalar

  /// One output channel of a transposed convolution: a map filled with `bias`, to which every input position adds its
  /// window.
  ///
  /// - Parameters:
  ///   - x: `[window rows, window columns, height, width]`, the windows' terms at every input position.
  ///   - row: the map's row under the first window row of the first position; may be negative. `column` likewise.
  ///   - rowStride: map rows between the windows of neighbouring input rows.
  ///   - y: `[outputHeight, outputWidth]`.
  static func foldPlane(
    _ x: UnsafePointer<Scalar>, height: Int, width: Int, row: Int, column: Int, window: WindowWalk, rowStride: Int,
    bias: Scalar, _ y: UnsafeMutablePointer<Scalar>, outputHeight: Int, outputWidth: Int)
}
