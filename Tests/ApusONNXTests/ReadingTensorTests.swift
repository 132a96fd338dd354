import Testing

@testable import Apus
@testable import ApusGraph
@testable import ApusONNX

/// `elements.onnx` has a tensor of every element type in both encodings: see `onnx_files.py`.
@Suite struct ReadingTensorTests {
  private static let file = try? ModelProto.read(contentsOf: onnxFixture("elements.onnx"))

  private func tensor(_ name: String) throws -> TensorProto {
    try #require(Self.file?.graph.initializers.first { $0.name == name })
  }

  /// The element types that tensors exist of.
  static let types = ElementType.allCases.filter { $0 != .complex64 && $0 != .complex128 }

  @Test(arguments: types)
  func everyElementTypeIsReadInBothEncodings(_ type: ElementType) throws {
    for encoding in type == .string ? ["typed"] : ["raw", "typed"] {
      try check(tensor("\(encoding).\(type)").value(), type)
    }
  }

  @Test(arguments: types)
  func everyElementTypeIsWrittenAndReadAgain(_ type: ElementType) throws {
    for encoding in type == .string ? ["typed"] : ["raw", "typed"] {
      let read = try tensor("\(encoding).\(type)")
      // As it was read, and from memory.
      let copies = [read, try TensorProto(name: read.name, value: read.value())]
      for copy in copies {
        let model = ModelProto(opsetImports: [OperatorSetID(version: 21)], graph: GraphProto(initializers: [copy]))
        let again = try readModel(model.encode()).graph.initializers[0]
        #expect(again.name == read.name)
        try check(again.value(), type)
      }
    }
  }

  private func check(_ value: GraphValue, _ type: ElementType) throws {
    #expect(value.shape == [3, 5])
    #expect(value.elementType == type)
    let indices = 0..<15
    switch value {
    case .strings(let texts): #expect(texts.elements == indices.map { "text \($0) é" })
    case .coded(let coded):
      let limit = 1 << (type.bitCount ?? 0)
      #expect(try coded.codes.elements == indices.map { UInt8($0 * 7 % limit) })
    case .tensor(.bool(let tensor)): #expect(try tensor.elements == indices.map { $0 % 3 == 0 })
    case .tensor(let tensor):
      let numbers = try #require(try tensor.tensor(as: Double.self, converting: true)).elements
      let first = type.isFloatingPoint || !type.description.hasPrefix("U") ? -3 : 0
      let step = type.isFloatingPoint ? 0.75 : 1
      #expect(numbers == indices.map { Double($0 + first) * step })
    case .sequence, .optional: Issue.record("not a tensor")
    }
  }

  @Test func scalarsAndEmptyTensorsAreTensors() throws {
    guard case .tensor(.float32(let scalar)) = try tensor("scalar").value() else { throw Unexpected("scalar") }
    #expect(scalar.shape.isEmpty)
    #expect(try scalar.elements == [1.5])
    guard case .tensor(.float32(let empty)) = try tensor("empty").value() else { throw Unexpected("empty") }
    #expect(empty.shape == [0, 4])
  }

  @Test func complexNumbersAreRefusedOnUse() throws {
    #expect(tensorRefusal { _ = try tensor("complex").value() } == .unsupportedElementType(.complex64))
  }

  @Test func largeTensorsAreViewsOfTheFileAtAnyAlignment() throws {
    let folder = try ScratchFolder()
    let elements = (0..<2000).map { Float($0) / 8 }
    let raw = elements.withUnsafeBytes { Array($0) }
    for padding in 0..<4 {
      let name = String(repeating: "n", count: 1 + padding)
      let initializer = tensorBytes(1, [2000], field(9, raw), name: name)
      let path = try folder.write(modelBytes(initializer: initializer), to: "m.onnx")
      guard case .tensor(.float32(let tensor)) = try ModelProto.read(contentsOf: path).graph.initializers[0].value()
      else { throw Unexpected("not FLOAT") }
      #expect(tensor.storage.owner is MappedFile)
      #expect(try tensor.elements == elements)
      // Kernels read it there, too.
      #expect(try (tensor * 2).elements == elements.map { $0 * 2 })
      #expect(try tensor.reshaped([40, 50]).transposed().elements[1] == elements[50])
    }
  }

  @Test func numbersMayComeOneByOneAndInSeveralLists() throws {
    let parts = field(5, 1) + field(5, packed([2, -3])) + field(5, []) + field(5, 4)
    guard case .tensor(.int32(let tensor)) = try readValue(tensorBytes(6, [4], parts)) else {
      throw Unexpected("not INT32")
    }
    #expect(try tensor.elements == [1, 2, -3, 4])
    // Extents one by one; a negative number cut to 32 bits, as some writers have it.
    let cut = field(2, 6) + field(1, 1) + field(1, 1) + field(5, varint(0xFFFF_FFFF))
    guard case .tensor(.int32(let negative)) = try readValue(cut) else { throw Unexpected("not INT32") }
    #expect(negative.shape == [1, 1])
    #expect(try negative.elements == [-1])
  }

  @Test func extremesOfEveryIntegerTypeAreKept() throws {
    guard case .tensor(.int64(let signed)) = try readValue(tensorBytes(7, [2], field(7, packed([.min, .max])))),
      case .tensor(.uint64(let unsigned)) = try readValue(tensorBytes(13, [2], field(11, packed([0, -1])))),
      case .tensor(.int8(let small)) = try readValue(tensorBytes(3, [2], field(5, packed([-128, 127]))))
    else { throw Unexpected("wrong types") }
    #expect(try signed.elements == [.min, .max])
    #expect(try unsigned.elements == [0, .max])
    #expect(try small.elements == [-128, 127])
  }

  @Test func valueFilesHoldTensorsSequencesAndOptionals() throws {
    func floats(_ value: GraphValue?) throws -> [Float] {
      guard case .tensor(.float32(let tensor))? = value else { throw Unexpected("not FLOAT") }
      return try tensor.elements
    }
    let float = GraphValueType.tensor(.float, nil)
    let tensor = try ValueFile.read(contentsOf: onnxFixture("tensor.pb"), as: float)
    #expect(tensor.name == "x")
    #expect(try floats(tensor.value) == [1.5, -2])
    let sequence = try ValueFile.read(contentsOf: onnxFixture("sequence.pb"), as: .sequence(float))
    #expect(sequence.name == "sequence")
    guard case .sequence(let elements, float) = sequence.value else { throw Unexpected("not a sequence") }
    #expect(try elements.map(floats) == [[1.5, -2], []])
    let nested = try ValueFile.read(contentsOf: onnxFixture("nested.pb"), as: .sequence(.sequence(float))).value
    guard case .sequence(let outer, .sequence(float)) = nested, case .sequence(let last, float)? = outer.last else {
      throw Unexpected("not a sequence of sequences")
    }
    #expect(outer.count == 2)
    #expect(try floats(last[0]) == [1.5, -2])
    let empty = try ValueFile.read(contentsOf: onnxFixture("empty-sequence.pb"), as: .sequence(float)).value
    guard case .sequence(let nothing, float) = empty else { throw Unexpected("not a sequence") }
    #expect(nothing.isEmpty)
    let some = try ValueFile.read(contentsOf: onnxFixture("optional.pb"), as: .optional(float)).value
    guard case .optional(let content, float) = some else { throw Unexpected("not an optional") }
    #expect(try floats(content) == [1.5, -2])
    let sequencePath = onnxFixture("optional-sequence.pb")
    let list = try ValueFile.read(contentsOf: sequencePath, as: .optional(.sequence(float))).value
    guard case .optional(.sequence(let listed, float)?, .sequence(float)) = list else { throw Unexpected("list") }
    #expect(listed.count == 2)
    let none = try ValueFile.read(contentsOf: onnxFixture("none.pb"), as: .optional(float)).value
    guard case .optional(nil, float) = none else { throw Unexpected("not none") }
  }

  @Test(arguments: ["tensor.pb", "sequence.pb", "nested.pb", "empty-sequence.pb", "optional.pb", "none.pb"])
  func valueFilesAreWrittenAsTheReferenceWritesThem(_ name: String) throws {
    let float = GraphValueType.tensor(.float, nil)
    let type: GraphValueType =
      switch name {
      case "tensor.pb": float
      case "sequence.pb", "empty-sequence.pb": .sequence(float)
      case "nested.pb": .sequence(.sequence(float))
      default: .optional(float)
      }
    let folder = try ScratchFolder()
    let read = try ValueFile.read(contentsOf: onnxFixture(name), as: type)
    let path = "\(folder.path)/copy.pb"
    try ValueFile.write(read.value, named: read.name, to: path)
    let copy = try ValueFile.read(contentsOf: path, as: type)
    #expect(copy.name == read.name)
    #expect("\(try contents(copy.value))" == "\(try contents(read.value))")
  }

  /// A value as text, elements included.
  private func contents(_ value: GraphValue) throws -> String {
    switch value {
    case .tensor(let tensor): "\(value.type) \(try tensor.withUnsafeBytes { Array($0) })"
    case .sequence(let values, let element): "[\(try values.map(contents))] of \(element)"
    case .optional(let value, let element): "\(try value.map(contents) ?? "none") of \(element)"
    case .coded, .strings: "\(value)"
    }
  }
}
