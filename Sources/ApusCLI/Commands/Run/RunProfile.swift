import Apus
import ApusGraph

/// Which operators and which nodes took the time, by operator and by node, the slowest first.
struct RunProfile: Encodable {
  struct Row: Encodable {
    var name: String
    /// Of a node.
    var operatorName: String?
    /// In all runs together.
    var calls: Int
    /// Of one run, on average.
    var milliseconds: Double
    /// Of all nodes together, from 0 to 1.
    var share: Double

    enum CodingKeys: String, CodingKey {
      case name, calls, share
      case operatorName = "operator"
      case milliseconds = "ms"
    }
  }

  var operators: [Row] = []
  var nodes: [Row] = []

  /// Up to this many nodes are listed as text.
  private static let listLimit = 10

  init(_ profile: InferenceProfile, runs: Int) {
    let entries = profile.entries
    let total = entries.reduce(0.0) { $0 + Double($1.nanoseconds) }
    func row(_ name: String, _ operatorName: String?, calls: Int, nanoseconds: Double) -> Row {
      Row(
        name: name, operatorName: operatorName, calls: calls, milliseconds: nanoseconds / 1e6 / Double(max(1, runs)),
        share: total > 0 ? nanoseconds / total : 0)
    }
    var sums: [String: (calls: Int, nanoseconds: Double)] = [:]
    for entry in entries {
      let name = "\(entry.operatorName)"
      let sum = sums[name] ?? (0, 0)
      sums[name] = (sum.calls + entry.calls, sum.nanoseconds + Double(entry.nanoseconds))
      nodes.append(row(entry.node, name, calls: entry.calls, nanoseconds: Double(entry.nanoseconds)))
    }
    operators = sums.map { row($0.key, nil, calls: $0.value.calls, nanoseconds: $0.value.nanoseconds) }
    let isSlower: (Row, Row) -> Bool = { ($1.milliseconds, $0.name) < ($0.milliseconds, $1.name) }
    operators.sort(by: isSlower)
    nodes.sort(by: isSlower)
  }

  var lines: [String] {
    let terminal = Terminal.output
    func cells(_ row: Row) -> [String] {
      [
        ErrorReport.oneLine(row.name), "\(row.calls)", NumberText.fixed(row.milliseconds, decimals: 3),
        NumberText.fixed(100 * row.share, decimals: 1) + " %",
      ]
    }
    var table = TextTable(alignments: [.left, .right, .right, .right])
    table.add(["operator", "calls", "ms a run", "share"].map { terminal.styled($0, .dim) })
    for row in operators { table.add(cells(row)) }
    var slowest = TextTable(alignments: [.left, .right, .right, .right, .left])
    slowest.add(["slowest nodes", "calls", "ms a run", "share", "operator"].map { terminal.styled($0, .dim) })
    for row in nodes.prefix(Self.listLimit) { slowest.add(cells(row) + [row.operatorName ?? ""]) }
    return (table.lines + [""] + slowest.lines).map { $0.isEmpty ? "" : "  " + $0 }
  }
}
