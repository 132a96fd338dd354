import ApusBase

// MARK: - Writing

extension RunSession {
  /// The content of `session.json`: an object on one line, without a line end. Reads back as the same session.
  public var jsonLine: String { jsonObject.text }

  package var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("apus_session", Self.formatVersion)
    object.add("apus", apusVersion)
    object.add("command", command)
    object.add("started", started)
    object.add("seconds", seconds)
    object.add("machine", machine.processor)
    object.add("variant", machine.variant)
    object.add("threads", machine.threads)
    object.add("inputs", inputs.map(\.jsonObject))
    object.add("settings", Self.object(of: settings))
    object.add("summary", Self.object(of: summary))
    object.add("headline", headline)
    object.add("status", failure == nil ? "ok" : "failed")
    if let failure { object.add("error", failure) }
    return object
  }

  private static func object(of entries: [SessionEntry]) -> JSONObject {
    var object = JSONObject()
    for entry in entries { object.add(entry.key, entry.value) }
    return object
  }
}

extension SessionInput {
  var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("role", role)
    object.add("path", path)
    object.add("kind", kind.rawValue)
    object.add("bytes", byteCount)
    object.add("sha256", sha256)
    return object
  }
}

extension JSONObject {
  mutating func add(_ key: String, _ value: SessionValue) {
    switch value {
    case .number(let number): if let whole = Int(exactly: number) { add(key, whole) } else { add(key, number) }
    case .text(let text): add(key, text)
    case .flag(let flag): add(key, flag)
    }
  }
}

// MARK: - Reading

extension RunSession {
  /// The most bytes of a `session.json`.
  public static let byteLimit = 1 << 20

  /// Reads the content of a `session.json`. Keys that this version does not know are passed over.
  /// - Throws: ``SessionError`` for anything else than what ``jsonLine`` writes: text that is no JSON, a key that is
  ///   missing, comes twice or holds something else, another version.
  public init(json bytes: UnsafeRawBufferPointer) throws(SessionError) {
    do {
      self = try SessionParser.session(in: bytes)
    } catch let error as SessionError {
      throw error
    } catch let error as JSONError {
      throw SessionError(.malformed(error))
    } catch {
      throw SessionError(.foreign)
    }
  }
}

/// What has been read of a `session.json`.
private struct SessionParser {
  /// The longest text, in bytes as it is written: an error or a path fits.
  private static let textLimit = 1 << 16
  /// The longest name of a setting.
  private static let keyLimit = 256
  /// The most inputs; a command has a handful.
  private static let inputLimit = 256

  private var texts: [String: String] = [:]
  private var version: Int?
  private var seconds: Double?
  private var threads: Int?
  private var inputs: [SessionInput]?
  private var settings: [SessionEntry]?
  private var summary: [SessionEntry]?

  static func session(in bytes: UnsafeRawBufferPointer) throws -> RunSession {
    var parser = SessionParser()
    var reader = JSONReader(bytes)
    var seen: Set<UTF8Key> = []
    try reader.object { reader, key in
      guard seen.insert(UTF8Key(key)).inserted else { throw reader.error(.duplicateKey(key)) }
      try parser.member(key, &reader)
    }
    try reader.end()
    return try parser.session()
  }

  private mutating func member(_ key: String, _ reader: inout JSONReader) throws {
    switch key {
    case "apus_session": version = try reader.integer()
    case "apus", "command", "started", "machine", "variant", "headline", "status", "error":
      texts[key] = try reader.string(limit: Self.textLimit)
    case "seconds": seconds = try reader.number()
    case "threads": threads = try reader.integer()
    case "inputs":
      var found: [SessionInput] = []
      try reader.array { reader in
        guard found.count < Self.inputLimit else { throw reader.error(.expected("the end of \(found.count) inputs")) }
        found.append(try Self.input(&reader))
      }
      inputs = found
    case "settings": settings = try Self.entries(&reader)
    case "summary": summary = try Self.entries(&reader)
    default: try reader.skip()
    }
  }

  private func session() throws(SessionError) -> RunSession {
    guard let version else { throw SessionError(.foreign) }
    guard version == RunSession.formatVersion else { throw SessionError(.unknownVersion(version)) }
    let started = try text("started")
    guard RunSession.isTime(started) else {
      throw SessionError(.wrongValue(key: "started", expected: "a time as 2026-11-22T08:21:03Z"))
    }
    let seconds = try Self.required(seconds, "seconds")
    guard seconds >= 0 else { throw SessionError(.wrongValue(key: "seconds", expected: "0 or more")) }
    var failure: String?
    switch try text("status") {
    case "ok": break
    case "failed": failure = texts["error"] ?? ""
    default: throw SessionError(.wrongValue(key: "status", expected: "ok or failed"))
    }
    return RunSession(
      apusVersion: try text("apus"), command: try text("command"), started: started, seconds: seconds,
      machine: RunSession.Machine(
        processor: try text("machine"), variant: try text("variant"), threads: try Self.required(threads, "threads")),
      inputs: try Self.required(inputs, "inputs"), settings: try Self.required(settings, "settings"),
      summary: try Self.required(summary, "summary"), headline: try text("headline"), failure: failure)
  }

  private func text(_ key: String) throws(SessionError) -> String { try Self.required(texts[key], key) }

  private static func required<Value>(_ value: Value?, _ key: String) throws(SessionError) -> Value {
    guard let value else { throw SessionError(.missing(key: key)) }
    return value
  }

  private static func entries(_ reader: inout JSONReader) throws -> [SessionEntry] {
    var entries: [SessionEntry] = []
    var seen: Set<UTF8Key> = []
    try reader.object(keyLimit: keyLimit) { reader, key in
      guard seen.insert(UTF8Key(key)).inserted else { throw reader.error(.duplicateKey(key)) }
      switch try reader.kind() {
      case .number: entries.append(SessionEntry(key, .number(try reader.number())))
      case .string: entries.append(SessionEntry(key, .text(try reader.string(limit: textLimit))))
      case .boolean: entries.append(SessionEntry(key, .flag(try reader.boolean())))
      // Not finite: left out, like a number that was never written.
      case .null: try reader.skip()
      case .object, .array: throw reader.error(.expected("a number, a string, true or false"))
      }
    }
    return entries
  }

  private static func input(_ reader: inout JSONReader) throws -> SessionInput {
    var texts: [String: String] = [:]
    var byteCount: Int?
    var seen: Set<UTF8Key> = []
    try reader.object { reader, key in
      guard seen.insert(UTF8Key(key)).inserted else { throw reader.error(.duplicateKey(key)) }
      switch key {
      case "role", "kind", "sha256": texts[key] = try reader.string(limit: keyLimit)
      case "path": texts[key] = try reader.string(limit: textLimit)
      case "bytes": byteCount = try reader.integer()
      default: try reader.skip()
      }
    }
    let bytes = try required(byteCount, "bytes")
    guard bytes >= 0 else { throw SessionError(.wrongValue(key: "bytes", expected: "0 or more")) }
    guard let kind = SessionInput.Kind(rawValue: try required(texts["kind"], "kind")) else {
      throw SessionError(.wrongValue(key: "kind", expected: "file, folder or stream"))
    }
    let hash = try required(texts["sha256"], "sha256")
    guard SessionInput.isHash(hash) else {
      throw SessionError(.wrongValue(key: "sha256", expected: "64 hexadecimal digits in small letters"))
    }
    return SessionInput(
      role: try required(texts["role"], "role"), path: try required(texts["path"], "path"), kind: kind,
      byteCount: bytes, sha256: hash)
  }
}
