import ApusKernelInterface

/// The weight of a ``PackedLinear`` without what keeps its memory: loops over tiles pass it around.
struct WeightView: @unchecked Sendable {
  let columns: Int
  /// Depth in vectors.
  let depthBlocks: Int
  /// A whole panel, or nil.
  private let wide: UnsafeMutableRawPointer?
  /// The parts of a panel that is widened while it is used.
  private let pieces: UnsafeBufferPointer<NarrowPiece>
  /// The codes of a panel that is widened while it is used, or nil.
  private let codes: BlockQuantizedColumns?

  init(columns: Int, depthBlocks: Int, wide: UnsafeMutableRawPointer) {
    (self.columns, self.depthBlocks, self.wide) = (columns, depthBlocks, wide)
    pieces = UnsafeBufferPointer(start: nil, count: 0)
    codes = nil
  }

  init(columns: Int, depthBlocks: Int, codes: BlockQuantizedColumns) {
    (self.columns, self.depthBlocks, self.codes) = (columns, depthBlocks, codes)
    pieces = UnsafeBufferPointer(start: nil, count: 0)
    wide = nil
  }

  init(columns: Int, depthBlocks: Int, pieces: UnsafeBufferPointer<NarrowPiece>) {
    (self.columns, self.depthBlocks, self.pieces) = (columns, depthBlocks, pieces)
    wide = nil
    codes = nil
  }

  /// Whether tiles need room to be widened in.
  var isNarrow: Bool { wide == nil }

  /// The codes from a column on, a multiple of the vector; nil for a weight of numbers.
  func codes<Scalar>(column: Int, kernels: any FloatingKernels<Scalar>.Type) -> BlockQuantizedColumns? {
    let vector = kernels.vectorWidth
    return codes?.advanced(by: column / vector, of: vector, Scalar.self)
  }

  /// From a column on, a multiple of the vector, a weight that is numbers of sixteen bits throughout, and how far apart
  /// vectors of columns are; nil for any other.
  func halves(column: Int, vector: Int) -> (base: UnsafePointer<UInt16>, type: ElementType, step: Int)? {
    guard pieces.count == 1, let piece = pieces.first, piece.scale == nil, piece.size == 2 else { return nil }
    let place = piece.place(column: column, row: piece.rows.lowerBound, vector: vector)
    return (place.assumingMemoryBound(to: UInt16.self), piece.type, piece.rows.count * vector)
  }

  /// Some columns and a part of the depth; vectors of columns are `step` apart, and those that are needed next are
  /// `ahead` from here, in elements, if that is above 0.
  ///
  /// - Parameters:
  ///   - column: the first column, a multiple of the vector.
  ///   - columns: vectors of columns.
  ///   - blocks: which vectors of the depth.
  ///   - next: the column that the same thread is likely to ask for after this.
  ///   - room: for a narrow weight, as many elements.
  func tile<Scalar>(
    column: Int, columns: Int, blocks: Range<Int>, next: Int, room: UnsafeMutablePointer<Scalar>,
    kernels: any FloatingKernels<Scalar>.Type
  ) -> (base: UnsafePointer<Scalar>, step: Int, ahead: Int) {
    let vector = kernels.vectorWidth
    if let wide {
      let step = depthBlocks * vector * vector
      let base = wide.assumingMemoryBound(to: Scalar.self)
      return (
        UnsafePointer(base + column / vector * step + blocks.lowerBound * vector * vector), step,
        (next - column) / vector * step
      )
    }
    let rows = blocks.lowerBound * vector..<blocks.upperBound * vector
    if let codes = codes(column: column, kernels: kernels) {
      for block in 0..<columns {
        kernels.widenRows(
          codes.advanced(by: block, of: vector, Scalar.self), rows: rows, room + block * rows.count * vector)
      }
      return (UnsafePointer(room), rows.count * vector, 0)
    }
    var ahead = 0
    for piece in pieces {
      let part = piece.rows.clamped(to: rows)
      guard !part.isEmpty else { continue }
      for block in 0..<columns {
        let column = column + block * vector
        let target = room + (block * rows.count + part.lowerBound - rows.lowerBound) * vector
        let source = piece.place(column: column, row: part.lowerBound, vector: vector)
        if let scale = piece.scale?.assumingMemoryBound(to: Scalar.self) {
          kernels.widenRows(source, piece.type, scale: scale + column, target, rows: part.count)
        } else {
          kernels.widenRows(source, piece.type, scale: nil, target, rows: part.count)
        }
      }
      if ahead == 0, next < self.columns {
        let place = piece.place(column: next, row: part.lowerBound, vector: vector)
        ahead = max(0, (Int(bitPattern: place) - Int(bitPattern: room)) / MemoryLayout<Scalar>.stride)
      }
    }
    return (UnsafePointer(room), rows.count * vector, ahead)
  }
}

/// Some of the rows of a ``NarrowPanel``: `[columns / vector, rows, vector]` elements of `type`.
struct NarrowPiece: @unchecked Sendable {
  let type: ElementType
  /// Bytes per element.
  let size: Int
  let base: UnsafeRawPointer
  /// Which rows of the panel these are, those that fill it up included.
  let rows: Range<Int>
  /// A factor for each column in the type that is computed in, filled up to whole vectors; nil for floating-point
  /// elements.
  let scale: UnsafeRawPointer?

  func place(column: Int, row: Int, vector: Int) -> UnsafeRawPointer {
    base + (column / vector * rows.count + row - rows.lowerBound) * vector * size
  }
}
