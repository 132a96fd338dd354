/// One step of a recurrent cell, all gates in one go, for some rows of a batch.
///
/// A row of gates holds `blocks` whole vectors a gate, one gate after the other: what the input contributes in `x`, what
/// the state contributes in `h`, biases included. States and cells are blocked `[blocks, rows, vector]`, as a left
/// operand of the register tile; they are read and replaced.
package protocol RecurrentKernels<Scalar> {
  associatedtype Scalar

  /// `h' = tanh(x + h)`, or `max(x + h, 0)`.
  static func elmanStep(
    _ x: UnsafePointer<Scalar>, _ h: UnsafePointer<Scalar>,
    state: UnsafeMutablePointer<Scalar>, rows: Int, blocks: Int, isRectified: Bool)

  /// Gates in the order input, forget, candidate, output, of `s = x + h`:
  /// `c' = σ(s_f) · c + σ(s_i) · tanh(s_g)`, `h' = σ(s_o) · tanh(c')`.
  static func lstmStep(
    _ x: UnsafePointer<Scalar>, _ h: UnsafePointer<Scalar>,
    state: UnsafeMutablePointer<Scalar>, cells: UnsafeMutablePointer<Scalar>, rows: Int, blocks: Int)

  /// Gates in the order reset, update, new: `n = tanh(x_n + σ(x_r + h_r) · h_n)`, `h' = n + σ(x_z + h_z) · (h - n)`.
  static func gruStep(
    _ x: UnsafePointer<Scalar>, _ h: UnsafePointer<Scalar>,
    state: UnsafeMutablePointer<Scalar>, rows: Int, blocks: Int)

  /// Rows from their blocked form: `y[row * rowStep + i]` for `i` below `count`.
  static func unpackRows(
    _ panel: UnsafePointer<Scalar>, rows: Int, count: Int, _ y: UnsafeMutablePointer<Scalar>, rowStep: Int)
}
