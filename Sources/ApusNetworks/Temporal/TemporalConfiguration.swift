/// What the parameters of a temporal network do not determine, and what they do, for callers that want it checked.
///
/// As JSON, in the metadata of a weights file under `configuration`:
///
/// ```json
/// {"causal": true, "dilation_base": 2, "pooling": "last", "features": 48, "classes": 21}
/// ```
public struct TemporalConfiguration: Hashable, Sendable, Decodable {
  /// How the steps of a sequence become one row of features.
  public enum Pooling: String, Sendable, Hashable, Decodable, CaseIterable {
    /// What the network gives at the last step. The second direction of a recurrent network has seen one step there.
    case last
    /// What both directions of a recurrent network ended with: for the second that is at the first step.
    case final
    /// The mean over all steps.
    case mean
  }

  /// What a recurrent network is made of.
  public enum Cell: String, Sendable, Hashable, Decodable, CaseIterable {
    case lstm, gru
  }

  /// ``Pooling/last`` when absent.
  public var pooling: Pooling?
  /// Whether a convolution sees the past only; true when absent.
  public var isCausal: Bool?
  /// What each level's dilation is multiplied with to give the next level's; 2 when absent.
  public var dilationBase: Int?

  // Read from the parameters; where one is given, parameters that say otherwise are refused.

  /// Numbers at every step.
  public var features: Int?
  /// Numbers that a sequence becomes.
  public var classes: Int?
  /// Steps that a convolution covers.
  public var kernel: Int?
  /// Channels of each level of a convolutional network.
  public var channels: [Int]?
  /// LSTM or GRU, for a recurrent network.
  public var cell: Cell?
  /// Numbers that a recurrent layer passes from step to step, for each direction.
  public var hidden: Int?
  /// Recurrent layers on top of each other.
  public var layers: Int?
  /// Whether recurrent layers run over the sequence from its end as well.
  public var isBidirectional: Bool?

  /// Nothing given: defaults, and what is read from the parameters.
  public init() {}

  enum CodingKeys: String, CodingKey {
    case pooling, features, classes, kernel, channels, cell, hidden, layers
    case isCausal = "causal"
    case dilationBase = "dilation_base"
    case isBidirectional = "bidirectional"
  }
}

extension TemporalConfiguration {
  /// Reads the JSON under `configuration`; everything is absent without it.
  ///
  /// - Parameter file: what messages call the file.
  /// - Throws: ``ModelFileError`` for malformed JSON, or a value of another type.
  public init(metadata: [String: String], file: String) throws {
    self = try decodedConfiguration(metadata, file: file) ?? Self()
  }
}
