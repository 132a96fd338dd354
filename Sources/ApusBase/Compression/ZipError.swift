/// Why a file is not a ZIP archive that can be read.
public enum ZipError: ApusError, Hashable, Sendable {
  /// No end-of-directory record where the file ends: not an archive, cut short, or followed by something else.
  case noEndRecord
  /// An archive in several files.
  case severalDisks
  /// A directory that is not where the end record says, or is damaged; at this byte of the file.
  case badDirectory(offset: Int)
  /// An entry whose data is not where the directory says, or is damaged.
  case badEntry(name: String)
  /// Two entries of one name.
  case duplicateName(String)
  /// A name that is not UTF-8, or has more combining marks in a row than any has.
  case badName(offset: Int)
  /// Two entries that share bytes.
  case overlap(name: String, other: String)
  /// An encrypted entry.
  case encrypted(name: String)
  /// A compression other than none and deflate.
  case unknownMethod(name: String, method: Int)
  /// A size that the compressed data cannot have, or does not.
  case wrongSize(name: String, expected: Int, found: Int)
  /// Damaged compressed data.
  case inflate(name: String, InflateError)
  /// Data with another checksum than the directory says.
  case badChecksum(name: String)
}

extension ZipError: CustomStringConvertible {
  /// What is wrong and in which entry or at which byte; the file's name is for the caller to add.
  public var description: String {
    switch self {
    case .noEndRecord: "not a ZIP archive, or cut short: it does not end with a directory"
    case .severalDisks: "a ZIP archive in several files, which is not supported"
    case .badDirectory(let offset): "a damaged ZIP directory at byte \(offset)"
    case .badEntry(let name): "the ZIP entry \"\(name)\" is damaged"
    case .duplicateName(let name): "two ZIP entries are named \"\(name)\""
    case .badName(let offset): "a ZIP entry's name at byte \(offset) is not UTF-8, or has \(MarkRun.message)"
    case .overlap(let name, let other): "the ZIP entries \"\(name)\" and \"\(other)\" share bytes"
    case .encrypted(let name): "the ZIP entry \"\(name)\" is encrypted, which is not supported"
    case .unknownMethod(let name, let method):
      "the ZIP entry \"\(name)\" is compressed by method \(method); only 0 (stored) and 8 (deflate) are supported"
    case .wrongSize(let name, let expected, let found):
      "the ZIP entry \"\(name)\" has \(found) bytes, where the directory says \(expected)"
    case .inflate(let name, let error): "the ZIP entry \"\(name)\" is damaged: \(error)"
    case .badChecksum(let name): "the ZIP entry \"\(name)\" is damaged: its checksum is wrong"
    }
  }
}

extension ZipError {
  /// ``Fault/data``: the archive is damaged or of an unsupported kind.
  public var fault: Fault { .data }
}
