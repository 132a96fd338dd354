/// A row of comma-separated fields, as RFC 4180 has them; no field reaches over a line end.
package enum CSVRow {
  /// The fields without quotes and without blanks around them; each may be compared: see ``MarkRun``.
  package static func split(_ bytes: [UInt8]) throws(LineFailure) -> [[UInt8]] {
    guard !MarkRun.isTooLong(in: String(decoding: bytes, as: UTF8.self)) else {
      throw LineFailure(column: 1, message: "a field with \(MarkRun.message)")
    }
    let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var fields: [[UInt8]] = []
    var index = 0
    while true {
      while index < bytes.count, isBlank(bytes[index]) { index += 1 }
      if index < bytes.count, bytes[index] == quote {
        let opening = index
        var field: [UInt8] = []
        index += 1
        while true {
          guard index < bytes.count else {
            throw LineFailure(column: opening + 1, message: "quoted field without an end")
          }
          if bytes[index] == quote {
            index += 1
            guard index < bytes.count, bytes[index] == quote else { break }
          }
          field.append(bytes[index])
          index += 1
        }
        while index < bytes.count, isBlank(bytes[index]) { index += 1 }
        guard index == bytes.count || bytes[index] == comma else {
          throw LineFailure(column: index + 1, message: "expected ',' after a quoted field")
        }
        fields.append(field)
      } else {
        let start = index
        while index < bytes.count, bytes[index] != comma { index += 1 }
        var end = index
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        fields.append(Array(bytes[start..<end]))
      }
      guard index < bytes.count else { return fields }
      index += 1
    }
  }

  /// A row of fields, quoted where they need it; line ends within fields become blanks.
  package static func text(_ fields: [String]) -> String {
    fields.map { field in
      let field = String(field.map { $0.isNewline ? " " : $0 })
      let needsQuotes =
        field.contains { $0 == "," || $0 == "\"" } || field.first?.isWhitespace == true
        || field.last?.isWhitespace == true
      return needsQuotes
        ? "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\"" : field
    }.joined(separator: ",") + "\n"
  }
}
