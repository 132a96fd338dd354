import Apus

/// A vocabulary that cannot be used.
public struct VocabularyError: ApusError, Hashable, Sendable, CustomStringConvertible {
  /// What a vocabulary can have wrong with it.
  public enum Reason: Hashable, Sendable {
    /// A token that the tokenizer cannot do without, such as `[MASK]`, is on no line.
    case missing(token: String)
    /// Two lines, counted from 1, have the same token.
    case duplicate(token: String, first: Int, second: Int)
    /// A line, counted from 1, is not UTF-8.
    case notUTF8(line: Int)
    /// A file beyond what is read into memory.
    case tooManyBytes(count: Int, limit: Int)
    /// More lines than any vocabulary has.
    case tooManyTokens(limit: Int)
  }

  /// The file, or what stands for one.
  public let source: String
  /// What is wrong with it.
  public let reason: Reason

  /// An error about the vocabulary that messages call `source`.
  public init(source: String, reason: Reason) {
    self.source = source
    self.reason = reason
  }

  /// The source, the line where it is about one, and what is wrong.
  public var description: String {
    switch reason {
    case .missing(let token): "\(source): has no line \"\(token)\", which a vocabulary needs"
    case .duplicate(let token, let first, let second):
      "\(source): line \(second): \"\(token)\" is on line \(first) already; a token has one number"
    case .notUTF8(let line): "\(source): line \(line): is not UTF-8"
    case .tooManyBytes(let count, let limit): "\(source): has \(count) bytes; at most \(limit) are read"
    case .tooManyTokens(let limit): "\(source): has more than \(limit) lines"
    }
  }
}

extension VocabularyError {
  /// ``Fault/data``: the vocabulary's content.
  public var fault: Fault { .data }
}
