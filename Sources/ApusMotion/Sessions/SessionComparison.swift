import ApusBase

/// What is different between two sessions, an old one and a new one.
///
/// They are the same when command, inputs, settings, results and their ending are. Machines and versions of Apus are
/// reported, and do not count: they should change nothing.
public struct SessionComparison: Sendable, Hashable {
  /// Something read for one purpose; nil on the side that read nothing for it.
  public struct Input: Sendable, Hashable {
    /// What the input is.
    public let role: String
    /// The input of the old session; nil where it had none of that role.
    public let old: SessionInput?
    /// The input of the new session; nil where it has none of that role.
    public let new: SessionInput?

    /// Whether both have the same hash.
    public var isEqual: Bool {
      if let old, let new { old.sha256 == new.sha256 } else { false }
    }
  }

  /// A value that is not the same; nil on the side that has none.
  public struct Difference: Sendable, Hashable {
    /// The name of the setting or number.
    public let key: String
    /// The value of the old session; nil where it had none.
    public let old: SessionValue?
    /// The value of the new session; nil where it has none.
    public let new: SessionValue?

    /// New minus old, where both are numbers.
    public var absolute: Double? {
      if case (.number(let old)?, .number(let new)?) = (old, new) { new - old } else { nil }
    }

    /// The difference in relation to the old number; nil where that is 0.
    public var relative: Double? {
      guard case .number(let old)? = old, old != 0, let absolute else { return nil }
      return absolute / old.magnitude
    }
  }

  /// Every input of either.
  public let inputs: [Input]
  /// Settings that differ.
  public let settings: [Difference]
  /// Numbers of the results that differ.
  public let summary: [Difference]
  /// Command and ending, where they differ.
  public let conduct: [Difference]
  /// Version, machine, kernels and threads, where they differ; they do not count.
  public let surroundings: [Difference]

  /// Compares two sessions.
  public init(old: RunSession, new: RunSession) {
    inputs = Self.inputs(old.inputs, new.inputs)
    settings = Self.differences(old.settings, new.settings)
    summary = Self.differences(old.summary, new.summary)
    func conduct(_ session: RunSession) -> [SessionEntry] {
      [
        SessionEntry("command", .text(session.command)),
        SessionEntry("status", .text(session.failure == nil ? "ok" : "failed")),
      ]
    }
    func surroundings(_ session: RunSession) -> [SessionEntry] {
      [
        SessionEntry("apus", .text(session.apusVersion)), SessionEntry("machine", .text(session.machine.processor)),
        SessionEntry("variant", .text(session.machine.variant)),
        SessionEntry("threads", .number(Double(session.machine.threads))),
      ]
    }
    self.conduct = Self.differences(conduct(old), conduct(new))
    self.surroundings = Self.differences(surroundings(old), surroundings(new))
  }

  /// Whether the same was read.
  public var hasEqualInputs: Bool { inputs.allSatisfy(\.isEqual) }

  /// Whether nothing differs.
  public var isEqual: Bool { hasEqualInputs && settings.isEmpty && summary.isEmpty && conduct.isEmpty }

  /// Pairs what was read for the same purpose, in its order.
  private static func inputs(_ old: [SessionInput], _ new: [SessionInput]) -> [Input] {
    var rest = new
    var pairs = old.map { input in
      let match = rest.firstIndex { $0.role == input.role }
      return Input(role: input.role, old: input, new: match.map { rest.remove(at: $0) })
    }
    pairs += rest.map { Input(role: $0.role, old: nil, new: $0) }
    return pairs
  }

  private static func differences(_ old: [SessionEntry], _ new: [SessionEntry]) -> [Difference] {
    let values = Dictionary(new.map { ($0.key, $0.value) }) { first, _ in first }
    let known = Set(old.map(\.key))
    let changed = old.filter { values[$0.key] != $0.value }.map {
      Difference(key: $0.key, old: $0.value, new: values[$0.key])
    }
    return changed + new.filter { !known.contains($0.key) }.map { Difference(key: $0.key, old: nil, new: $0.value) }
  }
}

extension SessionComparison {
  /// An object on one line: `equal`, `inputs_equal`, and what differs.
  public func jsonLine(old: String, new: String) -> String {
    var object = JSONObject()
    object.add("old", old)
    object.add("new", new)
    object.add("equal", isEqual)
    object.add("inputs_equal", hasEqualInputs)
    object.add(
      "inputs",
      inputs.map { input in
        var object = JSONObject()
        object.add("role", input.role)
        object.add("equal", input.isEqual)
        if let old = input.old { object.add("old", old.jsonObject) }
        if let new = input.new { object.add("new", new.jsonObject) }
        return object
      })
    for (key, differences) in [
      ("settings", settings), ("summary", summary), ("conduct", conduct), ("surroundings", surroundings),
    ] {
      object.add(key, differences.map(\.jsonObject))
    }
    return object.text
  }
}

extension SessionComparison.Difference {
  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("key", key)
    if let old { object.add("old", old) }
    if let new { object.add("new", new) }
    if let absolute { object.add("absolute", absolute) }
    if let relative { object.add("relative", relative) }
    return object
  }
}
