import ApusMedia

/// The command line that this process was started with, as a user may type it again.
enum CommandLineText {
  /// With another file in place of one that it has.
  static func reading(_ other: String, insteadOf path: String) -> String {
    let words = CommandLine.arguments.dropFirst().map { word in
      let text = word == path ? other : word
      let needsNoQuotes = !text.isEmpty && text.utf8.allSatisfy(Self.isPlain(_:))
      return needsNoQuotes ? text : ForeignMedia.shellQuoted(text)
    }
    return (["apus"] + words).joined(separator: " ")
  }

  /// Whether a shell takes a character for itself.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-_=./,:+@%".utf8.contains(byte)
    }
  }
}
