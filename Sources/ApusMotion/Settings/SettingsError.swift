import ApusBase

/// Settings that cannot be used, and why.
public enum SettingsError: ApusError, Sendable, Equatable {
  /// The text is not a JSON object; columns count bytes from the start, from 1.
  case malformed(column: Int, message: String)
  /// There is no setting of that name; `nearest` is what may have been meant.
  case unknownSetting(String, nearest: String?)
  /// A setting occurs twice.
  case duplicateSetting(String)
  /// A setting has a value of the wrong kind or outside its range.
  case wrongValue(setting: String, found: String, expected: String)
}

extension SettingsError: CustomStringConvertible {
  /// What is wrong: the setting, its value, and what was expected.
  public var description: String {
    switch self {
    case .malformed(let column, let message):
      "settings, byte \(column): \(message)"
    case .unknownSetting(let name, let nearest):
      "there is no setting \(name.quotedForMessage)" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
    case .duplicateSetting(let name):
      "the setting \(name.quotedForMessage) occurs twice"
    case .wrongValue(let name, let found, let expected):
      "\(name) is \(found.quotedForMessage), expected \(expected)"
    }
  }
}

extension SettingsError {
  /// Settings are the caller's.
  public var fault: Fault { .usage }
}
