import Apus

/// Why a video, or the times of its frames, cannot be read.
public struct VideoError: ApusError, Hashable, Sendable {
  /// What a video or a file of times can have wrong with it.
  public enum Reason: Hashable, Sendable {
    /// The file ends before this does.
    case truncated(String)
    /// Something that the format forbids.
    case malformed(String)
    /// Something that the format allows and this reader does not know.
    case unsupported(String)
    /// More pixels than ``ImageLimits`` allow.
    case tooLarge(width: Int, height: Int, limit: Int)
    /// An argument that makes no sense.
    case invalidArgument(String)
  }

  /// What is wrong.
  public let reason: Reason
  /// The frame, counted from 0, when it is one that is at fault.
  public let frame: Int?
  /// The line, counted from 1, of a file of times.
  public let line: Int?
  /// The file, when there is one.
  public var file: String?

  init(_ reason: Reason, frame: Int? = nil, line: Int? = nil, file: String? = nil) {
    (self.reason, self.frame, self.line, self.file) = (reason, frame, line, file)
  }

  /// The same, of the file with this name.
  package func naming(_ file: String) -> VideoError {
    var named = self
    named.file = named.file ?? file
    return named
  }
}

extension VideoError: CustomStringConvertible {
  /// The file, the frame or the line, as far as they are known, and what is wrong.
  public var description: String {
    let place = [file, frame.map { "frame \($0)" }, line.map { "line \($0)" }].compactMap { $0 }.joined(separator: ": ")
    return place.isEmpty ? "\(reason)" : "\(place): \(reason)"
  }
}

extension VideoError.Reason: CustomStringConvertible {
  /// What is wrong, without the place.
  public var description: String {
    switch self {
    case .truncated(let what): "the video ends within \(what)"
    case .malformed(let what): what
    case .unsupported(let what): "\(what) cannot be read"
    case .tooLarge(let width, let height, let limit):
      "frames of \(width) × \(height) pixels; at most \(limit) pixels are allowed"
    case .invalidArgument(let what): what
    }
  }
}

extension VideoError {
  /// ``Fault/data``: the video or the file of times.
  public var fault: Fault { .data }
}
