import Apus
import FoundationEssentials

extension YOLO {
  /// Reads the network from a safetensors file.
  ///
  /// - Parameter configuration: what network it is. When absent, it is read from the file's metadata, JSON under
  ///   `configuration`, and inferred from the weights when that is absent, too.
  /// - Throws: ``FileError``, ``SafetensorsError``, ``WeightsError``, ``YOLOConfigurationError``; ``ModelFileError``
  ///   for metadata that cannot be read.
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
    guard let stated: Self = try decodedConfiguration(metadata, file: file) else { return nil }
    self = stated
  }
}
