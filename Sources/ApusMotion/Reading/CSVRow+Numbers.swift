import ApusBase

extension CSVRow {
  /// Non-finite spellings, in lowercase.
  static let notFinite: [Substring: Double] = [
    "nan": .nan, "-nan": .nan, "inf": .infinity, "-inf": -.infinity,
    "infinity": .infinity, "-infinity": -.infinity,
  ]

  /// The number in a field, or nil where the field is empty.
  static func number(_ field: [UInt8], column: String) throws(RowFault) -> Double? {
    guard !field.isEmpty else { return nil }
    if let value = DecimalNumber.whole(field) {
      guard value.isFinite else { throw .notFinite(field: column, value: value) }
      return value
    }
    let text = String(decoding: field, as: UTF8.self)
    if let value = notFinite[text.lowercased().drop { $0 == "+" }] {
      throw .notFinite(field: column, value: value)
    }
    throw .wrongValue(field: column, found: text, expected: "a number or nothing")
  }

  /// The fields as texts: a row of names.
  static func texts(of bytes: [UInt8]) throws(RowFault) -> [String] {
    try fields(of: bytes).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The fields without quotes and without blanks around them.
  static func fields(of bytes: [UInt8]) throws(RowFault) -> [[UInt8]] {
    do throws(LineFailure) {
      return try split(bytes)
    } catch {
      throw .malformed(column: error.column, message: error.message)
    }
  }
}
