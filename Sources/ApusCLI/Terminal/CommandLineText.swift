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

  /// The arguments, with negative numbers after the options that they belong to: `--crop -5,0,10,10` as
  /// `--crop=-5,0,10,10`. The parser takes what begins with a dash for an option, and there is none named by a digit.
  static func joiningNegativeNumbers(_ arguments: [String]) -> [String] {
    var joined: [String] = []
    for (index, argument) in arguments.enumerated() {
      if argument == "--" { return joined + arguments[index...] }
      if let option = joined.last, option.hasPrefix("--"), !option.contains("="), isNegativeNumber(argument) {
        joined[joined.count - 1] = "\(option)=\(argument)"
      } else {
        joined.append(argument)
      }
    }
    return joined
  }

  /// Whether a text is a number below 0, or several with commas or an x between them of which the first is one.
  private static func isNegativeNumber(_ text: String) -> Bool {
    let digits = text.utf8.dropFirst().drop { $0 == UInt8(ascii: ".") }
    guard text.hasPrefix("-"), let first = digits.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= first else {
      return false
    }
    return text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || "+-.,exEX".utf8.contains($0) }
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
