/// How a network is asked for a word.
public enum SuggestionStyle: String, Sendable, Hashable, CaseIterable {
  /// As a masked-language model was trained in general: the word at the cursor is the mask, and a full stop follows
  /// where nothing else does.
  ///
  ///     [CLS] context [MASK] . [SEP]
  case stock
  /// As one is trained for keyboards: the word at the cursor, as far as it is typed, stands before the mask, and
  /// nothing after it.
  ///
  ///     [CLS] context partial [MASK] [SEP]
  case finetuned

  /// Whether what follows the cursor makes a difference.
  package var readsFollowing: Bool { self == .stock }
}

/// What the network reads for a request.
package struct KeyboardInput: Sendable, Hashable {
  /// The special tokens, the last pieces of the context, and the mask.
  package var ids: [Int]
  /// Where the mask is.
  package var maskPosition: Int

  /// - Parameters:
  ///   - length: the most tokens. Pieces are dropped at the beginning of the context; the mask is always there.
  /// - Throws: ``TokenizerError/tooShort(length:needed:)`` for a length without room for the mask.
  package init(
    _ request: KeyboardRequest, tokenizer: WordPieceTokenizer, style: SuggestionStyle, length: Int
  ) throws {
    guard length >= 3 else { throw TokenizerError.tooShort(length: length, needed: 3) }
    let room = length - 3
    var after: [Int] = []
    if style.readsFollowing, room > 0 {
      // A quarter of the room for what follows; the end of a sentence where nothing does.
      after = tokenizer.firstPieces(of: request.following, count: max(1, room / 4))
      if after.isEmpty, let stop = tokenizer.vocabulary.id(of: ".") { after = [stop] }
    }
    let text = style == .stock ? request.context : request.text
    let before = tokenizer.lastPieces(of: text, count: room - after.count)
    ids = [tokenizer.classID] + before + [tokenizer.maskID] + after + [tokenizer.separatorID]
    maskPosition = before.count + 1
  }

  /// The ids with padding up to `length`, and a mask: 1 for each of the ids, 0 for padding.
  package func padded(to length: Int, with paddingID: Int) -> (ids: [Int], attentionMask: [Int]) {
    let padding = max(0, length - ids.count)
    return (
      ids + [Int](repeating: paddingID, count: padding),
      [Int](repeating: 1, count: ids.count) + [Int](repeating: 0, count: padding)
    )
  }
}

extension WordPieceTokenizer {
  /// The last pieces of a text, which is read from its end on: only as much of it as is needed.
  func lastPieces(of text: String, count: Int) -> [Int] {
    guard count > 0 else { return [] }
    var size = 256
    while true {
      let start = text.utf8.index(text.endIndex, offsetBy: -size, limitedBy: text.startIndex) ?? text.startIndex
      // Whatever follows a space does not depend on what comes before it.
      var from = start
      if start > text.startIndex {
        guard let space = text.utf8[start...].firstIndex(of: UInt8(ascii: " ")) else {
          size *= 4
          continue
        }
        from = space
      }
      let pieces = pieces(of: String(text[from...])).ids
      if pieces.count >= count || start == text.startIndex { return Array(pieces.suffix(count)) }
      size *= 4
    }
  }

  /// The first pieces of a text, of which no more is read than is needed.
  func firstPieces(of text: String, count: Int) -> [Int] {
    // A piece is a character or more, and a word of over a hundred is one.
    let beginning = text.prefix(max(0, count) * (Self.wordLimit + 1))
    return Array(pieces(of: String(beginning)).ids.prefix(count))
  }
}
