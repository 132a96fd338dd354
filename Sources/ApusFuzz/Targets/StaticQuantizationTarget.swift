import Apus
import ApusGraph
import ApusONNX

/// ONNX models put into eight bits, written and read again: what is written computes the bits of what was measured.
struct StaticQuantizationTarget: ProtobufFuzzTarget, RunningFuzzTarget {
  let name = "static-quantization"
  let summary = "ONNX models put into eight bits as samples ask for it, written, read and run"
  let dictionary = ONNXSessionTarget().dictionary

  func seeds() throws -> [[UInt8]] {
    let lines = [
      ["Conv xw"], ["Conv xw", "Sigmoid 0", "Mul 01", "MaxPool 2", "Concat 33"], ["Relu x", "Split 0", "Conv 0w"],
      ["MatMul cm", "Relu 0", "MatMul 1m", "Add 20"], ["Squeeze c", "Gemm 0mv"],
    ]
    return try lines.map { lines in
      var model = try ONNXSessionTarget.model(lines)
      // What is quantised when the model runs is no constant.
      model.graph.initializers.removeAll { ["x", "c"].contains($0.name) }
      return try model.encode()
    }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    return try outcome(
      memory: 4 << 20, allowing: ONNXFileError.self, FileError.self, FileFormatError.self, GraphError.self,
      QuantizationError.self
    ) {
      let model = try ONNXModel(ModelProto.read(bytes: input, name: "input"))
      var options = InferenceSession.Options()
      options.limits.iterations = 100
      var quantization = try StaticQuantization(model, options: options)
      let inputs = try ONNXSessionTarget.inputs(of: model.graph) { type, shape, name in
        guard case .tensor(let type?, _) = type, type.isFloatingPoint else { return nil }
        return try GraphValue(random: type, shape: shape, seed: 1, name: name)
      }
      try quantization.observe(inputs)
      let choice = try quantization.choice(probes: [inputs], tolerance: 1)
      let quantized = try quantization.model(choice.layers)
      let written = try ModelProto(quantized, of: model.proto).encode()
      let read = try written.withUnsafeBytes { try ONNXModel(ModelProto.read(bytes: $0, name: "written")) }
      let expected = try InferenceSession(quantized, options: options).run(inputs)
      let actual = try InferenceSession(read, options: options).run(inputs)
      for (name, value) in expected where try actual[name].map({ try ONNXSessionTarget.agrees($0, value) }) != true {
        throw FuzzFinding(message: "output '\(name)' is another when what was quantised is written and read")
      }
    }
  }
}
