import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// `messages.onnx` has every message, written by the package that defines the format: see `onnx_files.py`.
@Suite struct ReadingModelTests {
  private func messages() throws -> ModelProto {
    try ModelProto.read(contentsOf: onnxFixture("messages.onnx"))
  }

  @Test(arguments: FileAccess.allCases)
  func modelSaysWhatItIs(access: FileAccess) throws {
    let model = try ModelProto.read(contentsOf: onnxFixture("messages.onnx"), access: access)
    #expect(model.irVersion == 10)
    #expect(model.producerName == "apus fixtures")
    #expect(model.producerVersion == "1")
    #expect(model.domain == "test.domain")
    #expect(model.modelVersion == 3)
    #expect(model.docString == "model note")
    #expect(model.opsetImports == [OperatorSetID(version: 21), OperatorSetID(domain: "test", version: 1)])
    #expect(
      model.metadata == [
        StringStringEntry(key: "key", value: "value"), StringStringEntry(key: "ключ", value: "значение"),
      ])
    #expect(model.warnings.isEmpty)
  }

  @Test func graphHasItsParts() throws {
    let graph = try messages().graph
    #expect(graph.name == "messages")
    #expect(graph.docString == "graph note")
    #expect(graph.metadata == [StringStringEntry(key: "graph", value: "metadata")])
    #expect(graph.nodes.count == 1)
    #expect(graph.initializers.map(\.name) == ["constant"])
    #expect(graph.sparseInitializers.map(\.values.name) == ["linear", "pairs"])
    #expect(graph.outputs == [ValueInfoProto(name: "c", type: .tensor(.bool, []))])
    #expect(graph.valueInfo == [ValueInfoProto(name: "between", type: .tensor(.float16, [.size(0)]))])
  }

  @Test func declaredTypesAreOfEveryKind() throws {
    let tensor = GraphValueType.tensor(.float, [.size(1), .symbol("height"), .unknown])
    #expect(
      try messages().graph.inputs == [
        ValueInfoProto(name: "a", type: tensor),
        ValueInfoProto(name: "sequence", type: .sequence(tensor)),
        ValueInfoProto(name: "optional", type: .optional(.sequence(tensor))),
        ValueInfoProto(name: "map", type: .map(.int64, tensor)),
        ValueInfoProto(name: "sparse", type: .unsupported("sparse tensor")),
        ValueInfoProto(name: "unranked", type: .tensor(.int8, nil)),
        ValueInfoProto(name: "untyped"),
      ])
  }

  @Test func nodeHasEveryKindOfAttribute() throws {
    let node = try #require(try messages().graph.nodes.first)
    try check(node)
  }

  private func check(_ node: NodeProto) throws {
    #expect(node.opType == "Everything")
    #expect(node.name == "node")
    #expect(node.domain == "test")
    #expect(node.overload == "second")
    #expect(node.docString == "a note")
    #expect(node.inputs == ["a", "", "b"])
    #expect(node.outputs == ["c", ""])
    #expect(node.metadata == [StringStringEntry(key: "from", value: "layer 1")])
    let attributes = Dictionary(uniqueKeysWithValues: node.attributes.map { ($0.name, $0.value) })
    #expect(attributes.count == 14)
    let tensorType = GraphValueType.tensor(.float, [.size(1), .symbol("height"), .unknown])
    if case .float(1.5)? = attributes["f"] {} else { Issue.record("f") }
    if case .int(-7)? = attributes["i"] {} else { Issue.record("i") }
    if case .string(Array("text".utf8))? = attributes["s"] {} else { Issue.record("s") }
    if case .type(tensorType)? = attributes["tp"] {} else { Issue.record("tp") }
    if case .floats([0.5, -1])? = attributes["fs"] {} else { Issue.record("fs") }
    if case .ints([1, -2])? = attributes["js"] {} else { Issue.record("js") }
    if case .strings([Array("one".utf8), Array("two".utf8)])? = attributes["ss"] {} else { Issue.record("ss") }
    if case .types([tensorType])? = attributes["tps"] {} else { Issue.record("tps") }
    if case .tensor(let tensor)? = attributes["t"] { try expect(tensor, is: [1, 2]) } else { Issue.record("t") }
    if case .tensors(let tensors)? = attributes["ts"] { #expect(tensors.count == 2) } else { Issue.record("ts") }
    if case .graph(let graph)? = attributes["g"] { #expect(graph.name == "inner") } else { Issue.record("g") }
    if case .graphs(let graphs)? = attributes["gs"] {
      #expect(graphs.map { $0.nodes.map(\.opType) } == [["Identity"], ["Identity"]])
    } else {
      Issue.record("gs")
    }
    if case .sparseTensor(let sparse)? = attributes["st"] { try expectSparse(sparse) } else { Issue.record("st") }
    if case .sparseTensors(let list)? = attributes["sts"] { #expect(list.count == 1) } else { Issue.record("sts") }
  }

  private func expect(_ tensor: TensorProto, is expected: [Int64]) throws {
    guard case .tensor(.int64(let values)) = try tensor.value() else { throw Unexpected("not INT64") }
    #expect(try values.elements == expected)
  }

  private func expectSparse(_ sparse: SparseTensorProto) throws {
    guard case .tensor(.float32(let values)) = try sparse.value() else { throw Unexpected("not FLOAT") }
    #expect(values.shape == [2, 3])
    #expect(try values.elements == [1.5, 0, -2, 0, 0, 3])
  }

  @Test func sparseTensorsAreFilledWithZeros() throws {
    let sparse = try messages().graph.sparseInitializers
    try expectSparse(sparse[0])
    guard case .tensor(.float32(let pairs)) = try sparse[1].value() else { throw Unexpected("not FLOAT") }
    #expect(try pairs.elements == [0, 1.5, 0, -2, 0, 3])
  }

  @Test func functionHasItsParts() throws {
    let function = try #require(try messages().functions.first)
    try check(function)
  }

  private func check(_ function: FunctionProto) throws {
    #expect(function.name == "Scaled")
    #expect(function.domain == "test")
    #expect(function.overload == "first")
    #expect(function.inputs == ["x"])
    #expect(function.outputs == ["y"])
    #expect(function.attributes == ["alpha"])
    #expect(function.attributeDefaults.map(\.name) == ["beta"])
    #expect(function.opsetImports == [OperatorSetID(version: 20)])
    let reference = try #require(function.nodes.first?.attributes.first)
    #expect(reference.name == "to")
    #expect(reference.referenceName == "alpha")
    if case .int = reference.value {} else { Issue.record("the kind of a reference is lost") }
  }

  @Test func whatIsWrittenIsWhatWasRead() throws {
    var model = try messages()
    // A type of which nothing is kept cannot be written.
    model.graph.inputs.removeAll { if case .unsupported? = $0.type { true } else { false } }
    let copy = try readModel(model.encode())
    #expect(copy.opsetImports == model.opsetImports)
    #expect(copy.metadata == model.metadata)
    #expect(copy.docString == model.docString)
    #expect(copy.graph.inputs == model.graph.inputs)
    #expect(copy.graph.outputs == model.graph.outputs)
    #expect(copy.graph.valueInfo == model.graph.valueInfo)
    try check(try #require(copy.graph.nodes.first))
    try check(try #require(copy.functions.first))
    try expectSparse(copy.graph.sparseInitializers[0])
    #expect(try copy.encode() == model.encode())
  }

  @Test func modelsInMemoryAreThoseOfFiles() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(2)])
    graph.node("Neg", ["x"], ["y"])
    let encoded = try graph.model(outputs: ["y"]).proto.encode()
    let model = try encoded.withUnsafeBytes { try ONNXModel(bytes: $0, name: "memory") }
    let y = try InferenceSession(model).run(["x": GraphValue(Tensor([1, -2] as [Float]))])["y"]
    #expect(try y?.tensor(of: Float.self)?.elements == [-1, 2])
    #expect(throws: FileError.empty(path: "nothing")) {
      try ONNXModel(bytes: UnsafeRawBufferPointer(start: nil, count: 0), name: "nothing")
    }
    let error = #expect(throws: ONNXFileError.self) {
      try [UInt8](repeating: 0xFF, count: 9).withUnsafeBytes { try ONNXModel(bytes: $0, name: "damaged") }
    }
    #expect(error?.file == "damaged")
  }

  @Test func typesThatAreNotKeptAreNotWritten() throws {
    #expect(onnxRefusal { _ = try messages().encode() } == .unwritableType("sparse tensor"))
  }

  @Test func firstVersionOfTheFormatDoesWithoutKindsAndOperatorSets() throws {
    let model = try ModelProto.read(contentsOf: onnxFixture("old.onnx"))
    #expect(model.irVersion == 1)
    #expect(model.opsetImports == [OperatorSetID(version: 1)])
    #expect(model.warnings.isEmpty)
    let attributes = Dictionary(
      uniqueKeysWithValues: try #require(model.graph.nodes.first).attributes.map { ($0.name, $0.value) })
    #expect(attributes.count == 7)
    if case .float(1.5)? = attributes["f"] {} else { Issue.record("f") }
    if case .int(-7)? = attributes["i"] {} else { Issue.record("i") }
    if case .string(Array("text".utf8))? = attributes["s"] {} else { Issue.record("s") }
    if case .ints([1, -2])? = attributes["js"] {} else { Issue.record("js") }
    if case .floats([0.5])? = attributes["fs"] {} else { Issue.record("fs") }
    if case .strings([Array("one".utf8)])? = attributes["ss"] {} else { Issue.record("ss") }
    if case .tensor(let tensor)? = attributes["t"] { try expect(tensor, is: [1, 2]) } else { Issue.record("t") }
  }

  @Test func newerVersionsAreWarnedOf() throws {
    let model = try readModel(field(1, 99) + field(8, field(2, 1000)) + field(7, []))
    #expect(model.warnings.count == 2)
    #expect(model.warnings[0].contains("version 99 of the format"))
    #expect(model.warnings[1].contains("version 1000 of the operators of ai.onnx"))
    // What is new in a domain outside the standard is unknown.
    #expect(try readModel(field(1, 10) + field(8, field(1, "mine") + field(2, 1000)) + field(7, [])).warnings.isEmpty)
    #expect(try readModel(field(1, 10) + field(7, [])).warnings.count == 1)
  }

  @Test func numbersOmittedByProducersAreZero() throws {
    let node = field(4, "Op") + field(5, field(1, "i") + field(20, 2)) + field(5, field(1, "f") + field(20, 1))
    let read = try readModel(field(1, 10) + field(7, field(1, node))).graph.nodes[0]
    if case .int(0) = read.attributes[0].value {} else { Issue.record("i") }
    if case .float(0) = read.attributes[1].value {} else { Issue.record("f") }
  }

  @Test func unknownFieldsAndGroupsArePassedOver() throws {
    // A varint, eight bytes, four bytes, bytes, and a group with another inside, all in unknown fields.
    let inner = varint(7 << 3 | 3) + field(1, 5) + varint(7 << 3 | 4)
    let group = varint(1000 << 3 | 3) + inner + varint(1000 << 3 | 4)
    let eight = varint(901 << 3 | 1) + [UInt8](repeating: 9, count: 8)
    let four = varint(902 << 3 | 5) + [1, 2, 3, 4]
    let unknown = field(900, 5) + eight + four + field(903, "text") + group
    let model = try readModel(unknown + field(1, 10) + unknown + field(7, field(2, "name") + unknown))
    #expect(model.irVersion == 10)
    #expect(model.graph.name == "name")
  }

  @Test func modelIsWrittenWholeAndReadAgain() throws {
    let folder = try ScratchFolder()
    let weight = try Tensor<Float>(range: 100_000)
    let graph = GraphProto(
      name: "made", nodes: [NodeProto(opType: "Identity", inputs: ["weight"], outputs: ["y"])],
      initializers: [try TensorProto(name: "weight", value: GraphValue(weight))],
      outputs: [ValueInfoProto(name: "y", type: .tensor(.float, [.size(100_000)]))])
    let path = "\(folder.path)/made.onnx"
    try ModelProto(opsetImports: [OperatorSetID(version: 21)], graph: graph).write(to: path)
    let read = try ModelProto.read(contentsOf: path)
    #expect(read.graph.nodes[0].outputs == ["y"])
    guard case .tensor(.float32(let values)) = try read.graph.initializers[0].value() else {
      throw Unexpected("not FLOAT")
    }
    #expect(try values.elements == weight.elements)
    // Nothing but a borrowed tensor may survive here: writing over the file that it is read from.
    try read.write(to: path)
    #expect(try values.elements == weight.elements)
  }
}
