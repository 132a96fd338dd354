import ApusGraph
import ApusONNX
import Foundation
import Testing

@testable import Apus
@testable import ApusMedia

@Suite struct RunCommandTests {
  private func outputs(_ result: CommandResult) throws -> [[String: Any]] {
    try #require(result.object["outputs"] as? [[String: Any]])
  }

  @Test func outputsAreWrittenAndSummarised() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let input = try folder.npy("input", [-1, 2, -3, 4] as [Float], shape: [2, 2])
      let result = try Command.run(
        "run", model, "--input", "x=\(input)", "--output", folder.path("out"), "--repeat", "3", "--json")
      #expect(result.status == 0, "\(result.errors)")
      let output = try #require(outputs(result).first)
      #expect(output["name"] as? String == "y")
      #expect(output["shape"] as? [Int] == [2, 2])
      #expect(output["dtype"] as? String == "float32")
      let statistics = try #require(output["statistics"] as? [String: Any])
      #expect(statistics["min"] as? Double == 0)
      #expect(statistics["max"] as? Double == 4)
      #expect(statistics["mean"] as? Double == 1.5)
      // The square root of ((1.5² + 0.5² + 1.5² + 2.5²) / 4).
      #expect(abs((statistics["std"] as? Double ?? 0) - 1.6583123951777) < 1e-12)
      #expect(statistics["nan"] as? Int == 0)
      let latencies = try result.object["latency_ms"] as? [Double]
      #expect(latencies?.count == 3)
      let quantiles = try #require(try result.object["latency_quantiles_ms"] as? [String: Double])
      let sorted = try #require(latencies?.sorted())
      // Nine tenths of the way from the first of three to the last lie eight tenths behind the second.
      let expected = [
        "p50": sorted[1], "p90": 0.2 * sorted[1] + 0.8 * sorted[2], "p99": 0.02 * sorted[1] + 0.98 * sorted[2],
      ]
      for (name, value) in expected { #expect(abs((quantiles[name] ?? 0) - value) < 1e-9 + 1e-6 * value) }
      let file = try #require(output["file"] as? String)
      let written = try NPYFile.read(path: file).tensor(of: Float.self)
      #expect(try written?.elements == [0, 2, 0, 4])
    }
  }

  @Test func numbersThatAreNotFiniteAreCounted() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let input = try folder.npy("input", [.nan, .infinity, 3, 1] as [Float], shape: [2, 2])
      let result = try Command.run("run", model, "--input", input, "--json")
      let statistics = try #require(outputs(result).first?["statistics"] as? [String: Any])
      #expect(statistics["nan"] as? Int == 1)
      #expect(statistics["inf"] as? Int == 1)
      #expect(statistics["mean"] as? Double == 2)
    }
  }

  @Test func namesOfOutputsNeverLeaveTheFolder() throws {
    try TemporaryFolder.with { folder in
      let names = ["../../x", "a/b", "a_b", "A_B", ""]
      let nodes = names.filter { !$0.isEmpty }.map { NodeProto(opType: "Relu", inputs: ["x"], outputs: [$0]) }
      let model = try folder.onnx(
        "names",
        ModelFixtures.model(
          nodes, inputs: [ModelFixtures.tensor("x", [.size(1)])],
          outputs: names.filter { !$0.isEmpty }.map { ModelFixtures.tensor($0, [.size(1)]) }))
      let result = try Command.run("run", model, "--random", "1", "--output", folder.path("inner/out"))
      #expect(result.status == 0, "\(result.errors)")
      let written = try FileManager.default.contentsOfDirectory(atPath: folder.path("inner/out")).sorted()
      #expect(written == ["A_B-3.npy", "_._.._x.npy", "a_b-2.npy", "a_b.npy"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("inner")) == ["out"])
    }
  }

  /// The numbers were computed with Python's integers from the definition of SplitMix64 and FNV-1a; the first is below 0,
  /// which the model makes 0.
  @Test func randomInputsAreThoseOfTheDefinition() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let result = try Command.run("run", model, "--random", "7", "--dim", "n=2", "--output", folder.path("out"))
      #expect(result.status == 0, "\(result.errors)")
      let y = try NPYFile.read(path: folder.path("out/y.npy")).tensor(of: Float.self)
      #expect(try y?.elements == [0, 14_973_336, 14_455_614, 14_259_896].map { max(0, Float($0) / 8_388_608 - 1) })
    }
  }

  @Test func openExtentsMustBeGiven() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let missing = try Command.run("run", model, "--random", "1")
      #expect(missing.status == 64)
      #expect(missing.errors.contains("--dim 'n=…'"))
      #expect(try Command.run("run", model, "--random", "1", "--dim", "x.0=3").status == 0)
      let unknown = try Command.run("run", model, "--random", "1", "--dim", "m=3")
      #expect(unknown.status == 64)
      #expect(unknown.errors.contains("'m'") || unknown.errors.contains("--dim m"))
    }
  }

  @Test func extentsThatContradictAreRefused() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let x = try folder.npy("x", [Float](repeating: 1, count: 4), shape: [2, 2])
      let given = ["--input", "x=\(x)"]
      for (arguments, texts) in [
        (given + ["--dim", "n=3"], ["--dim n=3", "'x'"]),
        (given + ["--dim", "x.0=3"], ["--dim x.0=3", "FLOAT[2, 2]"]),
        (["--random", "1", "--dim", "n=3", "--dim", "n=2"], ["n=3", "n=2"]),
        (["--random", "1", "--dim", "x.0=3", "--dim", "n=2"], ["x.0=3", "n=2"]),
      ] {
        let refused = try Command.run(["run", model] + arguments)
        #expect(refused.status == 64 && texts.allSatisfy(refused.errors.contains), "\(refused.errors)")
      }
      let agreeing = ["--dim", "n=2", "--dim", "x.0=2", "--dim", "n=2"]
      #expect(try Command.run(["run", model] + given + agreeing).status == 0)
    }
  }

  /// Nothing that is asked for is passed over.
  @Test func optionsThatHaveNothingToDoAreRefused() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let x = try folder.npy("x", [Float](repeating: 1, count: 4), shape: [2, 2])
      for (option, value) in [
        ("--mean", "0,0,0"), ("--std", "1,1,1"), ("--batch", "3"), ("--arithmetic", "declared"),
      ] {
        let refused = try Command.run("run", model, "--input", x, option, value)
        #expect(refused.status == 64 && refused.errors.contains(option), "\(refused.errors)")
      }
      for option in [["--dim", "n=2"], ["--run"], ["--optimized"]] {
        let refused = try Command.run(["inspect", x] + option)
        #expect(refused.status == 64 && refused.errors.contains(option[0]), "\(refused.errors)")
      }
    }
  }

  @Test func missingAndUnknownInputsAreNamed() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let input = try folder.npy("input", [1, 2] as [Float], shape: [1, 2])
      let missing = try Command.run("run", model)
      #expect(missing.status == 64)
      #expect(missing.errors.contains("'x' FLOAT[n, 2]"))
      let unknown = try Command.run("run", model, "--input", "z=\(input)")
      #expect(unknown.status == 64)
      #expect(unknown.errors.contains("no such input"))
      let twice = try Command.run("run", model, "--input", input, "--input", "x=\(input)")
      #expect(twice.status == 64)
      let absent = try Command.run("run", model, "--input", "x=\(folder.path("absent.npy"))")
      #expect(absent.status == 66)
      let wrongShape = try Command.run(
        "run", model, "--input", folder.npy("wide", [1, 2, 3] as [Float], shape: [1, 3]))
      #expect(wrongShape.status == 65)
      #expect(wrongShape.errors.contains("FLOAT[1, 3]") && wrongShape.errors.contains("FLOAT[n, 2]"))
    }
  }

  @Test func otherElementTypesAreConvertedOnlyWhenAsked() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let input = try folder.npy("input", [1.5, -2] as [Double], shape: [1, 2])
      let refused = try Command.run("run", model, "--input", input)
      #expect(refused.status == 65)
      #expect(refused.errors.contains("float64") && refused.errors.contains("--convert"))
      let result = try Command.run("run", model, "--input", input, "--convert", "--output", folder.path("out"))
      #expect(result.status == 0)
      let y = try NPYFile.read(path: folder.path("out/y.npy")).tensor(of: Float.self)
      #expect(try y?.elements == [1.5, 0])
      // In float64 nothing is lost, so nothing need be converted.
      let wide = try Command.run("run", model, "--input", input, "--float64", "--json")
      #expect(try outputs(wide).first?["dtype"] as? String == "float64")
      let fraction = try folder.npy("fraction", [1.5, 2, 3] as [Float], shape: [1, 3])
      let whole = try Command.run(
        "run", folder.onnx("product", ModelFixtures.product), "--input", fraction, "--convert")
      #expect(whole.status == 65)
      #expect(whole.errors.contains("cannot be converted"))
    }
  }

  @Test func inputsComeFromEveryKindOfFile() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let tensor = AnyTensor(try Tensor<Float>([5, -5], shape: [1, 2]))
      let file = try folder.safetensors("input", [("other", tensor), ("x", tensor)])
      try ValueFile.write(.tensor(tensor), named: "x", to: folder.path("input.pb"))
      for argument in [file, "x=\(file)", folder.path("input.pb"), "x=\(folder.path("input.pb"))"] {
        let result = try Command.run("run", model, "--input", argument, "--json")
        #expect(result.status == 0, "\(argument): \(result.errors)")
        let statistics = try outputs(result).first?["statistics"] as? [String: Any]
        #expect(statistics?["max"] as? Double == 5)
      }
      let strange = try folder.safetensors("strange", [("p", tensor), ("q", tensor)])
      let result = try Command.run("run", model, "--input", strange)
      #expect(result.status == 65)
      #expect(result.errors.contains("'p', 'q'"))
    }
  }

  @Test func valuesInsideTheGraphCanBeFetched() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let result = try Command.run(
        "run", model, "--random", "1", "--dim", "n=1", "--fetch", "inner", "--fetch", "x", "--json")
      #expect(try outputs(result).map { $0["name"] as? String } == ["inner", "x"])
      let unknown = try Command.run("run", model, "--random", "1", "--dim", "n=1", "--fetch", "iner")
      #expect(unknown.status == 64)
      #expect(unknown.errors.contains("'inner'"))
    }
  }

  @Test func profilesCountCalls() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("loop", ModelFixtures.loop)
      let count = try folder.npy("count", [3] as [Int64], shape: [])
      let result = try Command.run(
        "run", model, "--input", "count=\(count)", "--random", "1", "--dim", "n=2", "--profile", "--repeat", "2",
        "--warmup", "1", "--json")
      #expect(result.status == 0, "\(result.errors)")
      let profile = try #require(result.object["profile"] as? [String: Any])
      let operators = try #require(profile["operators"] as? [[String: Any]])
      #expect(operators.first { $0["name"] as? String == "Relu" }?["calls"] as? Int == 6)
      #expect(operators.first { $0["name"] as? String == "Loop" }?["calls"] as? Int == 2)
    }
  }

  @Test func limitsHold() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx("loop", ModelFixtures.loop)
      let count = try folder.npy("count", [11] as [Int64], shape: [])
      let result = try Command.run(
        "run", model, "--input", "count=\(count)", "--random", "1", "--dim", "n=2", "--loop-limit", "10")
      #expect(result.status == 65)
      #expect(result.errors.contains("10 turns"))
      let memory = try Command.run(
        "run", folder.onnx("relu", ModelFixtures.relu), "--random", "1", "--dim", "n=1000000", "--memory-limit", "1M")
      #expect(memory.status == 65)
      #expect(memory.errors.contains("shape [1000000, 2], 8000000 bytes"), "\(memory.errors)")
      #expect(memory.errors.contains("--memory-limit"))
      // Of names of one, two and three letters one at least has its numbers where they have to be copied to be read.
      let names = ["w", "ww", "www"]
      let weights = ModelFixtures.model(
        [NodeProto(name: "sum", opType: "Sum", inputs: ["x"] + names, outputs: ["y"])],
        inputs: [ModelFixtures.tensor("x", [.size(80)])], outputs: [ModelFixtures.tensor("y", [.size(80)])],
        initializers: try names.map {
          try TensorProto(name: $0, value: GraphValue(Tensor([Float](repeating: 1, count: 80))))
        })
      let reading = try Command.run("run", folder.onnx("weights", weights), "--random", "1", "--memory-limit", "10")
      #expect(reading.status == 65 && reading.errors.contains("tensor \"w"), "\(reading.errors)")
      #expect(!reading.errors.contains("malformed"), "\(reading.errors)")
      #expect(try Command.run("run", model, "--memory-limit", "much").status == 64)
    }
  }

  /// What is printed of a value takes no memory beside the value: its numbers as float64 would be twice as much.
  @Test func statisticsCopyNothing() throws {
    try TemporaryFolder.with { folder in
      let model = ModelFixtures.model(
        [NodeProto(name: "wide", opType: "Expand", inputs: ["x", "shape"], outputs: ["y"])],
        inputs: [ModelFixtures.tensor("x", [.size(1)])], outputs: [ModelFixtures.tensor("y", [.unknown])],
        initializers: [try TensorProto(name: "shape", value: GraphValue(Tensor([Int64(1_000_000)])))])
      let x = try folder.npy("x", [2.5] as [Float], shape: [1])
      let result = try Command.run(
        "run", folder.onnx("wide", model), "--input", x, "--json", "--memory-limit", "6M")
      #expect(result.status == 0, "\(result.errors)")
      let output = try #require((try result.object["outputs"] as? [[String: Any]])?.first)
      let statistics = try #require(output["statistics"] as? [String: Any])
      #expect(statistics["mean"] as? Double == 2.5 && statistics["std"] as? Double == 0)
    }
  }

  @Test func sequencesBecomeMessages() throws {
    try TemporaryFolder.with { folder in
      let node = NodeProto(opType: "SequenceConstruct", inputs: ["x", "x"], outputs: ["s"])
      let model = try folder.onnx(
        "sequence",
        ModelFixtures.model(
          [node], inputs: [ModelFixtures.tensor("x", [.size(1)])],
          outputs: [ValueInfoProto(name: "s", type: .sequence(.tensor(.float, nil)))]))
      let result = try Command.run("run", model, "--random", "1", "--output", folder.path("out"))
      #expect(result.status == 0, "\(result.errors)")
      let (name, value) = try ValueFile.read(
        contentsOf: folder.path("out/s.pb"), as: .sequence(.tensor(.float, nil)))
      #expect(name == "s")
      var values: [GraphValue] = []
      if case .sequence(let elements, _) = value { values = elements }
      #expect(values.map(\.shape) == [[1], [1]])
    }
  }

  @Test func modelsThatCannotBeReadAreRefusedInASentence() throws {
    try TemporaryFolder.with { folder in
      let whole = try Data(contentsOf: URL(filePath: folder.onnx("relu", ModelFixtures.relu)))
      try whole.dropLast(10).write(to: folder.file("cut.onnx"))
      try Data([0, 0, 0, 0] + "ORTM".utf8 + [UInt8](repeating: 0, count: 64)).write(to: folder.file("m.ort"))
      for (name, status, word) in [
        ("cut.onnx", 65, "damaged"), ("m.ort", 65, "ONNX Runtime"), ("absent.onnx", 66, "no such file"),
      ] {
        // Of what is whole and not run here, inspect says what to do with it.
        for command in name == "m.ort" ? ["run"] : ["run", "inspect"] {
          let result = try Command.run(command, folder.path(name))
          #expect(result.status == status)
          #expect(result.errors.contains(word), "\(result.errors)")
          #expect(result.errors.split(separator: "\n").count == 1)
        }
      }
      let unknown = ModelFixtures.model(
        [
          NodeProto(opType: "Frobnicate", inputs: ["x"], outputs: ["z"]),
          NodeProto(opType: "Defrobnicate", inputs: ["z"], outputs: ["y"]),
        ], inputs: [ModelFixtures.tensor("x", [.size(1)])], outputs: [ModelFixtures.tensor("y", [.size(1)])])
      let result = try Command.run("run", folder.onnx("unknown", unknown), "--random", "1")
      #expect(result.status == 65)
      #expect(result.errors.contains("Defrobnicate, Frobnicate"))
    }
  }

  /// Operators that only the program that wrote them has: what to do instead is said, once for all of them.
  @Test(arguments: [
    ("com.microsoft.nchwc", "ReorderInput", "ORT_ENABLE_EXTENDED"), ("com.microsoft", "EPContext", "as it was before"),
    ("com.microsoft", "RemovePadding", "convert_to_packing_mode"), ("com.microsoft", "Sampling", "convert_generation"),
    ("org.pytorch.aten", "ATen", "ONNX_ATEN_FALLBACK"), ("ai.onnx.contrib", "BertTokenizer", "onnxruntime-extensions"),
  ])
  func foreignOperatorsComeWithAdvice(domain: String, type: String, advice: String) throws {
    try TemporaryFolder.with { folder in
      let nodes = [
        NodeProto(opType: type, domain: domain, inputs: ["x"], outputs: ["z"]),
        NodeProto(opType: "Frobnicate", domain: domain, inputs: ["z"], outputs: ["y"]),
      ]
      for (count, output) in [(1, "z"), (2, "y")] {
        var model = ModelFixtures.model(
          Array(nodes.prefix(count)), inputs: [ModelFixtures.tensor("x", [.size(1)])],
          outputs: [ModelFixtures.tensor(output, [.size(1)])])
        model.opsetImports.append(OperatorSetID(domain: domain, version: 1))
        let path = try folder.onnx("foreign\(count)", model)
        let result = try Command.run("run", path, "--random", "1")
        #expect(result.status == 65 && result.errors.contains(type))
        #expect(result.errors.ranges(of: advice).count == 1, "\(result.errors)")
        let inspection = try Command.run("inspect", path, "--json").object
        #expect((inspection["warnings"] as? [String])?.count { $0.contains(advice) } == 1, "\(inspection)")
      }
    }
  }

  /// Of several files on a command line it is said which one is wrong.
  @Test func aMalformedGraphIsNamedByItsFile() throws {
    try TemporaryFolder.with { folder in
      let circle = ModelFixtures.model(
        [
          NodeProto(opType: "Relu", inputs: ["y"], outputs: ["z"]),
          NodeProto(opType: "Relu", inputs: ["z"], outputs: ["y"]),
        ], inputs: [ModelFixtures.tensor("x", [.size(1)])], outputs: [ModelFixtures.tensor("y", [.size(1)])])
      let (path, picture) = (try folder.onnx("circle", circle), folder.path("picture.png"))
      try ImageFile.write(Image(width: 8, height: 8, color: .rgb, filledWith: [1, 2, 3]), to: picture)
      for line in [
        ["run", path, "--random", "1"], ["inspect", path], ["detect", picture, "--model", path],
        ["classify", picture, "--model", path], ["breed", picture, "--model", path],
      ] {
        let result = try Command.run(line)
        #expect(
          result.status == 65 && result.errors.contains("circle.onnx: the graph is malformed"), "\(result.errors)")
      }
    }
  }
}
