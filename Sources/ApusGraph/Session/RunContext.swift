import Apus

/// What belongs to one run as a whole. One run uses it from one thread at a time.
public final class RunContext {
  public let limits: Session.Limits
  /// Numbers for operators that ask for random ones without a seed of their own.
  public var random: SplitMix64
  /// Called with every value that a node gives, when somebody watches.
  let observer: ((_ name: String, _ value: Value) throws -> Void)?
  /// Called with the types of what every node takes and gives, when somebody counts.
  let tally: Tally?
  let profile: Profile?
  private var depth = 0
  private var iterations = 0

  package typealias Tally = (_ node: Node, _ inputs: [ValueType?], _ outputs: [ValueType?]) -> Void

  init(
    limits: Session.Limits = .init(), seed: UInt64 = 0, profile: Profile? = nil, tally: Tally? = nil,
    observer: ((_ name: String, _ value: Value) throws -> Void)? = nil
  ) {
    self.limits = limits
    self.random = SplitMix64(seed: seed)
    self.tally = tally
    self.profile = profile
    self.observer = observer
  }

  /// Throws when the run should stop.
  func checkCancellation() throws {
    if Task.isCancelled { throw ONNXError.cancelled }
  }

  /// Counts a turn of a loop.
  /// - Throws: ``ONNXError/limit(_:)`` beyond ``Session/Limits/iterations``, over all loops of the run.
  public func countIteration() throws {
    iterations += 1
    guard iterations <= limits.iterations else {
      throw ONNXError.limit("loops took more than \(limits.iterations) turns together, the limit on a run")
    }
    try checkCancellation()
  }

  /// Runs `body` one graph deeper.
  func nested<Result>(_ body: () throws -> Result) throws -> Result {
    guard depth < limits.depth else {
      throw ONNXError.limit("graphs are nested deeper than \(limits.depth), the limit on a run")
    }
    depth += 1
    defer { depth -= 1 }
    return try body()
  }
}

/// A small generator of random numbers with 64 bits of state; the same seed gives the same numbers everywhere.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// The time each node took, summed over runs.
public final class Profile {
  public struct Entry: Sendable {
    public let node: String
    public let operatorName: OperatorName
    public var calls = 0
    public var nanoseconds: UInt64 = 0
  }

  private var order: [String] = []
  private var byNode: [String: Entry] = [:]

  public init() {}

  /// An entry for every node that ran, in the order of their first run.
  public var entries: [Entry] { order.compactMap { byNode[$0] } }

  func record(_ node: Node, _ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    if byNode[node.name] == nil {
      order.append(node.name)
      byNode[node.name] = Entry(node: node.name, operatorName: node.operatorName)
    }
    byNode[node.name]?.calls += 1
    byNode[node.name]?.nanoseconds &+= UInt64(clamping: seconds) &* 1_000_000_000
      &+ UInt64(clamping: attoseconds / 1_000_000_000)
  }
}
