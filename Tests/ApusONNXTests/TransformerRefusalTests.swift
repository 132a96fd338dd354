import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Attention and recurrent nodes that make no sense are refused with a sentence; nothing traps.
@Suite struct TransformerRefusalTests {
  static let refusals: [Refusal] = {
    do {
      let x = try floats([1, 2, 3, 4])
      let flat = try floats([1, 3, 8])
      let microsoft = "com.microsoft"
      let heads: [String: AttributeValue] = ["q_num_heads": .int(2), "kv_num_heads": .int(2)]
      let (w, r) = (try floats([1, 8, 4]), try floats([1, 8, 2]))
      let steps = try floats([3, 1, 4])
      func text(_ string: String) -> AttributeValue { .string(Array(string.utf8)) }
      func groups(_ inputs: [GraphValue?], _ more: [String: AttributeValue] = [:]) -> Refusal {
        let attributes: [String: AttributeValue] = ["num_heads": .int(2), "kv_num_heads": .int(1)]
        return Refusal(
          "groups \(inputs.count) \(more)", "GroupQueryAttention", inputs, domain: microsoft,
          attributes.merging(more) { $1 })
      }
      return [
        Refusal("side by side, and no heads", "Attention", [flat, flat, flat], opset: 23),
        Refusal(
          "heads that do not divide", "Attention", [flat, flat, flat], opset: 23,
          ["q_num_heads": .int(3), "kv_num_heads": .int(3)]),
        Refusal("heads that are not shared", "Attention", [try floats([1, 3, 3, 4]), x, x], opset: 23),
        Refusal("keys of other features", "Attention", [x, try floats([1, 2, 3, 5]), x], opset: 23),
        Refusal("a mask of another shape", "Attention", [x, x, x, try floats([2, 7])], opset: 23),
        Refusal("half a past", "Attention", [flat, flat, flat, nil, x], opset: 23, heads),
        Refusal("lengths of another batch", "Attention", [x, x, x, nil, nil, nil, try whole([1, 2])], opset: 24),
        Refusal("a window of minus two", "Attention", [x, x, x], opset: 25, ["left_window_size": .int(-2)]),
        Refusal("softmax in integers", "Attention", [x, x, x], opset: 23, ["softmax_precision": .int(7)]),
        Refusal("unknown scores", "Attention", [x, x, x], opset: 23, ["qk_matmul_output_mode": .int(4)]),
        Refusal("flat flexible attention", "FlexAttention", [flat, flat, flat], opset: 1, domain: "ai.onnx.preview"),
        Refusal("linear attention without decay", "LinearAttention", [flat, flat, flat], opset: 27, heads),
        Refusal(
          "linear attention by no rule", "LinearAttention", [flat, flat, flat], opset: 27,
          heads.merging(["update_rule": text("sum")]) { $1 }),
        Refusal(
          "tables of another width", "RotaryEmbedding", [x, try floats([9, 3]), try floats([9, 3]), try whole([0])]),
        Refusal(
          "a place behind the tables", "RotaryEmbedding",
          [x, try floats([2, 2]), try floats([2, 2]), GraphValue(try Tensor<Int64>([0, 1, 2], shape: [1, 3]))]),
        Refusal("a scatter along the batch", "TensorScatter", [x, x], opset: 24, ["axis": .int(0)]),
        Refusal("a scatter beyond the end", "TensorScatter", [x, x, try whole([1])], opset: 24),
        Refusal("a scatter of another type", "TensorScatter", [x, try whole([1, 2])], opset: 24),
        Refusal("weights of another depth", "LSTM", [steps, try floats([1, 8, 3]), r]),
        Refusal("gates that do not fit", "GRU", [steps, w, r]),
        Refusal("another hidden size", "LSTM", [steps, w, r], ["hidden_size": .int(3)]),
        Refusal("an unknown direction", "RNN", [steps, w, r], ["direction": text("up")]),
        Refusal("two directions, weights of one", "LSTM", [steps, w, r], ["direction": text("bidirectional")]),
        Refusal("an unknown function", "LSTM", [steps, w, r], ["activations": .strings([Array("Sin".utf8)])]),
        Refusal("too few functions", "LSTM", [steps, w, r], ["activations": .strings([Array("Tanh".utf8)])]),
        Refusal("sequences beyond the last step", "LSTM", [steps, w, r, nil, try whole([4])]),
        Refusal("a layout of two", "LSTM", [steps, w, r], ["layout": .int(2)]),
        Refusal("a state of another shape", "LSTM", [steps, w, r, nil, nil, try floats([1, 2, 2])]),
        Refusal("peepholes of another shape", "LSTM", [steps, w, r, nil, nil, nil, nil, try floats([1, 5])]),
        Refusal(
          "a projection of another depth", "Attention", [flat, try floats([7, 12])], domain: microsoft,
          ["num_heads": .int(2)]),
        Refusal(
          "no heads at all", "MultiHeadAttention", [flat, flat, flat], domain: microsoft, ["num_heads": .int(0)]),
        Refusal(
          "a mask of five keys", "MultiHeadAttention", [flat, flat, flat, nil, try whole([1, 2, 3])], domain: microsoft,
          ["num_heads": .int(2)]),
        groups([flat, try floats([1, 3, 4]), try floats([1, 3, 4]), nil, nil, try whole([9]), try whole([3])]),
        groups([flat, try floats([1, 3, 4]), try floats([1, 3, 4]), nil, nil, try whole([4]), try whole([5])]),
        groups([flat, nil, nil, nil, nil, try whole([.max]), try whole([.max])]),
        Refusal(
          "heads of nothing", "Attention", [try floats([1, 3, 0]), try floats([1, 3, 0]), try floats([1, 3, 0])],
          opset: 23, ["q_num_heads": .int(1 << 40), "kv_num_heads": .int(1 << 40)]),
        Refusal(
          "steps without inputs", "LSTM",
          [try floats([1 << 50, 1, 0]), try floats([1, 8, 0]), r, nil, try whole([2])], ["direction": text("reverse")]),
        Refusal(
          "places without samples", "EmbedLayerNormalization",
          [
            GraphValue(try Tensor<Int32>(zeros: [0, 1 << 50])), nil, try floats([3, 2]), try floats([3, 2]), nil,
            try floats([2]), try floats([2]),
          ], domain: microsoft),
        groups([flat], ["k_quant_type": text("PER_TENSOR")]),
        Refusal(
          "a skip of another shape", "SkipLayerNormalization", [flat, try floats([2, 8]), try floats([8])],
          domain: microsoft),
        Refusal(
          "a word outside the table", "EmbedLayerNormalization",
          [
            GraphValue(try Tensor<Int32>([7], shape: [1, 1])), nil, try floats([3, 2]), try floats([3, 2]), nil,
            try floats([2]), try floats([2]),
          ], domain: microsoft),
      ]
    } catch {
      return [Refusal("\(error)", "", [])]
    }
  }()

  @Test(arguments: refusals)
  func isRefused(refusal: Refusal) {
    #expect(throws: (any Error).self) { try refusal.run() }
  }

  /// Not ignored: with lengths other rows count.
  @Test func lengthsOfQueriesAreRefused() throws {
    let sides = [try GraphValue.noise([1, 3, 8]), try .noise([1, 3, 4], seed: 2), try .noise([1, 3, 4], seed: 3)]
    let ends: [GraphValue?] = [nil, nil, try .whole([2]), try .whole([3])]
    let heads: [String: AttributeValue] = ["num_heads": .int(2), "kv_num_heads": .int(1)]
    func run(_ more: [GraphValue?]) throws {
      _ = try runNode("GroupQueryAttention", domain: "com.microsoft", sides + ends + more, opset: 1, outputs: 3, heads)
    }
    try run([])
    #expect { try run([GraphValue?](repeating: nil, count: 9) + [.whole([3])]) } throws: {
      "\($0)".contains("lengths of queries")
    }
  }
}

/// Every case of these operators runs with all numbers in float64, and gives nearly the same.
@Suite struct TransformerFloat64Tests {
  static let cases = FixtureCase.all.filter {
    ["transformer", "quantized", "microsoft"].contains(where: $0.testDescription.hasPrefix)
  }

  @Test(arguments: cases)
  func agreesInFloat64(fixture: FixtureCase) throws {
    let test = try fixture.test.get()
    var wide = InferenceSession.Options()
    wide.computesInFloat64 = true
    for (narrow, truth) in zip(try test.outputs(options: .init()), try test.outputs(options: wide)) {
      for (name, value) in narrow {
        guard case .tensor(let actual) = value, case .tensor(let exact)? = truth[name] else { continue }
        #expect(actual.shape == exact.shape)
        guard actual.dataType.isFloatingPoint else { continue }
        #expect(exact.dataType == .float64)
        let scale = actual.dataType == .float32 || actual.dataType == .float64 ? 1e-3 : 2e-2
        for (a, b) in zip(try actual.converted(to: Double.self).elements, try exact.converted(to: Double.self).elements)
        {
          #expect((a - b).magnitude <= scale * max(1, b.magnitude), "\(name)")
        }
      }
    }
  }
}
