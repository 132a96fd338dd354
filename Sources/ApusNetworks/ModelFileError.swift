import Apus

/// A file of weights that is right in itself, and describes a model that cannot be.
public struct ModelFileError: ApusError, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// What is wrong with the description.
  public let reason: String

  public init(file: String, reason: String) {
    self.file = file
    self.reason = reason
  }

  public var description: String { "\(file): metadata: \(reason)" }
}

extension ModelFileError {
  public var fault: Fault { .data }
}
