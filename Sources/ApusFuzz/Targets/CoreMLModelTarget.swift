import Apus
import ApusCoreML
import ApusGraph

/// The reader of Core ML models, and a run of what it makes of them on zeros.
struct CoreMLModelTarget: ProtobufFuzzTarget, RunningFuzzTarget {
  let name = "coreml-model"
  let summary = "Core ML models: programs, networks, classic models and pipelines, read and run"
  let dictionary = [
    "relu", "reshape", "conv", "while_loop", "cond", "const", "concat", "values", "begin", "CoreML7", "val", "name",
    "\u{8}\u{6}", "\u{12}\u{0}", "\u{B2}\u{1F}\u{0}", "@model_path/weights/weight.bin",
  ]

  func seeds() -> [[UInt8]] { ProtobufBytes.coreMLModels }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    return try outcome(
      memory: 4 << 20, allowing: CoreMLError.self, GraphError.self, TensorError.self, FileError.self,
      FileFormatError.self
    ) {
      try Self.run(CoreMLModel(bytes: input, name: "input"))
    }
  }

  static func run(_ model: CoreMLModel) throws {
    var options = InferenceSession.Options()
    options.limits.iterations = 100
    let session = try InferenceSession(model, options: options)
    var inputs: [String: GraphValue] = [:]
    for port in session.inputs where !port.hasDefault {
      let zeros = try Tensor<Float>(zeros: (port.shape ?? [1]).map { $0 ?? 2 })
      inputs[port.name] = GraphValue(zeros)
    }
    _ = try session.run(inputs)
  }
}
