import ApusMedia

/// The pixels of a picture that belong to an object.
public struct DetectionMask: Sendable, Hashable {
  /// The part of the picture that ``pixels`` are of, in whole pixels.
  public let x: Int
  /// Its first row.
  public let y: Int
  /// Its columns.
  public let width: Int
  /// Its rows.
  public let height: Int
  /// Whether each pixel of the part belongs to the object, row by row.
  public let pixels: [Bool]

  init(x: Int, y: Int, width: Int, height: Int, pixels: [Bool]) {
    (self.x, self.y, self.width, self.height, self.pixels) = (x, y, width, height, pixels)
  }

  /// Whether a pixel of the picture belongs to the object.
  public func contains(x: Int, y: Int) -> Bool {
    // Where these wrap, the pixel is far outside.
    let (column, row) = (x &- self.x, y &- self.y)
    return (0..<width).contains(column) && (0..<height).contains(row) && pixels[row * width + column]
  }

  /// How many pixels belong to the object.
  public var area: Int { pixels.count { $0 } }

  /// The outlines of the object, clockwise, and those of the holes in it, counterclockwise; each is closed from its last
  /// point to its first, and within half a pixel of the pixels' edges.
  public var outlines: [[PixelPoint]] { MaskOutlines(self).all }
}

/// The edges between pixels that belong to a mask and pixels that do not, followed around.
private struct MaskOutlines {
  private(set) var all: [[PixelPoint]] = []

  /// To the right, down, left, up.
  private static let steps = [(1, 0), (0, 1), (-1, 0), (0, -1)]
  /// How far an outline may be from the middles of the edges, in pixels.
  private static let tolerance = 0.35

  init(_ mask: DetectionMask) {
    let corners = mask.width + 1
    // The edges that leave each corner between pixels, a bit a direction; the mask is to the right of every edge.
    var edges = [UInt8](repeating: 0, count: corners * (mask.height + 1))
    func isInside(_ column: Int, _ row: Int) -> Bool { mask.contains(x: mask.x + column, y: mask.y + row) }
    for row in 0..<mask.height {
      for column in 0..<mask.width where mask.pixels[row * mask.width + column] {
        let corner = row * corners + column
        if !isInside(column, row - 1) { edges[corner] |= 1 }
        if !isInside(column + 1, row) { edges[corner + 1] |= 2 }
        if !isInside(column, row + 1) { edges[corner + corners + 1] |= 4 }
        if !isInside(column - 1, row) { edges[corner + corners] |= 8 }
      }
    }
    for start in edges.indices {
      while let first = (0..<4).first(where: { edges[start] & (1 << UInt8($0)) != 0 }) {
        var (corner, direction) = (start, first)
        var points: [PixelPoint] = []
        while true {
          edges[corner] &= ~(1 << UInt8(direction))
          let (dx, dy) = Self.steps[direction]
          points.append(
            PixelPoint(
              x: Double(mask.x + corner % corners) + Double(dx) / 2,
              y: Double(mask.y + corner / corners) + Double(dy) / 2))
          corner += dy * corners + dx
          // Where two pixels touch at a corner only, the outline stays with its own.
          let isBack = corner == start
          let next = [1, 0, 3].map { (direction + $0) % 4 }
            .first { edges[corner] & (1 << UInt8($0)) != 0 || isBack && $0 == first }
          guard let next, !(isBack && next == first) else { break }
          direction = next
        }
        all.append(Self.simplified(points))
      }
    }
  }

  /// The points of a closed line without which it would move by more than the tolerance.
  private static func simplified(_ points: [PixelPoint]) -> [PixelPoint] {
    guard points.count > 4 else { return points }
    let far =
      points.indices.max { squaredDistance(points[$0], points[0]) < squaredDistance(points[$1], points[0]) } ?? 0
    var isKept = [Bool](repeating: false, count: points.count)
    (isKept[0], isKept[far]) = (true, true)
    var pieces = [(0, far), (far, points.count)]
    while let (first, last) = pieces.popLast() {
      guard last - first > 1 else { continue }
      let (a, b) = (points[first], points[last % points.count])
      var (worst, distance) = (first, tolerance * tolerance)
      for index in first + 1..<last {
        let own = squaredDistance(points[index], from: a, to: b)
        if own > distance { (worst, distance) = (index, own) }
      }
      guard worst > first else { continue }
      isKept[worst] = true
      pieces += [(first, worst), (worst, last)]
    }
    let kept = points.indices.filter { isKept[$0] }.map { points[$0] }
    // What is a pixel wide would become a line.
    return kept.count < 3 ? points : kept
  }

  private static func squaredDistance(_ a: PixelPoint, _ b: PixelPoint) -> Double {
    (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)
  }

  private static func squaredDistance(_ point: PixelPoint, from a: PixelPoint, to b: PixelPoint) -> Double {
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let square = dx * dx + dy * dy
    guard square > 0 else { return squaredDistance(point, a) }
    let along = min(1, max(0, ((point.x - a.x) * dx + (point.y - a.y) * dy) / square))
    return squaredDistance(point, PixelPoint(x: a.x + along * dx, y: a.y + along * dy))
  }
}
