import Apus
import ApusGraph
import ApusONNX

/// Models beside values that another runtime is said to have computed: the comparison, and what it cuts a model down to.
struct ParityTarget: ProtobufFuzzTarget, RunningFuzzTarget {
  let name = "parity"
  let summary = "models compared with hostile values, node by node, and reduced to what differs"
  let dictionary = ONNXSessionTarget().dictionary

  /// Field 1 is a model, each field 2 a tensor: the value of the output that has its name.
  func seeds() throws -> [[UInt8]] {
    let lines = [
      ["Conv xw", "Relu 0", "MaxPool 1", "Sigmoid 2", "Mul 23"], ["MatMul mm", "Add 0m", "Relu 1", "Softmax 2"],
      ["DynamicQuantizeLinear m", "MatMulInteger 0u", "Cast 1", "Mul 2s"],
    ]
    return try lines.map { lines in
      let model = try ONNXSessionTarget.model(lines)
      let values = try lines.indices.map { index in
        try TensorProto(name: "\(index)", value: GraphValue(Tensor<Float>(range: 4).reshaped([2, 2])))
      }
      return ProtobufBytes.field(1, try model.encode())
        + (try values.flatMap { ProtobufBytes.field(2, try ValueFile.bytes(of: $0.value(), named: $0.name)) })
    }
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    return try outcome(
      memory: 4 << 20, allowing: ONNXFileError.self, FileError.self, FileFormatError.self, GraphError.self,
      TensorError.self
    ) {
      let parts = ProtobufBytes.parts(of: Array(input))
      guard let bytes = parts.first(where: { $0.number == 1 })?.bytes else {
        throw GraphError.graph("no model")
      }
      let model = try bytes.withUnsafeBytes { try ONNXModel(ModelProto.read(bytes: $0, name: "model")) }
      var values: [String: GraphValue] = [:]
      for part in parts where part.number == 2 {
        let read = try part.bytes.withUnsafeBytes {
          try ValueFile.read(bytes: $0, name: "value", as: .tensor(nil, nil))
        }
        values[read.name] = read.value
      }
      var options = ParityCheck.Options(computesTruth: bytes.count.isMultiple(of: 2))
      options.limits.iterations = 100
      let check = try ParityCheck(model, options: options)
      let inputs = try ONNXSessionTarget.inputs(of: model.graph)
      let reference = ReferenceValues(values)
      let report = try check.run(inputs, reference: reference)
      guard !"\(report.verdict)".isEmpty else { throw FuzzFinding(message: "a verdict without a text") }
      _ = try check.reduction(of: inputs, reference: reference, report: report)
    }
  }
}
