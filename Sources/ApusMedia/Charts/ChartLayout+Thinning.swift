extension ChartLayout {
  /// Series of no more points are drawn as they are.
  private static let fewPoints = 4000

  /// The lines between gaps. Of all points in the same half pixel along x the first, lowest, highest and last are left,
  /// and gaps between them are not: a series of any length looks the same.
  static func thinnedLines(_ places: [Figure.Point?]) -> [[Figure.Point]] {
    guard places.count > fewPoints else { return lines(places) }
    var (result, line): ([[Figure.Point]], [Figure.Point]) = ([], [])
    var start = 0
    while start < places.count {
      guard let first = places[start] else {
        if !line.isEmpty { result.append(line) }
        line = []
        start += 1
        continue
      }
      let column = (first.x * 2).rounded(.down)
      var (low, high, last) = ((start, first), (start, first), (start, first))
      for index in start + 1..<max(places.count, start + 1) {
        guard let point = places[index] else { continue }
        // Where x is not finite nothing is equal to it.
        guard (point.x * 2).rounded(.down) == column else { break }
        if point.y < low.1.y { low = (index, point) }
        if point.y > high.1.y { high = (index, point) }
        last = (index, point)
      }
      var kept = start - 1
      for (index, point) in [(start, first), low, high, last].sorted(by: { $0.0 < $1.0 }) where index > kept {
        line.append(point)
        kept = index
      }
      // What is missing after the last of them is a gap.
      start = last.0 + 1
    }
    return line.isEmpty ? result : result + [line]
  }

  /// The paths between gaps, without the points that are hardly away from the last one that is kept.
  static func thinnedPaths(_ places: [Figure.Point?]) -> [[Figure.Point]] {
    let lines = lines(places)
    guard places.count > fewPoints else { return lines }
    return lines.map { line in
      guard var kept = line.first else { return line }
      var result = [kept]
      for point in line where abs(point.x - kept.x) + abs(point.y - kept.y) >= 0.5 {
        result.append(point)
        kept = point
      }
      return result
    }
  }

  /// The points, of those that lie on each other one.
  static func thinnedDots(_ places: [Figure.Point?]) -> [Figure.Point] {
    let points = places.compactMap { $0 }
    guard points.count > fewPoints else { return points }
    var taken: Set<Figure.Point> = []
    return points.filter { taken.insert(.init(($0.x / 3).rounded(), ($0.y / 3).rounded())).inserted }
  }

  private static func lines(_ places: [Figure.Point?]) -> [[Figure.Point]] {
    places.split { $0 == nil }.map { $0.compactMap { $0 } }
  }
}
