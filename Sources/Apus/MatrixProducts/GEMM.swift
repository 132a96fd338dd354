import ApusKernelInterface

/// A matrix in memory: element `(row, column)` is at `base[row * rowStep + column * columnStep]`.
///
/// A transposed matrix is the same memory with its steps exchanged.
struct MatrixOperand<Scalar>: @unchecked Sendable {
  var base: UnsafePointer<Scalar>
  var rowStep: Int
  var columnStep: Int

  /// A row-major matrix whose rows are `leading` elements apart, or its transpose.
  init(_ base: UnsafePointer<Scalar>, leading: Int, isTransposed: Bool = false) {
    self.base = base
    self.rowStep = isTransposed ? 1 : leading
    self.columnStep = isTransposed ? leading : 1
  }

  func offset(row: Int, column: Int) -> MatrixOperand {
    var result = self
    result.base += row * rowStep + column * columnStep
    return result
  }
}

/// Where a matrix product goes: a row-major matrix, and what happens to what it held.
struct MatrixResult<Scalar>: @unchecked Sendable {
  var base: UnsafeMutablePointer<Scalar>
  var leading: Int
}

/// `c = alpha · a · b + beta · c`, with `a` of `[m, k]`, `b` of `[k, n]` and `c` of `[m, n]`.
///
/// Work is divided by shape alone, so the result is the same for any number of threads. A product of a few
/// rows with a transposed matrix is summed over many accumulators; others go to BLAS where one is in use whose kernels are
/// as wide as ours, and to ``tiledGEMM`` where not. With `beta` zero, `c` is not read.
/// - Throws: ``TensorError/memory(bytes:limit:shape:)`` when there is no room to pack the operands.
func gemm<Scalar: FloatingPointScalar>(
  m: Int, n: Int, k: Int, alpha: Scalar = 1, _ a: MatrixOperand<Scalar>, _ b: MatrixOperand<Scalar>,
  beta: Scalar = 0, into c: MatrixResult<Scalar>
) throws {
  guard m > 0, n > 0 else { return }
  guard k > 0, alpha != 0 else {
    scaleRows(c, rows: m, columns: n, by: beta)
    return
  }
  if m == 1 || (m <= 4 && k >= 128), alpha == 1, beta == 0, a.columnStep == 1, b.rowStep == 1 {
    multiplyRows(a, b, m: m, n: n, k: k, into: c)
    return
  }
  let execution = Execution.current
  if execution.usesBLAS, let blas = BLAS.shared, blas.vectorWidth >= execution.variant.vectorWidth,
    blasGEMM(blas, m: m, n: n, k: k, alpha: alpha, a, b, beta: beta, into: c)
  {
    return
  }
  try tiledGEMM(m: m, n: n, k: k, alpha: alpha, a, b, beta: beta, into: c)
}

/// A few rows times a transposed matrix: a dot product an output. Packing the matrix would cost more than it saves, and
/// BLAS's sums, in one accumulator over some hundred terms, are less exact.
private func multiplyRows<Scalar: FloatingPointScalar>(
  _ a: MatrixOperand<Scalar>, _ b: MatrixOperand<Scalar>, m: Int, n: Int, k: Int, into c: MatrixResult<Scalar>
) {
  let kernels = Scalar.kernels
  let columns = max(1, 65_536 / max(k, 1))
  parallel((n + columns - 1) / columns) { chunk in
    let first = chunk * columns
    for row in 0..<m {
      kernels.dotRows(
        b.base + first * b.columnStep, rowStep: b.columnStep, rows: min(columns, n - first),
        a.base + row * a.rowStep, depth: k, c.base + row * c.leading + first)
    }
  }
}

private func scaleRows<Scalar: FloatingPointScalar>(
  _ c: MatrixResult<Scalar>, rows: Int, columns: Int, by beta: Scalar
) {
  guard beta != 1 else { return }
  for row in 0..<rows {
    let line = c.base + row * c.leading
    for column in 0..<columns { line[column] = beta == 0 ? 0 : line[column] * beta }
  }
}

// MARK: - Swift

/// ``gemm`` in Swift: operands packed into vectors, multiplied by the register tile that convolution uses.
///
/// Blocks are of 256 terms, so that what a tile reads of both operands stays in the caches; within one, partial
/// sums go to the result every 144 terms at most, which bounds the rounding error.
func tiledGEMM<Scalar: FloatingPointScalar>(
  m: Int, n: Int, k: Int, alpha: Scalar, _ a: MatrixOperand<Scalar>, _ b: MatrixOperand<Scalar>,
  beta: Scalar, into c: MatrixResult<Scalar>
) throws {
  let depthLimit = 256
  let columnLimit = 4096
  // Rows laid out at a time stay in the second-level cache; of narrow products there should be enough for two threads.
  let rowLimit = n >= 512 ? 256 : 512
  let vector = Scalar.kernels.vectorWidth
  if beta != 0, beta != 1 { scaleRows(c, rows: m, columns: n, by: beta) }

  for column in stride(from: 0, to: n, by: columnLimit) {
    let columns = min(columnLimit, n - column)
    for depth in stride(from: 0, to: k, by: depthLimit) {
      let depths = min(depthLimit, k - depth)
      let matrix = b.offset(row: depth, column: column)
      let right =
        try RightColumns(inPlace: matrix, rows: m, columns: columns)
        ?? RightPanel(matrix, depth: depths, columns: columns).all
      for row in stride(from: 0, to: m, by: rowLimit) {
        let rows = min(rowLimit, m - row)
        let part = a.offset(row: row, column: depth)
        let target = MatrixResult(base: c.base + row * c.leading + column, leading: c.leading)
        let left =
          try LeftRows(inPlace: part, scale: alpha, columns: n, vector: vector)
          ?? LeftRows(layingOut: part, scale: alpha, rows: rows, depth: depths)
        try multiplyOperands(
          left, rows: rows, right, columns: columns, depth: depths, addsToResult: depth > 0 || beta != 0, into: target)
      }
    }
  }
}

/// A right operand as the tile reads it: `[columns / vector, depth, vector]`, the depth in whole vectors.
struct RightPanel<Scalar: FloatingPointScalar>: Sendable {
  let columns: Int
  /// Depth in vectors.
  let depthBlocks: Int
  let storage: TensorStorage

  var all: RightColumns<Scalar> {
    RightColumns(
      panel: storage.base.assumingMemoryBound(to: Scalar.self), filledDepth: depthBlocks * Scalar.kernels.vectorWidth,
      in: storage)
  }

  /// A matrix for a single product.
  init(_ b: MatrixOperand<Scalar>, depth: Int, columns: Int) throws {
    let size = try PanelSize<Scalar>(depth: depth, columns: columns)
    let storage = try TensorStorage(byteCount: size.byteCount)
    size.place(in: storage).write(b, rows: 0..<depth, of: depth, columns: 0..<columns)
    self.init(size, storage)
  }

  /// A matrix for many products, whose rows are those of `pieces`, one piece after the other; it may come from a
  /// ``PackedCache``.
  init(stacking pieces: [PanelPiece<Scalar>], columns: Int) throws {
    let size = try PanelSize<Scalar>(depth: pieces.reduce(0) { $0 + $1.depth }, columns: columns)
    let place = PackedPlace.current("panel", [columns] + pieces.map(\.depth)) { key in
      for piece in pieces { piece.identify(&key, columns: columns) }
    }
    let storage = try PackedMemory.storage(byteCount: size.byteCount, at: place) { storage in
      var first = 0
      for (index, piece) in pieces.enumerated() {
        try piece.layOut(in: size.place(in: storage, firstRow: first, isLast: index == pieces.count - 1))
        first += piece.depth
      }
    }
    self.init(size, storage)
  }

  private init(_ size: PanelSize<Scalar>, _ storage: TensorStorage) {
    (columns, depthBlocks, self.storage) = (size.columns, size.depthBlocks, storage)
  }
}

/// Multiplies operands as the tile reads them, a task for each group of rows and columns.
private func multiplyOperands<Scalar: FloatingPointScalar>(
  _ left: LeftRows<Scalar>, rows count: Int, _ right: RightColumns<Scalar>, columns width: Int, depth: Int,
  addsToResult: Bool, into c: MatrixResult<Scalar>
) throws {
  let kernels = Scalar.kernels
  let vector = kernels.vectorWidth
  let tileColumns = kernels.blocksPerTile * vector
  let columnTiles = (width + tileColumns - 1) / tileColumns
  let rowsPerTask = 256
  let rowTasks = (count + rowsPerTask - 1) / rowsPerTask
  // A short last block of columns is computed here and its valid part copied.
  let edge = try TensorStorage(
    byteCount: (count + 1) * tileColumns * MemoryLayout<Scalar>.stride)
  let zeros = Unchecked(edge.base.assumingMemoryBound(to: Scalar.self))
  zeros.value.initialize(repeating: 0, count: tileColumns)

  withExtendedLifetime((left, right, edge)) {
    parallel(columnTiles * rowTasks) { task in
      let column = task / rowTasks * tileColumns
      let row = task % rowTasks * rowsPerTask
      let rows = min(rowsPerTask, count - row)
      let columns = min(tileColumns, width - column)
      let blocks = (columns + vector - 1) / vector
      let isWhole = columns == blocks * vector
      let target = c.base + row * c.leading + column
      let out = isWhole ? target : zeros.value + (row + 1) * tileColumns
      let outStep = isWhole ? c.leading : tileColumns
      if !isWhole, addsToResult { copyRows(target, c.leading, out, outStep, rows: rows, columns: columns) }
      multiplyTiles(
        kernels, left.part(row: row), right.from(column: column), rows: rows, depth: depth, columns: blocks * vector,
        zeros: zeros.value, addsToResult: addsToResult, into: out, step: outStep
      )
      if !isWhole { copyRows(out, outStep, target, c.leading, rows: rows, columns: columns) }
    }
  }
}

private func copyRows<Scalar: TensorScalar>(
  _ from: UnsafeMutablePointer<Scalar>, _ fromStep: Int, _ to: UnsafeMutablePointer<Scalar>, _ toStep: Int,
  rows: Int, columns: Int
) {
  for row in 0..<rows { (to + row * toStep).update(from: from + row * fromStep, count: columns) }
}
