/// Building blocks of matrix products and convolutions, which are one loop nest over blocked operands.
///
/// A *vector* is 16 floats or 8 doubles. The left operand is blocked `[depth / vector, rows, vector]`, the right one
/// `[columns / vector, depth, vector]`; short ends are filled with zeros.
package protocol MatrixKernels<Scalar> {
  associatedtype Scalar

  /// Elements in a vector.
  static var vectorWidth: Int { get }

  /// How many neighbouring output blocks ``accumulateRow`` computes best together.
  static var blocksPerTile: Int { get }

  /// `y = addend + x · weights` for one row of positions and at most ``blocksPerTile`` neighbouring output blocks.
  ///
  /// - Parameters:
  ///   - x: the input position under the first output position; positions are a vector apart.
  ///   - weights: vectors in the order in which `walk` needs them, one run a block.
  ///   - addend: what the sums are added to; its steps are zero for one vector that serves all positions. It may be
  ///     `y` itself.
  ///   - shift: whole vectors, added to each position's rounded sums, as if afterwards; a position's blocks are
  ///     neighbours then.
  ///   - width: the number of positions.
  static func accumulateRow(
    _ x: UnsafePointer<Scalar>, weights: UnsafePointer<Scalar>,
    addend: UnsafePointer<Scalar>, addendStep: Int, addendBlockStep: Int, shift: UnsafePointer<Scalar>?,
    _ y: UnsafeMutablePointer<Scalar>, width: Int, blocks: Int, walk: TileWalk)

  /// Blocks a matrix as a left operand: element `(row, column)` is `a[row * rowStep + column * columnStep]`, and is
  /// multiplied by `scale`.
  static func packRows(
    _ a: UnsafePointer<Scalar>, rowStep: Int, columnStep: Int, rows: Int, depth: Int, scale: Scalar,
    _ panel: UnsafeMutablePointer<Scalar>)

  /// Blocks a matrix as a right operand: element `(row, column)` is `b[row * rowStep + column * columnStep]`. Blocks
  /// begin `blockStep` apart, and rows from `depth` up to `filledDepth` are zeros.
  static func packColumns(
    _ b: UnsafePointer<Scalar>, rowStep: Int, columnStep: Int, depth: Int, filledDepth: Int, columns: Int,
    _ panel: UnsafeMutablePointer<Scalar>, blockStep: Int)

  /// Widens rows of a blocked right operand that is kept in another type: `y[row, i] = Scalar(x[row, i]) * scale[i]`,
  /// where a row is a vector, and `scale`, if there is one, too.
  static func widenRows(
    _ x: UnsafeRawPointer, _ type: StoredType, scale: UnsafePointer<Scalar>?, _ y: UnsafeMutablePointer<Scalar>,
    rows: Int)

  /// Widens some rows of one vector of columns, `[rows, vector]`. They begin and end at multiples of a vector.
  static func widenRows(_ columns: BlockQuantizedColumns, rows: Range<Int>, _ y: UnsafeMutablePointer<Scalar>)

  /// `y = addend + x · panel` for a single row of `depth` elements and a blocked right operand, whose blocks are
  /// `blockStep` apart. `addend` and `y` hold `blocks` whole vectors.
  static func multiplyRow(
    _ x: UnsafePointer<Scalar>, depth: Int, panel: UnsafePointer<Scalar>, blockStep: Int, blocks: Int,
    addend: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>)

  /// The same, with the same bits, for a right operand of numbers of sixteen bits, `type`.
  static func multiplyRow(
    _ x: UnsafePointer<Scalar>, depth: Int, halves: UnsafePointer<UInt16>, _ type: StoredType, blockStep: Int,
    blocks: Int, addend: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>)

  /// The same, with the same bits, for columns of codes.
  static func multiplyRow(
    _ x: UnsafePointer<Scalar>, depth: Int, columns: BlockQuantizedColumns, blocks: Int,
    addend: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>)

  /// `y[row] = Σ w[row * rowStep + i] * x[i]`, each sum over several accumulators.
  static func dotRows(
    _ w: UnsafePointer<Scalar>, rowStep: Int, rows: Int, _ x: UnsafePointer<Scalar>, depth: Int,
    _ y: UnsafeMutablePointer<Scalar>)

  /// `y[row * rowStep + i] += x[i]` for `count` elements of each row.
  static func addToRows(
    _ x: UnsafePointer<Scalar>, _ y: UnsafeMutablePointer<Scalar>, rows: Int, count: Int, rowStep: Int)
}
