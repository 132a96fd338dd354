import Apus

/// Why a model cannot be used as a detector, or what it gave cannot be read.
public struct DetectorError: ApusError, Hashable, Sendable {
  /// What a detector, its options or its outputs can have wrong with them.
  public enum Reason: Hashable, Sendable {
    /// An option outside its range.
    case badOption(String)
    /// Inputs that no picture fits.
    case badInput(String)
    /// Outputs that belong to no known layout, or to several.
    case unknownLayout(String)
    /// Metadata or labels that contradict the model, or cannot be read.
    case badMetadata(String)
    /// Scores that are not what they should be: see ``ScoreScale``.
    case badScores(String)
    /// A number that is NaN or infinite, in what the network gave.
    case notFinite(String)
  }

  /// What was found, and what was expected.
  public let reason: Reason
  /// The model's file, when there is one.
  public var file: String?

  init(_ reason: Reason, file: String? = nil) {
    self.reason = reason
    self.file = file
  }

  func naming(_ file: String) -> DetectorError {
    DetectorError(reason, file: self.file ?? file)
  }
}

extension DetectorError: CustomStringConvertible {
  /// The model's file, where there is one, and the reason.
  public var description: String {
    let text =
      switch reason {
      case .badOption(let text), .badInput(let text), .unknownLayout(let text), .badMetadata(let text),
        .badScores(let text), .notFinite(let text):
        text
      }
    return (file.map { "\($0): " } ?? "") + text
  }
}

extension DetectorError {
  /// ``Fault/usage`` for an option out of range, ``Fault/data`` for everything else.
  public var fault: Fault {
    // Options and sizes are the caller's, everything else is the model's.
    if case .badOption = reason { .usage } else { .data }
  }
}
