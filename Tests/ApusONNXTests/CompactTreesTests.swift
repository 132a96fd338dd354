import Apus
import ApusBase
import Testing

@testable import ApusGraph

/// Trees walked eight at a time against one node after the other.
@Suite struct CompactTreesTests {
  static let numbers: [Double] = [-.infinity, -1, -0.5, -0.0, 0, 0.5, 1, .infinity, .nan]

  /// Trees of up to five levels with these comparisons, whose leaves vote for some of three targets.
  private func trees(
    _ count: Int, _ comparisons: [DecisionTrees.Comparison], _ generator: inout SplitMix64
  ) -> DecisionTrees {
    var trees = DecisionTrees(nodes: [], leaves: [], roots: [])
    func branch(_ levels: Int) -> DecisionTrees.Branch {
      guard levels > 0, Int.random(in: 0..<6, using: &generator) > 0 else {
        let votes = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
          DecisionTrees.Vote(
            target: Int.random(in: 0..<3, using: &generator), weight: Double.random(in: -1...1, using: &generator))
        }
        trees.leaves.append(votes)
        return .leaf(trees.leaves.count - 1)
      }
      let index = trees.nodes.count
      trees.nodes.append(
        DecisionTrees.Node(
          feature: Int.random(in: 0..<4, using: &generator),
          comparison: comparisons.randomElement(using: &generator) ?? .less,
          threshold: Self.numbers.randomElement(using: &generator) ?? 0,
          missingHolds: Bool.random(using: &generator), whenTrue: .leaf(0), whenFalse: .leaf(0)))
      let (whenTrue, whenFalse) = (branch(levels - 1), branch(levels - 1))
      trees.nodes[index].whenTrue = whenTrue
      trees.nodes[index].whenFalse = whenFalse
      return .node(index)
    }
    trees.roots = (0..<count).map { _ in branch(5) }
    return trees
  }

  @Test(
    arguments: [
      [.atMost], [.less], [.atLeast], [.greater], [.atMost, .less, .atLeast, .greater],
    ] as [[DecisionTrees.Comparison]])
  func rowsComeToTheSameLeaves(comparisons: [DecisionTrees.Comparison]) throws {
    var generator = SplitMix64(seed: 5)
    for count in [0, 1, 7, 8, 21] {
      let trees = trees(count, comparisons, &generator)
      let compact = try #require(CompactTrees(trees))
      for rows in [1, 5, 8, 19] {
        let numbers = (0..<rows * 4).map { _ in Self.numbers.randomElement(using: &generator) ?? 0 }
        let x = try Tensor(numbers, shape: [rows, 4])
        let (features, width) = try #require(try compact.features(x, width: 4))
        var sums = [Double](repeating: 0, count: rows * 3)
        try features.withUnsafeBufferPointer { x in
          sums.withUnsafeMutableBufferPointer { sums in
            guard let x = x.baseAddress, let sums = sums.baseAddress else { return }
            compact.addVotes(x, rows: rows, width: width, to: sums, targets: 3)
          }
        }
        for row in 0..<rows {
          let expected = try numbers[(row * 4)..<(row * 4 + 4)].withUnsafeBufferPointer {
            try VoteAggregation.sum.scores(of: $0, by: trees, targets: 3).map { $0 ?? 0 }
          }
          #expect(Array(sums[(row * 3)..<(row * 3 + 3)]) == expected)
        }
      }
    }
  }

  @Test func otherTreesAreLeftToTheOtherWay() throws {
    func tree(_ comparison: DecisionTrees.Comparison, _ branches: [DecisionTrees.Branch]) -> DecisionTrees {
      let nodes = branches.map {
        DecisionTrees.Node(
          feature: 2, comparison: comparison, threshold: 0, missingHolds: false, whenTrue: $0, whenFalse: .leaf(1))
      }
      return DecisionTrees(nodes: nodes, leaves: [[], []], roots: [.node(0)])
    }
    let sound = try #require(CompactTrees(tree(.less, [.leaf(0)])))
    let x = try Tensor<Double>(zeros: [1, 2])
    #expect(try sound.features(x, width: 2) == nil)
    for comparison in [.equal, .different, .member([1])] as [DecisionTrees.Comparison] {
      #expect(CompactTrees(tree(comparison, [.leaf(0)])) == nil)
    }
    // A circle, and a leaf with two parents.
    #expect(CompactTrees(tree(.less, [.node(0)])) == nil)
    #expect(CompactTrees(tree(.less, [.node(1), .leaf(0)])) == nil)
  }

  /// Whichever way rows would go.
  @Test func circlesAreRefusedBeforeAnyRow() throws {
    func check(_ branches: [(DecisionTrees.Branch, DecisionTrees.Branch)]) throws {
      let nodes = branches.map {
        DecisionTrees.Node(
          feature: 0, comparison: .less, threshold: 0, missingHolds: false, whenTrue: $0, whenFalse: $1)
      }
      try DecisionTrees(nodes: nodes, leaves: [[], []], roots: [.node(0)]).check(targets: 1)
    }
    for circle in [
      [(.node(0), .leaf(0))], [(.node(1), .leaf(0)), (.leaf(1), .node(0))],
      [(.leaf(0), .node(1)), (.node(2), .leaf(0)), (.leaf(0), .node(1))],
    ] as [[(DecisionTrees.Branch, DecisionTrees.Branch)]] {
      #expect(throws: OperatorError.self) { try check(circle) }
    }
    // Two ways to one node are none.
    try check([(.node(1), .node(1)), (.leaf(0), .leaf(1))])
  }
}
