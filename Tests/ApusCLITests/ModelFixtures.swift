import Apus
import ApusGraph
import ApusONNX
import Foundation

/// Small models, written when a test needs one.
enum ModelFixtures {
  static func tensor(_ name: String, of type: ElementType = .float, _ shape: [ApusGraph.GraphDimension])
    -> ValueInfoProto
  {
    ValueInfoProto(name: name, type: .tensor(type, shape))
  }

  static func model(
    _ nodes: [NodeProto], inputs: [ValueInfoProto], outputs: [ValueInfoProto], initializers: [TensorProto] = [],
    opset: Int64 = 18
  ) -> ModelProto {
    ModelProto(
      producerName: "tests", opsetImports: [OperatorSetID(version: opset)],
      graph: GraphProto(
        name: "graph", nodes: nodes, initializers: initializers, inputs: inputs, outputs: outputs))
  }

  /// `inner = Relu(x)`, `y = Relu(inner)` on `x[n, 2]`.
  static var relu: ModelProto {
    model(
      [
        NodeProto(name: "first", opType: "Relu", inputs: ["x"], outputs: ["inner"]),
        NodeProto(name: "second", opType: "Relu", inputs: ["inner"], outputs: ["y"]),
      ], inputs: [tensor("x", [.symbol("n"), .size(2)])], outputs: [tensor("y", [.symbol("n"), .size(2)])])
  }

  /// `y = a · b`, integers of eight bits, `b` an initialiser of shape `[3, 4]`.
  static var product: ModelProto {
    get throws {
      try model(
        [NodeProto(name: "product", opType: "MatMulInteger", inputs: ["a", "b"], outputs: ["y"])],
        inputs: [tensor("a", of: .uint8, [.symbol("n"), .size(3)])],
        outputs: [tensor("y", of: .int32, [.symbol("n"), .size(4)])],
        initializers: [TensorProto(name: "b", value: GraphValue(Tensor<UInt8>(repeating: 2, shape: [3, 4])))])
    }
  }

  /// `y` is `x` after as many turns of a loop as `count` says, each of them `Relu`.
  static var loop: ModelProto {
    let body = GraphProto(
      name: "body",
      nodes: [
        NodeProto(name: "go", opType: "Identity", inputs: ["before"], outputs: ["after"]),
        NodeProto(name: "work", opType: "Relu", inputs: ["state"], outputs: ["next"]),
      ], inputs: [tensor("turn", of: .int64, []), tensor("before", of: .bool, []), tensor("state", [.unknown])],
      outputs: [tensor("after", of: .bool, []), tensor("next", [.unknown])])
    let node = NodeProto(
      name: "loop", opType: "Loop", inputs: ["count", "", "x"], outputs: ["y"],
      attributes: [AttributeProto(name: "body", value: .graph(body))])
    return model(
      [node], inputs: [tensor("count", of: .int64, []), tensor("x", [.symbol("n")])],
      outputs: [tensor("y", [.symbol("n")])])
  }
}

extension TemporaryFolder {
  /// Writes a model and returns its path.
  func onnx(_ name: String, _ model: ModelProto) throws -> String {
    let path = path(name + ".onnx")
    try model.write(to: path)
    return path
  }

  /// Writes a conformance test: a folder with a model, its inputs and its outputs.
  func conformanceTest(_ name: String, _ model: ModelProto, inputs: [GraphValue], outputs: [GraphValue]) throws {
    let data = file("\(name)/test_data_set_0")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    try model.write(to: path("\(name)/model.onnx"))
    for (kind, values) in [("input", inputs), ("output", outputs)] {
      for (index, value) in values.enumerated() {
        try ValueFile.write(value, to: path("\(name)/test_data_set_0/\(kind)_\(index).pb"))
      }
    }
  }
}
