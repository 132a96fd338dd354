import ApusBase

/// Why a session cannot be read or found.
public struct SessionError: ApusError, Sendable, Hashable {
  /// The file or folder; nil where bytes were read.
  public let path: String?
  /// What is wrong with it.
  public let reason: Reason

  /// What can be wrong with a session.
  public enum Reason: Sendable, Hashable {
    /// The text of `session.json` is no JSON object, or one beyond the limits.
    case malformed(JSONError)
    /// An object that Apus did not write.
    case foreign
    /// Written by a version of Apus that came later.
    case unknownVersion(Int)
    case missing(key: String)
    /// The key holds something else than `expected`.
    case wrongValue(key: String, expected: String)
    /// A folder without `session.json`.
    case noSession
    /// The system refused to read it, or it is too large.
    case unreadable(String)
    /// No session has this name, or one that begins so.
    case notFound(name: String)
    /// More than one session's name begins so; up to four of them.
    case ambiguous(name: String, count: Int, examples: [String])
  }

  /// An error of a session, or of a folder of them.
  public init(_ reason: Reason, path: String? = nil) { (self.reason, self.path) = (reason, path) }

  func naming(_ path: String) -> SessionError { SessionError(reason, path: self.path ?? path) }
}

extension SessionError: CustomStringConvertible {
  /// What is wrong, and where.
  public var description: String { (path.map { "\($0): " } ?? "") + "\(reason)" }
}

extension SessionError.Reason: CustomStringConvertible {
  /// What is wrong, and what was expected.
  public var description: String {
    switch self {
    case .malformed(let error): "\(error)"
    case .foreign: "not written by Apus: there is no \"apus_session\""
    case .unknownVersion(let version):
      "is of version \(version); version \(RunSession.formatVersion) is read, later ones need a later Apus"
    case .missing(let key): "there is no \"\(key)\""
    case .wrongValue(let key, let expected): "\"\(key)\": \(expected) was expected"
    case .noSession: "is no session: there is no session.json in it"
    case .unreadable(let reason): reason
    case .notFound(let name): "there is no session '\(name)' here"
    case .ambiguous(let name, let count, let examples):
      "'\(name)' stands for \(count) sessions: \(examples.joined(separator: ", "))"
        + (count > examples.count ? " and more" : "")
    }
  }
}

extension SessionError {
  /// The caller, the data, or the system, by the reason.
  public var fault: Fault {
    // Names are the caller's, what is wrong inside is the file's.
    switch reason {
    case .notFound, .ambiguous, .noSession: .missing
    default: .data
    }
  }
}
