import ApusBase

/// The first bytes of an input, held until they say whether it is one JSON document or lines.
///
/// A line of JSON is handed on as soon as it ends: only as much is held as the decision takes.
struct PoseOpening: Sendable {
  enum Decision { case lines, document }

  private(set) var bytes: [UInt8] = []

  mutating func append(_ more: some Sequence<UInt8>) { bytes.appendBytes(more) }

  /// - Parameter isAtEnd: whether no more bytes will come.
  /// - Returns: nil until more bytes come.
  func decision(isAtEnd: Bool, format: PoseFormat) -> Decision? {
    if !isAtEnd, bytes.count < 3, Self.byteOrderMark.starts(with: bytes) { return nil }
    let text = bytes.starts(with: Self.byteOrderMark) ? bytes.dropFirst(3) : bytes[...]
    var head = text.prefix(Self.length)
    let isWhole = isAtEnd || head.count == Self.length
    guard let first = head.firstIndex(where: { !$0.isBlank }) else { return isWhole ? .lines : nil }
    guard head[first] == UInt8(ascii: "{") else { return .lines }
    if format == .sleap { return .document }
    // A frame ends with its line; a brace alone on its line begins a document.
    let rest = head[(first + 1)...]
    let end = rest.firstIndex(of: 0x0A)
    let isLine = end.map { !rest[..<$0].allSatisfy(\.isBlank) } ?? false
    if isLine, let end { head = head[..<end] }
    if head.contains(Self.mark) { return .document }
    return isWhole || isLine ? .lines : nil
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let length = 512
  private static let mark = Array("\"skeletons\"".utf8)
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension ArraySlice<UInt8> {
  /// Whether these bytes stand together somewhere.
  fileprivate func contains(_ mark: [UInt8]) -> Bool {
    indices.contains { self[$0] == mark.first && self[$0...].starts(with: mark) }
  }
}
