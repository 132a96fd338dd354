import ApusKernelInterface

/// Rows of a left operand as the register tile reads them: where they lie, or laid out, the same vector of every row side by
/// side.
struct LeftRows<Scalar: FloatingPointScalar>: @unchecked Sendable {
  let base: UnsafePointer<Scalar>
  /// From one row to the next, and from one vector of a row to its next.
  let rowStep: Int
  let blockStep: Int
  /// Where they have been laid out, if in memory of their own.
  private let storage: TensorStorage?

  /// Laid out by `packRows`, `count` of them.
  init(panel: UnsafePointer<Scalar>, count: Int) {
    let vector = Scalar.kernels.vectorWidth
    self.init(panel, rowStep: vector, blockStep: count * vector)
  }

  /// Where they lie, for a product with so many columns; nil where laying them out pays, or is needed.
  ///
  /// That takes as long as multiplying them by some columns. It pays where lines of neighbouring rows evict each other, which
  /// are a multiple of 4 KB apart, and where the right operand comes from beyond the second-level cache meanwhile (30,522
  /// columns 0.91 of the time, 4,096 the same).
  ///
  /// - Parameter vector: the width of the kernels' vectors.
  init?(inPlace a: MatrixOperand<Scalar>, scale: Scalar = 1, columns: Int, vector: Int) {
    guard a.columnStep == 1, scale == 1, columns <= 4096,
      !(a.rowStep * MemoryLayout<Scalar>.stride).isMultiple(of: 4096)
    else { return nil }
    self.init(a.base, rowStep: a.rowStep, blockStep: vector)
  }

  /// Laid out in memory of their own, which is there as long as the value is.
  init(layingOut a: MatrixOperand<Scalar>, scale: Scalar = 1, rows: Int, depth: Int) throws {
    let kernels = Scalar.kernels
    let vector = kernels.vectorWidth
    let blocks = (depth + vector - 1) / vector
    let storage = try TensorStorage(byteCount: blocks * rows * vector * MemoryLayout<Scalar>.stride)
    let panel = Unchecked(storage.base.assumingMemoryBound(to: Scalar.self))
    let blocksPerChunk = max(1, 16_384 / max(rows * vector, 1))
    parallel((blocks + blocksPerChunk - 1) / blocksPerChunk) { chunk in
      let first = chunk * blocksPerChunk
      let part = a.offset(row: 0, column: first * vector)
      kernels.packRows(
        part.base, rowStep: part.rowStep, columnStep: part.columnStep, rows: rows,
        depth: min(depth - first * vector, blocksPerChunk * vector), scale: scale, panel.value + first * rows * vector)
    }
    self.init(panel.value, rowStep: vector, blockStep: rows * vector, storage: storage)
  }

  /// Where they lie or laid out, whichever is faster.
  ///
  /// - Parameter room: for `rows` times the depth in whole vectors.
  init(
    _ kernels: any FloatingKernels<Scalar>.Type, _ a: MatrixOperand<Scalar>, scale: Scalar = 1, rows: Int, depth: Int,
    columns: Int, room: UnsafeMutablePointer<Scalar>
  ) {
    if let rows = LeftRows(inPlace: a, scale: scale, columns: columns, vector: kernels.vectorWidth) {
      self = rows
      return
    }
    kernels.packRows(
      a.base, rowStep: a.rowStep, columnStep: a.columnStep, rows: rows, depth: depth, scale: scale, room)
    self.init(panel: room, count: rows)
  }

  private init(_ base: UnsafePointer<Scalar>, rowStep: Int, blockStep: Int, storage: TensorStorage? = nil) {
    (self.base, self.rowStep, self.blockStep, self.storage) = (base, rowStep, blockStep, storage)
  }

  /// From a row on, and a vector of it, while the whole is there.
  func part(row: Int, block: Int = 0) -> LeftRows {
    LeftRows(base + row * rowStep + block * blockStep, rowStep: rowStep, blockStep: blockStep)
  }
}
