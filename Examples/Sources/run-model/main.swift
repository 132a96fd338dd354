// Runs an ONNX model on zeros, and says what it takes and gives.
//
//   swift run --package-path Examples run-model Weights/behavior/shipped/behavior-classifier.onnx

import Apus
import ApusGraph
import ApusONNX

guard CommandLine.arguments.count == 2 else {
  print("usage: run-model MODEL.onnx")
  throw CancellationError()
}
let session = try InferenceSession(ONNXModel(path: CommandLine.arguments[1]))

var inputs: [String: GraphValue] = [:]
for input in session.inputs where !input.hasDefault {
  print("takes \(input.name):", input.type.map { "\($0)" } ?? "anything")
  guard let type = input.type, let shape = input.shape else { continue }
  // An extent that the model leaves open is 1 here.
  inputs[input.name] = try GraphValue(zeros: type, shape: shape.map { $0 ?? 1 })
}

let outputs = try session.run(inputs)
for output in session.outputs {
  guard let value = outputs[output.name] else { continue }
  print("gives \(output.name):", value.type)
  // FLOAT16, DOUBLE and their kin too, rounded to FLOAT.
  if case .tensor(let numbers) = value, numbers.dataType.isFloatingPoint {
    print(try numbers.converted(to: Float.self))
  }
}
