import Apus
import FoundationEssentials

extension YOLO {
  /// Reads the network from a safetensors file.
  ///
  /// - Parameter configuration: what network it is. When absent, it is read from the file's metadata, JSON under
  ///   `configuration`, and told from the weights when that is absent too.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``, ``YOLOConfigurationError``; ``ModelFileError`` for
  ///   metadata that cannot be read.
  public init(path: String, configuration: YOLOConfiguration? = nil) throws {
    try self.init(SafetensorsFile(path: path), configuration: configuration)
  }

  /// Reads the network from a safetensors file. See ``init(path:configuration:)``.
  public init(contentsOf url: URL, configuration: YOLOConfiguration? = nil) throws {
    try self.init(SafetensorsFile(contentsOf: url), configuration: configuration)
  }

  /// Reads the network from a safetensors file. See ``init(path:configuration:)``.
  public init(_ file: SafetensorsFile, configuration: YOLOConfiguration? = nil) throws {
    let stated = try configuration ?? YOLOConfiguration(metadata: file.metadata, file: file.name)
    try self.init(Weights(file), configuration: stated)
  }
}

extension YOLOConfiguration {
  /// What a file says of its network, as JSON under `configuration`; `nil` when it says nothing.
  init?(metadata: [String: String], file: String) throws {
    guard let json = metadata["configuration"] else { return nil }
    do {
      self = try JSONDecoder().decode(YOLOConfiguration.self, from: Data(json.utf8))
    } catch {
      throw ModelFileError(file: file, reason: "configuration \(json): \(error)")
    }
  }
}

extension YOLO: VerifiableModel {
  public init(verifying weights: Weights, metadata: [String: String]) throws {
    try self.init(weights, configuration: YOLOConfiguration(metadata: metadata, file: weights.file))
  }

  /// `output`, and what it was decoded from: `map.0`, `map.1` and `map.2`, boxes before scores, and `keypoints`.
  public func outputs(for inputs: SampleInputs) throws -> [String: Tensor<Scalar>] {
    let maps = try maps(of: inputs.single())
    var outputs = ["output": try maps.predictions()]
    for (index, pair) in zip(maps.boxes, maps.scores).enumerated() {
      outputs["map.\(index)"] = try concatenate([pair.0, pair.1], axis: 1)
    }
    if !maps.keypoints.isEmpty { outputs["keypoints"] = try YOLOMaps.joined(maps.keypoints) }
    return outputs
  }
}
