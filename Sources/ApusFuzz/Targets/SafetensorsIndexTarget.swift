import Apus

/// The index of a model in several safetensors files.
struct SafetensorsIndexTarget: JSONFuzzTarget {
  let name = "safetensors-index"
  let summary = "model.safetensors.index.json: which file holds which tensor"
  let dictionary = [
    "\"weight_map\"", "\"metadata\"", ".safetensors", "../", "/", "\\u0000", "\\u002f", "null", "{", "}", "[", "]",
    ":", ",",
  ]

  func seeds() -> [[UInt8]] {
    [
      #"{"metadata":{"total_size":24},"weight_map":{"a":"model-00001-of-00002.safetensors","b":"x.safetensors"}}"#,
      #"{"weight_map":{"a":"x.safetensors"}}"#,
    ].map { Array($0.utf8) }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: SafetensorsShardsError.self) {
      for (_, file) in try SafetensorsShards.places(input, name: "input") {
        guard file.string.hasSuffix(".safetensors"), !file.string.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
          throw FuzzFinding(message: "the file name \(file.string) is accepted")
        }
      }
    }
  }
}
