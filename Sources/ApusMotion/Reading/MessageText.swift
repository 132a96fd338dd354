extension StringProtocol {
  /// The text in quotes, fit for a message on a terminal: control characters escaped, cut after 40 characters.
  var quotedForMessage: String {
    var text = "\""
    for scalar in unicodeScalars.prefix(40) {
      text +=
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        ? scalar.escaped(asASCII: true) : String(scalar)
    }
    return text + (unicodeScalars.dropFirst(40).isEmpty ? "\"" : "…\"")
  }
}

extension Substring {
  func trimmingASCIIWhitespace() -> Substring {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return self[first...last]
  }
}
