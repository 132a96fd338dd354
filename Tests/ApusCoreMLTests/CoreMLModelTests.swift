import Apus
import ApusGraph
import Foundation
import Testing

@testable import ApusCoreML

@Suite struct CoreMLModelTests {
  @Test func valuesHaveTheNamesOfTheFile() throws {
    let model = try CoreMLModel(path: coreMLFixture("program-layers/model.mlpackage"))
    let names = Set(model.graph.values.map(\.name))
    for name in ["x", "conv", "relu", "mean", "linear", "probabilities"] { #expect(names.contains(name)) }
    #expect(model.graph.nodes.contains { $0.name == "conv" && $0.operatorName.type == "Conv" })
    let session = try InferenceSession(model)
    let x = GraphValue(try Tensor<Float>(range: 147).reshaped([1, 3, 7, 7]))
    let values = try session.run(["x": x], fetching: ["relu", "probabilities"])
    #expect(values["relu"]?.shape == [1, 4, 4, 4])
  }

  @Test func largeWeightsStayInTheirFile() throws {
    let model = try CoreMLModel(path: coreMLFixture("program-layers/model.mlpackage"))
    #expect(model.externalFiles.map { $0.hasSuffix("/weights/weight.bin") } == [true])
    #expect(model.summary.format.name == "Core ML")
    #expect(model.kind == "mlProgram")
  }

  @Test func statesAreInputsAndOutputs() throws {
    let model = try CoreMLModel(path: coreMLFixture("program-state/model.mlpackage"))
    let session = try InferenceSession(model)
    let state = try #require(session.inputs.first { $0.name == model.states[0].name })
    #expect(state.hasDefault)
    #expect(session.outputs.map(\.name) == ["twice", state.name + ".updated"])
    #expect(session.outputs[1].type == state.type && state.type != nil)
  }

  @Test func dictionariesSayTheirKeys() throws {
    let model = try CoreMLModel(path: coreMLFixture("classic-pipeline/model.mlmodel"))
    #expect(model.keys(of: "shares") == ["cat", "dog", "fox"])
    #expect(model.inputs.map(\.kind) == [.double, .double])
  }

  @Test func picturesSayTheirPlanesAndSizes() throws {
    let model = try CoreMLModel(path: coreMLFixture("network-pictures/model.mlmodel"))
    func form(_ name: String) -> PictureForm? {
      if case .picture(let form)? = model.form(of: name) { form } else { nil }
    }
    #expect(form("photo") == PictureForm(colors: .bgr, size: .init(width: 6, height: 4)))
    #expect(form("mask")?.colors == .gray)
    let tile = try #require(form("tile"))
    #expect(tile.allows(.init(width: 5, height: 3)) && tile.allows(tile.size))
    #expect(!tile.allows(.init(width: 3, height: 5)))
    #expect(form("sum") == nil)
    let declared = model.graph.inputs.map { model.graph.values[$0] }.first { $0.name == "tile" }
    #expect(declared?.type == .tensor(.float, [.size(1), .size(3), .unknown, .unknown]))
  }

  /// Rounded to sixteen bits, values are no others than sixteen bits have.
  @Test func declaredArithmeticRoundsEveryValue() throws {
    let path = coreMLFixture("program-layers-half/model.mlpackage")
    let x = GraphValue(try Tensor<Float>(range: 147).reshaped([1, 3, 7, 7]))
    func relu(_ arithmetic: CoreMLArithmetic) throws -> [Float] {
      let model = try CoreMLModel(path: path, arithmetic: arithmetic)
      let name = try #require(model.graph.values.map(\.name).first { $0.hasPrefix("relu") })
      let value = try InferenceSession(model).run(["x": x], fetching: [name])[name]
      return try #require(value?.tensor(of: Float.self)).elements
    }
    let (rounded, exact) = try (relu(.declared), relu(.float32))
    #expect(rounded.allSatisfy { Float(Float16($0)) == $0 })
    #expect(!exact.allSatisfy { Float(Float16($0)) == $0 })
  }

  @Test func layersMayGiveANameAgain() throws {
    let network =
      field(1, layer("a", ["x"], ["y"], 220, field(1, 6))) + field(1, layer("b", ["y", "x"], ["y"], 230)) + field(5, 1)
    let session = try InferenceSession(readModel(model(500, network)))
    let x = GraphValue(try Tensor<Float>([-1, 2, -3, 4, -5, 6], shape: [2, 3]))
    let y = try session.run(["x": x])["y"]?.tensor(of: Float.self)
    #expect(try y?.elements == [0, 4, 0, 8, 0, 12])
    // The name is that of the last one.
    #expect(session.model.graph.values.count { $0.name == "y" } == 1)
    let first = try session.run(["x": x], fetching: ["y.1"])["y.1"]?.tensor(of: Float.self)
    #expect(try first?.elements == [1, 2, 3, 4, 5, 6])
  }

  /// Layers of chance, of which tests with answers compare shapes alone: their mean and deviation over 40,000 numbers,
  /// which are within five standard errors of what the layer asks for.
  @Test(
    arguments: [
      (1170, [(2, 3), (3, 2)], 3, 2), (1190, [(2, -1), (3, 5)], 2, 3.0.squareRoot()),
      (1210, [(2, 0.3)], 0.3, 0.21.squareRoot()),
    ] as [(UInt64, [(UInt64, Float)], Double, Double)])
  func chanceFollowsItsDistribution(
    _ kind: UInt64, _ parameters: [(UInt64, Float)], _ mean: Double, _ deviation: Double
  ) throws {
    let numbers = parameters.flatMap { number, value in
      varint(number << 3 | 5) + (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }
    let network = field(1, layer("random", ["x"], ["y"], kind, field(1, 7) + numbers)) + field(5, 1)
    let session = try InferenceSession(readModel(model(500, network, shape: [200, 200])))
    let y = try session.run(["x": GraphValue(try Tensor<Float>(zeros: [200, 200]))])["y"]?.tensor(of: Float.self)
    let elements = try #require(try y?.elements).map(Double.init)
    let found = elements.reduce(0, +) / Double(elements.count)
    let spread = (elements.reduce(0) { $0 + ($1 - found) * ($1 - found) } / Double(elements.count)).squareRoot()
    #expect(abs(found - mean) < 5 * deviation / 200)
    #expect(abs(spread - deviation) < 5 * deviation / 200)
  }

  /// What is left out is what the file says, or else zeros, as states of recurrent layers are.
  @Test(
    arguments: [
      (field(41, 3), 3), (field(51, float: 0.5), 0.5), (varint(61 << 3 | 1) + [0, 0, 0, 0, 0, 0, 4, 64], 2.5), ([], 0),
    ] as [([UInt8], Float)])
  func optionalArraysHaveADefault(_ fields: [UInt8], _ number: Float) throws {
    func input(_ name: String, _ optional: [UInt8], _ content: [UInt8] = []) -> [UInt8] {
      field(1, name) + field(3, field(5, field(1, 3) + field(2, 65568) + content) + optional)
    }
    let inputs = [input("x", []), input("h", field(1000, 1), fields)]
    let sum = field(1, layer("sum", ["x", "h"], ["y"], 230)) + field(5, 1)
    let network = try readModel(model(500, sum, inputs: inputs, output: array("y", [3])))
    let session = try InferenceSession(network)
    let x = GraphValue(try Tensor<Float>([1, 2, 3]))
    #expect(session.inputs.map(\.hasDefault) == [false, true])
    let usual = try session.run(["x": x])["y"]?.tensor(of: Float.self)
    #expect(try usual?.elements == [1 + number, 2 + number, 3 + number])
    let given = try session.run(["x": x, "h": x])["y"]?.tensor(of: Float.self)
    #expect(try given?.elements == [2, 4, 6])
  }

  /// Without a number only networks have one: what a missing column of a table is, its model says.
  @Test func optionalArraysOfOtherModelsNeedANumber() throws {
    let x = field(1, "x") + field(3, field(5, field(1, 3) + field(2, 65568)) + field(1000, 1))
    let identity = try readModel(model(900, [], inputs: [x], output: array("y", [3])))
    #expect(identity.inputs[0].isOptional)
    #expect(try InferenceSession(identity).inputs.map(\.hasDefault) == [false])
  }

  /// What is not in the table, here the last of three, has the default.
  @Test(arguments: [("a", 5), ("b", 5), ("c", -7)] as [(String, Int64)])
  func categoriesOfTextsAreNumbers(_ text: String, _ number: Int64) throws {
    let entries = ["a", "b"].flatMap { field(1, field(1, $0) + field(2, 5)) }
    let mapping = try readModel(
      model(
        606, field(1, entries) + field(102, UInt64(bitPattern: -7)), inputs: [field(1, "x") + field(3, field(3, []))],
        output: field(1, "y") + field(3, field(1, []))))
    let x = GraphValue.strings(try StringTensor([text], shape: [1]))
    let y = try InferenceSession(mapping).run(["x": x])["y"]
    #expect(try y?.tensor(of: Int64.self)?.elements == [number])
  }

  @Test(arguments: [(3, "c"), (-4, "d"), (9, "?")] as [(Int64, String)])
  func categoriesOfNumbersAreTexts(_ number: Int64, _ text: String) throws {
    let entries = [(3, "c"), (-4, "d")].flatMap { key, value in
      field(1, field(1, UInt64(bitPattern: key)) + field(2, value))
    }
    let mapping = try readModel(
      model(
        606, field(2, entries) + field(101, "?"), inputs: [field(1, "x") + field(3, field(1, []))],
        output: field(1, "y") + field(3, field(3, []))))
    let y = try InferenceSession(mapping).run(["x": GraphValue(try Tensor([number]))])["y"]
    guard case .strings(let texts)? = y else {
      Issue.record("\(String(describing: y)) is no text")
      return
    }
    #expect(texts.elements == [text])
  }
}
