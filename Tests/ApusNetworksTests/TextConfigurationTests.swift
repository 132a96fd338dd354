import Apus
import ApusNetworks
import Testing

@Suite struct TextConfigurationTests {
  @Test func whatIsNotSaidHasTheDefaultsOfHuggingFace() throws {
    let bert = try BERTConfiguration(json: "{}")
    #expect(bert == BERTConfiguration())
    #expect((bert.hiddenSize, bert.layerCount, bert.headCount) == (768, 12, 12))
    #expect((bert.intermediateSize, bert.hiddenActivation) == (3072, .gelu()))
    let mobile = try MobileBERTConfiguration(json: "{}")
    #expect(mobile == MobileBERTConfiguration())
    #expect((mobile.hiddenSize, mobile.bodySize, mobile.layerCount) == (512, 128, 24))
    #expect(mobile.labels == ["LABEL_0", "LABEL_1"])
  }

  @Test func valuesAreReadAndWhatIsUnknownIsPassedOver() throws {
    let configuration = try MobileBERTConfiguration(
      json: """
        {"architectures": ["MobileBertForMaskedLM"], "hidden_size": 64, "use_bottleneck": false, "hidden_act": "gelu",
         "normalization_type": "layer_norm", "layer_norm_eps": 1e-05, "num_labels": null, "torch_dtype": "float32",
         "id2label": {"1": "no", "0": "yes", "2": "perhaps"}, "task": {"deep": [[1, {"x": null}]]}}
        """)
    #expect(configuration.bodySize == 64)
    #expect(configuration.hiddenActivation == .gelu())
    #expect(configuration.normalization == .layerNorm)
    #expect(configuration.layerNormEpsilon == 1e-5)
    #expect(configuration.labels == ["yes", "no", "perhaps"])
    #expect(try BERTConfiguration(json: #"{"num_labels": 4}"#).labels.count == 4)
  }

  @Test(arguments: [
    #"{"hidden_act": "magic"}"#, #"{"hidden_act": 3}"#, #"{"num_attention_heads": 0}"#, #"{"hidden_size": -8}"#,
    #"{"hidden_size": 9223372036854775807}"#, #"{"hidden_size": 1e300}"#, #"{"hidden_size": "64"}"#,
    #"{"num_attention_heads": 7}"#, #"{"vocab_size": 0}"#, #"{"num_hidden_layers": -1}"#,
    #"{"max_position_embeddings": 0}"#, #"{"type_vocab_size": 0}"#, #"{"layer_norm_eps": -1}"#,
    #"{"intermediate_size": 99999999999}"#, #"{"num_labels": 0}"#, #"{"id2label": {"3": "a"}}"#,
    #"{"layer_norm_eps": "small"}"#, #"{"tie_word_embeddings": 1}"#, #"{"hidden_size": [1]}"#,
  ])
  func valuesThatCannotBeAreRefusedByName(json: String) throws {
    let key = try #require(json.split(separator: "\"").dropFirst().first)
    let bert = try #require(throws: ModelConfigurationError.self) { try BERTConfiguration(json: json) }
    #expect(bert.name == String(key))
    #expect("\(bert)".contains(": \"\(key)\" "))
    let mobile = try #require(throws: ModelConfigurationError.self) { try MobileBERTConfiguration(json: json) }
    #expect(mobile.name == String(key))
  }

  @Test(arguments: [
    #"{"normalization_type": "batch_norm"}"#, #"{"num_feedforward_networks": 0}"#, #"{"intra_bottleneck_size": 0}"#,
    #"{"embedding_size": 0}"#, #"{"key_query_shared_bottleneck": false}"#, #"{"use_bottleneck": "yes"}"#,
  ])
  func soAreThoseOfMobileBERTAlone(json: String) throws {
    let key = try #require(json.split(separator: "\"").dropFirst().first)
    let error = try #require(throws: ModelConfigurationError.self) { try MobileBERTConfiguration(json: json) }
    #expect(error.name == String(key))
  }

  @Test(arguments: [
    #"{"is_decoder": true}"#, #"{"add_cross_attention": true}"#, #"{"position_embedding_type": "relative_key"}"#,
  ])
  func anotherKindOfNetworkIsRefused(json: String) {
    #expect(throws: ModelConfigurationError.self) { try BERTConfiguration(json: json) }
  }

  @Test(arguments: ["", "[]", "{", "3", #"{"a": 1} x"#, #"{"a": 1, "a": 2}"#, "{\"a\": \u{1}}"])
  func whatIsNoObjectIsRefused(json: String) {
    #expect(throws: JSONError.self) { try BERTConfiguration(json: json) }
  }

  @Test func aTextThatIsTooLongIsRefused() throws {
    let json = "{\"a\": \"" + String(repeating: "x", count: 1 << 20) + "\"}"
    #expect(throws: ModelConfigurationError.self) { try BERTConfiguration(json: json) }
  }
}
