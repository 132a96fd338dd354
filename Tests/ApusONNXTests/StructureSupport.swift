import Apus

@testable import ApusGraph
@testable import ApusONNX

/// Integers as a list.
func list(_ numbers: Int64...) -> GraphValue { integers(numbers) }

/// Integers in a shape, a list without.
func integers(_ numbers: [Int64], shape: [Int]? = nil) -> GraphValue {
  (try? GraphValue(Tensor(numbers, shape: shape ?? [numbers.count])))
    ?? .sequence([], element: .unsupported("no tensor"))
}

/// 0, 1, 2, … in a shape.
func counting(_ shape: Int...) -> GraphValue {
  let count = shape.reduce(1, *)
  return (try? GraphValue(Tensor((0..<count).map(Float.init), shape: shape)))
    ?? .sequence([], element: .unsupported("no tensor"))
}

func texts(_ texts: String...) -> GraphValue {
  (try? .strings(StringTensor(texts, shape: [texts.count]))) ?? .sequence([], element: .unsupported("no tensor"))
}

/// A session of a graph that is written down in messages.
func session(_ graph: GraphProto, opset: Int64 = 21, options: InferenceSession.Options = .init()) throws
  -> InferenceSession
{
  try InferenceSession(
    ONNXModel(ModelProto(opsetImports: [OperatorSetID(version: opset)], graph: graph)), options: options)
}

extension NodeProto {
  init(_ type: String, _ inputs: [String], _ outputs: [String], _ attributes: [String: AttributeProto.Content] = [:]) {
    self.init(
      opType: type, inputs: inputs, outputs: outputs,
      attributes: attributes.sorted { $0.key < $1.key }.map { AttributeProto(name: $0.key, value: $0.value) })
  }
}
