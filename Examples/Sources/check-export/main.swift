// Whether an ONNX model computes, node by node, what another runtime computed.
//
//   swift run --package-path Examples check-export \
//     Tests/Fixtures/parity/epsilon.onnx Tests/Fixtures/parity/reference.safetensors

import Apus
import ApusGraph
import ApusONNX

guard CommandLine.arguments.count == 3 else {
  print("usage: check-export MODEL.onnx REFERENCE.safetensors")
  throw CancellationError()
}
let file = try SafetensorsFile(path: CommandLine.arguments[2])
let reference = ReferenceValues(names: file.tensorNames) { .tensor(try file.anyTensor(named: $0)) }

let model = try ONNXModel(path: CommandLine.arguments[1])
var inputs: [String: GraphValue] = [:]
for input in try InferenceSession(model).inputs where !input.hasDefault {
  inputs[input.name] = try reference.value(named: input.name)
}

let report = try ParityCheck(model, options: .init(computesTruth: true)).run(inputs, reference: reference)
switch report.verdict {
case .equal: print("\(report.checkedCount) values agree")
case .nothingChecked: print("the reference has none of the model's values")
case .inconclusive(.numbers): print("nothing differs, but no output is a number")
case .inconclusive(.outputs): print("nothing differs, but \(report.uncomparedOutputs) are not compared with anything")
case .inconclusive(.sameness):
  let names = report.droppingNodes.map { report.nodes[$0].name }
  print("nothing differs, but \(names) leave elements out by chance: export the model in evaluation mode")
case .wrong(let first, _), .accumulated(let first), .incomplete(let first):
  let node = report.nodes[first]
  print("\(node.name) (\(node.operatorName)) is the first that differs")
  for output in node.outputs { if let comparison = output.isolated?.comparison { print(comparison) } }
}
