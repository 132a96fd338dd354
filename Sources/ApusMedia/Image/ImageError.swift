import Apus

/// Why a picture cannot be read, made or written.
public struct ImageError: ApusError, Hashable, Sendable {
  /// What a file, its pixels or an argument can have wrong with it.
  public enum Reason: Hashable, Sendable {
    /// The file ends before the picture does.
    case truncated(String)
    /// Something that the format forbids.
    case malformed(String)
    /// Something that the format allows and this reader does not know.
    case unsupported(String)
    /// The file is not a picture of a known kind.
    case unknownFormat(String)
    /// More pixels than ``ImageLimits`` allow.
    case tooLarge(width: Int, height: Int, limit: Int)
    /// An argument that makes no sense for this picture.
    case invalidArgument(String)
  }

  /// What is wrong.
  public let reason: Reason
  /// The kind of file, when it is known.
  public let format: ImageFormat?
  /// The byte of the file at which reading stopped, or one shortly after it.
  public let offset: Int?
  /// The file, when there is one.
  public var file: String?
  /// Whether ffmpeg reads the file, which is said with its command line.
  package let isForeign: Bool

  package init(
    _ reason: Reason, format: ImageFormat? = nil, offset: Int? = nil, file: String? = nil, isForeign: Bool = false
  ) {
    self.isForeign = isForeign
    self.reason = reason
    self.format = format
    self.offset = offset
    self.file = file
  }

  /// The same, of the file with this name.
  package func naming(_ file: String) -> ImageError {
    var named = self
    named.file = named.file ?? file
    return named
  }
}

extension ImageError: CustomStringConvertible {
  /// The file, its kind and the byte, as far as they are known, and what is wrong.
  public var description: String {
    let place = [file, format.map(\.description), offset.map { "byte \($0)" }].compactMap { $0 }.joined(separator: ": ")
    let advice = isForeign ? file.map { "; this makes one: " + ForeignMedia.pictureCommand($0) } ?? "" : ""
    return (place.isEmpty ? "\(reason)" : "\(place): \(reason)") + advice
  }
}

extension ImageError.Reason: CustomStringConvertible {
  /// What is wrong, without the place.
  public var description: String {
    switch self {
    case .truncated(let what): "the file ends within \(what)"
    case .malformed(let what): what
    case .unsupported(let what): "\(what) cannot be read"
    case .unknownFormat(let what): what
    case .tooLarge(let width, let height, let limit):
      "a picture of \(width) × \(height) pixels; at most \(limit) pixels are allowed"
    case .invalidArgument(let what): what
    }
  }
}

extension ImageError {
  /// ``Fault/usage`` for an argument, ``Fault/data`` for everything else.
  public var fault: Fault {
    // Sizes, boxes and names of files to write are the caller's, everything else is the picture's.
    if case .invalidArgument = reason { .usage } else { .data }
  }
}
