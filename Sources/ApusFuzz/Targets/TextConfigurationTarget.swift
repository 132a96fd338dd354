import Apus
import ApusNetworks

/// The `config.json` of a text model, and the model that is built from what it says.
struct TextConfigurationTarget: JSONFuzzTarget, RunningFuzzTarget {
  let name = "text-config"
  let summary = "config.json of BERT and MobileBERT, and a small network built as it says"
  let dictionary = [
    "\"hidden_act\"", "\"gelu\"", "\"layer_norm\"", "\"no_norm\"", "\"use_bottleneck\"", "\"trigram_input\"",
    "\"use_bottleneck_attention\"", "\"key_query_shared_bottleneck\"", "\"num_feedforward_networks\"",
    "\"tie_word_embeddings\"", "\"layer_norm_eps\"", "\"id2label\"", "\"num_labels\"", "true", "false", "null", "0",
    "-1",
    "1e-12", "9223372036854775807", "{", "}", "[", "]", ":", ",",
  ]

  /// The smallest network with every part.
  static let configuration = """
    {"vocab_size":5,"hidden_size":8,"embedding_size":4,"num_hidden_layers":1,"num_attention_heads":2,\
    "intermediate_size":4,"intra_bottleneck_size":4,"num_feedforward_networks":2,"max_position_embeddings":4,\
    "hidden_act":"relu","normalization_type":"no_norm"}
    """

  /// Its parameters, all zeros: what it asks for until it is content.
  static let parameters: [String: AnyTensor] = {
    var tensors: [String: AnyTensor] = [:]
    for _ in 0..<1000 {
      do {
        _ = try MobileBERTForMaskedLM<Float>(Weights(tensors), configuration: .init(json: configuration))
        break
      } catch let error as WeightsError {
        switch error.reason {
        case .missing(let name, _): tensors[name] = try? AnyTensor(Tensor<Float>(zeros: [0]))
        case .wrongShape(let name, _, let expected): tensors[name] = try? AnyTensor(Tensor<Float>(zeros: expected))
        case .wrongType, .unexpected: return tensors
        }
      } catch {
        return tensors
      }
    }
    return tensors
  }()

  func seeds() -> [[UInt8]] {
    [
      Self.configuration, "{}", #"{"id2label":{"0":"a","1":"b"},"num_labels":2,"layer_norm_eps":1e-5,"x":[{}]}"#,
      #"{"is_decoder":false,"position_embedding_type":"absolute","use_bottleneck":false,"vocab_size":9}"#,
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    let read = try outcome(allowing: JSONError.self, ModelConfigurationError.self) {
      try BERTConfiguration(json: input, source: "input").validate()
    }
    let built = try outcome(
      allowing: JSONError.self, ModelConfigurationError.self, WeightsError.self, TensorError.self
    ) {
      let configuration = try MobileBERTConfiguration(json: input, source: "input")
      let model = try MobileBERTForMaskedLM<Float>(Weights(Self.parameters), configuration: configuration)
      let scores = try model.logits(TokenInput(ids: [4, 0, 1]))
      guard scores.shape == [1, 3, 5] else { throw FuzzFinding(message: "scores of shape \(scores.shape)") }
    }
    return read == .accepted || built == .accepted ? .accepted : .refused
  }
}
