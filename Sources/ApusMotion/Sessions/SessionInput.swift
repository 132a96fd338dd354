import ApusBase

/// Something that a run read, and the hash by which it is known again.
public struct SessionInput: Sendable, Hashable {
  /// What an input is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case file
    /// A folder of pictures.
    case folder
    /// What came through a pipe.
    case stream
  }

  /// What it was read for: `input`, `model`, `model data`, `settings`, `timestamps`, and so on.
  public var role: String
  /// The path as it was given, `-` for standard input.
  public var path: String
  /// What it is.
  public var kind: Kind
  /// How many bytes; of a folder, of all its pictures. Of a stream that ended in an error, how many came before it.
  public var byteCount: Int
  /// 64 digits in small letters: the hash of the bytes, or of the list of a folder, see ``listing(of:)``.
  public var sha256: String

  /// An input that was read.
  public init(role: String, path: String, kind: Kind, byteCount: Int, sha256: String) {
    (self.role, self.path, self.kind) = (role, path, kind)
    (self.byteCount, self.sha256) = (byteCount, sha256)
  }

  /// What of a folder is hashed: a line `sha256  name` for each file, sorted by the bytes of the name, as
  /// `LC_ALL=C sha256sum *` prints them. Names with line ends are escaped as it does, so that no name is two lines.
  package static func listing(of files: [(name: String, sha256: String)]) -> String {
    let sorted = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return sorted.map { file in
      var name = ""
      for scalar in file.name.unicodeScalars {
        switch scalar {
        case "\\": name += #"\\"#
        case "\n": name += #"\n"#
        case "\r": name += #"\r"#
        default: name.unicodeScalars.append(scalar)
        }
      }
      let mark = name.unicodeScalars.elementsEqual(file.name.unicodeScalars) ? "" : "\\"
      return "\(mark)\(file.sha256)  \(name)\n"
    }.joined()
  }

  /// The hash of all inputs together: of a line `sha256  role` for each, in their order.
  package static func fingerprint(of inputs: [SessionInput]) -> String {
    SHA256.hash(inputs.map { "\($0.sha256)  \($0.role)\n" }.joined().utf8).hexadecimal
  }

  /// Whether `text` can be a hash.
  static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
