import Apus
import ApusMedia

/// The maps of which each object's mask is a sum: `[1, prototypes, height, width]` over all of the network's input.
struct MaskPrototypes {
  private let maps: [Float]
  /// How many maps there are.
  let count: Int
  private let width: Int
  private let height: Int
  private let letterbox: Letterbox

  /// - Throws: ``DetectorError`` for another shape.
  init(_ output: Tensor<Float>, letterbox: Letterbox) throws {
    guard output.rank == 4, output.shape[0] == 1, !output.shape.contains(0) else {
      throw DetectorError(
        .unknownLayout("the prototypes of masks have the shape \(output.shape); [1, count, height, width] was expected")
      )
    }
    maps = try output.elements
    (count, height, width) = (output.shape[1], output.shape[2], output.shape[3])
    self.letterbox = letterbox
  }

  /// The mask of an object: pixels in its box where `Σᵢ coefficientᵢ · prototypeᵢ`, interpolated between the maps'
  /// cells, is above 0, which is where the object's probability is above a half.
  ///
  /// - Parameters:
  ///   - coefficients: one for each map.
  ///   - box: in pixels of the picture, clipped to it.
  ///   - anchor: for messages.
  /// - Throws: ``DetectorError`` for sums that are not finite.
  func mask(_ coefficients: [Float], in box: PixelBox, anchor: Int) throws(DetectorError) -> DetectionMask {
    // A pixel is in the box where its middle is.
    let (left, top) = (Int((box.x0 - 0.5).rounded(.up)), Int((box.y0 - 0.5).rounded(.up)))
    let columns = (left..<max(left, Int((box.x1 - 0.5).rounded(.up)))).map { place($0, isRow: false) }
    let rows = (top..<max(top, Int((box.y1 - 0.5).rounded(.up)))).map { place($0, isRow: true) }
    guard let first = columns.first, let last = columns.last, let upper = rows.first, let lower = rows.last else {
      return DetectionMask(x: left, y: top, width: 0, height: 0, pixels: [])
    }
    // The sums of the cells that are needed.
    let (x0, x1, y0, y1) = (first.cell, last.next, upper.cell, lower.next)
    let sumWidth = x1 - x0 + 1
    var sums = [Float](repeating: 0, count: sumWidth * (y1 - y0 + 1))
    for (index, coefficient) in coefficients.enumerated() {
      for y in y0...y1 {
        let (source, target) = ((index * height + y) * width + x0, (y - y0) * sumWidth)
        for x in 0..<sumWidth { sums[target + x] += coefficient * maps[source + x] }
      }
    }
    guard sums.allSatisfy(\.isFinite) else {
      throw DetectorError(.notFinite("the network gave a mask that is not finite, at anchor \(anchor)"))
    }
    var pixels: [Bool] = []
    pixels.reserveCapacity(columns.count * rows.count)
    for row in rows {
      let (above, below) = ((row.cell - y0) * sumWidth - x0, (row.next - y0) * sumWidth - x0)
      for column in columns {
        let upper = sums[above + column.cell] + (sums[above + column.next] - sums[above + column.cell]) * column.part
        let lower = sums[below + column.cell] + (sums[below + column.next] - sums[below + column.cell]) * column.part
        pixels.append(upper + (lower - upper) * row.part > 0)
      }
    }
    return DetectionMask(x: left, y: top, width: columns.count, height: rows.count, pixels: pixels)
  }

  /// Between which cells the middle of a pixel's column or row lies, and how far it is from the first to the second.
  private func place(_ pixel: Int, isRow: Bool) -> (cell: Int, next: Int, part: Float) {
    let middle = letterbox.fromImage(x: Double(pixel) + 0.5, y: Double(pixel) + 0.5)
    let (cells, input) = isRow ? (height, letterbox.height) : (width, letterbox.width)
    let at = (isRow ? middle.y : middle.x) * Double(cells) / Double(input) - 0.5
    let clamped = min(max(at, 0), Double(cells - 1))
    let cell = Int(clamped)
    return (cell, min(cell + 1, cells - 1), Float(clamped - Double(cell)))
  }
}
