import Apus

/// What belongs to one run as a whole. One run uses it from one thread at a time.
package final class RunContext {
  package let limits: InferenceSession.Limits
  /// Numbers for operators that ask for random ones without a seed of their own.
  package var random: SplitMix64
  /// Called with every value that a node gives; nil where no one observes.
  let observer: ((_ name: String, _ value: GraphValue) throws -> Void)?
  /// Called with the types of what every node takes and gives; nil where nothing is counted.
  let tally: Tally?
  let profile: InferenceProfile?
  private var depth = 0
  private var iterations = 0

  package typealias Tally = (_ node: Node, _ inputs: [GraphValueType?], _ outputs: [GraphValueType?]) -> Void

  init(
    limits: InferenceSession.Limits = .init(), seed: UInt64 = 0, profile: InferenceProfile? = nil, tally: Tally? = nil,
    observer: ((_ name: String, _ value: GraphValue) throws -> Void)? = nil
  ) {
    self.limits = limits
    self.random = SplitMix64(seed: seed)
    self.tally = tally
    self.profile = profile
    self.observer = observer
  }

  /// Throws when the run should stop.
  func checkCancellation() throws {
    if Task.isCancelled { throw GraphError.cancelled }
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

  /// Runs `body` one graph deeper.
  func nested<Result>(_ body: () throws -> Result) throws -> Result {
    guard depth < limits.depth else {
      throw GraphError.limit("graphs are nested deeper than \(limits.depth), the limit on a run")
    }
    depth += 1
    defer { depth -= 1 }
    return try body()
  }
}

/// The time each node took, summed over runs.
public final class InferenceProfile {
  /// The time of one node.
  public struct Entry: Sendable {
    /// The node's name, which is unique within its graph.
    public let node: String
    /// The node's operator, after rewriting: one that passes made has the domain `apus`.
    public let operatorName: OperatorName
    /// How often the node ran.
    public var calls = 0
    /// The time of all calls together, those of nodes within its subgraphs included.
    public var nanoseconds: UInt64 = 0
  }

  private var order: [String] = []
  private var byNode: [String: Entry] = [:]

  /// A profile of no runs; give it to a session's `run` as often as wanted.
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
    byNode[node.name]?.nanoseconds &+=
      UInt64(clamping: seconds) &* 1_000_000_000
      &+ UInt64(clamping: attoseconds / 1_000_000_000)
  }
}
