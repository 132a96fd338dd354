import Apus
import ApusGraph
import ApusMedia

/// The network as a drawing to be kept: a row for each node in the order in which they run, what it differs by as two
/// squares, and lines from each node to those that read what it gives.
struct ParityDrawing {
  private let report: ParityReport
  private let title: String
  private let nodes: [ParityReport.NodeReport]

  init(_ report: ParityReport, title: String) {
    self.report = report
    self.title = title
    nodes = report.nodes.filter { !$0.isConstant || !$0.outputs.isEmpty }
  }

  private enum Layout {
    static let width = 720.0, row = 18.0, top = 64.0, margin = 16.0, right = width - margin
    static let lane = 7.0, laneLimit = 12, square = 10.0, gap = 3.0, size = 11.0

    static func middle(_ row: Int) -> Double { top + (Double(row) + 0.5) * Self.row }
  }

  var figure: Figure {
    var figure = Figure(
      width: Layout.width, height: Layout.top + Double(nodes.count) * Layout.row + Layout.margin,
      summary: "\(title): \(nodes.count) nodes in the order in which they run")
    func write(
      _ text: String, _ x: Double, _ y: Double, anchor: Figure.Anchor = .start, size: Double = Layout.size,
      ink: Ink = .foreground, isBold: Bool = false
    ) {
      figure.add(.text(.init(text, at: .init(x, y), anchor: anchor, size: size, ink: ink, isBold: isBold)))
    }
    let verdict = ParityVerdict(report)
    write(Self.fitted(title, Layout.right - Layout.margin, 15), Layout.margin, 26, size: 15, isBold: true)
    write(
      Self.fitted(verdict.word + verdict.rest, Layout.right - Layout.margin, 12), Layout.margin, 46, size: 12,
      ink: .secondary)
    let (lines, spine) = lines
    for line in lines { figure.add(.line(line, .init(.secondary))) }
    let squares = spine + 6
    let names = squares + 2 * (Layout.square + Layout.gap) + 6
    for (row, node) in nodes.enumerated() {
      let (middle, output) = (Layout.middle(row), ParityText.worstOutput(node))
      if node.status == .wrong {
        figure.addRectangle(
          x: squares - Layout.gap, y: middle - Layout.row / 2, width: Layout.right - squares + 2 * Layout.gap,
          height: Layout.row, .band)
      }
      for (place, difference) in [output?.isolated, output?.cumulative].enumerated() {
        Self.addSquare(
          at: squares + Double(place) * (Layout.square + Layout.gap), middle, ParityPage.heat(difference), to: &figure)
      }
      let remark = ParityPage.remark(node)
      write(remark, Layout.right, middle + 4, anchor: .end, ink: .secondary)
      let room = Layout.right - names - Figure.width(of: remark, size: Layout.size) - 12
      write(
        Self.fitted("\(node.name) · \(node.operatorName)", room, Layout.size), names, middle + 4,
        isBold: node.status == .wrong)
    }
    return figure
  }

  /// Green, with as much red over it as it is hot; an outline alone where there is nothing to say.
  private static func addSquare(at x: Double, _ middle: Double, _ heat: Double?, to figure: inout Figure) {
    let (y, size) = (middle - Layout.square / 2, Layout.square)
    if let heat {
      figure.addRectangle(x: x, y: y, width: size, height: size, .series(2))
      let share = min(1, max(0, heat))
      if share > 0 { figure.addRectangle(x: x, y: y, width: size, height: size, .series(1), opacity: share) }
    } else {
      let corners = [(x, y), (x + size, y), (x + size, y + size), (x, y + size), (x, y)].map(Figure.Point.init)
      figure.add(.line(corners, .init(.grid)))
    }
  }

  // MARK: Lines

  /// From each node to its readers: straight down to the next row, and in a lane of its own to those further down, as
  /// long as there are lanes. With them where lines leave the rows.
  private var lines: (lines: [[Figure.Point]], spine: Double) {
    var rows: [String: Int] = [:]
    var readers: [[Int]] = nodes.map { _ in [] }
    for (row, node) in nodes.enumerated() {
      for source in Set(node.inputs.compactMap { rows[$0.name] }) { readers[source].append(row) }
      for name in node.outputNames { rows[name] = row }
    }
    // Where the line of each lane ends.
    var ends: [Int] = []
    var lanes: [(row: Int, readers: [Int], lane: Int)] = []
    for (row, readers) in readers.enumerated() {
      let far = readers.filter { $0 > row + 1 }
      guard let last = far.max() else { continue }
      let lane = ends.firstIndex { $0 < row } ?? ends.count
      guard lane < Layout.laneLimit else { continue }
      if lane == ends.count { ends.append(last) } else { ends[lane] = last }
      lanes.append((row, far, lane))
    }
    let spine = Layout.margin + Layout.lane * Double(ends.count)
    var lines = readers.enumerated().filter { $1.contains($0 + 1) }.map { row, _ in
      [row, row + 1].map { Figure.Point(spine, Layout.middle($0)) }
    }
    for (row, readers, lane) in lanes {
      let x = spine - Double(lane + 1) * Layout.lane
      lines.append([(spine, row), (x, row), (x, readers.max() ?? row)].map { .init($0, Layout.middle($1)) })
      lines += readers.map { reader in [x, spine].map { .init($0, Layout.middle(reader)) } }
    }
    return (lines, spine)
  }

  /// As much of a text as there is room for.
  private static func fitted(_ text: String, _ room: Double, _ size: Double) -> String {
    let count = max(1, Int(room / Figure.width(of: "x", size: size)))
    return text.count <= count ? text : String(text.prefix(count - 1)) + "…"
  }
}
