import Apus
import Foundation
import Testing

@testable import ApusCoreML
@testable import ApusGraph

@Suite struct CoreMLRefusalTests {
  private func reason(_ bytes: [UInt8], function: String? = nil) -> String? {
    coreMLRefusal { _ = try readModel(bytes, function: function) }.map { "\($0)" }
  }

  @Test func cutFilesAreRefused() throws {
    for name in ["network-layers/model.mlmodel", "classic-pipeline/model.mlmodel"] {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: coreMLFixture(name))))
      for count in stride(from: 7, to: bytes.count, by: 7) {
        #expect(throws: CoreMLError.self, "\(name), \(count) bytes") { try readModel(Array(bytes[..<count])) }
      }
    }
  }

  @Test func noBytesAndThoseOfOtherFormatsAreSaidToBeThat() throws {
    #expect(throws: FileError.empty(path: "memory")) { try readModel([]) }
    // The field of an ONNX graph, and a page about a file.
    let others: [([UInt8], FileFormat)] = [(field(1, 10) + field(7, []), .onnx), (Array("<html>".utf8), .markup)]
    for (bytes, format) in others {
      #expect(throws: FileFormatError(path: "memory", found: format, purpose: .model)) { try readModel(bytes) }
    }
    #expect(throws: CoreMLError.self) { try readModel([0xFF, 0, 1]) }
  }

  @Test func operationsAndValuesAreNamed() {
    let unknown = reason(model(502, program([operation("frobnicate", ["x": "x"], gives: "y")])))
    #expect(unknown == "operation 'y': the operation 'frobnicate' is not supported")
    let missing = reason(model(502, program([operation("relu", ["x": "z"], gives: "y")])))
    #expect(missing == "operation 'y' (relu): parameter 'x' is 'z', which nothing gives")
    let empty = reason(model(502, program([operation("relu", [:], gives: "y")])))
    #expect(empty == "operation 'y' (relu): parameter 'x' is missing")
    let twice = operation("relu", ["x": "x"], gives: "y")
    #expect(reason(model(502, program([twice, twice])))?.contains("'y' is given to two values") == true)
    // A circle is a value that is read before it is given.
    let circle = [operation("relu", ["x": "b"], gives: "a"), operation("relu", ["x": "a"], gives: "b")]
    #expect(reason(model(502, program(circle)))?.contains("'b', which nothing gives") == true)
  }

  @Test func functionsAndSetsOfOperationsMustBeThere() {
    let relu = operation("relu", ["x": "x"], gives: "y")
    #expect(reason(model(502, program([relu])), function: "other")?.contains("no function 'other'") == true)
    #expect(reason(model(502, program([relu], function: "f")))?.contains("no function 'main'; there is f") == true)
    #expect(reason(model(502, program([relu], opset: "CoreML99")))?.contains("'CoreML99' is not known") == true)
    #expect(reason(model(502, program([])))?.contains("output 'y'") == true)
  }

  @Test func whatNeedsApplesNetworksIsNamed() {
    for (kind, word) in [(2002, "vision feature print"), (555, "custom model"), (2005, "word embedding")] {
      #expect(reason(model(UInt64(kind), []))?.contains(word) == true)
    }
    #expect(reason(model(799, [])) == "a model of the unknown kind 799 is not supported")
    #expect(reason(model(500, field(1, layer("l", ["x"], ["y"], 500))))?.contains("custom layer") == true)
    #expect(reason(model(500, field(1, layer("l", ["x"], ["y"], 9999))))?.contains("9999") == true)
  }

  @Test func nestingHasALimit() {
    var pipeline = model(900, [])
    for _ in 0..<40 { pipeline = model(202, field(1, pipeline)) }
    #expect(reason(pipeline)?.isEmpty == false)
  }

  @Test func loopsEnd() {
    func refusal(_ layers: [UInt8]) -> String? { reason(model(500, field(1, layers) + field(5, 1))) }
    func loop(_ body: [UInt8], turns: UInt64 = 0) -> [UInt8] {
      layer("l", [], [], 615, field(1, turns) + field(4, field(1, body)))
    }
    let copy = layer("c", ["x"], ["y"], 600)
    #expect(refusal(layer("b", [], [], 620))?.contains("layer 'b': it does not stand in the body of a loop") == true)
    #expect(refusal(layer("b", [], [], 625))?.contains("does not stand in the body of a loop") == true)
    #expect(refusal(loop(copy))?.contains("nothing ends it") == true)
    // A layer that goes on to the next turn does not leave the loop.
    #expect(refusal(loop(layer("b", [], [], 625)))?.contains("nothing ends it") == true)
    let nested = (0..<9).reduce(copy) { body, _ in loop(body, turns: 2) }
    #expect(refusal(nested)?.contains("loops are nested deeper than 8") == true)
  }

  /// Each condition is written twice, and so is what is in it.
  @Test func conditionsWithinConditionsDoNotDoubleWithoutEnd() {
    func block(_ operations: [UInt8]..., gives name: String) -> [UInt8] {
      field(4, field(1, port("v", [2, 3])) + field(2, name) + operations.flatMap { field(3, $0) })
    }
    func loop(_ condition: [UInt8], over name: String) -> [UInt8] {
      operation("while_loop", ["loop_vars": name], gives: "y") + condition + block(gives: "v")
    }
    var condition = block(gives: "v")
    for _ in 0..<24 { condition = block(loop(condition, over: "v"), gives: "y") }
    #expect(reason(model(502, program([loop(condition, over: "x")])))?.contains("nested deeper than 8") == true)
  }

  @Test func shapesMustMakeSense() {
    let huge = reason(model(900, [], shape: [1 << 40, 1 << 40]))
    #expect(huge?.isEmpty == false)
    #expect(reason(model(900, [], shape: [UInt64(bitPattern: -3)]))?.contains("-3") == true)
  }

  /// Of no features there is no range from the first to the last.
  @Test(arguments: [0, 3] as [UInt64]) func featuresOfSupportVectorsAreThere(features: UInt64) {
    let (regressor, sparseVectors) = (301 as UInt64, 2 as UInt64)
    for index in [0, features + 1] {
      let node = field(1, field(1, index))
      let vectors = field(sparseVectors, field(1, node))
      #expect(
        reason(model(regressor, vectors, shape: [features]))?
          .contains("a support vector has feature \(index) of \(features)") == true)
    }
  }

  @Test func packagesKeepToTheirFolder() throws {
    for path in ["../model.mlmodel", "/etc/passwd", "com.apple.CoreML/../../x", "", "a//b"] {
      try withCopy(of: "program-layers") { folder in
        let manifest = """
          {"fileFormatVersion": "1.0.0", "rootModelIdentifier": "a", "itemInfoEntries": {"a": {"path": "\(path)"}}}
          """
        try manifest.write(toFile: folder + "/model.mlpackage/Manifest.json", atomically: true, encoding: .utf8)
        let refusal = coreMLRefusal { _ = try CoreMLModel(path: folder + "/model.mlpackage") }
        #expect(refusal == .package("'\(path)' is not the path of a file within the package"))
      }
    }
    try withCopy(of: "program-layers") { folder in
      try "{".write(toFile: folder + "/model.mlpackage/Manifest.json", atomically: true, encoding: .utf8)
      guard case .package? = coreMLRefusal({ _ = try CoreMLModel(path: folder + "/model.mlpackage") }) else {
        Issue.record("a damaged manifest is read")
        return
      }
    }
  }

  /// Every record's sentinel, type, size and offset made wrong, and the file cut.
  @Test func damagedWeightsAreRefused() throws {
    try withCopy(of: "program-layers") { folder in
      let path = folder + "/model.mlpackage/Data/com.apple.CoreML/weights/weight.bin"
      let sound = [UInt8](try Data(contentsOf: URL(filePath: path)))
      let model = folder + "/model.mlpackage"
      func check(_ bytes: [UInt8], _ what: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
        #expect(throws: CoreMLError.self, "\(what)") { try CoreMLModel(path: model) }
      }
      _ = try CoreMLModel(path: model)
      for (offset, what) in [(64, "sentinel"), (68, "type"), (72, "size"), (87, "offset"), (4, "version")] {
        var bytes = sound
        bytes[offset] ^= 0x55
        try check(bytes, what)
      }
      for count in [0, 63, 64, 100, 128, 200, sound.count / 2] { try check(Array(sound[..<count]), "\(count) bytes") }
    }
  }

  @Test func tablesAreNotReadBeyondTheirEnd() throws {
    var graph = Graph(name: "g")
    let indices = graph.addValue(named: "indices")
    let table = graph.addValue(named: "table")
    let y = graph.addValue(named: "y")
    graph.constants = [
      indices: GraphValue(try Tensor<UInt8>([0, 3], shape: [2])),
      table: GraphValue(try Tensor<Float>([1, 2, 3], shape: [1, 3, 1])),
    ]
    graph.outputs = [y]
    graph.nodes = [
      Node(
        name: "look", operatorName: OperatorName(domain: "apus", type: "LookUp"), opset: 1, inputs: [indices, table],
        outputs: [y])
    ]
    let error = #expect(throws: GraphError.self) { try Plan(graph).run([], context: RunContext()) }
    #expect(error?.description.contains("index 3 at element 1 is outside a table of 3 entries") == true)
  }

  @Test func compiledModelsAreNamed() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).mlmodelc")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data([1]).write(to: folder.appending(path: "coremldata.bin"))
    let error = #expect(throws: FileFormatError.self) { try CoreMLModel(contentsOf: folder) }
    #expect(error?.found == .compiledCoreML)
  }
}
