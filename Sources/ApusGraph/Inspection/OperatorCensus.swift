import Apus

/// Which operators a graph has, how many of each, and which of them Apus refuses.
///
/// Functions are written out; subgraphs are counted once, however often they run.
public struct OperatorCensus: Sendable {
  /// An operator in one version.
  public struct Entry: Sendable {
    /// The operator.
    public let name: OperatorName
    /// The version of its operator set that its nodes are written against.
    public let opset: Int
    /// The number of nodes, those of subgraphs included.
    public internal(set) var count: Int
    /// Whether Apus has the operator at all.
    public let isKnown: Bool
  }

  /// A node that cannot be prepared.
  public struct Refusal: Sendable {
    /// The node's name.
    public let node: String
    /// The node's operator.
    public let name: OperatorName
    /// Why it cannot be prepared.
    public let reason: String
  }

  /// By name and version.
  public let entries: [Entry]
  /// The nodes of known operators that are refused: attributes that make no sense, versions that Apus does not have.
  public let refusals: [Refusal]
  /// The number of nodes of the graph and of all graphs within it.
  public let nodeCount: Int
  /// The number of graphs within the graph, at any depth.
  public let subgraphCount: Int

  /// The operators that Apus does not have, each once.
  public var unknown: [OperatorName] {
    var found: [OperatorName] = []
    // Versions of an operator are neighbours.
    for entry in entries where !entry.isKnown && found.last != entry.name { found.append(entry.name) }
    return found
  }

  /// Where those come from, and what to do instead, as far as that is known: each sentence once.
  public var advice: [String] { Set(unknown.compactMap(\.advice)).sorted() }

  /// Counts the nodes of `graph`, and prepares every one to see whether it is refused; nothing runs.
  /// - Throws: ``GraphError/cancelled``, ``GraphError/timeLimit(_:)``.
  public init(_ graph: Graph) throws {
    var counter = Counter()
    try counter.add(graph, depth: 0)
    entries = counter.entries.values.sorted {
      ($0.name.domain, $0.name.type, $0.opset) < ($1.name.domain, $1.name.type, $1.opset)
    }
    refusals = counter.refusals
    nodeCount = entries.reduce(0) { $0 + $1.count }
    subgraphCount = counter.subgraphCount
  }

  private struct Key: Hashable {
    let name: OperatorName
    let opset: Int
  }

  private struct Counter {
    var entries: [Key: Entry] = [:]
    var refusals: [Refusal] = []
    var subgraphCount = 0
    /// Nodes of operators that Apus does not have.
    var unknownCount = 0

    mutating func add(_ graph: Graph, depth: Int) throws {
      for node in graph.nodes {
        try TimeLimit.check()
        let (before, key) = (refusals.count, Key(name: node.operatorName, opset: node.opset))
        let isKnown = Operators.byName[node.operatorName] != nil
        entries[key, default: Entry(name: key.name, opset: key.opset, count: 0, isKnown: isKnown)].count += 1
        if !isKnown { unknownCount += 1 }
        var isWhole = isKnown
        for (_, subgraph) in node.subgraphs.sorted(by: { $0.key < $1.key }) {
          subgraphCount += 1
          let unknown = unknownCount
          try add(subgraph.closed(in: graph), depth: depth + 1)
          if unknown != unknownCount { isWhole = false }
        }
        // What is wrong inside is said once, of the node inside.
        guard isWhole, refusals.count == before else { continue }
        do {
          _ = try graph.naming(node) { try Plan.step(node, in: graph, depth: depth) }
        } catch GraphError.node(let failure) {
          refusals.append(Refusal(node: node.name, name: node.operatorName, reason: failure.reason))
        } catch {
          refusals.append(Refusal(node: node.name, name: node.operatorName, reason: "\(error)"))
        }
      }
    }
  }
}
