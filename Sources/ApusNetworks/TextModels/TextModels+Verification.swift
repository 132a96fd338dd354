import Apus

extension PretrainedTextModel {
  /// Takes the text of a `config.json` from the metadata, under `configuration`.
  /// - Throws: ``ModelConfigurationError``, also where the metadata lacks it; ``WeightsError``.
  public init(verifying weights: Weights, metadata: [String: String]) throws {
    guard let json = metadata["configuration"] else {
      throw ModelConfigurationError(source: weights.file, name: "configuration", reason: "is missing in the metadata")
    }
    try self.init(weights, configuration: Encoder.Configuration(json: json, source: "\(weights.file), configuration"))
  }
}

extension TokenInput {
  /// The inputs of a golden sample, under Hugging Face's names.
  init(_ inputs: SampleInputs) throws {
    self.init(
      ids: try inputs.tensor("input_ids"), attentionMask: try inputs.optional("attention_mask"),
      tokenTypes: try inputs.optional("token_type_ids"), positions: try inputs.optional("position_ids"))
  }
}

extension PretrainedTextModel {
  /// The tensors of a ``TokenInput``, under Hugging Face's names; all but `input_ids` may be absent.
  public var expectedInputs: [ExpectedInput] {
    ["input_ids", "attention_mask", "token_type_ids", "position_ids"].map {
      ExpectedInput($0, extents: [nil, nil], isOptional: $0 != "input_ids")
    }
  }
}

extension ForMaskedLM: VerifiableModel {
  /// `logits`, `[batch, length, vocabulary]`, from `input_ids` and, where the sample has them, `attention_mask`,
  /// `token_type_ids` and `position_ids`.
  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Encoder.Scalar>] {
    ["logits": try logits(TokenInput(inputs))]
  }
}

extension ForSequenceClassification: VerifiableModel {
  /// `logits`, `[batch, labels]`, from the inputs that ``ForMaskedLM`` takes.
  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Encoder.Scalar>] {
    ["logits": try logits(TokenInput(inputs))]
  }
}

extension ForTokenClassification: VerifiableModel {
  /// `logits`, `[batch, length, labels]`, from the inputs that ``ForMaskedLM`` takes.
  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Encoder.Scalar>] {
    ["logits": try logits(TokenInput(inputs))]
  }
}

extension ForQuestionAnswering: VerifiableModel {
  /// `start_logits` and `end_logits`, `[batch, length]` each, from the inputs that ``ForMaskedLM`` takes.
  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Encoder.Scalar>] {
    let (start, end) = try logits(TokenInput(inputs))
    return ["start_logits": start, "end_logits": end]
  }
}

extension ShippedModel {
  /// BERT and MobileBERT with their heads; what differs between networks of one type is in their configurations.
  static let textModels = [
    textModel("mobilebert", MobileBERTForMaskedLM<Float>.self, MobileBERTForMaskedLM<Double>.self),
    textModel("mobilebert-small", MobileBERTForMaskedLM<Float>.self, MobileBERTForMaskedLM<Double>.self),
    textModel(
      "mobilebert-sequence", MobileBERTForSequenceClassification<Float>.self,
      MobileBERTForSequenceClassification<Double>.self),
    textModel(
      "mobilebert-unpooled", MobileBERTForSequenceClassification<Float>.self,
      MobileBERTForSequenceClassification<Double>.self),
    textModel(
      "mobilebert-tokens", MobileBERTForTokenClassification<Float>.self,
      MobileBERTForTokenClassification<Double>.self),
    textModel(
      "mobilebert-answers", MobileBERTForQuestionAnswering<Float>.self, MobileBERTForQuestionAnswering<Double>.self),
    textModel("bert", BERTForMaskedLM<Float>.self, BERTForMaskedLM<Double>.self),
    textModel(
      "bert-sequence", BERTForSequenceClassification<Float>.self, BERTForSequenceClassification<Double>.self),
    textModel("bert-tokens", BERTForTokenClassification<Float>.self, BERTForTokenClassification<Double>.self),
    textModel("bert-answers", BERTForQuestionAnswering<Float>.self, BERTForQuestionAnswering<Double>.self),
  ]

  private static func textModel(
    _ name: String, _ single: any VerifiableModel<Float>.Type, _ double: any VerifiableModel<Double>.Type
  ) -> ShippedModel {
    ShippedModel(name: name, single: single, double: double)
  }
}
