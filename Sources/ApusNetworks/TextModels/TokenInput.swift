import Apus

/// What a network reads: the numbers of the tokens of some texts, and what else is known of them.
public struct TokenInput: Sendable {
  /// `[batch, length]`: which word each token is.
  public var ids: Tensor<Int64>
  /// `[batch, length]`: 0 for tokens that no other may look at, such as padding. All are looked at when absent.
  public var attentionMask: Tensor<Int64>?
  /// `[batch, length]`: the segment of each token; all 0 when absent.
  public var tokenTypes: Tensor<Int64>?
  /// `[batch, length]`, or `[1, length]` for all texts: where each token stands; 0, 1, 2, … when absent.
  public var positions: Tensor<Int64>?

  /// Tensors as they are; a model checks that shapes agree and that numbers are in its tables.
  public init(
    ids: Tensor<Int64>, attentionMask: Tensor<Int64>? = nil, tokenTypes: Tensor<Int64>? = nil,
    positions: Tensor<Int64>? = nil
  ) {
    self.ids = ids
    self.attentionMask = attentionMask
    self.tokenTypes = tokenTypes
    self.positions = positions
  }

  /// One text.
  public init(ids: [Int]) throws {
    self.init(ids: try Tensor(ids.map(Int64.init), shape: [1, ids.count]))
  }

  var batch: Int { ids.shape[0] }
  var length: Int { ids.shape[1] }

  /// - Throws: ``TensorError`` naming the argument whose shape does not fit.
  func check(_ configuration: some TextEncoderConfiguration) throws {
    guard ids.rank == 2, ids.shape[1] > 0 else {
      throw Self.misshapen("ids have the shape \(ids.shape); expected [batch, length], with a length of at least 1")
    }
    for (name, tensor) in [("attentionMask", attentionMask), ("tokenTypes", tokenTypes)] {
      guard let tensor, tensor.shape != ids.shape else { continue }
      throw Self.misshapen("\(name) has the shape \(tensor.shape); expected that of ids, \(ids.shape)")
    }
    if let positions {
      guard positions.shape == ids.shape || positions.shape == [1, length] else {
        throw Self.misshapen("positions have the shape \(positions.shape); expected \(ids.shape) or [1, \(length)]")
      }
    } else if length > configuration.positionCount {
      throw Self.misshapen(
        "ids have the shape \(ids.shape); the network knows \(configuration.positionCount) positions")
    }
  }

  /// What is added to the scores of attention, `[batch, 1, 1, length]`; empty when every token may be looked at.
  ///
  /// As in Hugging Face's code the least finite number is added, not minus infinity: a text whose tokens are all masked
  /// then looks at all of them alike, and nothing becomes NaN.
  func attentionMasks<Scalar: FloatingPointScalar>() throws -> [AttentionMask<Scalar>] {
    guard let attentionMask, try attentionMask.elements.contains(0) else { return [] }
    let isMasked = try attentionMask.converted(to: Scalar.self).eq(Tensor(zeros: []))
    let bias = try Tensor<Scalar>(
      where: isMasked, then: Tensor(repeating: -.greatestFiniteMagnitude, shape: []), else: Tensor(zeros: []))
    return [.additive(try bias.reshaped([batch, 1, 1, length]))]
  }

  static func misshapen(_ reason: String) -> TensorError {
    .shape(operation: "TokenInput", reason: reason)
  }
}

extension Embedding {
  /// The vectors that `indices` name.
  /// - Throws: ``TensorError/argument(operation:reason:)`` that says which argument has an index outside the table.
  func callAsFunction(_ indices: Tensor<Int64>, argument: String) throws -> Tensor<Scalar> {
    do {
      return try self(indices)
    } catch TensorError.argument(_, let reason) {
      throw TensorError.argument(operation: "TokenInput", reason: "\(argument): \(reason)")
    }
  }
}
