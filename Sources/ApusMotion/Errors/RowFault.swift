import ApusBase

/// Why a line is not what its format asks for, whatever its frames are.
public enum RowFault: Error, Sendable, Equatable {
  /// The line is longer than the reader's limit, in bytes.
  case lineTooLong(limit: Int)
  /// The line breaks the grammar of its format; columns count bytes from 1.
  case malformed(column: Int, message: String)
  /// A field or a column is absent and there is no default for it.
  case missingField(String)
  /// A field or a column occurs twice.
  case duplicateField(String)
  /// A field does not hold what it should.
  case wrongValue(field: String, found: String, expected: String)
  /// A number is NaN or infinite; `field` says which.
  case notFinite(field: String, value: Double)
  /// A CSV row has another number of fields than its header.
  case wrongColumnCount(found: Int, expected: Int)
}

extension RowFault: CustomStringConvertible {
  /// What is wrong with the line.
  public var description: String {
    switch self {
    case .lineTooLong(let limit):
      "longer than \(limit) bytes"
    case .malformed(let column, let message):
      "column \(column): \(message)"
    case .missingField(let field):
      "\(field) is missing"
    case .duplicateField(let field):
      "\(field.quotedForMessage) occurs twice"
    case .wrongValue(let field, let found, let expected):
      "\(field) is \(found.quotedForMessage), expected \(expected)"
    case .notFinite(let field, let value):
      "\(field) is \(value), expected a finite number"
    case .wrongColumnCount(let found, let expected):
      "\(found) fields, expected \(expected) as in the header"
    }
  }
}
