import Apus

/// A description of a network that cannot be built: a value that no network has, or one that its parameters contradict.
public struct ModelConfigurationError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The file, or what stands for one.
  public let source: String
  /// The key of `config.json`, or the name of the parameter; `nil` when the text as a whole is wrong.
  public let name: String?
  /// What was found, and what was expected.
  public let reason: String

  /// An error about `name` of `source`; `reason` is a phrase that follows the name, such as "is 0; expected 1 to 4096".
  public init(source: String, name: String?, reason: String) {
    self.source = source
    self.name = name
    self.reason = reason
  }

  /// The source, the name in quotation marks, and the reason.
  public var description: String {
    "\(source): " + (name.map { "\"\($0)\" " } ?? "") + reason
  }
}

extension ModelConfigurationError {
  /// ``Fault/data``: the file describes no network that Apus can build.
  public var fault: Fault { .data }
}
