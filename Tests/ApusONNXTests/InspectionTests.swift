import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Multiply-adds counted by hand.
@Suite struct InspectionTests {
  private func count(
    _ type: String, domain: String = "", _ inputs: [[Int]?], _ output: [Int],
    _ attributes: [String: AttributeValue] = [:]
  ) -> Int? {
    let node = Node(
      name: "node", operatorName: OperatorName(domain: domain, type: type), opset: 23, inputs: [], outputs: [],
      attributes: attributes)
    return node.multiplyAdds(inputs: inputs, outputs: [output])
  }

  @Test func convolutionsTakeAFilterForEachOutput() {
    // 8 × 10 × 10 outputs, filters of 3 × 5 × 5.
    #expect(count("Conv", [[1, 3, 14, 14], [8, 3, 5, 5]], [1, 8, 10, 10]) == 800 * 75)
    // Depthwise: a filter has one channel.
    #expect(count("Conv", [[1, 8, 12, 12], [8, 1, 3, 3]], [1, 8, 10, 10]) == 800 * 9)
    // Transposed: each input spreads over 4 × 2 × 2.
    #expect(count("ConvTranspose", [[1, 3, 5, 5], [3, 4, 2, 2]], [1, 4, 10, 10]) == 75 * 16)
    #expect(count("QLinearConv", [[1, 3, 14, 14], [], [], [8, 3, 5, 5]], [1, 8, 10, 10]) == 800 * 75)
  }

  @Test func productsTakeTheSharedExtentForEachOutput() {
    #expect(count("MatMul", [[7, 2, 3], [3, 4]], [7, 2, 4]) == 7 * 2 * 4 * 3)
    #expect(count("MatMul", [[3], [3]], []) == 3)
    #expect(count("Gemm", [[2, 3], [3, 4]], [2, 4]) == 24)
    #expect(count("Gemm", [[3, 2], [3, 4]], [2, 4], ["transA": .int(1)]) == 24)
    #expect(count("Einsum", [[2, 3], [3, 4]], [2, 4], ["equation": .string(Array("ij, jk -> ik".utf8))]) == 24)
    #expect(
      count("Einsum", [[5, 2, 3], [5, 3, 4]], [5, 2, 4], ["equation": .string(Array("...ij,...jk".utf8))]) == 120)
  }

  @Test(arguments: [
    // The left operand is 5 matrices of 2 × 3; its batch lies in front, or before the last axis.
    (left: [5, 2, 3], attributes: [String]()), (left: [5, 3, 2], attributes: ["transA"]),
    (left: [2, 5, 3], attributes: ["transBatchA"]), (left: [3, 5, 2], attributes: ["transA", "transBatchA"]),
  ])
  func fusedProductsTakeWhatTheirOrderShares(left: [Int], attributes: [String]) {
    let flags = Dictionary(uniqueKeysWithValues: attributes.map { ($0, AttributeValue.int(1)) })
    #expect(count("FusedMatMul", domain: "com.microsoft", [left, [5, 3, 4]], [5, 2, 4], flags) == 5 * 2 * 4 * 3)
  }

  @Test func attentionMeetsEveryKeyTwice() {
    // 2 heads, 3 queries, 5 keys of which 1 is past, 4 numbers a key and 6 a value.
    #expect(
      count("Attention", [[1, 2, 3, 4], [1, 2, 4, 4], [1, 2, 4, 6], nil, [1, 2, 1, 4]], [1, 2, 3, 6])
        == 2 * 3 * 5 * (4 + 6))
  }

  @Test func attentionOfONNXRuntimeMeetsPastKeysToo() {
    func count(_ type: String, _ inputs: [[Int]?], _ output: [Int]) -> Int? {
      self.count(type, domain: "com.microsoft", inputs, output)
    }
    // 3 tokens of 4 features projected to 12; 2 past keys.
    #expect(
      count("Attention", [[1, 3, 4], [4, 12], nil, nil, [2, 1, 1, 2, 4]], [1, 3, 4]) == 3 * 4 * 12 + 3 * 5 * (4 + 4))
    // Past keys of 2 heads, 1 of them each; then queries, keys and values packed.
    let past: [[Int]?] = [[1, 3, 8], [1, 5, 8], [1, 5, 8], nil, nil, nil, [1, 2, 1, 4]]
    #expect(count("MultiHeadAttention", past, [1, 3, 8]) == 3 * 6 * (8 + 8))
    #expect(count("MultiHeadAttention", [[1, 3, 2, 3, 4]], [1, 3, 8]) == 3 * 3 * (8 + 8))
    // 4 heads of queries and 2 of keys and values packed, 7 past keys.
    #expect(count("GroupQueryAttention", [[1, 3, 32], nil, nil, [1, 2, 7, 4]], [1, 3, 16]) == 3 * 10 * (16 + 16))
    #expect(count("MatMulNBits", [[2, 32], [8, 1, 16]], [2, 8]) == 2 * 8 * 32)
  }

  @Test func linearAttentionReadsAndChangesAState() {
    // 2 heads of queries share a state of 4 × 6; the delta rule reads it once more for each key.
    let inputs: [[Int]?] = [[1, 3, 8], [1, 3, 4], [1, 3, 6]]
    let heads: [String: AttributeValue] = ["q_num_heads": .int(2), "kv_num_heads": .int(1)]
    #expect(count("LinearAttention", inputs, [1, 3, 12], heads) == 3 * (2 + 1) * 4 * 6)
    #expect(count("LinearAttention", inputs + [nil, nil, [1, 3, 1]], [1, 3, 12], heads) == 3 * (2 + 2) * 4 * 6)
    #expect(count("CausalConvWithState", [[1, 2, 5], [2, 1, 3]], [1, 2, 5]) == 2 * 5 * 3)
  }

  @Test func statesThatShareAQueryAreReadEach() {
    // 2 states of 4 × 3, read by one head of queries.
    #expect(
      count(
        "LinearAttention", domain: "com.microsoft", [[1, 3, 4], [1, 3, 8], [1, 3, 6]], [1, 3, 6],
        ["q_num_heads": .int(1), "kv_num_heads": .int(2)]) == 3 * (2 + 2) * 4 * 3)
  }

  @Test func tokensMeetTheLayersOfTheirExperts() {
    // 5 tokens of 4 features, 2 of 3 experts with 6 hidden numbers; then two numbers a byte.
    let tokens: [[Int]?] = [[5, 4], [5, 3]]
    let two: [String: AttributeValue] = ["k": .int(2)]
    #expect(count("MoE", domain: "com.microsoft", tokens + [[3, 6, 4], nil, [3, 4, 6]], [5, 4], two) == 5 * 2 * 48)
    let packed: [[Int]?] = tokens + [[3, 6, 2], [3, 6, 1], nil, [3, 4, 3], [3, 4, 1]]
    #expect(count("QMoE", domain: "com.microsoft", packed, [5, 4], two) == 5 * 2 * 48)
  }

  @Test func recurrentNetworksMultiplyEveryStep() {
    // 5 steps of 2 sequences; input 3, state 4, four gates.
    #expect(count("LSTM", [[5, 2, 3], [1, 16, 3], [1, 16, 4]], [5, 1, 2, 4]) == 10 * 16 * 7)
  }

  @Test func elementwiseOperatorsAndAbsurdShapesAreHarmless() {
    #expect(count("Relu", [[2]], [2]) == nil)
    #expect(count("MatMul", [[.max, .max], [.max, .max]], [.max, .max]) == .max)
    #expect(count("Conv", [], [1]) == nil)
  }

  @Test func openDimensionsGoBySymbolOrByInputAndAxis() throws {
    let inputs = [
      Graph.ValueInfo(name: "x", type: .tensor(.float, [.symbol("n"), .size(3), .unknown])),
      Graph.ValueInfo(name: "y", type: .tensor(.float, [.symbol("n")])),
    ]
    #expect(OpenDimensions().missing(in: inputs) == ["n", "x.2"])
    var open = OpenDimensions(["x.2": 4])
    #expect(open.shape(of: inputs[0]) == nil)
    open.take(from: GraphValue(try Tensor<Float>(zeros: [7])), for: inputs[1])
    #expect(open.shape(of: inputs[0]) == [7, 3, 4])
    #expect(open.missing(in: inputs).isEmpty)
  }
}
