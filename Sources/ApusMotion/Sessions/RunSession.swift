import ApusBase

/// One run of a command, as it is kept: what went in, with which settings, on what machine, and what came out.
///
/// A session is a folder (see ``SessionFolder``); this is what its `session.json` says. Results themselves lie in files
/// beside it.
public struct RunSession: Sendable, Hashable {
  /// The version of `session.json` that is written, and the only one that is read.
  public static let formatVersion = 1

  /// The version of Apus that ran.
  public var apusVersion: String
  /// The command, such as `barpath`.
  public var command: String
  /// When it began: UTC, as `2026-11-22T08:21:03Z`, which sorts as text.
  public var started: String
  /// How long it took, in seconds; 0 or more.
  public var seconds: Double
  /// What computed.
  public var machine: Machine
  /// Everything that was read, in the order in which it was asked for.
  public var inputs: [SessionInput]
  /// Every setting in effect, defaults included.
  public var settings: [SessionEntry]
  /// The numbers that matter most, with their units in the key where there are any.
  public var summary: [SessionEntry]
  /// The result in a few words, for lists.
  public var headline: String
  /// What went wrong, where what came before it was kept; nil when nothing did.
  public var failure: String?

  /// What computed.
  public struct Machine: Sendable, Hashable {
    /// The processor, as its maker calls it.
    public var processor: String
    /// The copy of the kernels that ran, such as `avx2`.
    public var variant: String
    /// How many threads it had.
    public var threads: Int

    /// A machine.
    public init(processor: String, variant: String, threads: Int) {
      (self.processor, self.variant, self.threads) = (processor, variant, threads)
    }
  }

  /// A session; what is left out is empty.
  public init(
    apusVersion: String, command: String, started: String, seconds: Double, machine: Machine,
    inputs: [SessionInput] = [], settings: [SessionEntry] = [], summary: [SessionEntry] = [], headline: String = "",
    failure: String? = nil
  ) {
    (self.apusVersion, self.command, self.started, self.seconds) = (apusVersion, command, started, seconds)
    (self.machine, self.inputs, self.settings, self.summary) = (machine, inputs, settings, summary)
    (self.headline, self.failure) = (headline, failure)
  }

  /// What its folder is called, if the name is free: `20261122T082103Z-barpath-1a2b3c`, when it began, the command, and
  /// the first digits of the hash of its inputs.
  public var folderName: String {
    let time = started.filter { $0 != "-" && $0 != ":" }
    return "\(time)-\(command)-\(SessionInput.fingerprint(of: inputs).prefix(6))"
  }

  /// Whether `text` is a time as ``started`` has it.
  static func isTime(_ text: String) -> Bool {
    let pattern = "dddd-dd-ddTdd:dd:ddZ".utf8
    return text.utf8.count == pattern.count
      && zip(text.utf8, pattern).allSatisfy { byte, expected in
        expected == UInt8(ascii: "d") ? (0x30...0x39).contains(byte) : byte == expected
      }
  }
}

/// A setting or a number of a session, by its name.
public struct SessionEntry: Sendable, Hashable {
  /// The name, with the unit where there is one.
  public var key: String
  /// The value.
  public var value: SessionValue

  /// A setting or a number.
  public init(_ key: String, _ value: SessionValue) { (self.key, self.value) = (key, value) }
}

/// What a setting or a result can be.
public enum SessionValue: Sendable, Hashable {
  /// Finite in everything that was read.
  case number(Double)
  case text(String)
  case flag(Bool)

  /// The same bytes: texts are not compared as Unicode would have them, which takes long for hostile ones.
  public static func == (a: SessionValue, b: SessionValue) -> Bool {
    switch (a, b) {
    case (.number(let a), .number(let b)): a == b
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.flag(let a), .flag(let b)): a == b
    default: false
    }
  }

  /// Hashes the bytes that equality compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .number(let value): hasher.combine(value)
    case .text(let text): hasher.combine(UTF8Key(text))
    case .flag(let flag): hasher.combine(flag)
    }
  }
}

extension SessionValue: CustomStringConvertible {
  /// The value as text; integers without a decimal point.
  public var description: String {
    switch self {
    case .number(let value): Int(exactly: value).map { "\($0)" } ?? "\(value)"
    case .text(let text): text
    case .flag(let flag): "\(flag)"
    }
  }
}
