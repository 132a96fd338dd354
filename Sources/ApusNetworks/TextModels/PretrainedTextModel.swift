import Apus

/// An encoder with a head, as Hugging Face stores it: a folder with `config.json` and `model.safetensors`.
public protocol PretrainedTextModel: Sendable {
  /// The network below the head.
  associatedtype Encoder: TextEncoder

  /// What the head stands on, for its configuration and features.
  var encoder: Encoder { get }

  /// Builds the model from parameters with Hugging Face's names.
  init(_ weights: Weights, configuration: Encoder.Configuration) throws
}

/// Hugging Face's `BertForMaskedLM`.
public typealias BERTForMaskedLM<Scalar: FloatingPointScalar> = ForMaskedLM<BERTModel<Scalar>>
/// Hugging Face's `BertForSequenceClassification`.
public typealias BERTForSequenceClassification<Scalar: FloatingPointScalar> =
  ForSequenceClassification<BERTModel<Scalar>>
/// Hugging Face's `BertForTokenClassification`.
public typealias BERTForTokenClassification<Scalar: FloatingPointScalar> = ForTokenClassification<BERTModel<Scalar>>
/// Hugging Face's `BertForQuestionAnswering`.
public typealias BERTForQuestionAnswering<Scalar: FloatingPointScalar> = ForQuestionAnswering<BERTModel<Scalar>>

/// Hugging Face's `MobileBertForMaskedLM`.
public typealias MobileBERTForMaskedLM<Scalar: FloatingPointScalar> = ForMaskedLM<MobileBERTModel<Scalar>>
/// Hugging Face's `MobileBertForSequenceClassification`.
public typealias MobileBERTForSequenceClassification<Scalar: FloatingPointScalar> =
  ForSequenceClassification<MobileBERTModel<Scalar>>
/// Hugging Face's `MobileBertForTokenClassification`.
public typealias MobileBERTForTokenClassification<Scalar: FloatingPointScalar> =
  ForTokenClassification<MobileBERTModel<Scalar>>
/// Hugging Face's `MobileBertForQuestionAnswering`.
public typealias MobileBERTForQuestionAnswering<Scalar: FloatingPointScalar> =
  ForQuestionAnswering<MobileBERTModel<Scalar>>
