import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// What random inputs are drawn from. The numbers were computed with Python's integers from the definition of SplitMix64
/// and FNV-1a, for the name "ids" and the seed 3.
@Suite struct RandomInputTests {
  private func drawn(_ type: ElementType, _ range: RandomRange) throws -> [Double] {
    guard case .tensor(let tensor) = try GraphValue(random: type, shape: [8], seed: 3, name: "ids", range: range) else {
      return []
    }
    return try tensor.converted(to: Double.self).elements
  }

  @Test func numbersAreThoseOfTheDefinition() throws {
    #expect(try drawn(.int64, .rows(50)) == [38, 23, 3, 30, 11, 9, 27, 15])
    #expect(try drawn(.int32, .standard) == [1, 0, 0, 1, 0, 0, 1, 0])
    #expect(try drawn(.bool, .standard) == [1, 0, 0, 1, 0, 0, 1, 0])
    let bytes: [Double] = [195, 119, 17, 154, 61, 46, 142, 78]
    for type in [ElementType.float, .double, .uint8, .float16] { #expect(try drawn(type, .bytes) == bytes) }
    #expect(try drawn(.float, .rows(7)) == [5, 3, 0, 4, 1, 1, 3, 2])
    #expect(
      try drawn(.float, .standard) == [
        0.5241059064865112, -0.06985414028167725, -0.8613290786743164, 0.20815861225128174, -0.52049720287323,
        -0.6350808143615723, 0.1134939193725586, -0.38755500316619873,
      ])
    let narrow = try drawn(.int8, .rows(1000))
    #expect(narrow.allSatisfy { 0 <= $0 && $0 <= 127 })
  }

  /// Lengths of rows, computed the same way.
  @Test func masksHaveNoHoles() throws {
    for type in [ElementType.int64, .int32, .bool, .float, .double, .float16, .uint8] {
      for (length, ones) in [
        (5, [5, 4, 3, 4, 3, 3, 4, 3]), (8, [7, 6, 4, 7, 5, 4, 6, 5]), (1, [1, 1, 1, 1, 1, 1, 1, 1]),
      ] {
        let mask = try GraphValue(random: type, shape: [8, length], seed: 3, name: "ids", range: .mask)
        let wanted = ones.flatMap { ones in (0..<length).map { $0 < ones ? 1.0 : 0 } }
        guard case .tensor(let tensor) = mask else { continue }
        #expect(ElementType(tensor.dataType) == type && tensor.shape == [8, length])
        #expect(try tensor.converted(to: Double.self).elements == wanted)
      }
    }
    for shape in [[0, 4], [4, 0]] {
      #expect(try GraphValue(random: .int64, shape: shape, seed: 3, name: "ids", range: .mask).shape == shape)
    }
  }

  @Test(arguments: [
    ("attention_mask", 2, RandomRange.mask), ("decoder_attention_mask", 2, .mask), ("input_mask", 2, .mask),
    ("input_mask:0", 2, .mask), ("attention_mask", 4, .standard), ("attention_masks", 2, .standard),
    ("mask", 2, .standard),
  ])
  func masksAreKnownByNameAndRank(name: String, rank: Int, expected: RandomRange) throws {
    var graph = SmallGraph()
    graph.input(name, [GraphDimension](repeating: .symbol("n"), count: rank), .int64)
    graph.node("Neg", [name], ["y"])
    #expect(try graph.model(outputs: ["y"]).randomRange(of: name) == expected)
  }

  private func range(_ nodes: (inout SmallGraph) throws -> Void) throws -> RandomRange {
    var graph = SmallGraph()
    graph.input("ids", [.size(1), .size(4)], .int64)
    try graph.constant("table", GraphValue(Tensor<Float>(zeros: [50, 3])))
    try graph.constant("wide", GraphValue(Tensor<Float>(zeros: [2, 7])))
    try graph.constant("rows", GraphValue(Tensor<Int64>([50])))
    try graph.constant("zero", GraphValue(Tensor<Int64>([0])))
    try nodes(&graph)
    return try graph.model(outputs: ["y"]).randomRange(of: "ids")
  }

  @Test func indicesReachAllRows() throws {
    #expect(try range { $0.node("Gather", ["table", "ids"], ["y"]) } == .rows(50))
    #expect(try range { $0.node("Gather", ["wide", "ids"], ["y"], ["axis": .int(-1)]) } == .rows(7))
    #expect(
      try range {
        $0.node("Cast", ["ids"], ["narrow"], ["to": .int(6)])
        $0.node("Unsqueeze", ["narrow", "zero"], ["column"])
        $0.node("Identity", ["table"], ["same"])
        $0.node("Gather", ["same", "column"], ["y"])
      } == .rows(50))
    // As coremltools wraps negative indices.
    #expect(
      try range {
        $0.node("GreaterOrEqual", ["ids", "zero"], ["isPlace"])
        $0.node("Add", ["ids", "rows"], ["fromEnd"])
        $0.node("Where", ["isPlace", "ids", "fromEnd"], ["places"])
        $0.node("Gather", ["table", "places"], ["y"])
      } == .rows(50))
    // Of two tables, the rows that both have.
    #expect(
      try range {
        $0.node("Gather", ["table", "ids"], ["a"])
        $0.node("Gather", ["wide", "ids"], ["b"], ["axis": .int(1)])
        $0.node("Size", ["a"], ["y"])
        $0.node("Size", ["b"], ["z"])
      } == .rows(7))
  }

  @Test func otherIntegersAreOfTheirType() throws {
    #expect(try range { $0.node("Neg", ["ids"], ["y"]) } == .standard)
    #expect(
      try range {
        $0.node("Mul", ["ids", "rows"], ["places"])
        $0.node("Gather", ["table", "places"], ["y"])
      } == .standard)
    #expect(try range { $0.node("Gather", ["table", "zero"], ["y"]) } == .standard)
    // An axis that the table has not, which the node refuses.
    #expect(try range { $0.node("Gather", ["table", "ids"], ["y"], ["axis": .int(.max)]) } == .standard)
  }
}
