import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

@Suite struct ReadingRefusalTests {
  @Test func cutAnywhereAModelIsRefusedOrReadWithoutACrash() throws {
    let whole = try bytes(ofONNXFixture: "messages.onnx")
    var refused = 0
    for count in 0..<whole.count where !use(Array(whole[..<count])) { refused += 1 }
    // The graph is followed by the operators and functions, between which a cut leaves a smaller model.
    #expect(refused > whole.count - 20)
  }

  /// To compare such names would take minutes.
  @Test func namesOfMarksAreRefused() throws {
    let name = String(repeating: "\u{301}\u{316}", count: 1 << 18)
    let model = ModelProto(
      opsetImports: [OperatorSetID(version: 13)],
      graph: GraphProto(
        nodes: [NodeProto("Relu", ["x"], [name])], inputs: [ValueInfoProto(name: "x")],
        outputs: [ValueInfoProto(name: name)]))
    let error = #expect(throws: ONNXFileError.self) { try readModel(model.encode()) }
    guard case .protobuf(let reason)? = error?.reason else { return #expect(Bool(false)) }
    #expect(reason.reason == .tooManyMarks(limit: 30) && reason.message == "NodeProto")
  }

  /// One word in two spellings of Unicode, é in one character and in two: two names, as their bytes are.
  @Test func equivalentNamesAreSeveral() throws {
    let (one, two) = ("caf\u{E9}", "cafe\u{301}")
    var graph = SmallGraph()
    graph.input("x", [.size(1)])
    graph.node("Add", ["x", "x"], [one])
    graph.node("Mul", [one, "x"], [two])
    graph.node("Sub", [two, one], ["y"])
    let x = GraphValue(try Tensor<Float>([3], shape: [1]))
    // 3 · (3 + 3) - (3 + 3)
    for optimizes in [false, true] {
      let session = try InferenceSession(graph.model(outputs: ["y"]), options: .init(optimizes: optimizes))
      #expect(try session.run(["x": x])["y"]?.tensor(of: Float.self)?.elements == [12])
    }
    #expect(
      try InferenceSession(graph.model(outputs: [two])).run(["x": x])[two]?.tensor(of: Float.self)?.elements == [18])
    // A dictionary of results has room for one.
    let error = #expect(throws: GraphError.self) { try graph.model(outputs: ["y", one, two]) }
    #expect("\(String(describing: error))".contains("tell them apart"))
  }

  @Test(arguments: ["messages.onnx", "elements.onnx", "old.onnx"])
  func flippedBitsNeverCrash(_ name: String) throws {
    let whole = try bytes(ofONNXFixture: name)
    var accepted = 0
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 1 << UInt8(index % 8)
      if use(damaged) { accepted += 1 }
    }
    #expect(accepted > 0 && accepted < whole.count)
  }

  /// Whether `bytes` are a model. Whatever is in it is read.
  private func use(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty else { return false }
    do {
      let model = try readModel(bytes)
      for tensor in model.graph.initializers { _ = try? tensor.value() }
      for tensor in model.graph.sparseInitializers where tensor.dims.allSatisfy({ $0 < 1000 }) {
        _ = try? tensor.value()
      }
      _ = try? model.encode()
      return true
    } catch {
      // A bit may make it the beginning of another format.
      #expect(error is ONNXFileError || error is FileFormatError)
      #expect(!"\(error)".isEmpty)
      return false
    }
  }

  @Test func errorsSayMessageFieldAndPlace() {
    // The model's graph, in it a node whose name is a number.
    let node = field(4, "Op") + field(3, 7)
    let error = protobufRefusal { _ = try readModel(field(1, 10) + field(7, field(1, node))) }
    #expect(
      error
        == ProtobufError(
          message: "NodeProto", field: 3, offset: 10,
          reason: .wrongWireType(found: "a varint", expected: "a length and bytes")))
    #expect(
      error?.description
        == "NodeProto, field 3, byte 10: is encoded as a varint, where a length and bytes was expected")
  }

  @Test func hostileEncodingsAreRefused() {
    func reason(_ bytes: [UInt8]) -> ProtobufError.Reason? { protobufRefusal { _ = try readModel(bytes) }?.reason }
    #expect(reason(field(1, 10)) == .truncated(expected: "a graph"))
    #expect(reason([0x08]) == .truncated(expected: "a number"))
    #expect(reason([0x80]) == .truncated(expected: "a field"))
    #expect(reason([0x08] + [UInt8](repeating: 0xFF, count: 10)) == .numberTooLong)
    #expect(reason([0x00, 0x00]) == .badFieldNumber(0))
    #expect(reason(varint(1 << 32) + [0]) == .badFieldNumber(1 << 29))
    #expect(reason([0x0E]) == .badWireType(6))
    #expect(reason([0x0C]) == .wrongWireType(found: "a group", expected: "a varint"))
    #expect(reason(varint(900 << 3 | 4)) == .strayGroupEnd)
    #expect(reason(varint(900 << 3 | 3)) == .truncated(expected: "the end of a group"))
    #expect(reason(varint(900 << 3 | 3) + varint(901 << 3 | 4)) == .strayGroupEnd)
    #expect(reason(varint(900 << 3 | 1) + [1, 2, 3]) == .truncated(expected: "eight bytes"))
    #expect(reason(varint(900 << 3 | 5) + [1, 2, 3]) == .truncated(expected: "four bytes"))
    #expect(reason(varint(7 << 3 | 2) + varint(.max)) == .lengthBeyondEnd(length: .max, available: 0))
    #expect(reason(varint(7 << 3 | 2) + varint(5) + [0]) == .lengthBeyondEnd(length: 5, available: 1))
    #expect(reason(field(7, []) + field(7, [])) == .repeated)
    #expect(reason(field(7, field(1, field(1, [0xFF])))) == .notUTF8)
    // Floats of three bytes; a number that goes on beyond its list.
    #expect(reason(field(7, field(1, field(5, field(7, [1, 2, 3]))))) == .partialElement(length: 3, elementSize: 4))
    #expect(reason(field(7, field(1, field(5, field(8, [0x80]) + [1])))) != nil)
    #expect(reason(field(7, field(1, field(5, field(1, "t") + field(20, 4))))) != nil)
  }

  @Test func notesNeedNotBeUTF8() throws {
    let model = try readModel(field(1, 10) + field(6, [0x61, 0xFF]) + field(7, []))
    #expect(model.docString == "a\u{FFFD}")
  }

  @Test func nestingHasALimit() throws {
    // Graph, node, attribute, and again.
    func nested(_ depth: Int) -> [UInt8] {
      (0..<depth).reduce(field(2, "innermost")) { inner, _ in
        field(1, field(4, "If") + field(5, field(1, "g") + field(6, inner) + field(20, 5)))
      }
    }
    #expect(try readModel(field(1, 10) + field(7, nested(32))).graph.nodes.count == 1)
    for depth in [34, 20_000] {
      let model = field(1, 10) + field(7, nested(depth))
      #expect(protobufRefusal { _ = try readModel(model) }?.reason == .tooDeep(limit: 100))
    }
    let groups = [UInt8]((0..<50_000).flatMap { _ in varint(900 << 3 | 3) })
    #expect(protobufRefusal { _ = try readModel(groups) }?.reason == .tooDeep(limit: 100))
    let types = (0..<5000).reduce([UInt8]()) { inner, _ in field(4, field(1, inner)) }
    let input = field(11, field(1, "x") + field(2, types))
    #expect(protobufRefusal { _ = try readModel(field(1, 10) + field(7, input)) }?.reason == .tooDeep(limit: 100))
  }

  @Test func tensorsThatAreNotWhatTheySayAreRefused() {
    func reason(_ bytes: [UInt8]) -> ONNXFileError.TensorReason? { tensorRefusal { _ = try readValue(bytes) } }
    let eight = field(9, [UInt8](repeating: 0, count: 8))
    #expect(reason(tensorBytes(1, [3], eight)) == .wrongByteCount(.float, [3], expected: 12, found: 8))
    #expect(reason(tensorBytes(1, [-2], eight)) == .negativeDimension(-2))
    #expect(reason(tensorBytes(1, [1 << 40, 1 << 40], eight)) == .tooLarge([1 << 40, 1 << 40]))
    #expect(reason(tensorBytes(11, [1 << 62], eight)) == .tooLarge([1 << 62]))
    #expect(
      reason(tensorBytes(1, [1 << 50], eight)) == .wrongByteCount(.float, [1 << 50], expected: 1 << 52, found: 8))
    #expect(reason(tensorBytes(1, [Int64](repeating: 1, count: 65), eight)) == .tooManyDimensions(65, limit: 64))
    #expect(reason(tensorBytes(99, [2], eight)) == .unknownElementType(99))
    #expect(reason(tensorBytes(0, [2], eight)) == .unknownElementType(0))
    #expect(reason(tensorBytes(15, [2], eight)) == .unsupportedElementType(.complex128))
    #expect(reason(tensorBytes(1, [2], field(3, []), eight)) == .segment)
    #expect(reason(tensorBytes(9, [3], field(9, [1, 0, 2]))) == .invalidBool(index: 2, byte: 2))
    #expect(reason(tensorBytes(9, [2], field(5, packed([1, 3])))) == .invalidBool(index: 1, byte: 3))
    #expect(reason(tensorBytes(22, [3], field(9, [0]))) == .wrongByteCount(.int4, [3], expected: 2, found: 1))
    #expect(reason(tensorBytes(27, [5], field(9, [0]))) == .wrongByteCount(.float6e2m3, [5], expected: 4, found: 1))
  }

  @Test func numbersThatDoNotFitAreRefused() {
    func reason(_ bytes: [UInt8]) -> ONNXFileError.TensorReason? { tensorRefusal { _ = try readValue(bytes) } }
    #expect(reason(tensorBytes(3, [2], field(5, packed([1, 128])))) == .outOfRange(index: 1, value: 128, .int8))
    #expect(reason(tensorBytes(2, [1], field(5, packed([-1])))) == .outOfRange(index: 0, value: -1, .uint8))
    #expect(reason(tensorBytes(10, [1], field(5, 65536))) == .outOfRange(index: 0, value: 65536, .float16))
    #expect(reason(tensorBytes(12, [1], field(11, 1 << 32))) == .outOfRange(index: 0, value: 1 << 32, .uint32))
    #expect(reason(tensorBytes(28, [1], field(5, 64))) == .outOfRange(index: 0, value: 64, .float6e3m2))
    #expect(
      reason(tensorBytes(6, [3], field(5, packed([1, 2]))))
        == .wrongElementCount(.int32, [3], field: "int32_data", expected: 3, found: 2))
    // The numbers are in the field of another type.
    #expect(
      reason(tensorBytes(7, [1], field(5, 1)))
        == .wrongElementCount(.int64, [1], field: "int64_data", expected: 1, found: 0))
    #expect(
      reason(tensorBytes(1, [1 << 40], field(4, [0, 0, 0, 0])))
        == .wrongElementCount(.float, [1 << 40], field: "float_data", expected: 1 << 40, found: 1))
    // Eleven bytes that go on, and a last one.
    let long = [UInt8](repeating: 0xFF, count: 11) + [1]
    #expect(reason(tensorBytes(7, [1], field(7, long))) == .badNumber(index: 0, offset: 10))
    #expect(reason(tensorBytes(8, [1], field(6, [0xC0]))) == .notUTF8(index: 0))
    #expect(
      reason(tensorBytes(8, [2], field(6, "a")))
        == .wrongElementCount(.string, [2], field: "string_data", expected: 2, found: 1))
  }

  @Test func sparseTensorsMustMakeSense() throws {
    func reason(_ indexDims: [Int64], _ indices: [Int64], dims: [Int64]) throws -> ONNXFileError.TensorReason? {
      let values = field(1, tensorBytes(6, [2], field(5, packed([1, 2]))))
      let sparse = values + field(2, tensorBytes(7, indexDims, field(7, packed(indices)))) + field(3, packed(dims))
      let model = try readModel(field(1, 10) + field(7, field(15, sparse)))
      return tensorRefusal { _ = try model.graph.sparseInitializers[0].value() }
    }
    #expect(try reason([2], [0, 3], dims: [2, 2]) == nil)
    #expect(try reason([2], [0, 4], dims: [2, 2]) != nil)
    #expect(try reason([2], [3, 0], dims: [2, 2]) != nil)
    #expect(try reason([2], [1, 1], dims: [2, 2]) != nil)
    #expect(try reason([2], [-1, 1], dims: [2, 2]) != nil)
    #expect(try reason([2, 2], [0, 0, 1, 1], dims: [2, 2]) == nil)
    #expect(try reason([2, 2], [0, 0, 1, 2], dims: [2, 2]) != nil)
    #expect(try reason([1, 4], [0, 0, 1, 1], dims: [2, 2]) != nil)
    #expect(try reason([3], [0, 1, 2], dims: [2, 2]) != nil)
    #expect(try reason([2], [0, 1], dims: [1 << 62, 4]) == .tooLarge([1 << 62, 4]))
    #expect(try reason([2], [0, 1], dims: [1 << 61]) != nil)
  }

  @Test func noBytesAreSaidToBeNone() {
    #expect(throws: FileError.empty(path: "memory")) { try readModel([]) }
  }

  @Test func filesOfOtherFormatsAreNamed() throws {
    func format(_ bytes: [UInt8], named name: String = "model.onnx") throws -> FileFormat? {
      let folder = try ScratchFolder()
      let path = try folder.write(bytes, to: name)
      do {
        _ = try ModelProto.read(contentsOf: path)
        return nil
      } catch let error as FileFormatError {
        #expect(error.path == path && error.purpose == .model)
        return error.found
      } catch is ONNXFileError {
        return .onnx
      }
    }
    #expect(try format([0x18, 0, 0, 0] + Array("ORTM".utf8) + [0, 0, 0, 0]) == .onnxRuntime)
    #expect(try format([1, 2, 3], named: "model.ort") == .onnxRuntime)
    #expect(try format(Array("<!DOCTYPE html><html></html>".utf8)) == .markup)
    #expect(try format([UInt8(10), 0, 0, 0, 0, 0, 0, 0] + Array("{\"a\":1}   ".utf8)) == .safetensors)
    #expect(try format([0x20, 0, 0, 0] + Array("TFL3".utf8)) == .tensorFlowLite)
    // Damaged, and told so by the reader of what its name says.
    #expect(try format([0xFF, 0x01, 0xFE]) == .onnx)
    // A producer of this name puts the letters of another format where that has them.
    #expect(try readModel(field(1, 10) + field(2, "ORTM") + field(7, [])).producerName == "ORTM")
  }

  @Test func missingFilesFoldersAndEmptyFilesAreFileErrors() throws {
    let folder = try ScratchFolder()
    let empty = try folder.write([], to: "empty.onnx")
    #expect(throws: FileError.empty(path: empty)) { try ModelProto.read(contentsOf: empty) }
    #expect(throws: FileError.isDirectory(path: folder.path)) { try ModelProto.read(contentsOf: folder.path) }
    #expect(throws: FileError.notFound(path: "\(folder.path)/none")) {
      try ModelProto.read(contentsOf: "\(folder.path)/none")
    }
  }

  @Test func sequencesAreNoTensors() throws {
    let sequence = GraphValue.sequence([], element: .tensor(.float, nil))
    #expect(onnxRefusal { _ = try TensorProto(value: sequence) } == .unwritableType("sequence(FLOAT) as a tensor"))
  }
}
