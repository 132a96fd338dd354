import Apus

/// Decision trees whose leaves vote for targets.
struct DecisionTrees: Sendable {
  /// What a node asks of a feature.
  enum Comparison: Sendable {
    case atMost, less, atLeast, greater, equal, different
    case member(Set<Double>)

    func holds(_ x: Double, _ threshold: Double) -> Bool {
      switch self {
      case .atMost: x <= threshold
      case .less: x < threshold
      case .atLeast: x >= threshold
      case .greater: x > threshold
      case .equal: x == threshold
      case .different: x != threshold
      case .member(let members): members.contains(x)
      }
    }
  }

  /// Where a branch leads.
  enum Branch: Sendable {
    case node(Int)
    case leaf(Int)
  }

  struct Node: Sendable {
    var feature: Int
    var comparison: Comparison
    var threshold: Double
    /// Whether a missing feature, a NaN, goes the way of those for which the comparison holds.
    var missingHolds: Bool
    var whenTrue: Branch
    var whenFalse: Branch
  }

  struct Vote: Sendable {
    var target: Int
    var weight: Double
  }

  var nodes: [Node]
  /// The votes of each leaf.
  var leaves: [[Vote]]
  var roots: [Branch]

  /// Checks what the trees refer to, so that no row can be led astray, or round in a circle.
  /// - Throws: ``OperatorError``.
  func check(targets: Int) throws {
    func exists(_ branch: Branch) -> Bool {
      switch branch {
      case .node(let index): nodes.indices.contains(index)
      case .leaf(let index): leaves.indices.contains(index)
      }
    }
    guard roots.allSatisfy(exists), nodes.allSatisfy({ exists($0.whenTrue) && exists($0.whenFalse) && $0.feature >= 0 })
    else { throw OperatorError("a tree has a branch to a node that is not there, or a negative feature") }
    guard leaves.allSatisfy({ $0.allSatisfy { 0 <= $0.target && $0.target < targets } }) else {
      throw OperatorError("a leaf votes for a target that is not one of \(targets)")
    }
    guard !hasCircle else { throw OperatorError("a tree goes round in a circle") }
  }

  /// Whether nodes are left once those are taken away, one after the other, that no other node leads to.
  private var hasCircle: Bool {
    var parents = [Int](repeating: 0, count: nodes.count)
    for node in nodes {
      for case .node(let child) in [node.whenTrue, node.whenFalse] { parents[child] += 1 }
    }
    var open = nodes.indices.filter { parents[$0] == 0 }
    var taken = 0
    while let index = open.popLast() {
      taken += 1
      for case .node(let child) in [nodes[index].whenTrue, nodes[index].whenFalse] {
        parents[child] -= 1
        if parents[child] == 0 { open.append(child) }
      }
    }
    return taken < nodes.count
  }

  /// Calls `vote` with the votes of the leaf that each tree leads a row to.
  func evaluate(_ row: UnsafeBufferPointer<Double>, _ vote: ([Vote]) -> Void) throws {
    for root in roots {
      var branch = root
      while case .node(let index) = branch {
        let node = nodes[index]
        guard node.feature < row.count else {
          throw OperatorError("a tree asks for feature \(node.feature) of \(row.count)")
        }
        let x = row[node.feature]
        let holds = node.comparison.holds(x, node.threshold) || (node.missingHolds && x.isNaN)
        branch = holds ? node.whenTrue : node.whenFalse
      }
      if case .leaf(let index) = branch { vote(leaves[index]) }
    }
  }
}

/// How the votes of several trees become one score.
enum VoteAggregation: Sendable {
  case average, sum, least, most

  /// The scores of a row, nil where no tree voted.
  func scores(
    of row: UnsafeBufferPointer<Double>, by trees: DecisionTrees, targets: Int
  ) throws -> [Double?] {
    var scores = [Double?](repeating: nil, count: targets)
    try trees.evaluate(row) { votes in
      for vote in votes {
        let old = scores[vote.target]
        scores[vote.target] =
          switch self {
          case .average, .sum: (old ?? 0) + vote.weight
          case .least: min(old ?? vote.weight, vote.weight)
          case .most: max(old ?? vote.weight, vote.weight)
          }
      }
    }
    return self == .average ? scores.map { $0.map { $0 / Double(max(trees.roots.count, 1)) } } : scores
  }
}

// MARK: - As the standard writes them

extension DecisionTrees {
  /// The trees of `TreeEnsemble`: nodes and leaves in lists of their own.
  init(ensemble node: NodeDescription) throws {
    func list(_ name: String) throws -> [Int] { try node.ints(name, default: []) }
    let features = try list("nodes_featureids")
    let modes = try node.optionalTensor("nodes_modes")?.doubles.map { Int(exactly: $0) ?? -1 } ?? []
    let thresholds = try node.optionalTensor("nodes_splits")?.doubles ?? []
    let (trueIDs, falseIDs) = try (list("nodes_truenodeids"), list("nodes_falsenodeids"))
    let (trueLeaves, falseLeaves) = try (list("nodes_trueleafs"), list("nodes_falseleafs"))
    let missing = try node.optionalInts("nodes_missing_value_tracks_true") ?? [Int](repeating: 0, count: features.count)
    guard
      [
        modes.count, thresholds.count, trueIDs.count, falseIDs.count, trueLeaves.count, falseLeaves.count,
        missing.count,
      ].allSatisfy({ $0 == features.count })
    else { throw OperatorError("the lists of what nodes are have different lengths") }
    // A set of numbers for each node that asks for membership, in their order, a NaN after each.
    var sets =
      try node.optionalTensor("membership_values")?.doubles.split(
        omittingEmptySubsequences: false, whereSeparator: \.isNaN)[...] ?? []
    nodes = try features.indices.map { index in
      let comparison: Comparison
      switch modes[index] {
      case 0: comparison = .atMost
      case 1: comparison = .less
      case 2: comparison = .atLeast
      case 3: comparison = .greater
      case 4: comparison = .equal
      case 5: comparison = .different
      case 6:
        guard let members = sets.popFirst() else { throw OperatorError("membership_values has too few sets") }
        comparison = .member(Set(members))
      default: throw OperatorError("node \(index) has mode \(modes[index]), which is not known")
      }
      func branch(_ id: Int, _ isLeaf: Int) -> Branch { isLeaf != 0 ? .leaf(id) : .node(id) }
      return Node(
        feature: features[index], comparison: comparison, threshold: thresholds[index],
        missingHolds: missing[index] != 0, whenTrue: branch(trueIDs[index], trueLeaves[index]),
        whenFalse: branch(falseIDs[index], falseLeaves[index]))
    }
    let targets = try list("leaf_targetids")
    let weights = try node.optionalTensor("leaf_weights")?.doubles ?? []
    guard targets.count == weights.count else {
      throw OperatorError("\(targets.count) leaves have targets and \(weights.count) weights")
    }
    leaves = zip(targets, weights).map { [Vote(target: $0, weight: $1)] }
    roots = try list("tree_roots").map(Branch.node)
  }

  /// The trees of `TreeEnsembleClassifier` and `TreeEnsembleRegressor`: nodes by the number of their tree and their
  /// own, leaves among them, and votes by the node they belong to.
  /// - Parameter votes: the prefix of the votes' attributes, `class` or `target`.
  init(_ node: NodeDescription, votes prefix: String) throws {
    struct Key: Hashable {
      let tree: Int
      let node: Int
    }
    func list(_ name: String) throws -> [Int] { try node.ints(name, default: []) }
    let keys = try zip(list("nodes_treeids"), list("nodes_nodeids")).map { Key(tree: $0, node: $1) }
    let modes = try node.optionalStrings("nodes_modes") ?? []
    let features = try list("nodes_featureids")
    let thresholds = try node.numbers("nodes_values") ?? []
    let (trueIDs, falseIDs) = try (list("nodes_truenodeids"), list("nodes_falsenodeids"))
    let missing = try node.optionalInts("nodes_missing_value_tracks_true") ?? [Int](repeating: 0, count: keys.count)
    guard
      [modes.count, features.count, thresholds.count, trueIDs.count, falseIDs.count, missing.count]
        .allSatisfy({ $0 == keys.count })
    else { throw OperatorError("the lists of what nodes are have different lengths") }
    // Leaves and inner nodes are counted apart.
    var places: [Key: Branch] = [:]
    var counts = (nodes: 0, leaves: 0)
    for (key, mode) in zip(keys, modes) {
      guard places[key] == nil else { throw OperatorError("tree \(key.tree) has two nodes numbered \(key.node)") }
      if mode == "LEAF" {
        places[key] = .leaf(counts.leaves)
        counts.leaves += 1
      } else {
        places[key] = .node(counts.nodes)
        counts.nodes += 1
      }
    }
    nodes = []
    var inner = Set<Key>()
    for (index, key) in keys.enumerated() where modes[index] != "LEAF" {
      func branch(_ id: Int) throws -> Branch {
        let child = Key(tree: key.tree, node: id)
        guard let place = places[child] else { throw OperatorError("tree \(key.tree) has no node numbered \(id)") }
        inner.insert(child)
        return place
      }
      nodes.append(
        Node(
          feature: features[index], comparison: try Comparison(modes[index]), threshold: thresholds[index],
          missingHolds: missing[index] != 0, whenTrue: try branch(trueIDs[index]),
          whenFalse: try branch(falseIDs[index])))
    }
    roots = keys.filter { !inner.contains($0) }.compactMap { places[$0] }
    leaves = [[Vote]](repeating: [], count: counts.leaves)
    let owners = try zip(list("\(prefix)_treeids"), list("\(prefix)_nodeids")).map { Key(tree: $0, node: $1) }
    let targets = try list("\(prefix)_ids")
    let weights = try node.numbers("\(prefix)_weights") ?? []
    guard targets.count == owners.count, weights.count == owners.count else {
      throw OperatorError("the lists of votes have different lengths")
    }
    for (index, owner) in owners.enumerated() {
      guard case .leaf(let leaf)? = places[owner] else { continue }
      leaves[leaf].append(Vote(target: targets[index], weight: weights[index]))
    }
  }
}

extension DecisionTrees.Comparison {
  fileprivate init(_ mode: String) throws {
    switch mode {
    case "BRANCH_LEQ": self = .atMost
    case "BRANCH_LT": self = .less
    case "BRANCH_GTE": self = .atLeast
    case "BRANCH_GT": self = .greater
    case "BRANCH_EQ": self = .equal
    case "BRANCH_NEQ": self = .different
    default: throw OperatorError("a node has mode '\(mode)', which is not known")
    }
  }
}
