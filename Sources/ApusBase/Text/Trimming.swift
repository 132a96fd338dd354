/// `text` without blanks at its ends.
package func trimmed(_ text: some StringProtocol) -> String {
  let start = text.drop { $0.isWhitespace }
  guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
  return String(start[...last])
}
