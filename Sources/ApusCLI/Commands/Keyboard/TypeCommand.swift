import Apus
import ApusText
import ArgumentParser

struct TypeCommand: WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "type",
    abstract: "Type in a terminal, with suggestions above the line.",
    discussion: """
      A demonstration of 'apus suggest': words appear as you type. A number key takes the suggestion of that number, \
      Tab the first one that is not what you typed; Enter ends a line, Control-W deletes a word, Control-U the line, \
      Control-D or Control-C ends. Nothing that you type is kept.

      EXAMPLES
        apus type
        apus type --model mobilebert-uncased -k 5
      """)

  @OptionGroup var model: LanguageModelOptions

  @OptionGroup var suggestions: SuggestionOptions

  var files: FilePlan {
    var files = FilePlan()
    model.plan(&files)
    return files
  }

  func run() throws {
    guard Terminal.input.isTerminal, Terminal.output.isTerminal else {
      throw CommandFailure(.usage, "type needs a terminal; 'apus suggest -' takes lines from a pipe")
    }
    let network = try model.open()
    defer { model.cache.warn(network.cacheUse) }
    let suggester = try suggestions.suggester(network)
    let raw = try RawTerminal()
    defer { raw.restore() }
    var screen = TypingScreen(suggester: suggester)
    try screen.draw()
    while let bytes = try raw.read() {
      let isOver = try screen.take(bytes)
      if isOver { break }
      try screen.draw()
    }
    try screen.end()
  }
}

/// A line that is being typed, under its suggestions.
struct TypingScreen {
  private enum Key {
    static let controlC: UInt8 = 0x03, controlD: UInt8 = 0x04, backspace: UInt8 = 0x08, tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A, enter: UInt8 = 0x0D, controlU: UInt8 = 0x15, controlW: UInt8 = 0x17
    static let escape: UInt8 = 0x1B, delete: UInt8 = 0x7F
  }

  private let suggester: KeyboardSuggester
  private var cache = KeyboardCache()
  private var found: KeyboardSuggestions?
  private(set) var text = ""
  /// Bytes of a character that is not complete.
  private var pending: [UInt8] = []
  private var isDrawn = false

  init(suggester: KeyboardSuggester) { self.suggester = suggester }

  /// What was typed since the last time; suggestions are made once for all of it.
  /// - Returns: whether that was the end.
  mutating func take(_ bytes: [UInt8]) throws -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case Key.controlC, Key.controlD: return true
      case Key.escape: index = Self.endOfSequence(bytes, index)
      case Key.backspace, Key.delete: change { _ = $0.popLast() }
      case Key.controlU: change { $0 = "" }
      case Key.controlW:
        change { text in
          while text.last?.isWhitespace == true { text.removeLast() }
          while text.last?.isWhitespace == false { text.removeLast() }
        }
      case Key.enter, Key.lineFeed: try endLine()
      case Key.tab: try commit { $0.firstIndex { $0.source != .literal } }
      case UInt8(ascii: "1")...UInt8(ascii: "9"):
        let number = Int(byte - UInt8(ascii: "1"))
        if try !commit({ $0.indices.contains(number) ? number : nil }) { append(byte) }
      case 0..<0x20: break
      default: append(byte)
      }
    }
    return false
  }

  /// The longest line.
  private static let limit = 1 << 16

  private mutating func append(_ byte: UInt8) {
    pending.append(byte)
    if let character = String(validating: pending, as: UTF8.self) {
      pending = []
      if text.utf8.count < Self.limit { change { $0 += character } }
    } else if pending.count >= 4 {
      pending = []
    }
  }

  private mutating func change(_ body: (inout String) -> Void) {
    pending = []
    body(&text)
    found = nil
  }

  private mutating func suggestions() throws -> [KeyboardSuggestion] {
    let found = try found ?? suggester.suggestions(for: KeyboardRequest(text), cache: &cache)
    self.found = found
    return found.suggestions
  }

  /// Takes the suggestion that `choose` chooses.
  @discardableResult
  private mutating func commit(_ choose: ([KeyboardSuggestion]) -> Int?) throws -> Bool {
    let suggestions = try suggestions()
    guard let index = choose(suggestions) else { return false }
    change { $0 = KeyboardRequest($0).committing(suggestions[index]) }
    return true
  }

  /// The place after an escape sequence, such as that of an arrow key.
  private static func endOfSequence(_ bytes: [UInt8], _ start: Int) -> Int {
    guard start < bytes.count else { return start }
    guard bytes[start] == UInt8(ascii: "[") || bytes[start] == UInt8(ascii: "O") else { return start + 1 }
    let end = bytes[(start + 1)...].firstIndex { (0x40...0x7E).contains($0) }
    return end.map { $0 + 1 } ?? bytes.count
  }
}

// MARK: - Drawing

extension TypingScreen {
  mutating func draw() throws {
    let terminal = Terminal.output
    let suggestions = try suggestions()
    var room = terminal.width - 1
    var words: [String] = []
    for (index, suggestion) in suggestions.enumerated() {
      let number = index < 9 ? "\(index + 1) " : ""
      let word = Self.cut(ErrorReport.oneLine(suggestion.word), to: words.isEmpty ? room - number.count : .max)
      room -= number.count + Self.columns(word) + (words.isEmpty ? 0 : Self.gap.count)
      // Lines that wrap would stay when the next are drawn. What is not shown can be taken by its number all the same.
      if room < 0 { break }
      words.append(terminal.styled(number, .dim) + terminal.styled(word, suggestion.source == .literal ? .dim : .cyan))
    }
    if words.isEmpty {
      words = [terminal.styled(Self.cut(text.isEmpty ? "type something; Control-D ends" : "…", to: room), .dim)]
    }
    try write(above: words.joined(separator: Self.gap))
  }

  private static let gap = "   "

  /// What is not ASCII may be two columns wide.
  private static func columns(_ text: String) -> Int { text.reduce(0) { $0 + ($1.isASCII ? 1 : 2) } }

  /// As much of the beginning as fits.
  private static func cut(_ text: String, to room: Int) -> String {
    guard columns(text) > room else { return text }
    var beginning = text
    while !beginning.isEmpty, columns(beginning) + 2 > room { beginning.removeLast() }
    return beginning + "…"
  }

  /// Leaves the line as it is, without suggestions, and goes to the next.
  mutating func end() throws {
    try write(above: "")
    try Output.line()
    try Output.flush()
  }

  private mutating func endLine() throws {
    try end()
    change { $0 = "" }
    isDrawn = false
  }

  private mutating func write(above line: String) throws {
    let erase = isDrawn ? "\r\u{1B}[1A\u{1B}[J" : "\r\u{1B}[J"
    isDrawn = true
    try Output.write(erase + line + "\n" + Terminal.output.styled("›", .green) + " " + tail)
    try Output.flush()
  }

  /// As much of the line's end as fits; what is not ASCII may be two columns wide.
  private var tail: String {
    var room = max(8, Terminal.output.width - 4)
    var characters: [Character] = []
    for character in text.reversed() {
      room -= character.isASCII ? 1 : 2
      if room < 0 { return "…" + ErrorReport.oneLine(String(characters.reversed())) }
      characters.append(character)
    }
    return ErrorReport.oneLine(text)
  }
}
