/// A part of a right operand whose elements are made while it is laid out: a tile at a time, in room that stays in the
/// cache.
struct DeferredMatrix: Sendable {
  private let elements: DeferredElements
  /// Elements of a line: a row, or a column where these lie one behind the other.
  private let leading: Int
  private let isTransposed: Bool

  private static let elementsPerTile = 32_768
  /// What is longer is made in parts.
  private static let longestLine = 2048

  init(_ elements: DeferredElements, leading: Int, isTransposed: Bool) {
    (self.elements, self.leading, self.isTransposed) = (elements, leading, isTransposed)
  }

  /// Adds what decides the elements to a key.
  func identify(_ key: inout PackedKey) {
    key.add("deferred", [leading, isTransposed ? 1 : 0])
    elements.source.identify(&key)
  }

  /// - Throws: ``TensorError/memory(bytes:limit:shape:)``.
  func layOut<Scalar: FloatingPointScalar>(depth: Int, in place: PanelPlace<Scalar>) throws {
    let lines = isTransposed ? place.columns : depth
    guard lines > 0, leading > 0 else { return }
    // Columns are laid out in whole vectors; both numbers are multiples of one.
    let length = min(leading, Self.longestLine)
    let linesPerTile = max(1, Self.elementsPerTile / length / 16) * 16
    let parts = (leading + length - 1) / length
    let tiles = (lines + linesPerTile - 1) / linesPerTile * parts
    try parallelWithScratch(tiles, of: Scalar.self, count: linesPerTile * length) { tile, room in
      let start = tile % parts * length
      let within = start..<min(start + length, leading)
      let first = tile / parts * linesPerTile
      let across = first..<min(first + linesPerTile, lines)
      if within.count == leading {
        elements.write(across.lowerBound * leading..<across.upperBound * leading, to: room)
      } else {
        for line in across {
          let begin = line * leading
          elements.write(
            begin + within.lowerBound..<begin + within.upperBound, to: room + (line - first) * within.count)
        }
      }
      let (rows, columns) = isTransposed ? (within, across) : (across, within)
      place.write(
        MatrixOperand(room, leading: within.count, isTransposed: isTransposed), rows: rows, of: depth,
        column: columns.lowerBound, columns: columns.count)
    }
  }
}
