import Apus
import ApusGraph

/// The versions of operators that a written model says it is in, and those of its file's functions that are still called:
/// in the graphs within nodes, which are written as the file has them.
struct OperatorImports {
  private struct FunctionKey: Hashable {
    let name: OperatorName
    let overload: String
  }

  private let known: [FunctionKey: FunctionProto]
  private let imported: [String: Int64]
  private var versions: [String: Int64] = [:]
  private var called: Set<FunctionKey> = []
  /// What bodies of functions use; they say the versions themselves.
  private var domainsOfFunctions: Set<String> = []
  private(set) var functions: [FunctionProto] = []

  /// - Parameter whole: the file that the model is made of.
  init(of whole: ModelProto?) {
    imported = Dictionary(
      (whole?.opsetImports ?? []).map { (Self.domain($0.domain), $0.version) }, uniquingKeysWith: max)
    known = Dictionary(
      (whole?.functions ?? []).map {
        (FunctionKey(name: OperatorName(domain: $0.domain, type: $0.name), overload: $0.overload), $0)
      }, uniquingKeysWith: { first, _ in first })
  }

  private static func domain(_ name: String) -> String { OperatorName(domain: name, type: "").domain }

  /// A version of each set of operators, in the order of their names.
  var opsets: [OperatorSetID] {
    let others = imported.filter { domainsOfFunctions.contains($0.key) }
    return versions.merging(others) { own, _ in own }.sorted { $0.key < $1.key }.map {
      OperatorSetID(domain: $0.key, version: $0.value)
    }
  }

  /// Adds an operator of the graph.
  /// - Throws: ``GraphError/graph(_:)`` for a second version of one set.
  mutating func add(_ domain: String, version: Int64) throws {
    if let other = versions[domain], other != version {
      throw GraphError.graph(
        "there are operators of versions \(other) and \(version) of one set, which no model can say")
    }
    versions[domain] = version
  }

  /// Adds what the graphs within a node use, in the versions that the file has for its graphs.
  /// - Throws: ``GraphError/graph(_:)`` for a second version of one set.
  mutating func addGraphs(within node: NodeProto) throws {
    for inner in node.innerNodes {
      let domain = Self.domain(inner.domain)
      if let version = imported[domain] { try add(domain, version: version) }
      addFunction(calledBy: inner)
      try addGraphs(within: inner)
    }
  }

  private mutating func addFunction(calledBy node: NodeProto) {
    let key = FunctionKey(name: OperatorName(domain: node.domain, type: node.opType), overload: node.overload)
    guard let function = known[key], called.insert(key).inserted else { return }
    functions.append(function)
    var open = function.nodes
    while let node = open.popLast() {
      domainsOfFunctions.insert(Self.domain(node.domain))
      addFunction(calledBy: node)
      open += node.innerNodes
    }
  }
}

extension NodeProto {
  /// The nodes of the graphs within.
  fileprivate var innerNodes: [NodeProto] {
    attributes.flatMap { attribute -> [NodeProto] in
      switch attribute.value {
      case .graph(let graph): graph.nodes
      case .graphs(let graphs): graphs.flatMap(\.nodes)
      default: []
      }
    }
  }
}
