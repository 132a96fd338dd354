import Apus
import ApusNetworks

/// A network that says what kind of text a text is, or of what kind each of its tokens is.
///
/// ``PretrainedFolder/textClassifier()`` makes one.
public struct TextClassifier: Sendable {
  private let network: @Sendable (TokenInput) throws -> Tensor<Float>
  /// Whether it classifies each token by itself, and not the text as a whole.
  public let classifiesTokens: Bool
  /// What the classes are called.
  public let labels: [String]
  /// The longest text, in tokens.
  public let positionCount: Int
  /// Whether several classes may be right at once.
  public let isMultiLabel: Bool

  /// The scores of each class: of the text, one row; or of each token, a row each.
  /// - Parameter ids: the tokens, special ones included.
  /// - Throws: ``TensorError`` for more of them than ``positionCount``, and numbers that the network has no word for.
  public func logits(ids: [Int]) throws -> [[Float]] {
    let scores = try network(TokenInput(ids: ids)).elements
    return stride(from: 0, to: scores.count, by: labels.count).map { Array(scores[$0..<$0 + labels.count]) }
  }
}

extension PretrainedFolder {
  /// The network with the head that classifies texts, or their tokens.
  /// - Throws: ``PretrainedFolderError`` for a folder with another head; ``ModelConfigurationError`` and
  ///   ``WeightsError`` for a configuration that no network has, or that the parameters contradict.
  public func textClassifier() throws -> TextClassifier {
    func isFor(_ head: String) -> Bool { architectures.contains { $0.hasSuffix(head) } }
    switch modelType {
    case .bert where isFor("ForSequenceClassification"): return try classifier(ofTexts: BERTModel<Float>.self)
    case .bert where isFor("ForTokenClassification"): return try classifier(ofTokens: BERTModel<Float>.self)
    case .mobileBERT where isFor("ForSequenceClassification"):
      return try classifier(ofTexts: MobileBERTModel<Float>.self)
    case .mobileBERT where isFor("ForTokenClassification"): return try classifier(ofTokens: MobileBERTModel<Float>.self)
    case .bert, .mobileBERT:
      throw PretrainedFolderError(folder: path, reason: .noClassifier(architectures: architectures))
    }
  }

  private func classifier<Encoder: TextEncoder<Float>>(ofTexts: Encoder.Type) throws -> TextClassifier {
    let model: ForSequenceClassification<Encoder> = try model()
    return try TextClassifier(model.encoder.configuration, fields, ofTokens: false) { try model.logits($0) }
  }

  private func classifier<Encoder: TextEncoder<Float>>(ofTokens: Encoder.Type) throws -> TextClassifier {
    let model: ForTokenClassification<Encoder> = try model()
    return try TextClassifier(model.encoder.configuration, fields, ofTokens: true) { try model.logits($0) }
  }
}

extension TextClassifier {
  fileprivate init(
    _ configuration: some TextEncoderConfiguration, _ fields: ConfigurationFields, ofTokens: Bool,
    _ network: @escaping @Sendable (TokenInput) throws -> Tensor<Float>
  ) throws {
    self.network = network
    classifiesTokens = ofTokens
    labels = configuration.labels
    positionCount = configuration.positionCount
    isMultiLabel = try fields.isMultiLabel
  }
}
