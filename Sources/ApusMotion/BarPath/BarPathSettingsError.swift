import ApusBase

/// Settings that cannot be used, and why.
public enum BarPathSettingsError: ApusError, Sendable, Equatable {
  /// The file is no JSON object; columns count bytes from the start, from 1.
  case malformed(column: Int, message: String)
  /// There is no setting of that name; `nearest` is what may have been meant.
  case unknownField(String, nearest: String?)
  /// A setting occurs twice.
  case duplicateField(String)
  /// A setting has a value of the wrong kind or outside its range.
  case wrongValue(field: String, found: String, expected: String)
}

extension BarPathSettingsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .malformed(let column, let message):
      "settings, byte \(column): \(message)"
    case .unknownField(let field, let nearest):
      "no setting is named \(field.quotedForMessage)" + (nearest.map { "; did you mean \($0)?" } ?? "")
    case .duplicateField(let field):
      "the setting \(field.quotedForMessage) occurs twice"
    case .wrongValue(let field, let found, let expected):
      "\(field) is \(found.quotedForMessage), expected \(expected)"
    }
  }
}

extension BarPathSettingsError {
  public var fault: Fault { .usage }
}
