import Apus

/// What becomes of a graph before it runs: which operators the file has, and which are left with `exact` and with `fast`.
public struct RewriteCensus: Sendable {
  /// An operator with the function that it applies to what it gives.
  public struct Entry: Sendable {
    /// The operator; those of the domain "apus" stand for several nodes of a file.
    public let name: OperatorName
    /// The function that passes made a part of it, such as `relu`; nil for none.
    public let activation: String?
    /// The nodes that the file has, those of subgraphs included.
    public fileprivate(set) var inFile = 0
    /// The nodes that run with `exact`.
    public fileprivate(set) var exact = 0
    /// The nodes that run with `fast`.
    public fileprivate(set) var fast = 0
  }

  /// By name, those without a function of their own first.
  public let entries: [Entry]

  /// Rewrites `graph` as a session would, once for each precision; nothing but what constants alone lead to is computed.
  ///
  /// - Throws: ``GraphError`` for a graph that cannot be rewritten, ``GraphError/cancelled``, ``GraphError/timeLimit(_:)``.
  public init(_ graph: Graph) throws {
    var counts: [Key: Entry] = [:]
    Self.count(graph, \.inFile, &counts)
    let graph = try graph.summingIntegers()
    for (precision, column) in [(Execution.Precision.exact, \Entry.exact), (.fast, \Entry.fast)] {
      let rewritten = try Execution.with(precision: precision) { try graph.optimized(precision) }
      Self.count(rewritten, column, &counts)
    }
    entries = counts.values.sorted {
      ($0.name.domain, $0.name.type, $0.activation ?? "") < ($1.name.domain, $1.name.type, $1.activation ?? "")
    }
  }

  private struct Key: Hashable {
    let name: OperatorName
    let activation: String?
  }

  private static func count(_ graph: Graph, _ column: WritableKeyPath<Entry, Int>, _ counts: inout [Key: Entry]) {
    for node in graph.nodes {
      let function = node.activation == .identity ? nil : node.activation.name
      let key = Key(name: node.operatorName, activation: function)
      counts[key, default: Entry(name: key.name, activation: key.activation)][keyPath: column] += 1
      for subgraph in node.subgraphs.values { count(subgraph, column, &counts) }
    }
  }
}
