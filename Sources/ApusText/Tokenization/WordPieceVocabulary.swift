import Apus

/// The pieces that words are made of: a `vocab.txt`, one piece a line, whose number is that of its line from 0 on.
///
/// Lines end with a line feed, and with nothing else that other readers take for the end of a line; one carriage return
/// before it is dropped. An empty line has a number, and is not a piece.
public struct WordPieceVocabulary: Sendable {
  /// The largest file that is read, in bytes.
  public static let byteLimit = 1 << 25
  /// The most lines.
  public static let tokenLimit = 1 << 21

  private let pieces: PieceTable

  /// What messages call the vocabulary.
  public var source: String { pieces.source }

  /// How many lines there are.
  public var count: Int { pieces.lines.count }

  /// Reads a `vocab.txt`.
  /// - Throws: ``FileError``, ``VocabularyError``.
  public init(path: String) throws {
    let file = try MappedFile(path: path, access: .mapped)
    self = try file.withUnsafeBytes { try WordPieceVocabulary($0, source: path) }
  }

  /// - Parameter source: what messages call the vocabulary.
  /// - Throws: ``VocabularyError``.
  public init(_ text: UnsafeRawBufferPointer, source: String = "vocabulary") throws {
    // Some editors put a byte order mark before the first piece.
    let isMarked = text.starts(with: [0xEF, 0xBB, 0xBF])
    pieces = try PieceTable(isMarked ? UnsafeRawBufferPointer(rebasing: text.dropFirst(3)) : text, source: source)
  }

  /// - Parameter source: what messages call the vocabulary.
  /// - Throws: ``VocabularyError``.
  public init(_ text: String, source: String = "vocabulary") throws {
    var text = text
    self = try text.withUTF8 { try WordPieceVocabulary(UnsafeRawBufferPointer($0), source: source) }
  }

  /// The piece with a number; `nil` for a number without one.
  public func token(of id: Int) -> String? {
    let bytes = utf8(of: id)
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The number of a piece, written as in the file.
  public func id(of token: String) -> Int? {
    var token = token
    return token.withUTF8 { pieces.find($0, isInside: false) }
  }

  /// The piece's bytes, with `##` where it has that.
  func utf8(of id: Int) -> ArraySlice<UInt8> {
    pieces.lines.indices.contains(id) ? pieces.text(of: id) : []
  }

  /// The longest piece that a word goes on with.
  /// - Parameters:
  ///   - word: a word's UTF-8.
  ///   - first: the character to begin at; a piece inside a word is looked for when that is not the word's first.
  ///   - ends: where each character ends in `word`.
  /// - Returns: the piece, and the character after it; `nil` when no piece fits.
  func longestPiece(of word: [UInt8], from first: Int, ends: [Int]) -> (id: Int, next: Int)? {
    pieces.longest(of: word, from: first, ends: ends)
  }
}
