import Apus
import ApusCoreML
import ApusFormats
import ApusGraph
import ApusONNX

/// Folders of conformance tests, of the ONNX standard and of Core ML.
struct ConformanceTarget: FolderFuzzTarget {
  let name = "conformance"
  let summary = "folders of conformance tests: models, inputs, expected outputs, settings"
  let dictionary = [
    "\"rows\":", "\"calls\":", "\"rtol\":", "\"compare\":", "\"flattened\"", "\"precision\":", "\"fp16\"",
  ]
  let files = [
    "case/model.onnx", "case/test_data_set_0/input_0.pb", "case/test_data_set_0/output_0.pb", "case/test.json",
    "case/model.mlmodel", "case/inputs.npz", "case/expected.npz",
  ]

  func soundFiles() throws -> [[[UInt8]?]] {
    let value = GraphValue(try Tensor<Float>(range: 4).reshaped([1, 2, 2]))
    let graph = GraphProto(
      name: "g", nodes: [NodeProto(opType: "Relu", inputs: ["x"], outputs: ["y"])],
      inputs: [ValueInfoProto(name: "x", type: value.type)], outputs: [ValueInfoProto(name: "y")])
    let model = try ModelProto(opsetImports: [OperatorSetID(version: 21)], graph: graph).encode()
    let file = try ValueFile.bytes(of: value)
    let array = NPZTarget.archive([("x.npy", try NPYFile.bytes(of: AnyTensor(Tensor<Float>(zeros: [1, 2, 2]))))])
    let answer = NPZTarget.archive([("y.npy", try NPYFile.bytes(of: AnyTensor(Tensor<Float>([0.25], shape: [1]))))])
    return [
      [model, file, file, nil, nil, nil, nil],
      [
        nil, nil, nil, Array(#"{"precision":"fp32","rtol":1e-4}"#.utf8), ProtobufBytes.coreMLModels.last, array, answer,
      ],
    ]
  }

  func run(folder: String) throws(FuzzFinding) -> FuzzOutcome {
    return try outcome(memory: 4 << 20, allowing: FileError.self, CoreMLError.self, ONNXFileError.self, JSONError.self)
    {
      var options = InferenceSession.Options()
      options.limits.iterations = 100
      for test in try ConformanceSuite(path: folder).cases {
        if case .wrong(let message) = test.run(options: options), message.isEmpty {
          throw FuzzFinding(message: "a difference without a text")
        }
      }
    }
  }
}
