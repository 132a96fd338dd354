/// What the parameters of an image classifier do not determine, and what they do, for callers that want it checked.
///
/// As JSON, in the metadata of a weights file under `configuration`:
///
/// ```json
/// {"architecture": "inception_v3", "transform_input": true, "classes": 1000}
/// ```
public struct ImageClassifierConfiguration: Hashable, Sendable, Decodable {
  /// torchvision's name for the network, such as `resnet50`.
  public var architecture: String?
  /// Numbers that a picture becomes; read from the parameters when absent.
  public var classes: Int?
  /// What MobileNetV2's channels are multiplied with; read from the parameters when absent.
  public var widthMultiple: Double?
  /// Whether InceptionV3 brings pictures from ImageNet's normalisation to -1...1; it does not when absent.
  public var transformInput: Bool?

  /// Nothing given: everything is read from the parameters.
  public init() {}

  enum CodingKeys: String, CodingKey {
    case architecture, classes
    case widthMultiple = "width_mult"
    case transformInput = "transform_input"
  }
}

extension ImageClassifierConfiguration {
  /// Reads the JSON under `configuration`; everything is absent without it.
  ///
  /// - Parameter file: what messages call the file.
  /// - Throws: ``ModelFileError`` for malformed JSON, or a value of another type.
  public init(metadata: [String: String], file: String) throws {
    self = try decodedConfiguration(metadata, file: file) ?? Self()
  }

  /// Refuses weights of another network than the configuration names.
  func check(_ names: [String], blocks: String, file: String) throws {
    guard let architecture, !names.contains(architecture) else { return }
    throw ModelFileError(
      file: file, reason: "configuration: architecture is \(architecture), while the parameters are those of \(blocks)")
  }
}
