extension ChartLayout {
  /// A rectangle of the figure.
  private struct Area {
    var left, right, top, bottom: Double

    func meets(_ other: Area) -> Bool {
      left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }
  }

  private static let nameSize = 11.0

  /// Rules with their names: above or below the line, at the right or at the left end, wherever they lie on the least.
  ///
  /// - Parameter lines: the data, as they are drawn.
  func addRules(_ figure: inout Figure, over lines: [[Figure.Point]]) {
    let heights = chart.rules.map { placeY($0.value) }
    var taken: [Area] = []
    for (index, rule) in chart.rules.enumerated() {
      let y = heights[index]
      let ink = rule.color.map(Ink.series) ?? .secondary
      figure.add(.line([.init(frame.left, y), .init(frame.right, y)], .init(ink, width: 1, dashes: [2, 3])))
      let others = heights.enumerated().filter { $0.offset != index }.map(\.element)
      let places = candidates(for: rule.name, at: y).map { area in
        (area: area, cost: cost(of: area, at: y, taken: taken, rules: others, lines: lines))
      }
      // Of equals the first.
      guard let best = places.min(by: { $0.cost < $1.cost })?.area else { continue }
      figure.add(
        .text(.init(rule.name, at: .init(best.right, best.bottom - 3), anchor: .end, size: Self.nameSize, ink: ink)))
      taken.append(best)
    }
  }

  /// Where the name of a rule can be, the usual place first.
  private func candidates(for name: String, at y: Double) -> [Area] {
    let width = Figure.width(of: name, size: Self.nameSize)
    let room = frame.right - frame.left - 8
    return [0, 1, 0.5, 0.25, 0.75].flatMap { share in
      [y - 1, y + Self.nameSize + 4].map { bottom in
        let right = frame.right - 4 - share * max(0, room - width)
        return Area(left: right - width, right: right, top: bottom - Self.nameSize - 2, bottom: bottom)
      }
    }
  }

  /// Names on each other are worst, then names outside of the chart, on another rule or beyond it, and on data.
  private func cost(of area: Area, at y: Double, taken: [Area], rules: [Double], lines: [[Figure.Point]]) -> Int {
    var cost = taken.contains { $0.meets(area) } ? 100_000 : 0
    if area.top < frame.top || area.bottom > frame.bottom { cost += 10_000 }
    if rules.contains(where: { $0 > min(area.top, y) && $0 < max(area.bottom, y) }) { cost += 5_000 }
    for line in lines {
      for (a, b) in zip(line, line.count > 1 ? line[1...] : line[...]) {
        let piece = Area(left: min(a.x, b.x), right: max(a.x, b.x), top: min(a.y, b.y), bottom: max(a.y, b.y))
        if piece.left <= area.right, area.left <= piece.right, piece.top <= area.bottom, area.top <= piece.bottom {
          cost += 1
        }
      }
    }
    return cost
  }
}
