import ApusTestSupport
import Foundation
import FoundationXML
import Testing

@testable import Apus
@testable import ApusGraph
@testable import ApusMedia
@testable import ApusONNX

@Suite struct ParityCommandTests {
  private static let folder = fixture("parity") + "/"
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

/// Two models, and the files that a parity is written to.
@Suite struct ParityOfModelsTests {
  private static let fixtures = packageFolder.appending(path: "Tests/Fixtures").path(percentEncoded: false) + "/"
  private static let folder = fixtures + "parity/"

  @Test func twoFormatsOfOneNetworkAreEqual() throws {
    let folder = Self.fixtures + "coreml-parity/"
    let result = try Command.run("parity", folder + "right.mlpackage", folder + "right.onnx", "--samples", "3")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("3 of 3 data sets are equal"))
    #expect(result.output.contains("by content"))
  }

  @Test(arguments: [
    ("weight", "'op_41' (Conv)"), ("transposed", "'op_57' (Conv)"), ("epsilon", "'input_13' (LayerNormalization)"),
  ])
  func convertedNetworkWithAnErrorPartsWhereItIs(error: String, node: String) throws {
    let folder = Self.fixtures + "coreml-parity/"
    let result = try Command.run("parity", folder + error + ".mlpackage", folder + "right.onnx")
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.lines.last?.contains("part at \(node)") == true, "\(result.output)")
  }

  @Test func jsonHasThePairsAndTheDistributions() throws {
    let result = try Command.run(
      "parity", Self.folder + "folded_weight.onnx", Self.folder + "channels_last.onnx", "--samples", "2", "--random",
      "7",
      "--json")
    #expect(result.status == 1)
    let object = try result.object
    #expect(object["equal"] as? Bool == false && object["reference_in_float64"] as? Bool == true)
    let pairing = try #require(object["pairing"] as? [String: Any])
    let input = try #require((pairing["inputs"] as? [[String: Any]])?.first)
    #expect(input["axes"] as? [Int] == [2, 0, 1] && input["evidence"] as? String == "place")
    #expect((object["outputs"] as? [[String: Any]])?.count == 1)
    let sets = try #require(object["data_sets"] as? [[String: Any]])
    #expect(sets.map { $0["name"] as? String } == ["random, seed 7", "random, seed 8"])
    #expect(sets.allSatisfy { $0["first_difference"] as? String == "/conv2/Conv" })
  }

  /// An input that is handed over in another shape, and an output with its axes in another order, are said with the pair.
  @Test func otherShapesThatAreNoDifferenceAreSaid() throws {
    try TemporaryFolder.with { folder in
      func model(_ shape: [Int], _ node: NodeProto, _ output: [Int]) throws -> String {
        try folder.onnx(
          "\(shape.count)\(shape.last ?? 0)",
          ModelFixtures.model(
            [node], inputs: [ModelFixtures.tensor("x", shape.map(GraphDimension.size))],
            outputs: [ModelFixtures.tensor("y", output.map(GraphDimension.size))]))
      }
      let flatten = NodeProto(
        opType: "Flatten", inputs: ["x"], outputs: ["y"], attributes: [AttributeProto(name: "axis", value: .int(0))])
      let squeezed = try Command.run(
        "parity", model([1, 8], flatten, [1, 8]), model([8], flatten, [1, 8]), "--random", "1")
      #expect(squeezed.status == 0, "\(squeezed.errors)")
      #expect(squeezed.output.contains("'x' by name, [1, 8] here and [8] in the reference"), "\(squeezed.output)")

      let negation = NodeProto(opType: "Neg", inputs: ["x"], outputs: ["y"])
      let (last, second) = ([1, 4, 5, 3], [1, 3, 4, 5])
      let arguments = try ["parity", model(last, negation, last), model(second, negation, second), "--random", "1"]
      let moved = try Command.run(arguments)
      #expect(moved.status == 0, "\(moved.errors)")
      #expect(moved.output.contains("output 'y' by name, axes in the order 1 2 0"), "\(moved.output)")
      let pairing = try #require(Command.run(arguments + ["--json"]).object["pairing"] as? [String: Any])
      let output = try #require((pairing["values"] as? [[String: Any]])?.first)
      #expect(output["shape"] as? [Int] == last && output["reference_shape"] as? [Int] == second)

      let other = try Command.run("parity", model([3, 8], negation, [3, 8]), model([4, 6], negation, [4, 6]))
      #expect(other.status == 65 && other.errors.contains("the reference declares FLOAT[4, 6]"), "\(other.errors)")
    }
  }

  /// An output that the reference only computes on its way: every value is equal, and the verdict is not, wherever it is read.
  @Test(arguments: [1, 3])
  func outputThatTheReferenceLacksIsInEveryVerdict(samples: Int) throws {
    try TemporaryFolder.with { folder in
      func model(_ outputs: String...) throws -> String {
        try folder.onnx(
          "\(outputs.count)",
          ModelFixtures.model(
            [
              NodeProto(name: "n1", opType: "Neg", inputs: ["x"], outputs: ["a"]),
              NodeProto(name: "n2", opType: "Abs", inputs: ["a"], outputs: ["b"]),
            ], inputs: [ModelFixtures.tensor("x", [.size(8)])],
            outputs: outputs.map { ModelFixtures.tensor($0, [.size(8)]) }))
      }
      let (two, one) = (try model("a", "b"), try model("b"))
      let (page, cases) = (folder.path("a.html"), folder.path("a.xml"))
      let arguments = ["parity", two, one, "--samples", "\(samples)"]
      let result = try Command.run(arguments + ["--report", page, "--junit", cases])
      #expect(result.status == 1)
      let sentence =
        "incomplete: all 2 values that were compared are within tolerance; outputs that the reference does not have: "
      #expect(result.output.contains("✗ \(sentence)'a'"), "\(result.output)")
      #expect(!result.output.contains("✓ equal"))
      if samples > 1 { #expect(result.lines.last == "✗ 0 of \(samples) data sets are equal") }
      #expect(try String(contentsOfFile: page, encoding: .utf8).contains(sentence + "&#39;a&#39;"))
      let xml = try XMLDocument(data: Data(contentsOf: folder.file("a.xml")))
      #expect(try xml.nodes(forXPath: "//testsuite[@failures='1' and @tests='3']").count == samples)
      #expect(
        try xml.nodes(forXPath: "//testcase[failure]/@name").compactMap(\.stringValue)
          == Array(repeating: "verdict", count: samples))
      let object = try Command.run(arguments + ["--json"]).object
      let sets = try #require(object["data_sets"] as? [[String: Any]])
      #expect(object["equal"] as? Bool == false && sets.count == samples)
      for set in sets {
        #expect(set["equal"] as? Bool == false && set["verdict"] as? String == "incomplete")
        #expect(set["outputs_not_compared"] as? [String] == ["a"])
      }
      #expect(try Command.run("parity", one, two).status == 0, "a reference may give more")
    }
  }

  /// A mask that one format has as integers and another as numbers, from 0 or 1 at random for both.
  @Test func randomNumbersAreWholeWhereOneModelCounts() throws {
    try TemporaryFolder.with { folder in
      func model(_ name: String, _ type: ElementType) throws -> String {
        try folder.onnx(
          name,
          ModelFixtures.model(
            [
              NodeProto(
                name: "cast", opType: "Cast", inputs: ["mask"], outputs: ["m"],
                attributes: [AttributeProto(name: "to", value: .int(1))]),
              NodeProto(name: "exp", opType: "Exp", inputs: ["m"], outputs: ["y"]),
            ], inputs: [ModelFixtures.tensor("mask", of: type, [.size(16)])],
            outputs: [ModelFixtures.tensor("y", [.size(16)])]))
      }
      let (numbers, integers) = (try model("a", .float), try model("b", .int32))
      for arguments in [[numbers, integers], [integers, numbers]] {
        let result = try Command.run(["parity"] + arguments + ["--samples", "2"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
      }
    }
  }

  @Test func inputsGivenAreTheModels() throws {
    let reference = Self.folder + "reference.safetensors"
    let result = try Command.run(
      "parity", Self.folder + "epsilon.onnx", Self.folder + "right.onnx", "--inputs", reference)
    #expect(result.status == 1)
    #expect(result.output.contains("part at 'norm' (LayerNormalization)"))
  }

  @Test(arguments: [
    (["right.onnx"], "Missing expected argument '--expected"),
    (["right.onnx", "right.onnx", "--expected", "x.npz"], "Give a reference or --expected"),
    (["right.onnx", "right.onnx", "--inputs", "x.npz", "--random", "1"], "Give --inputs, or --random"),
    (
      ["right.onnx", "right.onnx", "--inputs", "x.npz", "--dim", "n=1"],
      "Give --inputs, or --random, --samples and --dim"
    ),
    (["right.onnx", "right.onnx", "--samples", "0"], "--samples 0"),
    (["right.onnx", "--expected", "x.npz", "--random", "1"], "are for two models"),
  ])
  func whatDoesNotGoTogetherIsRefused(arguments: [String], message: String) throws {
    let result = try Command.run(["parity"] + arguments.map { $0.hasSuffix(".onnx") ? Self.folder + $0 : $0 })
    #expect(result.status == 64)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test func pageTableAndTestCasesAreWritten() throws {
    try TemporaryFolder.with { folder in
      let (page, table, cases) = (folder.path("a.html"), folder.path("a.csv"), folder.path("a.xml"))
      let result = try Command.run(
        "parity", Self.folder + "epsilon.onnx", "--expected", Self.folder + "reference.safetensors", "--report", page,
        "--csv", table, "--junit", cases)
      #expect(result.status == 1)
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("different: this file and the reference part at &#39;norm&#39; (LayerNormalization)"))
      #expect(html.components(separatedBy: "<details").count == 12, "a line for each of eleven nodes")
      #expect(
        html.contains("<td>epsilon</td><td>1e-06</td>") && html.contains("worst elements")
          && html.contains("class=\"bars\""))
      #expect(!html.contains("http:") && !html.contains("https:") && !html.contains("src="))
      let rows = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n")
      #expect(rows.count == 12)
      #expect(rows.first { $0.contains(",norm,") }?.contains(",LayerNormalization,wrong,norm,") == true)
      let xml = try XMLDocument(data: Data(contentsOf: folder.file("a.xml")))
      #expect(try xml.nodes(forXPath: "//testcase").count == 11)
      #expect(try xml.nodes(forXPath: "//testcase[failure]/@name").compactMap(\.stringValue).first == "norm")
    }
  }

  @Test func pageOfTwoModelsHasTheirPairs() throws {
    try TemporaryFolder.with { folder in
      let page = folder.path("a.html")
      let result = try Command.run(
        "parity", Self.folder + "renamed.onnx", Self.folder + "folded.onnx", "--samples", "2", "--report", page)
      #expect(result.status == 0)
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("equal on all 2 data sets") && html.contains("Pairs of values"))
      #expect(html.contains("/conv1/Conv_output_0"))
    }
  }

  /// The network as a drawing, by itself and inside the page.
  @Test func networkIsDrawn() throws {
    try TemporaryFolder.with { folder in
      let (svg, png, page) = (folder.path("a.svg"), folder.path("a.PNG"), folder.path("a.html"))
      let result = try Command.run(
        "parity", Self.folder + "epsilon.onnx", Self.folder + "reference.safetensors", "--report", svg, "--report", png,
        "--report", page)
      #expect(result.status == 1, "\(result.errors)")
      let document = try XMLDocument(data: Data(contentsOf: folder.file("a.svg")))
      let texts = try document.nodes(forXPath: "//*[local-name()='text']").compactMap(\.stringValue)
      #expect(texts.contains("norm · LayerNormalization") && texts.contains("differs · 57 dB"))
      #expect(texts.filter { $0.contains(" · ") && !$0.hasSuffix("dB") }.count == 11, "a row for each node")
      let lines = try document.nodes(forXPath: "//*[local-name()='polyline']")
      #expect(lines.count == 11, "nine steps to the next row, and one past two rows with its end")
      let picture = try ImageFile.read(path: png)
      #expect(picture.width == 1440 && picture.height > 500)
      let saved = try Data(contentsOf: folder.file("a.svg")).base64EncodedString()
      #expect(try String(contentsOfFile: page, encoding: .utf8).contains("data:image/svg+xml;base64,\(saved)\""))
    }
  }

  @Test(arguments: [
    ("torch", "torch_reference.py"), ("onnxruntime", "onnx_reference.py"), ("coreml", "coreml_reference.py"),
  ])
  func scriptsAreThoseThatShip(kind: String, name: String) throws {
    func script(_ name: String) throws -> Data {
      try Data(contentsOf: packageFolder.appending(path: "Weights/reference/\(name)"))
    }
    try TemporaryFolder.with { folder in
      let path = folder.path("mine.py")
      let result = try Command.run("parity", "--write-reference-script", kind, "--output", path)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("python \(path) "))
      #expect(try Data(contentsOf: folder.file("mine.py")) == script(name))
      let modules = try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter { $0 != "mine.py" }
      #expect(Set(modules) == (kind == "coreml" ? ["reference_file.py", "torch_reference.py"] : ["reference_file.py"]))
      for module in modules { #expect(try Data(contentsOf: folder.file(module)) == script(module)) }
      // The same again, but not over what is something else.
      let again = try Command.run("parity", "--write-reference-script", kind, "-o", path, "--json").object
      #expect(again["script"] as? String == path)
      #expect(Set(again["modules"] as? [String] ?? []) == Set(modules.map { folder.path($0) }))
      try Data("mine".utf8).write(to: folder.file("reference_file.py"))
      let other = try Command.run("parity", "--write-reference-script", kind, "-o", path)
      #expect(other.status == 74 && other.errors.contains("reference_file.py: is another file already"))
      #expect(try Data(contentsOf: folder.file("reference_file.py")) == Data("mine".utf8))
    }
  }

  /// Signs that are as good as drawn: nothing behind the sum that became a product is like what the reference has.
  @Test func firstNodeWithoutACounterpartIsNamedFirst() throws {
    try TemporaryFolder.with { folder in
      func model(_ name: String, _ second: String) throws -> String {
        let values = ["x"] + (0..<7).map { "\(name)\($0)" } + ["y"]
        let nodes = (0..<8).map { index in
          NodeProto(
            name: "\(name)\(index)", opType: index == 1 ? second : "Mul", inputs: [values[index], "c\(index)"],
            outputs: [values[index + 1]])
        }
        let signs = try (0..<8).map { index in
          let elements = (1...256).map { place -> Float in (place * (2 * index + 3) * 40503) >> 7 & 1 == 1 ? 3 : -3 }
          return try TensorProto(name: "c\(index)", value: GraphValue(Tensor(elements)))
        }
        return try folder.onnx(
          name,
          ModelFixtures.model(
            nodes, inputs: [ModelFixtures.tensor("x", [.size(256)])],
            outputs: [ModelFixtures.tensor("y", [.size(256)])], initializers: signs))
      }
      let result = try Command.run("parity", try model("own", "Mul"), try model("other", "Add"))
      #expect(result.status == 1)
      #expect(
        result.lines.last?.hasSuffix("does not have: 'own1', 'own2', 'own3', 'own4' and 2 more") == true,
        "\(result.lines.last ?? "")")
    }
  }

  /// (4000, 4004) against (4000, 4000): off by a thousandth of the largest.
  @Test(arguments: [
    (["--scaled-atol", "2e-3", "--rtol", "0"], 0, ""), (["--scaled-atol", "5e-4", "--rtol", "0"], 1, ""),
    (["--scaled-atol=-1"], 64, "a finite number not below 0"),
    (["--scaled-atol", "1", "--atol", "1"], 64, "Give --atol or --scaled-atol"),
  ])
  func shareOfTheLargestElementIsATolerance(arguments: [String], status: Int32, message: String) throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx(
        "m",
        ModelFixtures.model(
          [NodeProto(name: "n1", opType: "Neg", inputs: ["x"], outputs: ["y"])],
          inputs: [ModelFixtures.tensor("x", [.size(2)])], outputs: [ModelFixtures.tensor("y", [.size(2)])]))
      let values = try folder.safetensors(
        "r", [("x", AnyTensor(Tensor<Float>([4000, 4004]))), ("y", AnyTensor(Tensor<Float>([-4000, -4000])))])
      let result = try Command.run(["parity", model, values] + arguments)
      #expect(result.status == status, "\(result.output)\(result.errors)")
      #expect(result.errors.contains(message) || message.isEmpty, "\(result.errors)")
    }
  }

  @Test(arguments: [
    (["--write-reference-script", "keras"], "Please provide one of 'torch', 'onnxruntime' or 'coreml'"),
    (["model.onnx", "--write-reference-script", "torch"], "takes no model"),
    (["--write-reference-script", "torch", "--inputs", "in.npz"], "takes --output and --json alone"),
    (["--write-reference-script", "torch", "--expected", "out.npz", "--float64"], "takes --output and --json alone"),
    (["--write-reference-script", "torch", "--report", "parity.html"], "takes --output and --json alone"),
    (["--write-reference-script", "torch", "--rtol", "1e-3"], "takes --output and --json alone"),
    (["--write-reference-script", "torch", "--samples", "8"], "takes --output and --json alone"),
    (["--write-reference-script", "torch", "--arithmetic", "declared"], "takes --output and --json alone"),
    (["--write-reference-script", "torch", "--time-limit", "9"], "takes --output and --json alone"),
    (["model.onnx", "reference.npz", "--output", "x.py"], "--output is for --write-reference-script"),
    (["--write-reference-script", "torch", "-o", "reference_file.py"], "are the same file"),
    ([], "Missing expected argument '<model>'"),
  ])
  func scriptsComeAlone(arguments: [String], message: String) throws {
    let result = try Command.run(["parity"] + arguments)
    #expect(result.status == 64)
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test func modelIsNeverWrittenOver() throws {
    let result = try Command.run(
      "parity", Self.folder + "right.onnx", Self.folder + "epsilon.onnx", "--report", Self.folder + "epsilon.onnx")
    #expect(result.status == 64 || result.status == 73, "\(result.status)")
    #expect(result.errors.contains("epsilon.onnx"))
  }
}

@Suite struct ReduceCommandTests {
  private static let folder = fixture("parity") + "/"
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
