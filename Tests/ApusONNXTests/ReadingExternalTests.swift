import Testing

@testable import Apus
@testable import ApusGraph
@testable import ApusONNX

@Suite struct ReadingExternalTests {
  /// A model of one float tensor of two elements in another file.
  private func model(_ entries: [(String, String)], dims: [Int64] = [2]) -> [UInt8] {
    let external = entries.flatMap { field(13, field(1, $0.0) + field(2, $0.1)) }
    return modelBytes(initializer: tensorBytes(1, dims, external, field(14, 1)))
  }

  private func value(_ path: String) throws -> [Float] {
    guard case .tensor(.float32(let tensor)) = try ModelProto.read(contentsOf: path).graph.initializers[0].value()
    else { throw Unexpected("not FLOAT") }
    return try tensor.elements
  }

  @Test(arguments: FileAccess.allCases)
  func dataOfAnotherFileIsReadInPlace(access: FileAccess) throws {
    let model = try ModelProto.read(contentsOf: onnxFixture("external.onnx"), access: access)
    guard case .tensor(.float32(let first)) = try model.graph.initializers[0].value(),
      case .tensor(.float32(let second)) = try model.graph.initializers[1].value()
    else { throw Unexpected("not FLOAT") }
    #expect(first.shape == [2, 3])
    #expect(try first.elements == [0, 1, 2, 3, 4, 5])
    #expect(try second.elements == (0..<2048).map { Float($0) / 8 })
    // One mapping for both, although the second is at an odd place.
    let file = try #require(first.storage.owner as? MappedFile)
    #expect(second.storage.owner as? MappedFile === file)
  }

  @Test func filesThatWereReadAreNamed() throws {
    let folder = try ScratchFolder()
    _ = try folder.write([0, 0, 0x80, 0x3F, 0, 0, 0, 0x40], to: "data")
    let path = try folder.write(model([("location", "data")]), to: "m.onnx")
    let proto = try ModelProto.read(contentsOf: path)
    _ = try proto.graph.initializers[0].value()
    #expect(try ONNXModel(proto).externalFiles == ["\(folder.path)/data"])
    // One that was never in a file.
    #expect(try ONNXModel(readModel(proto.encode())).externalFiles == [])
  }

  @Test func aMissingFileIsMissingAndNoFaultOfTheGraph() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(model([("location", "m.onnx.data")]), to: "m.onnx")
    do {
      _ = try ONNXModel(path: path)
      Issue.record("a model without its data was read")
    } catch let error as ONNXFileError {
      #expect(error.fault == .missing)
      #expect("\(error)".hasSuffix("there is no \(folder.path)/m.onnx.data; keep m.onnx.data beside the model"))
    }
    _ = try folder.write([], to: "m.onnx.data")
    #expect(throws: GraphError.self) { try ONNXModel(path: path) }
  }

  @Test func aWrittenModelHasTheDataInside() throws {
    let model = try ModelProto.read(contentsOf: onnxFixture("external.onnx"))
    let copy = try readModel(model.encode())
    guard case .tensor(.float32(let second)) = try copy.graph.initializers[1].value() else { throw Unexpected("FLOAT") }
    #expect(try second.elements == (0..<2048).map { Float($0) / 8 })
  }

  @Test func pathsOutOfTheFolderAreRefused() throws {
    let folder = try ScratchFolder()
    let outside = try ScratchFolder()
    let secret = try outside.write([UInt8](repeating: 0, count: 8), to: "secret")
    try folder.link("link", to: secret)
    try folder.link("folder", to: outside.path)
    try folder.makeFolder("inside")
    _ = try folder.write([0, 0, 0x80, 0x3F, 0, 0, 0, 0x40], to: "inside/data")
    try folder.link("good", to: "inside/data")
    func why(_ location: String) throws -> String? {
      let path = try folder.write(model([("location", location)]), to: "m.onnx")
      guard case .badLocation(_, let why)? = tensorRefusal({ _ = try value(path) }) else { return nil }
      return why
    }
    let outsideName = String(outside.path.split(separator: "/").last ?? "")
    #expect(try why("") == "is empty")
    #expect(try why(secret)?.hasPrefix("is absolute") == true)
    #expect(try why("../\(outsideName)/secret") == "leads out of the model's folder")
    #expect(try why("inside/../inside/data") == "leads out of the model's folder")
    #expect(try why("link") == "is a link that leads out of the model's folder")
    #expect(try why("folder/secret") == "is a link that leads out of the model's folder")
    #expect(try why("inside/data\u{0}") == "is not the name of a file")
    for good in ["inside/data", "./inside//data", "good"] {
      #expect(try value(folder.write(model([("location", good)]), to: "m.onnx")) == [1, 2])
    }
  }

  @Test func aFolderOfLinksToOneStoreIsFollowed() throws {
    let store = try ScratchFolder()
    let folder = try ScratchFolder()
    _ = try store.write(model([("location", "data")]), to: "1a")
    _ = try store.write([0, 0, 0x80, 0x3F, 0, 0, 0, 0x40], to: "2b")
    try folder.link("m.onnx", to: "\(store.path)/1a")
    try folder.link("data", to: "\(store.path)/2b")
    #expect(try value("\(folder.path)/m.onnx") == [1, 2])
  }

  @Test func offsetsAndLengthsAreChecked() throws {
    let folder = try ScratchFolder()
    _ = try folder.write([9] + [0, 0, 0x80, 0x3F, 0, 0, 0, 0x40], to: "data")
    func reason(_ entries: (String, String)...) throws -> ONNXFileError.TensorReason? {
      let path = try folder.write(model([("location", "data")] + entries), to: "m.onnx")
      return tensorRefusal { _ = try value(path) }
    }
    #expect(try reason(("offset", "1")) == nil)
    #expect(try value("\(folder.path)/m.onnx") == [1, 2])
    #expect(try reason(("offset", "1"), ("length", "8"), ("checksum", "?")) == nil)
    #expect(
      try reason(("offset", "2"))
        == .beyondExternalFile(location: "data", offset: 2, length: 8, fileSize: 9))
    #expect(
      try reason(("offset", "9223372036854775807"))
        == .beyondExternalFile(location: "data", offset: .max, length: 8, fileSize: 9))
    let text = try reason(("offset", "9223372036854775807")).map { "\($0)" }
    #expect(text?.contains("9223372036854775807..<9223372036854775807 of") == true, "\(text ?? "")")
    #expect(try reason(("length", "9")) == .wrongByteCount(.float, [2], expected: 8, found: 9))
    #expect(try reason(("offset", "-1")) == .badExternalNumber(key: "offset", text: "-1"))
    #expect(try reason(("offset", "1e3")) == .badExternalNumber(key: "offset", text: "1e3"))
    #expect(
      try reason(("length", "99999999999999999999"))
        == .badExternalNumber(key: "length", text: "99999999999999999999"))
  }

  @Test func missingFilesAreNamed() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(model([("location", "none")]), to: "m.onnx")
    #expect(tensorRefusal { _ = try value(path) } == .externalFile(.notFound(path: "\(folder.path)/none")))
    _ = try folder.write([], to: "none")
    #expect(tensorRefusal { _ = try value(path) } == .externalFile(.empty(path: "\(folder.path)/none")))
    // Nothing is opened for a tensor without elements.
    let empty = try folder.write(model([("location", "nowhere")], dims: [0, 3]), to: "m.onnx")
    #expect(try value(empty) == [])
    let memory = try readModel(model([("location", "data")]))
    #expect(tensorRefusal { _ = try memory.graph.initializers[0].value() } == .noFolder(location: "data"))
  }

  @Test func textsAreNeverInAnotherFile() throws {
    let external = field(13, field(1, "location") + field(2, "x")) + field(14, 1)
    let model = try readModel(modelBytes(initializer: tensorBytes(8, [1], external)))
    #expect(tensorRefusal { _ = try model.graph.initializers[0].value() } == .externalStrings)
  }
}
