import Apus
import ApusGraph
import ApusONNX

/// The ONNX model reader with every tensor of the model, and the writer on what it accepts.
struct ONNXModelTarget: ProtobufFuzzTarget {
  let name = "onnx-model"
  let summary = "ONNX models: graphs, attributes, functions, every tensor, and writing them again"
  let dictionary = [
    "\u{8}\u{A}", "\u{A}\u{0}", "\u{12}\u{0}", ":\u{0}", "B\u{2}\u{10}\u{15}", "*\u{4}", "2\u{0}", "\u{22}\u{0}",
    "Constant", "If", "location", "offset", "length", "../x", "\u{F}", "p\u{1}", "r\u{0}", "j\u{0}",
  ]

  func seeds() throws -> [[UInt8]] {
    let weight = try TensorProto(name: "w", value: GraphValue(Tensor<Float>(range: 4)))
    let places = try TensorProto(value: GraphValue(Tensor<Int64>([0, 1, 2, 5])))
    let sparse = SparseTensorProto(values: weight, indices: places, dims: [2, 3])
    let type = GraphValueType.tensor(.float, [.size(1), .symbol("n"), .unknown])
    let inner = GraphProto(name: "then", nodes: [NodeProto(opType: "Identity", inputs: ["w"], outputs: ["y"])])
    let values: [AttributeProto.Content] = [
      .float(1.5), .int(-1), .string(Array("text".utf8)), .tensor(weight), .graph(inner), .sparseTensor(sparse),
      .type(type), .floats([1, 2]), .ints([1, -1]), .strings([[0x61]]), .tensors([weight]), .graphs([inner]),
      .sparseTensors([sparse]), .types([.sequence(type), .optional(type)]), .undefined,
    ]
    let attributes = values.map { AttributeProto(name: "a", value: $0) }
    let reference = AttributeProto(name: "b", value: .int(0), referenceName: "alpha")
    let function = FunctionProto(
      name: "F", domain: "d", inputs: ["x"], outputs: ["y"], attributes: ["alpha"],
      nodes: [NodeProto(opType: "Cast", inputs: ["x"], outputs: ["y"], attributes: [reference])],
      opsetImports: [OperatorSetID(version: 21)])
    let graph = GraphProto(
      name: "g", nodes: [NodeProto(opType: "If", inputs: ["x"], outputs: ["y"], attributes: attributes)],
      initializers: [weight], sparseInitializers: [sparse], inputs: [ValueInfoProto(name: "x", type: type)],
      outputs: [ValueInfoProto(name: "y", type: .sequence(type))], docString: "note")
    let model = ModelProto(
      opsetImports: [OperatorSetID(version: 21), OperatorSetID(domain: "d", version: 1)],
      metadata: [StringStringEntry(key: "key", value: "value")], graph: graph, functions: [function])
    // A tensor in another file, and numbers in a list.
    let external: [UInt8] = [
      0x3A, 28, 0x2A, 26, 0x08, 1, 0x10, 1, 0x6A, 18, 0x0A, 8, 0x6C, 0x6F, 0x63, 0x61, 0x74, 0x69, 0x6F, 0x6E, 0x12, 6,
      0x2E, 0x2E, 0x2F, 0x64, 0x61, 0x74, 0x70, 1,
    ]
    let list: [UInt8] = [0x3A, 11, 0x2A, 9, 0x08, 2, 0x10, 3, 0x2A, 3, 1, 2, 0x7F]
    return [try model.encode(), external, list]
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    // A few bytes can say that a sparse tensor has any number of zeros.
    return try outcome(memory: 64 << 20, allowing: ONNXFileError.self, FileError.self, FileFormatError.self) {
      let model = try ModelProto.read(bytes: input, name: "input", folder: "/")
      try use(model.graph)
      for function in model.functions { try use(function.nodes) }
      guard let bytes = try written(model) else { return }
      let copy: ModelProto
      do {
        copy = try bytes.withUnsafeBytes { try ModelProto.read(bytes: $0, name: "copy") }
      } catch {
        throw FuzzFinding(message: "a written model is refused: \(error)")
      }
      guard try written(copy) == bytes else { throw FuzzFinding(message: "a model comes back different") }
    }
  }

  /// The model as bytes; nil when it has types that are not kept, or tensors in files that are not there.
  private func written(_ model: ModelProto) throws -> [UInt8]? {
    do {
      return try model.encode()
    } catch is ONNXFileError {
      return nil
    }
  }

  private func use(_ graph: GraphProto) throws {
    for tensor in graph.initializers { try use(tensor) }
    for tensor in graph.sparseInitializers { try use(tensor) }
    try use(graph.nodes)
  }

  private func use(_ nodes: [NodeProto]) throws {
    for attribute in nodes.flatMap(\.attributes) {
      switch attribute.value {
      case .tensor(let tensor): try use(tensor)
      case .tensors(let tensors): for tensor in tensors { try use(tensor) }
      case .sparseTensor(let tensor): try use(tensor)
      case .sparseTensors(let tensors): for tensor in tensors { try use(tensor) }
      case .graph(let graph): try use(graph)
      case .graphs(let graphs): for graph in graphs { try use(graph) }
      default: break
      }
    }
  }

  private func use(_ tensor: TensorProto) throws {
    try materialise { try tensor.value() }
  }

  private func use(_ tensor: SparseTensorProto) throws {
    try materialise { try tensor.value() }
  }

  private func materialise(_ read: () throws -> GraphValue) throws {
    do {
      let value = try read()
      guard value.shape != nil else { throw FuzzFinding(message: "a tensor became \(value.type)") }
      if case .coded(let coded) = value { _ = try coded.widened() }
    } catch is ONNXFileError {
    }
  }
}
