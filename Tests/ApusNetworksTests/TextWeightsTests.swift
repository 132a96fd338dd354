import Apus
import ApusNetworks
import Testing

/// What of a checkpoint is accepted, and what is refused.
@Suite struct TextWeightsTests {
  private func logits(_ network: TextNetwork) throws -> [Float] {
    let model: MobileBERTForMaskedLM<Float> = try network.model()
    return try model.logits(TokenInput(ids: [5, 17, 98])).elements
  }

  @Test func otherNamesOfTheSameParametersAreRead() throws {
    let network = try TextNetwork("mobilebert-small")
    let expected = try logits(network)
    #expect(try logits(network.renamed { $0.replacing("mobilebert.", with: "") }) == expected)
    #expect(try logits(network.renamed { $0.replacing("mobilebert.", with: "bert.") }) == expected)
    let old = network.renamed {
      $0.replacing("LayerNorm.weight", with: "LayerNorm.gamma").replacing("LayerNorm.bias", with: "LayerNorm.beta")
    }
    #expect(try logits(old) == expected)
    #expect(
      try logits(network.renamed { $0 == "cls.predictions.bias" ? "cls.predictions.decoder.bias" : $0 }) == expected)
  }

  @Test func theDecoderIsTheTableOfWordsUnlessItIsThere() throws {
    var network = try TextNetwork("mobilebert-small")
    let expected = try logits(network)
    network.parameters["cls.predictions.decoder.weight"] =
      network.parameters["mobilebert.embeddings.word_embeddings.weight"]
    #expect(try logits(network) == expected)
    network.parameters["cls.predictions.decoder.weight"] = AnyTensor(try Tensor<Float>(zeros: [99, 32]))
    #expect(try logits(network) != expected)
    network.parameters["cls.predictions.decoder.weight"] = nil
    network = try network.configured("{", "{\"tie_word_embeddings\":false,")
    let error = try #require(throws: WeightsError.self) { try logits(network) }
    #expect("\(error)".contains("cls.predictions.decoder.weight"))
  }

  @Test func everyMissingParameterIsNamed() throws {
    let network = try TextNetwork("mobilebert-small")
    for name in network.parameters.keys {
      var incomplete = network
      incomplete.parameters[name] = nil
      // Without the table of words nothing says below which scope the encoder is.
      let last = name.hasSuffix("word_embeddings.weight") ? "word_embeddings.weight" : name
      let error = try #require(throws: WeightsError.self) { try logits(incomplete) }
      guard case .missing(let missing, _) = error.reason else {
        Issue.record("\(error)")
        continue
      }
      #expect(missing.hasSuffix(last))
    }
  }

  @Test(arguments: [
    ("\"hidden_size\":64", "\"hidden_size\":60"), ("\"embedding_size\":32", "\"embedding_size\":16"),
    ("\"num_hidden_layers\":3", "\"num_hidden_layers\":4"), ("\"intermediate_size\":64", "\"intermediate_size\":8"),
    ("\"vocab_size\":99", "\"vocab_size\":100"),
    ("\"max_position_embeddings\":40", "\"max_position_embeddings\":41"),
    ("\"intra_bottleneck_size\":32", "\"intra_bottleneck_size\":16"),
    ("\"num_feedforward_networks\":2", "\"num_feedforward_networks\":3"), ("{", "{\"use_bottleneck_attention\":true,"),
    ("{", "{\"type_vocab_size\":3,"),
  ])
  func aConfigurationThatAsksForOtherParametersIsRefusedByName(old: String, new: String) throws {
    let network = try TextNetwork("mobilebert-small").configured(old, new)
    let error = try #require(throws: WeightsError.self) { try logits(network) }
    #expect("\(error)".contains("network: the parameter \"mobilebert."))
  }

  @Test(arguments: [
    ("\"num_hidden_layers\":3", "\"num_hidden_layers\":2", "layer.2"),
    ("\"num_feedforward_networks\":2", "\"num_feedforward_networks\":1", "layer.0.ffn.0"),
  ])
  func aConfigurationThatLeavesParametersOverIsRefusedByName(old: String, new: String, named: String) throws {
    let network = try TextNetwork("mobilebert-small").configured(old, new)
    let error = try #require(throws: WeightsError.self) { try logits(network) }
    guard case .unexpected(let name, _) = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect(name.hasPrefix("mobilebert.encoder.\(named)."))
  }

  @Test func classifiersHaveAnOutputForEachLabel() throws {
    let network = try TextNetwork("bert-sequence")
    let model: BERTForSequenceClassification<Float> = try network.model()
    #expect(model.encoder.configuration.labels.count == 3)
    var other = network
    other.parameters["classifier.weight"] = AnyTensor(try Tensor<Float>(zeros: [2, 48]))
    #expect(throws: WeightsError.self) { try other.model(BERTForSequenceClassification<Float>.self) }
    let error = try #require(throws: WeightsError.self) { try network.model(BERTForQuestionAnswering<Float>.self) }
    #expect("\(error)".contains("qa_outputs.weight"))
  }

  @Test func anEncoderAloneHasNoPrefix() throws {
    let network = try TextNetwork("bert-sequence")
    let weights = Weights(network.parameters)
    let configuration = try BERTConfiguration(json: network.configuration)
    let model = try BERTModel<Double>(weights, configuration: configuration)
    let (hidden, activations) = try Activations.recording { try model(TokenInput(ids: [1, 2, 3])) }
    #expect(hidden.shape == [1, 3, 48])
    #expect(try model.pooled(hidden).shape == [1, 48])
    #expect(activations.names == ["embeddings", "encoder.layer.0", "encoder.layer.1"])
    let bare = try BERTModel<Float>(weights, configuration: configuration, hasPooler: false, path: "")
    #expect(throws: TensorError.self) { try bare.pooled(bare(TokenInput(ids: [1]))) }
  }
}
