import Apus
import ApusBase
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Nodes that move elements one after the other, of an `x` of 6 × 2 × 12 integers that tell every place.
@Suite struct MovementFusionTests {
  typealias Case = RewritingCase

  static let cases = [
    // As PyTorch's nn.MultiheadAttention is exported.
    Case("heads of queries and keys", ["Rearrange", "Rearrange"], outputs: ["q", "k"]) {
      try $0.reshape("x", [6, 2, 3, 4], "parts")
      try $0.axes("Unsqueeze", "parts", [0], "one")
      $0.node("Transpose", ["one"], ["apart"], ["perm": .ints([3, 1, 2, 0, 4])])
      try $0.axes("Squeeze", "apart", [3], "three")
      for (index, name) in [(0, "q"), (-2, "k")] {
        try $0.constant("\(name) index", GraphValue(Tensor<Int64>([Int64(index)], shape: [])))
        $0.node("Gather", ["three", "\(name) index"], ["\(name) rows"], ["axis": .int(0)])
        try $0.reshape("\(name) rows", [6, 4, 2], "\(name) heads")
        $0.node("Transpose", ["\(name) heads"], [name], ["perm": .ints(name == "q" ? [1, 0, 2] : [1, 2, 0])])
      }
    },
    Case("heads of a split", ["Rearrange", "Rearrange"], outputs: ["a", "b"]) {
      $0.node("Split", ["x"], ["left", "right"], ["axis": .int(2), "num_outputs": .int(2)])
      for (part, name) in [("left", "a"), ("right", "b")] {
        try $0.reshape(part, [6, 2, 2, 3], "\(name) heads")
        $0.node("Transpose", ["\(name) heads"], [name], ["perm": .ints([1, 2, 0, 3])])
      }
    },
    Case("a part that is needed keeps its split", ["Split", "Neg", "Transpose"], outputs: ["a", "b"]) {
      $0.node("Split", ["x"], ["left", "right"], ["axis": .int(2), "num_outputs": .int(2)])
      $0.node("Neg", ["left"], ["a"])
      $0.node("Transpose", ["right"], ["b"])
    },
    Case("a reshape after a transposition takes its elements in order", ["Rearrange"]) {
      $0.node("Transpose", ["x"], ["turned"], ["perm": .ints([2, 0, 1])])
      try $0.reshape("turned", [12, 12], "matrix")
      try $0.axes("Unsqueeze", "matrix", [1], "y")
    },
    Case("two that undo each other, and what moves nothing", ["Reshape"]) {
      $0.node("Transpose", ["x"], ["turned"], ["perm": .ints([1, 0, 2])])
      $0.node("Transpose", ["turned"], ["back"], ["perm": .ints([1, 0, 2])])
      try $0.axes("Unsqueeze", "back", [1], "wide")
      $0.node("Flatten", ["wide"], ["y"])
    },
    Case("nothing at all", ["Neg"]) {
      try $0.reshape("x", [144], "flat")
      try $0.reshape("flat", [6, 2, 12], "same")
      $0.node("Neg", ["same"], ["y"])
    },
    Case("every third row of a part backwards", ["Rearrange"]) {
      try $0.slice("x", axis: 2, from: 10, to: 1, step: -3, "part")
      $0.node("Transpose", ["part"], ["y"], ["perm": .ints([2, 1, 0])])
    },
    Case("what would be moved twice instead of once", ["Transpose", "Rearrange", "Rearrange"], outputs: ["a", "b"]) {
      $0.node("Transpose", ["x"], ["turned"], ["perm": .ints([2, 1, 0])])
      for name in ["a", "b"] {
        try $0.reshape("turned", [4, 3, 2, 6], "\(name) parts")
        $0.node("Transpose", ["\(name) parts"], [name], ["perm": .ints([3, 0, 1, 2])])
      }
    },
    Case("what somebody else reads stays", ["Transpose", "Neg", "Transpose"], outputs: ["a", "b"]) {
      $0.node("Transpose", ["x"], ["turned"], ["perm": .ints([2, 1, 0])])
      $0.node("Neg", ["turned"], ["a"])
      $0.node("Transpose", ["turned"], ["b"], ["perm": .ints([1, 0, 2])])
    },
  ]

  private func x(_ shape: [Int]) throws -> GraphValue {
    GraphValue(try Tensor((0..<Int64(shape.reduce(1, *))).map { $0 }, shape: shape))
  }

  /// Checks every output against evaluation node by node.
  private func check(_ model: ONNXModel, _ shape: [Int], _ outputs: [String], _ comment: Comment? = nil) throws {
    var options = InferenceSession.Options()
    let actual = try InferenceSession(model, options: options).run(["x": x(shape)])
    options.optimizes = false
    let expected = try InferenceSession(model, options: options).run(["x": x(shape)])
    for name in outputs {
      let (a, b) = (try #require(actual[name]), try #require(expected[name]))
      #expect(try a.shape == b.shape && a.hasSameBits(as: b), comment)
    }
  }

  @Test(arguments: cases) func movedOnce(test: Case) throws {
    var graph = SmallGraph()
    graph.input("x", [.size(6), .size(2), .size(12)], .int64)
    try test.nodes(&graph)
    let model = try graph.model(outputs: test.outputs)
    let left = try model.graph.optimized(.exact).nodes.map(\.operatorName.type)
    #expect(left == test.left)
    try check(model, [6, 2, 12], test.outputs)
  }

  @Test func extentsThatAreNotDeclaredStayOpen() throws {
    var graph = SmallGraph()
    graph.input("x", [.symbol("n"), .size(2), .size(12)], .int64)
    graph.node("Transpose", ["x"], ["turned"], ["perm": .ints([2, 0, 1])])
    graph.node("Transpose", ["turned"], ["y"], ["perm": .ints([0, 2, 1])])
    let model = try graph.model(outputs: ["y"])
    for rows in [1, 5] { try check(model, [rows, 2, 12], ["y"]) }
  }

  /// Graphs of eight nodes that read anything before them.
  @Test func anythingGoesWhereItWent() throws {
    var fused = 0
    for seed in 0..<400 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      let shape = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        [1, 2, 3, 4, 6].randomElement(using: &generator) ?? 1
      }
      var graph = SmallGraph()
      graph.input("x", shape.map { .size($0) }, .int64)
      var values = [(name: "x", shape: shape)]
      for index in 0..<8 {
        // Mostly the last, so that there are chains.
        let last = values[values.count - 1]
        let from = Int.random(in: 0..<3, using: &generator) > 0 ? last : values.randomElement(using: &generator) ?? last
        values += try graph.movement(of: from, index, &generator)
      }
      let read = Set(graph.proto.nodes.flatMap(\.inputs))
      let outputs = values.map(\.name).filter { !read.contains($0) }
      let model = try graph.model(outputs: outputs)
      fused += try model.graph.optimized(.exact).nodes.count { $0.operatorName.type == "Rearrange" }
      try check(model, shape, outputs, "seed \(seed)")
    }
    #expect(fused > 300)
  }

  @Test func elementsOutsideAreRefused() {
    #expect(StridedView(shape: [2, 3], strides: [3, 1], offset: 0, of: 6) != nil)
    #expect(StridedView(shape: [2, 3], strides: [-3, 1], offset: 3, of: 6) != nil)
    for (strides, offset) in [
      ([3, 1], 1), ([4, 1], 0), ([-3, 1], 2), ([3, -1], 0), ([.max, 1], 0), ([.min, 1], 0),
    ] {
      #expect(StridedView(shape: [2, 3], strides: strides, offset: offset, of: 6) == nil)
    }
    #expect(StridedView(shape: [2, 3], strides: [1], offset: 0, of: 6) == nil)
    #expect(StridedView(of: [2, 0]) == nil)
  }
}

extension SmallGraph {
  fileprivate mutating func reshape(_ input: String, _ shape: [Int], _ output: String) throws {
    try constant("\(output) shape", GraphValue(Tensor(shape.map { Int64($0) })))
    node("Reshape", [input, "\(output) shape"], [output])
  }

  fileprivate mutating func axes(_ type: String, _ input: String, _ axes: [Int64], _ output: String) throws {
    try constant("\(output) axes", GraphValue(Tensor(axes)))
    node(type, [input, "\(output) axes"], [output])
  }

  fileprivate mutating func slice(
    _ input: String, axis: Int, from start: Int, to end: Int, step: Int, _ output: String
  ) throws {
    let numbers = ["start": start, "end": end, "axis": axis, "step": step]
    for (name, number) in numbers { try constant("\(output) \(name)", GraphValue(Tensor([Int64(number)]))) }
    node("Slice", [input] + ["start", "end", "axis", "step"].map { "\(output) \($0)" }, [output])
  }

  /// A node that moves what another gives, and now and then one that computes.
  fileprivate mutating func movement(
    of value: (name: String, shape: [Int]), _ index: Int, _ generator: inout SplitMix64
  ) throws -> [(name: String, shape: [Int])] {
    let (name, shape) = value
    let output = "y\(index)"
    let axis = shape.isEmpty ? 0 : Int.random(in: shape.indices, using: &generator)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<4:
      let order = shape.indices.shuffled(using: &generator)
      node("Transpose", [name], [output], ["perm": .ints(order.map { Int64($0) })])
      return [(output, order.map { shape[$0] })]
    case 4..<7:
      var rest = shape.reduce(1, *)
      var newShape: [Int] = []
      while rest > 1 {
        let part = (2...rest).filter { rest.isMultiple(of: $0) }.randomElement(using: &generator) ?? rest
        newShape.append(part)
        rest /= part
        if Bool.random(using: &generator) { newShape.append(1) }
      }
      try reshape(name, newShape, output)
      return [(output, newShape)]
    case 7 where !shape.isEmpty:
      let place = Int64.random(in: -Int64(shape[axis])..<Int64(shape[axis]), using: &generator)
      try constant("\(output) place", GraphValue(Tensor([place], shape: [])))
      node("Gather", [name, "\(output) place"], [output], ["axis": .int(Int64(axis))])
      return [(output, Array(shape[..<axis] + shape[(axis + 1)...]))]
    case 8 where !shape.isEmpty:
      let start = Int.random(in: 0..<shape[axis], using: &generator)
      let step = Int.random(in: 1...2, using: &generator)
      try slice(name, axis: axis, from: start, to: .max, step: step, output)
      var cut = shape
      cut[axis] = (shape[axis] - start + step - 1) / step
      return [(output, cut)]
    case 9 where !shape.isEmpty && shape[axis].isMultiple(of: 2):
      node("Split", [name], [output, "\(output)b"], ["axis": .int(Int64(axis)), "num_outputs": .int(2)])
      var half = shape
      half[axis] /= 2
      return [(output, half), ("\(output)b", half)]
    case 10:
      try axes("Unsqueeze", name, [0], output)
      return [(output, [1] + shape)]
    default:
      node("Neg", [name], [output])
      return [(output, shape)]
    }
  }
}
