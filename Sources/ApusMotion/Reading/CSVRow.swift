/// A row of comma-separated fields, as RFC 4180 has them; no field reaches over a line end.
enum CSVRow {
  /// Non-finite spellings, in lowercase.
  static let notFinite: [Substring: Double] = [
    "nan": .nan, "-nan": .nan, "inf": .infinity, "-inf": -.infinity,
    "infinity": .infinity, "-infinity": -.infinity,
  ]

  /// The number in a field, or nil where the field is empty.
  static func number(_ field: [UInt8], column: String) throws(PoseReadError.Reason.Box) -> Double? {
    guard !field.isEmpty else { return nil }
    if let value = DecimalNumber.whole(field) {
      guard value.isFinite else { throw .init(.invalidFrame(.notFinite(field: column, value: value))) }
      return value
    }
    let text = String(decoding: field, as: UTF8.self)
    if let value = notFinite[text.lowercased().drop { $0 == "+" }] {
      throw .init(.invalidFrame(.notFinite(field: column, value: value)))
    }
    throw .init(.wrongValue(field: column, found: text, expected: "a number or nothing"))
  }

  /// The fields as texts: a row of names.
  static func texts(of bytes: [UInt8]) throws(PoseReadError.Reason.Box) -> [String] {
    try fields(of: bytes).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The fields without quotes and without blanks around them.
  static func fields(of bytes: [UInt8]) throws(PoseReadError.Reason.Box) -> [[UInt8]] {
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
            throw .init(.malformed(column: opening + 1, message: "quoted field without an end"))
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
          throw .init(.malformed(column: index + 1, message: "expected ',' after a quoted field"))
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
}
