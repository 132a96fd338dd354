import Apus

/// What one run may use, in turns and time; see ``InferenceSession/Limits``.
struct RunLimits: Sendable {
  /// Turns of all loops together.
  var iterations = Int.max
  /// Graphs within graphs.
  var depth = Int.max
  /// nil for no limit.
  var time: Duration?
}

/// What belongs to one run as a whole. One run uses it from one thread at a time.
package final class RunContext {
  private let limits: RunLimits
  /// Numbers for operators that ask for random ones without a seed of their own.
  package var random: SplitMix64
  /// Called with every value that a node gives; nil where no one observes.
  let observer: ((_ name: String, _ value: GraphValue) throws -> Void)?
  /// Called with the types of what every node takes and gives; nil where nothing is counted.
  let tally: Tally?
  let profile: InferenceProfile?
  private var depth = 0
  private var iterations = 0
  private let timeLimit: TimeLimit?
  /// What work on other threads looks at.
  package let stop: StopSign
  /// What loops, scans and sequences make counts here; nil when there is no limit on it.
  private let growth: MemoryAccount?

  package typealias Tally = (_ node: Node, _ inputs: [GraphValueType?], _ outputs: [GraphValueType?]) -> Void

  /// - Parameter growth: the bytes that loops, scans and sequences may take together; nil for no limit.
  init(
    limits: RunLimits = RunLimits(), seed: UInt64 = 0, growth: Int? = nil,
    profile: InferenceProfile? = nil, tally: Tally? = nil,
    observer: ((_ name: String, _ value: GraphValue) throws -> Void)? = nil
  ) {
    self.limits = limits
    self.random = SplitMix64(seed: seed)
    self.tally = tally
    self.profile = profile
    self.observer = observer
    self.growth = growth.map(MemoryAccount.init(limit:))
    timeLimit = TimeLimit.earlier(limits.time.map { TimeLimit($0) }, TimeLimit.current)
    stop = StopSign(deadline: timeLimit?.end ?? .max)
  }

  /// Throws when the run should stop: its task was cancelled, or its time is up.
  package func checkCancellation() throws {
    if stop.check() { throw interruption }
  }

  /// Why the run is to stop, once ``stop`` is raised.
  var interruption: GraphError {
    if Task.isCancelled { return .cancelled }
    return timeLimit.map { .timeLimit($0.duration) } ?? .cancelled
  }

  /// Runs `body`, what it makes counting as growth.
  /// - Throws: what `body` throws, and ``TensorError/growth(bytes:limit:shape:)``.
  func growing<Result>(_ body: () throws -> Result) throws -> Result {
    guard let growth else { return try body() }
    return try TaskMemory.with(account: growth, body)
  }

  /// Counts a turn of a loop.
  /// - Throws: ``GraphError/limit(_:)`` beyond ``InferenceSession/Limits/iterations``, over all loops of the run.
  package func countIteration() throws {
    iterations += 1
    guard iterations <= limits.iterations else {
      throw GraphError.limit("loops took more than \(limits.iterations) turns together, the limit on a run")
    }
    try checkCancellation()
  }

  /// Goes one graph deeper; ``leave()`` comes back.
  func enter() throws {
    guard depth < limits.depth else {
      throw GraphError.limit("graphs are nested deeper than \(limits.depth), the limit on a run")
    }
    depth += 1
  }

  func leave() { depth -= 1 }
}
