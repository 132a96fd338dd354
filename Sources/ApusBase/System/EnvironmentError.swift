/// A variable of the environment whose value makes no sense.
public struct EnvironmentError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The variable's name.
  public var variable: String
  /// What it holds.
  public var value: String
  /// What would make sense.
  public var expected: String

  public init(variable: String, value: String, expected: String) {
    (self.variable, self.value, self.expected) = (variable, value, expected)
  }

  public var description: String { "\(variable)=\(value): expected \(expected)" }
}

extension EnvironmentError {
  public var fault: Fault { .usage }
}
