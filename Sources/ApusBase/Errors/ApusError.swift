import FoundationEssentials

/// Whose fault an error is: what decides the exit status of a command, or the answer of a server.
public enum Fault: Sendable, Hashable, CaseIterable {
  /// How something was asked for: an option, a name, a size that cannot be.
  case usage
  /// What a file, a model, or an input holds.
  case data
  /// What was named is not there, or cannot be read.
  case missing
  /// Writing failed.
  case inputOutput
  /// It took longer than was allowed.
  case time
}

/// An error that Apus throws: it says whose fault it is, and in one sentence what was wrong, where, and what was
/// expected.
public protocol ApusError: LocalizedError, CustomStringConvertible, Sendable {
  /// Whose fault the error is.
  var fault: Fault { get }
}

extension ApusError {
  /// The error's ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
