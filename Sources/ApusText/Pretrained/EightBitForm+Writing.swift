import Apus
import ApusNetworks
import ApusPlatform

extension EightBitForm {
  /// Files that are copied where the folder has them.
  private static let companions = [
    "vocab.txt", "tokenizer_config.json", "tokenizer.json", "special_tokens_map.json", "added_tokens.json",
    "generation_config.json", "LICENSE", "README.md",
  ]

  /// The names of all files that a folder may get.
  package static var fileNames: [String] { ["model.safetensors", "config.json"] + companions }

  /// Writes a folder with these parameters, the configuration with a note on their form, and what belongs to the
  /// tokenizer.
  ///
  /// A new folder appears whole or not at all. Where there is one, `model.safetensors` and the other files are
  /// replaced one by one, each whole or not at all.
  ///
  /// - Parameter source: the folder that the parameters come from.
  /// - Throws: ``FileError``, ``SafetensorsWriterError``; ``ModelConfigurationError`` for a configuration that says of
  ///   another form.
  public func write(to path: String, from source: PretrainedFolder) throws {
    let configuration = try source.configuration(notingForm: Self.method)
    if fileExists(path) {
      return try write(into: path, configuration: configuration, from: source)
    }
    let name = withoutTrailingSlashes(path)
    let temporary = "\(parentFolder(of: name))/.apus-\(String(UInt64.random(in: 0...(.max)), radix: 36)).part"
    guard mkdir(temporary.systemBytes, 0o777) == 0 else {
      throw FileError.unwritable(path: path, reason: lastSystemError())
    }
    do {
      try write(into: temporary, configuration: configuration, from: source)
      guard rename(temporary.systemBytes, name.systemBytes) == 0 else {
        throw FileError.unwritable(path: path, reason: lastSystemError())
      }
    } catch {
      for file in (try? folderNames(at: temporary)) ?? [] { unlink("\(temporary)/\(file)".systemBytes) }
      rmdir(temporary.systemBytes)
      throw error
    }
  }

  private func write(into path: String, configuration: [UInt8], from source: PretrainedFolder) throws {
    var writer = SafetensorsWriter(metadata: ["format": "pt"])
    for (name, tensor) in tensors { try writer.add(tensor, named: name) }
    try writer.write(toPath: "\(path)/model.safetensors")
    try AtomicFile.create(at: "\(path)/config.json") { file in
      try configuration.withUnsafeBytes { try file.append($0) }
    }
    for name in Self.companions {
      let file: MappedFile
      do {
        file = try MappedFile(path: "\(source.path)/\(name)")
      } catch FileError.notFound {
        continue
      } catch FileError.empty {
        continue
      }
      try AtomicFile.create(at: "\(path)/\(name)") { copy in try file.withUnsafeBytes { try copy.append($0) } }
    }
  }
}

extension PretrainedFolder {
  /// The text of `config.json` with one more member: how its matrices are stored.
  fileprivate func configuration(notingForm method: String) throws -> [UInt8] {
    guard fields.quantizationMethod == nil else {
      throw ModelConfigurationError(
        source: fields.source, name: "quantization_config", reason: "is there already; expected floating-point weights")
    }
    var text = configurationText
    while let last = text.last, last != UInt8(ascii: "}") { text.removeLast() }
    _ = text.popLast()
    while let last = text.last, [0x20, 0x0A, 0x0D, 0x09].contains(last) { text.removeLast() }
    let comma = text.last == UInt8(ascii: "{") ? "" : ","
    text +=
      """
      \(comma)
        "quantization_config": {
          "quant_method": "\(method)",
          "weights": "int8",
          "scale": "output"
        }
      }

      """.utf8
    return text
  }
}
