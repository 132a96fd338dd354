import Apus
import ApusNetworks
import ApusText

/// Folders of Hugging Face with a language model, of floating-point numbers and of integers with scales.
struct PretrainedFolderTarget: FolderFuzzTarget {
  let name = "pretrained-folder"
  let summary = "folders with config.json and weights, whole and quantised, and the network built of them"
  let dictionary = TextConfigurationTarget().dictionary + ["\"quantization_config\"", "\"quant_method\"", "\"apus\""]
  let files = ["config.json", "model.safetensors", "model.safetensors.index.json"]

  func soundFiles() throws -> [[[UInt8]?]] {
    let configuration = Array(TextConfigurationTarget.configuration.utf8)
    let folderConfiguration = configuration.dropLast() + Array(#","model_type":"mobilebert"}"#.utf8)
    var whole = SafetensorsWriter()
    for (name, tensor) in TextConfigurationTarget.parameters.sorted(by: { $0.key < $1.key }) {
      try whole.add(tensor, named: name)
    }
    try ScratchFolder.write(Array(folderConfiguration), to: "sound/config.json")
    try ScratchFolder.write(whole.bytes(), to: "sound/model.safetensors")
    let form = try EightBitForm(of: PretrainedFolder(path: "\(ScratchFolder.path)/sound"))
    var quantized = SafetensorsWriter()
    for (name, tensor) in form.tensors.sorted(by: { $0.key < $1.key }) { try quantized.add(tensor, named: name) }
    let noted = folderConfiguration.dropLast() + Array(#","quantization_config":{"quant_method":"apus"}}"#.utf8)
    return [
      [Array(folderConfiguration), try whole.bytes(), nil], [Array(noted), try quantized.bytes(), nil],
      [Array(folderConfiguration), try whole.bytes(), Array(#"{"weight_map":{"a":"model.safetensors"}}"#.utf8)],
    ]
  }

  /// Only one header is JSON: that of the safetensors file.
  func vary(_ input: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8]? {
    var parts = ProtobufBytes.parts(of: input)
    guard !parts.isEmpty else { return nil }
    let index = random.below(parts.count)
    let donor = ProtobufBytes.parts(of: other).first { $0.number == parts[index].number }?.bytes ?? parts[index].bytes
    let varied =
      parts[index].number == 2
      ? SafetensorsTarget().vary(parts[index].bytes, with: donor, using: &random)
      : JSONSpans.mutated(parts[index].bytes, with: donor, using: &random)
    guard let varied else { return nil }
    parts[index].bytes = varied
    return parts.flatMap { ProtobufBytes.field($0.number, $0.bytes) }
  }

  func run(folder: String) throws(FuzzFinding) -> FuzzOutcome {
    return try outcome(
      memory: 16 << 20, allowing: FileError.self, FileFormatError.self, JSONError.self,
      ModelConfigurationError.self, PretrainedFolderError.self, SafetensorsError.self, SafetensorsShardsError.self,
      WeightsError.self, TensorError.self
    ) {
      let model = try PretrainedFolder(path: folder).maskedLanguageModel()
      guard try model.logits(ids: [0, 1], at: 0).shape == [model.vocabularySize] else {
        throw FuzzFinding(message: "scores of another shape")
      }
    }
  }
}
