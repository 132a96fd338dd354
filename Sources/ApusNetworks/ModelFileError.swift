import Apus

/// A file of weights that is right in itself, and describes a model that cannot be.
public struct ModelFileError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// The path of the file.
  public let file: String
  /// What is wrong with the description.
  public let reason: String

  /// An error about the metadata of the file at the path `file`.
  public init(file: String, reason: String) {
    self.file = file
    self.reason = reason
  }

  /// The file, and what is wrong with its metadata.
  public var description: String { "\(file): metadata: \(reason)" }
}

extension ModelFileError {
  /// ``Fault/data``: the file's metadata cannot be used.
  public var fault: Fault { .data }
}
