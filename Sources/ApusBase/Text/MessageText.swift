extension StringProtocol {
  /// The text in quotes, fit for a message on a terminal: control characters escaped, cut after 40 characters.
  package var quotedForMessage: String {
    var text = "\""
    for scalar in unicodeScalars.prefix(40) {
      text +=
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return text + (unicodeScalars.dropFirst(40).isEmpty ? "\"" : "…\"")
  }
}

extension String {
  /// The text with a capital at its beginning.
  package var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The beginning of a name, for a message that names it: cut after 200 characters.
  package var shortForMessage: String {
    unicodeScalars.dropFirst(200).isEmpty ? self : String(unicodeScalars.prefix(200)) + "…"
  }
}
