import ApusKernelInterface

/// Columns of a right operand as the register tile reads them, a vector of columns at a time: laid out, the same vector of
/// every row side by side, or where they lie.
struct RightColumns<Scalar: FloatingPointScalar>: @unchecked Sendable {
  let base: UnsafePointer<Scalar>
  /// From one row to the next, and from one vector of columns to the next.
  let termStep: Int
  let blockStep: Int
  /// Where they have been laid out, if in memory of their own.
  private let storage: TensorStorage?

  /// Laid out by `packColumns`, with `filledDepth` rows for every vector.
  init(panel: UnsafePointer<Scalar>, filledDepth: Int, in storage: TensorStorage? = nil) {
    let vector = Scalar.kernels.vectorWidth
    self.init(panel, termStep: vector, blockStep: filledDepth * vector, storage: storage)
  }

  /// Where they lie, for a product of so many rows; nil where laying them out is repaid, or is needed.
  ///
  /// Every kernel variant's tile but the narrowest has as many positions, so that all is read once.
  init?(inPlace b: MatrixOperand<Scalar>, rows: Int, columns: Int) {
    let vector = Scalar.kernels.vectorWidth
    guard b.columnStep == 1, rows <= 6, columns.isMultiple(of: vector) else { return nil }
    self.init(b.base, termStep: b.rowStep, blockStep: vector)
  }

  /// Where they lie or laid out, whichever is faster.
  ///
  /// - Parameter room: for `filledDepth` times the columns in whole vectors.
  init(
    _ kernels: any FloatingKernels<Scalar>.Type, _ b: MatrixOperand<Scalar>, rows: Int, depth: Int, filledDepth: Int,
    columns: Int, room: UnsafeMutablePointer<Scalar>
  ) {
    if let columns = RightColumns(inPlace: b, rows: rows, columns: columns) {
      self = columns
      return
    }
    kernels.packColumns(
      b.base, rowStep: b.rowStep, columnStep: b.columnStep, depth: depth, filledDepth: filledDepth, columns: columns,
      room, blockStep: filledDepth * kernels.vectorWidth)
    self.init(panel: room, filledDepth: filledDepth)
  }

  /// From a vector of columns on, while the whole is there.
  func from(column: Int) -> RightColumns {
    RightColumns(base + column / Scalar.kernels.vectorWidth * blockStep, termStep: termStep, blockStep: blockStep)
  }

  private init(_ base: UnsafePointer<Scalar>, termStep: Int, blockStep: Int, storage: TensorStorage? = nil) {
    (self.base, self.termStep, self.blockStep, self.storage) = (base, termStep, blockStep, storage)
  }
}
