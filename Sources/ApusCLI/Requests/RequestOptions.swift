import Apus
import ArgumentParser

/// `--jsonl` and `--batch`, of commands that can be kept running as a child of another program.
struct RequestOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Answer requests, a line of JSON each, from this file or - for standard input, with a line each; the first line says "
        + "that it is ready.", valueName: "file"))
  var jsonl: String?

  @Option(
    help: ArgumentHelp(
      "With --jsonl: answers are handed on as soon as no further request has come in, and after so many at the latest. "
        + "(default: 32)", valueName: "n"))
  var batch: Int?

  func validate() throws {
    guard let batch else { return }
    guard jsonl != nil else { throw ValidationError("--batch needs --jsonl: there is nothing else to hand on.") }
    guard batch > 0 else { throw ValidationError("--batch \(batch): a number above 0 was expected.") }
  }

  /// Answers requests until there are no more of them.
  ///
  /// - Parameters:
  ///   - command: what answers, for the first line.
  ///   - model: with which model.
  ///   - answer: the members of an answer as a JSON object. What it throws becomes the answer.
  /// - Throws: what goes wrong with the lines as such: the input cannot be opened, nothing can be written.
  func serve<Body: RequestBody>(
    _ command: String, model: String, _ body: Body.Type, answer: (Body, _ number: Int) throws -> String
  ) throws {
    guard let jsonl else { return }
    var lines = try RequestLines(path: jsonl, batch: batch ?? 32)
    var ready = JSONObject()
    ready.add("ready", true)
    ready.add("command", command)
    ready.add("model", model)
    ready.add("version", ApusVersion.current)
    try lines.write(ready.text)
    var number = 0
    while !Output.isClosed, let line = try lines.next() {
      var request = Request<Body>()
      do {
        guard case .bytes(let bytes) = line else {
          throw CommandFailure(.badData, "the line has more than \(ByteText.size(RequestLines.limit))")
        }
        try request.read(bytes)
        try lines.write(request.framed(answer(request.body, number)))
      } catch {
        try lines.write(request.failed(error, line: lines.lineNumber))
      }
      number += 1
    }
  }
}

/// Requests as they come, and answers as they go.
private struct RequestLines {
  /// The longest line, in bytes.
  static let limit = 1 << 26

  private let input: ByteInput
  private var lines = LineBuffer(limit: MemoryLimit.streamLimit(Self.limit))
  private let batch: Int
  /// How many answers wait.
  private var waiting = 0
  private var isAtEnd = false

  var lineNumber: Int { lines.lineNumber }

  init(path: String, batch: Int) throws {
    input = try ByteInput(path: path)
    self.batch = batch
  }

  /// The next line that is not empty; nil at the end. Before it waits for more, answers are handed on: whoever asks
  /// waits for them.
  mutating func next() throws -> LineBuffer.Line? {
    while true {
      if let line = lines.next() {
        guard case .bytes(var bytes) = line else { return line }
        // A byte order mark is no part of the first request.
        if lineNumber == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
        return .bytes(bytes)
      }
      if isAtEnd { return nil }
      try flush()
      if let chunk = try input.next() {
        lines.append(chunk)
      } else {
        lines.end()
        isAtEnd = true
      }
    }
  }

  mutating func write(_ text: String) throws {
    try Output.line(text)
    waiting += 1
    if waiting >= batch { try flush() }
  }

  private mutating func flush() throws {
    waiting = 0
    try Output.flush()
  }
}
