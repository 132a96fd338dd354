import Apus
import ApusNetworks
import ApusTestSupport
import Testing

/// A small network of the golden files: its parameters, to be changed, and its configuration.
struct TextNetwork {
  var parameters: [String: AnyTensor] = [:]
  var configuration: String

  init(_ name: String) throws {
    let golden = try GoldenSamples(path: shipped("reference/golden/\(name).safetensors"))
    let weights = try #require(try golden.generatedWeights)
    for name in weights.names { parameters[name] = try weights.anyTensor(name) }
    configuration = try #require(golden.metadata["configuration"])
  }

  func model<Model: PretrainedTextModel>(_ type: Model.Type = Model.self) throws -> Model {
    try Model(Weights(parameters, name: "network"), configuration: Model.Encoder.Configuration(json: configuration))
  }

  /// The same parameters under other names.
  func renamed(_ change: (String) -> String) -> TextNetwork {
    var result = self
    result.parameters = Dictionary(uniqueKeysWithValues: parameters.map { (change($0.key), $0.value) })
    return result
  }

  /// The same with another value in the configuration, which must be there as `"key":old`.
  func configured(_ old: String, _ new: String) throws -> TextNetwork {
    var result = self
    result.configuration = configuration.replacing(old, with: new)
    try #require(result.configuration != configuration)
    return result
  }
}

func tokenIDs(_ rows: [[Int64]]) throws -> Tensor<Int64> {
  try Tensor(rows.flatMap { $0 }, shape: [rows.count, rows.first?.count ?? 0])
}
