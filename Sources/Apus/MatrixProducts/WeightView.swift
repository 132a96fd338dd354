import ApusKernelInterface

/// The weight of a ``PackedLinear`` without what keeps its memory: loops over tiles pass it around.
struct WeightView: @unchecked Sendable {
  let columns: Int
  /// Depth in vectors.
  let depthBlocks: Int
  private let elements: Elements

  enum Elements {
    /// A whole panel of numbers.
    case wide(UnsafeMutableRawPointer)
    /// The parts of a panel that is widened while it is used.
    case pieces(UnsafeBufferPointer<NarrowPiece>)
    /// Codes, which are widened while they are used.
    case codes(BlockQuantizedColumns)
  }

  init(columns: Int, depthBlocks: Int, _ elements: Elements) {
    (self.columns, self.depthBlocks, self.elements) = (columns, depthBlocks, elements)
  }

  /// Whether tiles need room to be widened in.
  var isNarrow: Bool { if case .wide = elements { false } else { true } }

  /// Whether ``columns(from:count:next:room:kernels:)`` needs room: codes and halves become numbers in registers.
  var isWidenedForRow: Bool {
    if case .pieces = elements { !isOfHalves } else { false }
  }

  /// Whether the weight is numbers of sixteen bits throughout.
  var isOfHalves: Bool { halves != nil }

  private var halves: NarrowPiece? {
    guard case .pieces(let pieces) = elements, pieces.count == 1, let piece = pieces.first, piece.scale == nil,
      piece.size == 2
    else { return nil }
    return piece
  }

  /// Some columns in their whole depth, as a single row is multiplied by them.
  enum Columns<Scalar> {
    /// Numbers; vectors of columns are `step` apart.
    case numbers(UnsafePointer<Scalar>, step: Int)
    case halves(UnsafePointer<UInt16>, StoredType, step: Int)
    case codes(BlockQuantizedColumns)
  }

  /// - Parameters:
  ///   - column: the first column, a multiple of the vector.
  ///   - count: vectors of columns.
  ///   - next: as that of a tile, and `room` likewise.
  func columns<Scalar>(
    from column: Int, count: Int, next: Int, room: UnsafeMutablePointer<Scalar>,
    kernels: any FloatingKernels<Scalar>.Type
  ) -> Columns<Scalar> {
    let vector = kernels.vectorWidth
    if case .codes(let codes) = elements {
      return .codes(codes.advanced(by: column / vector, of: vector, Scalar.self))
    }
    if let halves {
      let place = halves.place(column: column, row: halves.rows.lowerBound, vector: vector)
      return .halves(place.assumingMemoryBound(to: UInt16.self), halves.type, step: halves.rows.count * vector)
    }
    let tile = tile(column: column, columns: count, blocks: 0..<depthBlocks, next: next, room: room, kernels: kernels)
    return .numbers(tile.base, step: tile.step)
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
    let rows = blocks.lowerBound * vector..<blocks.upperBound * vector
    switch elements {
    case .wide(let panel):
      let step = depthBlocks * vector * vector
      let base = panel.assumingMemoryBound(to: Scalar.self)
      return (
        UnsafePointer(base + column / vector * step + rows.lowerBound * vector), step, (next - column) / vector * step
      )
    case .codes(let codes):
      let first = codes.advanced(by: column / vector, of: vector, Scalar.self)
      for block in 0..<columns {
        kernels.widenRows(
          first.advanced(by: block, of: vector, Scalar.self), rows: rows, room + block * rows.count * vector)
      }
      return (UnsafePointer(room), rows.count * vector, 0)
    case .pieces(let pieces):
      let ahead = widen(pieces, column: column, columns: columns, rows: rows, next: next, room: room, kernels: kernels)
      return (UnsafePointer(room), rows.count * vector, ahead)
    }
  }

  /// Widens a tile, and says how far what is needed next is from there.
  private func widen<Scalar>(
    _ pieces: UnsafeBufferPointer<NarrowPiece>, column: Int, columns: Int, rows: Range<Int>, next: Int,
    room: UnsafeMutablePointer<Scalar>, kernels: any FloatingKernels<Scalar>.Type
  ) -> Int {
    let vector = kernels.vectorWidth
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
    return ahead
  }
}

/// Some of the rows of a ``NarrowPanel``: `[columns / vector, rows, vector]` elements of `type`.
struct NarrowPiece: @unchecked Sendable {
  let type: StoredType
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
