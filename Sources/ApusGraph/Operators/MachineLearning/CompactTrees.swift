import Apus

/// Decision trees laid out to be walked eight at a time: eight rows through one tree, or one row through eight.
///
/// A walk waits for a node, then for a feature, and then for the next node; of a branch that goes either way the processor
/// guesses every second one wrong. Side by side, and without branches, eight walks take as long as one by itself.
struct CompactTrees: Sendable {
  /// The two children of a node are neighbours; a leaf leads to itself.
  private struct Node: Sendable {
    /// A feature up to this goes to the second child, any other and NaN to the first.
    var threshold = Double.nan
    var feature: Int32 = 0
    var child: Int32
  }

  private let nodes: [Node]
  private let roots: [Int32]
  /// For each node where its votes end in ``votes``; they begin where those of the node before end.
  private let voteEnds: [Int]
  private let votes: [DecisionTrees.Vote]
  /// The greatest feature that is asked for.
  private let lastFeature: Int
  /// Whether features are asked for with the opposite sign, too: those follow each feature in a row.
  private let asksForOpposites: Bool

  private static let lanes = 8

  /// - Returns: nil for trees that ask something else than which of two numbers is greater, or whose nodes have several
  ///   parents.
  init?(_ trees: DecisionTrees) {
    guard trees.nodes.count + trees.leaves.count < Int32.max / 4 else { return nil }
    var (nodes, roots, order) = ([Node](), [Int32](), [DecisionTrees.Branch]())
    var questions: [(node: Int, question: Question)] = []
    var seen = (nodes: Set<Int>(), leaves: Set<Int>())
    func isNew(_ branch: DecisionTrees.Branch) -> Bool {
      switch branch {
      case .node(let index): seen.nodes.insert(index).inserted
      case .leaf(let index): seen.leaves.insert(index).inserted
      }
    }
    for root in trees.roots {
      guard isNew(root) else { return nil }
      roots.append(Int32(order.count))
      // A tree lies in one piece, level by level.
      var next = order.count
      order.append(root)
      while next < order.count {
        var node = Node(child: Int32(next))
        if case .node(let index) = order[next] {
          let source = trees.nodes[index]
          guard isNew(source.whenTrue), isNew(source.whenFalse), source.feature < Int32.max / 2,
            let question = Question(source)
          else { return nil }
          questions.append((next, question))
          node = Node(threshold: question.threshold, feature: Int32(source.feature), child: Int32(order.count))
          // The branch that NaN takes comes first.
          order +=
            source.missingHolds ? [source.whenTrue, source.whenFalse] : [source.whenFalse, source.whenTrue]
        }
        nodes.append(node)
        next += 1
      }
    }
    var (votes, ends) = ([DecisionTrees.Vote](), [Int]())
    for branch in order {
      if case .leaf(let index) = branch { votes += trees.leaves[index] }
      ends.append(votes.count)
    }
    lastFeature = nodes.reduce(0) { max($0, Int($1.feature)) }
    asksForOpposites = questions.contains(where: \.question.isOfOpposite)
    if asksForOpposites {
      for (node, question) in questions {
        nodes[node].feature = 2 * nodes[node].feature + (question.isOfOpposite ? 1 : 0)
      }
    }
    (self.nodes, self.roots, self.votes, voteEnds) = (nodes, roots, votes, ends)
  }

  /// When a node leads to the branch that NaN does not take: where a feature, or its opposite, is `threshold` at most.
  private struct Question {
    let threshold: Double
    let isOfOpposite: Bool

    init?(_ node: DecisionTrees.Node) {
      let limit = node.threshold
      // Nothing is below that, and at most NaN.
      func below(_ number: Double) -> Double { number == -.infinity ? .nan : number.nextDown }
      switch (node.comparison, node.missingHolds) {
      case (.equal, _), (.different, _), (.member, _): return nil
      // No comparison with NaN holds: all but NaN go where it does not.
      case (_, true) where limit.isNaN: (threshold, isOfOpposite) = (.infinity, false)
      case (.atMost, false), (.greater, true): (threshold, isOfOpposite) = (limit, false)
      case (.less, false), (.atLeast, true): (threshold, isOfOpposite) = (below(limit), false)
      case (.atLeast, false), (.less, true): (threshold, isOfOpposite) = (-limit, true)
      case (.greater, false), (.atMost, true): (threshold, isOfOpposite) = (below(-limit), true)
      }
    }
  }

  /// Features as ``addVotes(_:rows:width:to:targets:)`` wants them; nil where one that is asked for is not there.
  /// - Parameter x: `[rows, width]`.
  func features(_ x: Tensor<Double>, width: Int) throws -> (numbers: Tensor<Double>, width: Int)? {
    guard lastFeature < width else { return nil }
    guard asksForOpposites else { return (x, width) }
    let both = try x.withUnsafeBufferPointer { x in
      try Tensor<Double>.filled([x.count, 2]) { both in
        for index in x.indices { (both[2 * index], both[2 * index + 1]) = (x[index], -x[index]) }
      }
    }
    return (both, 2 * width)
  }

  /// Adds the votes that rows get to their scores, those of a row in the order of the trees.
  ///
  /// - Parameters:
  ///   - x: `[rows, width]`, as ``features(_:rows:width:)`` gives them.
  ///   - scores: `[rows, targets]`.
  func addVotes(
    _ x: UnsafePointer<Double>, rows: Int, width: Int, to scores: UnsafeMutablePointer<Double>, targets: Int
  ) {
    let whole = rows / Self.lanes * Self.lanes
    nodes.withUnsafeBufferPointer { nodes in
      votes.withUnsafeBufferPointer { votes in
        voteEnds.withUnsafeBufferPointer { ends in
          withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.lanes) { places in
            guard let nodes = nodes.baseAddress, let places = places.baseAddress else { return }
            func vote(_ leaf: Int32, _ scores: UnsafeMutablePointer<Double>) {
              let leaf = Int(leaf)
              for index in (leaf == 0 ? 0 : ends[leaf - 1])..<ends[leaf] {
                scores[votes[index].target] += votes[index].weight
              }
            }
            for root in roots {
              for row in stride(from: 0, to: whole, by: Self.lanes) {
                places.initialize(repeating: root, count: Self.lanes)
                Self.walk(nodes, x + row * width, step: width, places, lanes: Self.lanes)
                for lane in 0..<Self.lanes { vote(places[lane], scores + (row + lane) * targets) }
              }
            }
            for row in whole..<rows {
              for first in stride(from: 0, to: roots.count, by: Self.lanes) {
                let count = min(Self.lanes, roots.count - first)
                for lane in 0..<count { (places + lane).initialize(to: roots[first + lane]) }
                Self.walk(nodes, x + row * width, step: 0, places, lanes: count)
                for lane in 0..<count { vote(places[lane], scores + row * targets) }
              }
            }
          }
        }
      }
    }
  }

  /// Leads every place to a leaf.
  ///
  /// - Parameter step: from the row of one place to that of the next.
  @inline(__always)
  private static func walk(
    _ nodes: UnsafePointer<Node>, _ x: UnsafePointer<Double>, step: Int, _ places: UnsafeMutablePointer<Int32>,
    lanes: Int
  ) {
    var isUnderWay: Int32
    repeat {
      isUnderWay = 0
      for lane in 0..<lanes {
        let place = places[lane]
        let node = nodes + Int(place)
        let isSecond: Int32 = x[lane &* step &+ Int(node.pointee.feature)] <= node.pointee.threshold ? 1 : 0
        let next = node.pointee.child &+ isSecond
        places[lane] = next
        isUnderWay |= next ^ place
      }
    } while isUnderWay != 0
  }
}
