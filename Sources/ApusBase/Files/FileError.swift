/// What can be wrong with a file before anything in it is looked at.
public enum FileError: ApusError, Hashable, Sendable {
  /// Nothing is there.
  case notFound(path: String)
  /// A folder, where a file was expected.
  case isDirectory(path: String)
  /// A pipe, socket or device, where a regular file was expected.
  case notRegular(path: String)
  /// The system refused to open or read it.
  case unreadable(path: String, reason: String)
  /// The file has no bytes.
  case empty(path: String)
  /// Reading it into memory would take more than the limit allows.
  case tooLarge(path: String, byteCount: Int, limit: Int)
  /// With what other files take in memory it would be more than may be.
  case noRoom(path: String, byteCount: Int, others: Int, limit: Int)
  /// The system refused to write it.
  case unwritable(path: String, reason: String)
  /// It became shorter while it was mapped: what was computed of it is void. See ``ShrinkingFiles``.
  case shrank(path: String)
  /// A URL that names no file on this machine.
  case notAFileURL(url: String)
}

extension FileError: CustomStringConvertible {
  /// The path, and what keeps it from being used.
  public var description: String {
    switch self {
    case .notFound(let path): "\(path): no such file"
    case .isDirectory(let path): "\(path): is a directory; a file was expected"
    case .notRegular(let path): "\(path): is not a regular file"
    case .unreadable(let path, let reason): "\(path): cannot be read: \(reason)"
    case .empty(let path): "\(path): is empty"
    case .tooLarge(let path, let byteCount, let limit):
      "\(path): has \(byteCount) bytes; at most \(limit) are read into memory"
    case .noRoom(let path, let byteCount, let others, let limit):
      "\(path): has \(byteCount) bytes that are not in memory yet, where \(others) of files are; "
        + "at most \(limit) together are read into memory"
    case .unwritable(let path, let reason): "\(path): cannot be written: \(reason)"
    case .shrank(let path): "\(path): became shorter while it was in use; what was computed of it is void"
    case .notAFileURL(let url): "\(url): is not the URL of a file"
    }
  }
}

extension FileError {
  /// ``Fault/missing`` for what cannot be read, ``Fault/data`` for a size that cannot be used, ``Fault/inputOutput``
  /// for what cannot be written.
  public var fault: Fault {
    switch self {
    case .notFound, .isDirectory, .notRegular, .unreadable, .notAFileURL: .missing
    case .empty, .tooLarge, .noRoom: .data
    case .unwritable, .shrank: .inputOutput
    }
  }
}
