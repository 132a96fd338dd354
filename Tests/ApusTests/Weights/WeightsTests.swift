import ApusTestSupport
import FoundationEssentials
import Testing

@testable import Apus

@Suite("Weights")
struct WeightsTests {
  static func inMemory() throws -> Weights {
    Weights(
      [
        "encoder.0.weight": try Tensor<Float>(range: 6).reshaped([2, 3]),
        "encoder.0.bias": try Tensor<Float>([1, 2]),
        "encoder.10.weight": try Tensor<Float>([7]),
        "head.weight": try Tensor<Float>([8]),
      ], name: "test")
  }

  @Test("scopes are prefixes that end at a dot")
  func scopes() throws {
    let weights = try Self.inMemory()
    let expected: [Float] = [0, 1, 2, 3, 4, 5]
    for scope in [weights["encoder"]["0"], weights["encoder"][0], weights["encoder.0"], weights["encoder.0"][""]] {
      #expect(try scope.tensor("weight", shape: [2, 3], as: Float.self).elements == expected)
      #expect(scope.names == ["bias", "weight"])
      #expect(scope.fullName("weight") == "encoder.0.weight")
    }
    #expect(weights["encoder"][1].names.isEmpty)
    #expect(!weights["encoder"].contains("weight"))
    #expect(weights["encoder"].contains("0.bias"))
    #expect(weights.names == ["encoder.0.bias", "encoder.0.weight", "encoder.10.weight", "head.weight"])
  }

  @Test("a misshapen parameter: its name, the file and both shapes")
  func misshapen() throws {
    let scope = try Self.inMemory()["encoder"][0]
    let error = WeightsError(
      file: "test", reason: .wrongShape(name: "encoder.0.weight", found: [2, 3], expected: [3, 2]))
    #expect(throws: error) { try scope.tensor("weight", shape: [3, 2], as: Float.self) }
    #expect(throws: error) { try scope.optionalTensor("weight", shape: [3, 2], as: Float.self) }
    #expect(
      error.description == #"test: the parameter "encoder.0.weight" has the shape [2, 3], where [3, 2] was expected"#)
  }

  @Test("a missing parameter: its name, the file and the nearest name")
  func missing() throws {
    let weights = try Self.inMemory()
    #expect(
      throws: WeightsError(
        file: "test", reason: .missing(name: "encoder.0.weigth", similar: "encoder.0.weight"))
    ) { try weights["encoder"][0].tensor("weigth", shape: [2, 3], as: Float.self) }
    #expect(throws: WeightsError(file: "test", reason: .missing(name: "x", similar: nil))) {
      try weights.tensor("x", as: Float.self)
    }
    let absent: Tensor<Float>? = try weights["head"].optionalTensor("bias", shape: [1])
    #expect(absent == nil)
  }

  @Test("elements of a type that layers do not compute in")
  func wrongType() throws {
    let weights = Weights(["steps": try Tensor<Int64>([1, 2])], name: "test")
    #expect(
      throws: WeightsError(
        file: "test", reason: .wrongType(name: "steps", found: .int64, expected: .float32))
    ) { try weights.tensor("steps", shape: [2], as: Float.self) }
    #expect(try weights.tensor("steps", shape: [2], as: Int64.self).elements == [1, 2])
  }

  @Test("parameters that were never read")
  func unused() throws {
    let weights = try Self.inMemory()
    _ = try weights["encoder"][0].tensor("weight", as: Float.self)
    _ = try weights.optionalTensor("head.weight", shape: [1], as: Float.self)
    _ = try? weights["encoder"][0].tensor("bias", shape: [3], as: Float.self)
    #expect(weights.unusedNames == ["encoder.0.bias", "encoder.10.weight"])
    #expect(weights["encoder"][10].unusedNames == ["encoder.10.weight"])
    #expect(weights["head"].unusedNames.isEmpty)
  }

  @Test("from a file, in the type the layer computes in", arguments: ["F64", "F32", "F16", "BF16"])
  func fromFile(type: String) throws {
    let url = URL(filePath: formatFixture("all-types.safetensors"))
    let weights = try Weights(contentsOf: url)["all"]
    let expected = (0..<24).map { (Double($0) - 3) * 0.75 }
    #expect(try weights.tensor(type, shape: [2, 3, 4], as: Double.self).elements == expected)
    #expect(try weights.tensor(type, shape: [2, 3, 4], as: Float.self).elements == expected.map { Float($0) })
    #expect(throws: FileError.self) { try Weights(path: "/nothing/here.safetensors") }
  }

  @Test("zero-copy from a file")
  func zeroCopy() throws {
    let weights = try Weights(path: formatFixture("all-types.safetensors"))
    let tensor = try weights["all"].tensor("F32", shape: [2, 3, 4], as: Float.self)
    #expect(tensor.storage.owner is MappedFile)
  }
}

@Suite("WeightsLocator")
struct WeightsLocatorTests {
  let folder: TemporaryFolder
  let root: String

  init() throws {
    folder = try TemporaryFolder()
    root = folder.path
    let files = [
      "package/Package.swift", "package/Weights/m/w", "package/.build/arch/debug/apus", "package/deep/er/x",
      "usr/bin/apus", "usr/share/apus/m/w", "moved/apus", "moved/Weights/m/w", "alone/apus", "chosen/m/w", "chosen/own",
    ]
    for file in files {
      let path = "\(root)/\(file)"
      let parent = path.split(separator: "/").dropLast().joined(separator: "/")
      try FileManager.default.createDirectory(atPath: "/" + parent, withIntermediateDirectories: true)
      _ = try folder.write([1], to: file)
    }
  }

  func found(
    chosen: String? = nil, environment: String? = nil, executable: String, in workingDirectory: String = "alone"
  ) throws -> String {
    let locator = WeightsLocator(
      chosen: chosen.map { "\(root)/\($0)" }, environment: environment.map { $0.isEmpty ? "" : "\(root)/\($0)" },
      executable: "\(root)/\(executable)", workingDirectory: "\(root)/\(workingDirectory)")
    return String(try locator.path(of: "m/w").dropFirst(root.count + 1))
  }

  @Test("each place")
  func places() throws {
    #expect(try found(executable: "package/.build/arch/debug/apus") == "package/Weights/m/w")
    #expect(try found(executable: "usr/bin/apus") == "usr/share/apus/m/w")
    #expect(try found(executable: "moved/apus") == "moved/Weights/m/w")
    #expect(try found(executable: "alone/apus", in: "package/deep/er") == "package/Weights/m/w")
    #expect(try found(chosen: "chosen", executable: "moved/apus") == "chosen/m/w")
    #expect(try found(chosen: "chosen/own", executable: "moved/apus") == "chosen/own")
    #expect(try found(environment: "chosen", executable: "moved/apus") == "chosen/m/w")
    #expect(try found(chosen: "chosen", environment: "alone", executable: "moved/apus") == "chosen/m/w")
    #expect(try found(environment: "", executable: "moved/apus") == "moved/Weights/m/w")
  }

  @Test("what the user names is the only place; the error says where it looked")
  func refusals() throws {
    #expect(throws: WeightsLocatorError(name: "m/w", searched: ["\(root)/nowhere"])) {
      try found(chosen: "nowhere", executable: "moved/apus")
    }
    #expect(throws: WeightsLocatorError(name: "m/w", searched: ["\(root)/alone/m/w"])) {
      try found(environment: "alone", executable: "moved/apus")
    }
    #expect(
      throws: WeightsLocatorError(
        name: "m/w", searched: ["alone/Weights/m/w", "alone/m/w", "share/apus/m/w"].map { "\(root)/\($0)" })
    ) { try found(executable: "alone/apus") }
  }

  @Test("this process knows where its program is")
  func ownProgram() throws {
    let locator = WeightsLocator()
    #expect(FileManager.default.fileExists(atPath: try #require(locator.executable)))
    #expect(locator.workingDirectory.hasPrefix("/"))
  }
}
