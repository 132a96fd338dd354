import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Nodes of ONNX Runtime's own operators, and of those the standard took back, that make no sense are refused with a sentence.
@Suite struct MicrosoftRefusalTests {
  static let refusals: [Refusal] = {
    do {
      let (x, square, row) = (try floats([2, 3, 4]), try floats([3, 3]), try floats([4]))
      func refusal(
        _ name: String, _ type: String, _ inputs: [GraphValue?], _ attributes: [String: AttributeValue] = [:]
      ) -> Refusal {
        Refusal(name, type, inputs, opset: 1, domain: "com.microsoft", attributes)
      }
      func text(_ string: String) -> AttributeValue { .string(Array(string.utf8)) }
      func bytes(_ shape: [Int]) throws -> GraphValue { GraphValue(try Tensor<UInt8>(zeros: shape)) }

      let (tokens, router) = (try floats([5, 4]), try floats([5, 2]))
      let layers: [GraphValue?] = [try floats([2, 6, 4]), nil, try floats([2, 4, 6])]
      let experts = [tokens, router] + layers
      let packed: [GraphValue?] = [
        tokens, router, try bytes([2, 6, 2]), try floats([2, 6]), nil, try bytes([2, 4, 3]), try floats([2, 4]),
      ]
      let heads: [String: AttributeValue] = [
        "num_heads": .int(2), "kv_num_heads": .int(2), "local_window_size": .int(3), "sliding_window_cache": .int(1),
      ]
      let sides: [GraphValue?] = [try floats([1, 1, 8]), try floats([1, 1, 8]), try floats([1, 1, 8])]
      let ends: [GraphValue?] = [try whole([4]), try whole([5])]
      func caches(_ keys: Int, _ values: Int) throws -> [GraphValue?] {
        [try floats([1, 2, keys, 4]), try floats([1, 2, values, 4])]
      }
      let flat = try floats([1, 3, 8])
      let linear: [String: AttributeValue] = [
        "q_num_heads": .int(2), "kv_num_heads": .int(4), "update_rule": text("linear"),
      ]
      let (sequence, kernel) = (try floats([1, 2, 5]), try floats([2, 1, 3]))
      let map = try floats([2, 3, 3, 4])
      func groups(_ count: Int64) -> [String: AttributeValue] { ["groups": .int(count), "activation": .int(0)] }
      let tables: [GraphValue?] = [try floats([9, 4]), try floats([9, 4])]
      let places = GraphValue(try Tensor<Int64>(zeros: [3, 1, 3]))
      let sections: [String: AttributeValue] = [
        "mrope_section": .ints([2, 1, 1]), "num_heads": .int(1), "rotary_embedding_dim": .int(8),
      ]
      return [
        refusal("a window beyond its cache", "GroupQueryAttention", sides + (try caches(2, 2)) + ends, heads),
        refusal("caches of two sizes", "GroupQueryAttention", sides + (try caches(3, 4)) + ends, heads),
        refusal("no cache that slides", "GroupQueryAttention", sides + [nil, nil] + ends, heads),
        refusal(
          "a cache that slides without a window", "GroupQueryAttention", sides + (try caches(3, 3)) + ends,
          heads.merging(["local_window_size": .int(-1)]) { $1 }),
        refusal(
          "a norm of queries alone", "GroupQueryAttention",
          sides + (try caches(3, 3)) + ends + [GraphValue?](repeating: nil, count: 7) + [row], heads),
        refusal(
          "three heads for four states", "LinearAttention", [flat, flat, flat],
          linear.merging(["q_num_heads": .int(3)]) { $1 }),
        refusal(
          "a window of states", "LinearAttention", [flat, flat, flat], linear.merging(["state_window": .int(1)]) { $1 }),
        Refusal("shared queries", "LinearAttention", [flat, flat, flat], opset: 27, linear),
        refusal("a convolution over maps", "CausalConvWithState", [sequence, kernel], ["ndim": .int(2)]),
        refusal("no dilation", "CausalConvWithState", [sequence, kernel], ["dilation": .int(0)]),
        refusal("a dilation without end", "CausalConvWithState", [sequence, kernel], ["dilation": .int(.max)]),
        refusal("channels that are first", "CausalConvWithState", [sequence, kernel], ["channels_last": .int(1)]),
        refusal("no expert for a token", "MoE", experts, ["k": .int(0)]),
        refusal("three of two experts", "MoE", experts, ["k": .int(3)]),
        refusal("an unknown function", "MoE", experts, ["activation_type": text("sine")]),
        refusal("gates without values", "MoE", experts, ["activation_type": text("swiglu")]),
        refusal("a sparse mixer", "MoE", experts, ["use_sparse_mixer": .int(1)]),
        refusal("a router of other tokens", "MoE", [tokens, try floats([4, 2])] + layers),
        refusal("a router of other experts", "MoE", [tokens, try floats([5, 3])] + layers),
        refusal("experts of other features", "MoE", [try floats([5, 3]), router] + layers),
        refusal("layers of other experts", "MoE", [tokens, router, layers[0], nil, try floats([3, 4, 6])]),
        refusal("a layer behind of another width", "MoE", [tokens, router, layers[0], nil, try floats([2, 4, 5])]),
        refusal("a bias of another width", "MoE", [tokens, router, layers[0], try floats([2, 5]), layers[2]]),
        refusal("experts of five bits", "QMoE", packed, ["expert_weight_bits": .int(5)]),
        refusal("experts of floats", "QMoE", packed, ["quant_type": text("fp4")]),
        refusal("experts without scales", "QMoE", packed.enumerated().map { $0 == 3 ? nil : $1 }),
        refusal("blocks that hold no whole bytes", "QMoE", packed, ["block_size": .int(3)]),
        refusal("scales of other experts", "QMoE", packed.enumerated().map { $0 == 3 ? row : $1 }),
        refusal("a gate of another shape", "GatedRMSNorm", [x, row, try floats([2, 3, 5])]),
        refusal("scales that do not divide", "GatedRMSNorm", [x, try floats([3]), x]),
        refusal("an unknown gate", "GatedRMSNorm", [x, row, x], ["activation": text("relu")]),
        refusal("a bias of other heads", "LinearAttentionGate", [x, try floats([3]), row]),
        refusal("two scales", "ScaledSiLU", [x, try floats([2])]),
        refusal("a gate for each feature", "GatedAdd", [x, x, x]),
        refusal("a gate that is projected", "GatedAdd", [x, x, try floats([2, 3, 1]), row]),
        refusal("two sections", "MRotaryEmbedding", [flat, places] + tables, ["mrope_section": .ints([2, 2])]),
        refusal(
          "sections beyond the tables", "MRotaryEmbedding", [flat, places] + tables,
          ["mrope_section": .ints([2, 1, 2])]),
        refusal(
          "sections of less than nothing", "MRotaryEmbedding", [flat, places] + tables,
          ["mrope_section": .ints([5, -2, 1])]),
        refusal("positions of one axis", "MRotaryEmbedding", [flat, try whole([0, 1, 2])] + tables, sections),
        refusal(
          "a position behind the tables", "MRotaryEmbedding",
          [flat, GraphValue(try Tensor<Int64>(repeating: 9, shape: [3, 1, 3]))] + tables, sections),
        refusal(
          "half a weight", "MatMulBnb4", [tokens, try bytes([5]), row],
          ["K": .int(4), "N": .int(3), "block_size": .int(16), "quant_type": .int(1)]),
        refusal(
          "a third type", "MatMulBnb4", [tokens, try bytes([6]), row],
          ["K": .int(4), "N": .int(3), "block_size": .int(16), "quant_type": .int(2)]),
        refusal("no square", "Inverse", [x]),
        refusal("channels in three groups", "GroupNorm", [map, row, row], groups(3)),
        refusal("channels in no groups", "GroupNorm", [map, row, row], groups(0)),
        refusal("maps of one axis", "GroupNorm", [x, row, row], groups(2)),
        refusal("a skip of other places", "SkipGroupNorm", [map, row, row, try floats([1, 2, 2, 4])], groups(2)),
        refusal("a skip of one sample", "SkipGroupNorm", [map, row, row, row], groups(2)),
        refusal("a weight of other channels", "NhwcConv", [map, try floats([5, 2, 2, 3])]),
        refusal("halves of five", "BiasSplitGelu", [try floats([1, 2, 5]), try floats([5])]),
        refusal("a bias of other features", "BiasAdd", [x, try floats([3]), x]),
        refusal("a bias of each place", "GemmFastGelu", [square, square, square]),
        refusal(
          "a stack of keys and wider values", "Attention", [flat, try floats([8, 20])],
          ["num_heads": .int(2), "qkv_hidden_sizes": .ints([4, 4, 12])]),
        refusal("rows of two widths", "CDist", [square, tokens]),
        refusal("an unknown metric", "CDist", [square, square], ["metric": text("cosine")]),
        refusal("an axis beyond", "ExpandDims", [x, try whole([5])]),
        refusal("a matrix of elements", "Unique", [square]),
        refusal("pools of floats", "NhwcMaxPool", [try floats([1, 4, 4, 2])], ["kernel_shape": .ints([2, 2])]),
        refusal(
          "embeddings without zero points", "QEmbedLayerNormalization",
          [GraphValue(try Tensor<Int32>(zeros: [1, 2])), nil, try bytes([3, 2]), try bytes([3, 2])]),
        Refusal(
          "biases of other channels", "ImageScaler", [try floats([1, 3, 2, 2])], opset: 9, ["bias": .floats([1])]),
        Refusal("a border of nothing", "Crop", [try floats([1, 3, 2, 2])], opset: 9),
        Refusal("a border beyond", "Crop", [try floats([1, 3, 2, 2])], opset: 9, ["border": .ints([1, 1, 2, 0])]),
        Refusal(
          "a window beyond", "Crop", [try floats([1, 3, 2, 2])], opset: 9,
          ["border": .ints([0, 0, 0, 0]), "scale": .ints([.max, 1])]),
      ]
    } catch {
      return [Refusal("\(error)", "", [])]
    }
  }()

  @Test(arguments: refusals)
  func isRefused(refusal: Refusal) {
    #expect(throws: (any Error).self) { try refusal.run() }
  }
}
