/// How much of each pixel a shape covers, in the part of a picture where the shape is.
///
/// Strokes are put together by the greater coverage, so that they may touch and cross without showing; what a stroke
/// has to say about colour is its *shade*.
struct CoverageMask {
  /// The part, in whole pixels of the picture.
  let x: Int
  let y: Int
  let width: Int
  let height: Int
  private(set) var coverage: [UInt8]
  /// Of the stroke that covers the pixel most, the last of equals.
  private(set) var shades: [UInt8]

  /// The part of a picture of `canvasWidth` × `canvasHeight` around these points, `margin` wider on every side; nil
  /// when there is none.
  init?(
    around points: some Collection<PixelPoint>, margin: Double, canvasWidth: Int, canvasHeight: Int,
    isShaded: Bool = false
  ) {
    var (x0, y0, x1, y1) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
    for point in points where point.isFinite {
      (x0, x1) = (min(x0, point.x), max(x1, point.x))
      (y0, y1) = (min(y0, point.y), max(y1, point.y))
    }
    guard x0 <= x1, margin.isFinite else { return nil }
    let left = Self.pixel(x0 - margin, canvasWidth)
    let right = Self.pixel(x1 + margin + 1, canvasWidth)
    let top = Self.pixel(y0 - margin, canvasHeight)
    let bottom = Self.pixel(y1 + margin + 1, canvasHeight)
    guard left < right, top < bottom else { return nil }
    (x, y, width, height) = (left, top, right - left, bottom - top)
    coverage = [UInt8](repeating: 0, count: width * height)
    shades = isShaded ? coverage : []
  }

  /// A coordinate as a whole one of the picture.
  private static func pixel(_ value: Double, _ limit: Int) -> Int {
    value > 0 ? Int(min(value, Double(limit))) : 0
  }

  /// Adds all points nearer than `radius` to the segment from `a` to `b`, with a soft edge of one pixel.
  mutating func addStroke(from a: PixelPoint, to b: PixelPoint, radius: Double, shade: UInt8 = 0) {
    guard a.isFinite, b.isFinite, radius.isFinite, radius > 0 else { return }
    let reach = radius + 0.5
    // In the part's coordinates, cut off where it cannot be seen, so that no number is large.
    guard let (ax, ay, bx, by) = clipped(a, b, margin: reach + 1) else { return }
    let (dx, dy) = (bx - ax, by - ay)
    let square = dx * dx + dy * dy
    let firstRow = Self.pixel(min(ay, by) - reach, height)
    let endRow = Self.pixel(max(ay, by) + reach + 1, height)
    guard firstRow < endRow else { return }
    for row in firstRow..<endRow {
      let py = Double(row) + 0.5
      // The piece of the segment that is near enough to this row.
      var (t0, t1) = (0.0, 1.0)
      if dy != 0 {
        let (u, v) = ((py - reach - ay) / dy, (py + reach - ay) / dy)
        (t0, t1) = (max(0, min(u, v)), min(1, max(u, v)))
        if t0 > t1 { continue }
      } else if abs(py - ay) > reach {
        continue
      }
      let (u, v) = (ax + t0 * dx, ax + t1 * dx)
      let first = Self.pixel(min(u, v) - reach, width)
      let end = Self.pixel(max(u, v) + reach + 1, width)
      guard first < end else { continue }
      for column in first..<end {
        let px = Double(column) + 0.5
        let along = square > 0 ? max(0, min(1, ((px - ax) * dx + (py - ay) * dy) / square)) : 0
        let (ex, ey) = (px - ax - along * dx, py - ay - along * dy)
        cover(row * width + column, reach - (ex * ex + ey * ey).squareRoot(), shade)
      }
    }
  }

  /// Adds all points whose distance from the centre is within `radius ± thickness / 2`.
  mutating func addRing(center: PixelPoint, radius: Double, thickness: Double) {
    let (cx, cy) = (center.x - Double(x), center.y - Double(y))
    for row in 0..<height {
      for column in 0..<width {
        let (ex, ey) = (Double(column) + 0.5 - cx, Double(row) + 0.5 - cy)
        let distance = (ex * ex + ey * ey).squareRoot()
        cover(row * width + column, thickness / 2 + 0.5 - abs(distance - radius), 0)
      }
    }
  }

  /// Adds the inside of closed outlines: for each pixel the part of it that is inside, exactly. Outlines inside one
  /// another cut holes when they run the other way round.
  mutating func addArea(_ outlines: [[PixelPoint]]) {
    // Each edge says how much less is covered to its left; summed up along a row that is the coverage.
    var steps = [Float](repeating: 0, count: (width + 2) * height)
    for outline in outlines where outline.allSatisfy(\.isFinite) {
      for (index, point) in outline.enumerated() {
        let next = outline[(index + 1) % outline.count]
        addEdge(
          (point.x - Double(x), point.y - Double(y)), (next.x - Double(x), next.y - Double(y)), &steps)
      }
    }
    for row in 0..<height {
      var sum: Float = 0
      for column in 0..<width {
        sum += steps[row * (width + 2) + column]
        cover(row * width + column, Double(abs(sum)), 0)
      }
    }
  }

  private mutating func cover(_ place: Int, _ part: Double, _ shade: UInt8) {
    guard part > 0 else { return }
    let value = part >= 1 ? 255 : UInt8(part * 255 + 0.5)
    guard value >= coverage[place] else { return }
    coverage[place] = value
    if !shades.isEmpty { shades[place] = shade }
  }

  /// The piece of a segment within the part and its margin, in the part's coordinates; nil when there is none.
  private func clipped(
    _ a: PixelPoint, _ b: PixelPoint, margin: Double
  ) -> (ax: Double, ay: Double, bx: Double, by: Double)? {
    let (ax, ay) = (a.x - Double(x), a.y - Double(y))
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    var (t0, t1) = (0.0, 1.0)
    for (start, step, limit) in [(ax, dx, Double(width)), (ay, dy, Double(height))] {
      if step == 0 {
        if start < -margin || start > limit + margin { return nil }
      } else {
        let (u, v) = ((-margin - start) / step, (limit + margin - start) / step)
        (t0, t1) = (max(t0, min(u, v)), min(t1, max(u, v)))
      }
    }
    guard t0 <= t1 else { return nil }
    return (ax + t0 * dx, ay + t0 * dy, ax + t1 * dx, ay + t1 * dy)
  }

  /// Adds an edge of an outline to the steps of the rows it crosses; beyond the sides it counts as on them.
  private func addEdge(_ a: (x: Double, y: Double), _ b: (x: Double, y: Double), _ steps: inout [Float]) {
    guard a.y != b.y else { return }
    let isDown = a.y < b.y
    let (top, bottom) = isDown ? (a, b) : (b, a)
    let slope = (bottom.x - top.x) / (bottom.y - top.y)
    let direction: Double = isDown ? 1 : -1
    let (low, high) = (max(0, top.y), min(Double(height), bottom.y))
    guard low < high else { return }
    for row in Int(low)..<min(height, Int(high.rounded(.up))) {
      let (y0, y1) = (max(low, Double(row)), min(high, Double(row + 1)))
      guard y0 < y1 else { continue }
      let (x0, x1) = (top.x + (y0 - top.y) * slope, top.x + (y1 - top.y) * slope)
      addPiece(min(x0, x1), max(x0, x1), (y1 - y0) * direction, row * (width + 2), &steps)
    }
  }

  /// A piece of an edge within one row, from `x0` to `x1`, of this height.
  private func addPiece(_ x0: Double, _ x1: Double, _ height: Double, _ place: Int, _ steps: inout [Float]) {
    let limit = Double(width)
    guard x0.isFinite, x1.isFinite else { return }
    if x1 <= 0 || x0 >= limit || x1 - x0 < 1e-9 {
      addUpright(min(max(x0, 0), limit), height, place, &steps)
      return
    }
    // What is beyond a side, and what each column has of the rest.
    let length = x1 - x0
    if x0 < 0 { addUpright(0, height * (-x0 / length), place, &steps) }
    if x1 > limit { addUpright(limit, height * ((x1 - limit) / length), place, &steps) }
    var left = max(x0, 0)
    let right = min(x1, limit)
    while left < right {
      let next = min(right, left.rounded(.down) + 1)
      addUpright((left + next) / 2, height * ((next - left) / length), place, &steps)
      left = next
    }
  }

  /// An upright piece at `x`: all that is to the right of it is covered.
  private func addUpright(_ x: Double, _ height: Double, _ place: Int, _ steps: inout [Float]) {
    let column = Int(x)
    let right = x - Double(column)
    steps[place + column] += Float(height * (1 - right))
    steps[place + column + 1] += Float(height * right)
  }
}
