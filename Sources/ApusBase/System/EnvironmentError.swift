/// A variable of the environment whose value makes no sense.
public struct EnvironmentError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The variable's name.
  public var variable: String
  /// What it holds.
  public var value: String
  /// What would make sense.
  public var expected: String

  /// An error that ends in "expected `expected`": say what the variable may hold.
  public init(variable: String, value: String, expected: String) {
    (self.variable, self.value, self.expected) = (variable, value, expected)
  }

  /// `VARIABLE=VALUE: expected …`, on one line.
  public var description: String { "\(variable)=\(value): expected \(expected)" }
}

extension EnvironmentError {
  /// ``Fault/usage``: the variable was set from outside the program.
  public var fault: Fault { .usage }
}
