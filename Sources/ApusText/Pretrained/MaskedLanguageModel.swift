import Apus
import ApusNetworks

/// A network that says which words may stand at a masked place, of whichever kind a folder holds.
///
/// ``PretrainedFolder/maskedLanguageModel(as:)`` makes one.
public struct MaskedLanguageModel<Scalar: FloatingPointScalar>: Sendable {
  enum Network: Sendable {
    case bert(BERTForMaskedLM<Scalar>)
    case mobileBERT(MobileBERTForMaskedLM<Scalar>)
  }

  private let network: Network
  /// Words the network knows; ids are less.
  public let vocabularySize: Int
  /// The longest text, in tokens.
  public let positionCount: Int

  init(_ network: Network) {
    let configuration: any TextEncoderConfiguration =
      switch network {
      case .bert(let model): model.encoder.configuration
      case .mobileBERT(let model): model.encoder.configuration
      }
    self.network = network
    vocabularySize = configuration.vocabularySize
    positionCount = configuration.positionCount
  }

  /// The scores of every word at every place, `[batch, length, vocabulary]`.
  /// - Throws: ``TensorError`` naming the argument that does not fit.
  public func logits(_ input: TokenInput) throws -> Tensor<Scalar> {
    switch network {
    case .bert(let model): try model.logits(input)
    case .mobileBERT(let model): try model.logits(input)
    }
  }

  /// The scores of every word at some places only, `[batch, count, vocabulary]`.
  /// - Parameter positions: `[batch, count]`; places in each text, at least 0 and less than its length.
  /// - Throws: ``TensorError`` naming the argument that does not fit.
  public func logits(_ input: TokenInput, at positions: Tensor<Int64>) throws -> Tensor<Scalar> {
    switch network {
    case .bert(let model): try model.logits(input, at: positions)
    case .mobileBERT(let model): try model.logits(input, at: positions)
    }
  }

  /// The scores of every word at one place of one text, `[vocabulary]`: a fraction of the work for a short text.
  /// - Parameter ids: the tokens, special ones included, without padding; the mask is at `position`.
  /// - Throws: ``TensorError`` naming the argument that does not fit.
  public func logits(ids: [Int], at position: Int) throws -> Tensor<Scalar> {
    try logits(TokenInput(ids: ids), at: Tensor([Int64(position)], shape: [1, 1])).reshaped([vocabularySize])
  }
}
