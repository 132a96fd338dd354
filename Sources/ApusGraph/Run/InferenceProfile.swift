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
