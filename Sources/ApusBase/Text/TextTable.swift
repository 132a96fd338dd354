/// Rows of text whose columns line up. The last cell of a row may be longer than its column, unless it is aligned
/// right.
package struct TextTable {
  package enum Alignment: Sendable { case left, right }

  private var rows: [[String]] = []
  private let separator: String
  private let alignments: [Alignment]

  /// - Parameter alignments: by column; columns beyond the last are aligned left.
  package init(separator: String = "  ", alignments: [Alignment] = []) {
    self.separator = separator
    self.alignments = alignments
  }

  package mutating func add(_ cells: String...) { rows.append(cells) }

  package mutating func add(_ cells: [String]) { rows.append(cells) }

  /// A line for each row, without spaces at its end.
  package var lines: [String] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        let isLast = column == row.count - 1 && alignment(column) == .left
        let width = isLast ? 0 : TerminalText.width(cell)
        if column < widths.count { widths[column] = max(widths[column], width) } else { widths.append(width) }
      }
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: max(0, widths[column] - TerminalText.width(cell)))
        return alignment(column) == .right ? padding + cell : cell + padding
      }
      var line = cells.joined(separator: separator)
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private func alignment(_ column: Int) -> Alignment {
    alignments.indices.contains(column) ? alignments[column] : .left
  }
}

package enum TerminalText {
  /// The columns `text` takes on a terminal: characters, colour sequences excluded.
  package static func width(_ text: String) -> Int {
    var width = 0
    var isEscape = false
    for character in text {
      if isEscape {
        if character == "m" { isEscape = false }
      } else if character == "\u{1B}" {
        isEscape = true
      } else {
        width += 1
      }
    }
    return width
  }
}
