import Foundation
import Testing

@testable import Apus

@Suite struct ParityCommandTests {
  private static let folder = packageFolder.appending(path: "Tests/Fixtures/parity").path(percentEncoded: false) + "/"
  private static let reference = folder + "reference.safetensors"

  @Test func rightModelEndsWithZero() throws {
    let result = try Command.run("parity", Self.folder + "right.onnx", "--expected", Self.reference)
    #expect(result.status == 0)
    #expect(result.output.contains("all 11 values are within tolerance"))
    #expect(result.errors.isEmpty)
  }

  @Test func wrongNodeIsNamedWithItsAttributesAndWorstElement() throws {
    let result = try Command.run("parity", Self.folder + "epsilon.onnx", "--expected", Self.reference, "--float64")
    #expect(result.status == 1)
    #expect(result.output.contains("this file and the reference part at 'norm' (LayerNormalization)"))
    #expect(result.output.contains("epsilon = 1e-06"))
    #expect(result.output.contains("largest absolute"))
    #expect(result.output.contains("it is the reference that is off"))
    #expect(result.errors.isEmpty)
  }

  @Test func jsonHoldsEveryNode() throws {
    let result = try Command.run("parity", Self.folder + "swapped_axes.onnx", "--expected", Self.reference, "--json")
    #expect(result.status == 1)
    #expect(result.lines.count == 1)
    let report = try result.object
    #expect(report["equal"] as? Bool == false)
    let set = try #require((report["data_sets"] as? [[String: Any]])?.first)
    #expect(set["first_difference"] as? String == "transpose")
    #expect(set["verdict"] as? String == "wrong")
    let nodes = try #require(set["nodes"] as? [[String: Any]])
    #expect(nodes.count == 11)
    #expect(nodes.filter { $0["status"] as? String == "wrong" }.count == 1)
  }

  @Test func tableShowsNeighboursAndAllShowsEverything() throws {
    let model = Self.folder + "int8_weights.onnx"
    let short = try Command.run("parity", model, "--expected", Self.reference, "--top", "3")
    #expect(short.output.contains("more beyond tolerance"))
    #expect(!short.output.contains("  conv1 "))
    let long = try Command.run("parity", model, "--expected", Self.reference, "--all")
    #expect(long.output.contains("  conv1 ") && long.output.contains("  softmax "))
  }

  @Test func severalDataSetsAreJudgedOneByOne() throws {
    let result = try Command.run(
      "parity", Self.folder + "right.onnx", "--expected", Self.reference, Self.folder + "outputs.npz")
    #expect(result.status == 0)
    #expect(result.output.contains("data set 2 of 2"))
    #expect(result.output.contains("2 of 2 data sets are equal"))
  }

  @Test func inputsAndExpectedMustBelongTogether() throws {
    let result = try Command.run(
      "parity", Self.folder + "right.onnx", "--inputs", Self.reference, "--expected", Self.reference, Self.reference)
    #expect(result.status == 64)
    #expect(result.errors.contains("--inputs has 1 data sets, --expected 2"))
  }

  @Test func fileWithoutAnyOfTheModelsValuesIsBadData() throws {
    try TemporaryFolder.with { folder in
      let inputs = try SafetensorsFile(path: Self.reference).anyTensor(named: "image")
      let path = try folder.safetensors("other", [("image", inputs), ("elsewhere", inputs)])
      let result = try Command.run("parity", Self.folder + "right.onnx", "--expected", path)
      #expect(result.status == 65)
      #expect(result.errors.contains("'elsewhere'"))
    }
  }

  @Test func missingInputsAreNamed() throws {
    try TemporaryFolder.with { folder in
      let norm = try SafetensorsFile(path: Self.reference).anyTensor(named: "norm")
      let path = try folder.safetensors("other", [("norm", norm)])
      let result = try Command.run("parity", Self.folder + "right.onnx", "--expected", path)
      #expect(result.status == 65)
      #expect(result.errors.contains("input 'image'"))
    }
  }

  @Test func singleTensorsNeedNamesOnlyWhereTheyAreAmbiguous() throws {
    try TemporaryFolder.with { folder in
      let file = try SafetensorsFile(path: Self.reference)
      let (image, output) = (folder.path("image.npy"), folder.path("p.npy"))
      try NPYFile.write(file.anyTensor(named: "image"), toPath: image)
      try NPYFile.write(file.anyTensor(named: "probabilities"), toPath: output)
      let model = Self.folder + "right.onnx"
      let named = try Command.run("parity", model, "--inputs", image, "--expected", "probabilities=\(output)")
      #expect(named.status == 0)
      let nameless = try Command.run("parity", model, "--inputs", image, "--expected", output)
      #expect(nameless.status == 64)
      #expect(nameless.errors.contains("write NAME="))
    }
  }

  @Test func valueOfTheReferenceThatDoesNotFitIsCountedApart() throws {
    let arguments = ["parity", Self.folder + "folded.onnx", "--expected", Self.folder + "folded.safetensors"]
    let result = try Command.run(arguments)
    #expect(result.status == 0)
    #expect(
      result.output.contains("all 4 values are within tolerance; 3 of the reference's values do not fit this file"))
    #expect(
      result.output.contains("'/conv1/Conv' (Conv): the reference's value of '/conv1/Conv_output_0' does not fit"))
    let set = try #require((try Command.run(arguments + ["--json"]).object["data_sets"] as? [[String: Any]])?.first)
    #expect((set["reference_does_not_fit"] as? [String])?.count == 3)
    #expect(set["verdict"] as? String == "equal")
  }

  @Test func damagedModelIsBadData() throws {
    try TemporaryFolder.with { folder in
      let path = folder.path("model.onnx")
      try Data([8, 7, 58, 127, 1]).write(to: folder.file("model.onnx"))
      let result = try Command.run("parity", path, "--expected", Self.reference)
      #expect(result.status == 65)
      #expect(result.errors.hasPrefix("apus: "))
    }
  }
}

@Suite struct ReduceCommandTests {
  private static let folder = packageFolder.appending(path: "Tests/Fixtures/parity").path(percentEncoded: false) + "/"
  private static let reference = folder + "reference.safetensors"

  @Test(arguments: ["small.safetensors", "small/"])
  func partIsWrittenAndStillDiffers(data: String) throws {
    try TemporaryFolder.with { folder in
      let (part, values) = (folder.path("small.onnx"), folder.path(data))
      let result = try Command.run(
        "reduce", Self.folder + "int8_weights.onnx", "--expected", Self.reference, "--output", part, "--data", values)
      #expect(result.status == 0)
      #expect(result.output.contains("1 node of 11"))
      #expect(result.output.contains("  conv2\n"))
      #expect(result.errors.isEmpty)

      let again = try Command.run("parity", part, "--expected", values)
      #expect(again.status == 1)
      #expect(again.output.contains("this file and the reference part at 'conv2' (Conv)"))
    }
  }

  @Test func valuesGoBesideTheModel() throws {
    try TemporaryFolder.with { folder in
      let result = try Command.run(
        "reduce", Self.folder + "epsilon.onnx", "--expected", Self.reference, "-o", folder.path("norm.onnx"), "--json")
      #expect(result.status == 0)
      #expect(try result.object["nodes"] as? [String] == ["norm"])
      #expect(FileManager.default.fileExists(atPath: folder.path("norm.safetensors")))
    }
  }

  @Test(arguments: [("right", "reference"), ("folded", "folded")])
  func rightModelEndsWithOneAndWritesNothing(model: String, reference: String) throws {
    try TemporaryFolder.with { folder in
      let path = folder.path("small.onnx")
      let result = try Command.run(
        "reduce", Self.folder + "\(model).onnx", "--expected", Self.folder + "\(reference).safetensors", "--output",
        path)
      #expect(result.status == 1)
      #expect(result.output.contains("nothing differs"))
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
}
