import ApusTestSupport
import Foundation
import Testing

@testable import Apus
@testable import ApusFormats
@testable import ApusGraph
@testable import ApusONNX

/// Values that other tools wrote: folders of arrays, results of Polygraphy, data sets of the standard.
@Suite struct ValueDumpTests {
  private static let parity = fixture("parity") + "/"

  private static func values(_ names: String...) throws -> [(String, AnyTensor)] {
    let file = try SafetensorsFile(path: parity + "reference.safetensors")
    return try names.map { ($0, try file.anyTensor(named: $0)) }
  }

  // MARK: Folders

  /// Names of values as tools make files of them, whatever they have for a list.
  @Test(arguments: [
    nil, #"{"model": "m", "best": NaN}"#, #"{"image": "image.npy", "norm": "norm.npy"}"#,
    #"{"tensors": [{"name": "image", "file": "image.npy", "shape": [1, 3, 8, 8], "dtype": "float32"}, {"name": "norm"#
      + #"", "path": "/elsewhere/norm.npy", "shape": [null, 8, 64]}]}"#,
    #"[{"name": "image", "shape": [1, 3, 8, 8]}, {"tensor_name": "norm", "filename": "norm.npy"}]"#,
    #"{"intermediates": {"image": {"file": "image.npy"}, "norm": {"dtype": "float32"}}}"#,
    #"["image.npy", "norm.npy"]"#,
  ])
  func folderOfArraysIsAReference(metadata: String?) throws {
    try TemporaryFolder.with { folder in
      for (name, tensor) in try Self.values("image", "norm") {
        try NPYFile.write(tensor, toPath: folder.path("\(name).npy"))
      }
      if let metadata { try Data(metadata.utf8).write(to: folder.file("metadata.json")) }
      let path = folder.url.path(percentEncoded: false)
      #expect(try ArrayFolder(path: path).arrayNames == ["image", "norm"])
      #expect(try Command.run("parity", Self.parity + "right.onnx", path).status == 0)
      let wrong = try Command.run("parity", Self.parity + "epsilon.onnx", path)
      #expect(wrong.status == 1)
      #expect(wrong.output.contains("this file and the reference part at 'norm' (LayerNormalization)"))
    }
  }

  @Test func namesOfFilesStandForNamesOfValues() throws {
    try TemporaryFolder.with { folder in
      let file = try SafetensorsFile(path: Self.parity + "folded.safetensors")
      for name in file.tensorNames {
        let spelling = name.replacing("/", with: "_")
        try NPYFile.write(file.anyTensor(named: name), toPath: folder.path("\(spelling).npy"))
      }
      let result = try Command.run("parity", Self.parity + "folded.onnx", folder.url.path(percentEncoded: false))
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("all 4 values are within tolerance; 3 of the reference's values do not fit"))
    }
  }

  @Test(arguments: [
    (#"{"norm": "lost.npy"}"#, "metadata.json has 'norm' in 'lost.npy', which is not in the folder"),
    (#"[{"name": "a", "file": "norm.npy"}, {"name": "a", "file": "norm.npy"}]"#, "has two values called 'a'"),
    (#"{"norm": "norm.npy""#, "metadata.json: expected ',' or '}', found the end of the file, at byte 19"),
    (
      #"{"norm": {"file": "norm.npy", "shape": [2, 8]}}"#,
      "'norm' has the shape [1, 8, 64], and [2, 8] in metadata.json"
    ),
    (String(repeating: "[", count: 40), "nested more than 32 deep"),
  ])
  func listThatDoesNotFitIsBadData(metadata: String, message: String) throws {
    try TemporaryFolder.with { folder in
      for (name, tensor) in try Self.values("image", "norm") {
        try NPYFile.write(tensor, toPath: folder.path("\(name).npy"))
      }
      try Data(metadata.utf8).write(to: folder.file("metadata.json"))
      let result = try Command.run(
        "parity", Self.parity + "right.onnx", folder.url.path(percentEncoded: false), "--inputs",
        folder.path("image.npy"))
      #expect(result.status == 65)
      #expect(result.errors.contains(message), "\(result.errors)")
    }
  }

  /// `a_b.npy` for a model that has both `a/b` and `a.b`.
  @Test func nameOfAFileThatIsTwoValuesIsBadData() throws {
    try TemporaryFolder.with { folder in
      let model = try folder.onnx(
        "model",
        ModelFixtures.model(
          [
            NodeProto(name: "n1", opType: "Neg", inputs: ["x"], outputs: ["a/b"]),
            NodeProto(name: "n2", opType: "Abs", inputs: ["a/b"], outputs: ["a.b"]),
            NodeProto(name: "n3", opType: "Exp", inputs: ["a.b"], outputs: ["y"]),
          ], inputs: [ModelFixtures.tensor("x", [.size(2)])], outputs: [ModelFixtures.tensor("y", [.size(2)])]))
      let dump = folder.path("dump")
      try FileManager.default.createDirectory(atPath: dump, withIntermediateDirectories: true)
      try NPYFile.write(AnyTensor(Tensor<Float>([0, 1])), toPath: dump + "/x.npy")
      try NPYFile.write(AnyTensor(Tensor<Float>([0, -1])), toPath: dump + "/a_b.npy")
      let result = try Command.run("parity", model, dump)
      #expect(result.status == 65)
      #expect(result.errors.contains("'a_b' may be the value 'a/b' or 'a.b'"), "\(result.errors)")
      try Data(#"{"x": "x.npy", "a/b": "a_b.npy"}"#.utf8).write(to: folder.file("dump/metadata.json"))
      let named = try Command.run("parity", model, dump)
      #expect(named.status == 0, "\(named.errors)")
      #expect(named.output.contains("outputs that had nothing to be compared with: 'y'"), "\(named.output)")
    }
  }

  @Test func listCannotLeadOutOfTheFolder() throws {
    try TemporaryFolder.with { folder in
      let inner = folder.file("inner")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
      for (name, tensor) in try Self.values("norm") {
        try NPYFile.write(tensor, toPath: folder.path("\(name).npy"))
      }
      try Data(#"{"norm": "../norm.npy"}"#.utf8).write(to: inner.appending(path: "metadata.json"))
      #expect(throws: ValueDumpError.self) { try ArrayFolder(path: inner.path(percentEncoded: false)) }
    }
  }

  @Test func emptyFolderSaysWhatWasExpected() throws {
    try TemporaryFolder.with { folder in
      let result = try Command.run("parity", Self.parity + "right.onnx", folder.url.path(percentEncoded: false))
      #expect(result.status == 66)
      #expect(result.errors.contains("expected .pb or .npy files"))
    }
  }

  @Test func foldersAreCompared() throws {
    try TemporaryFolder.with { folder in
      for (name, tensor) in try Self.values("image", "norm") {
        try NPYFile.write(tensor, toPath: folder.path("\(name).npy"))
      }
      let result = try Command.run(
        "compare", folder.url.path(percentEncoded: false), Self.parity + "reference.safetensors", "--names", "image",
        "norm", "--json")
      #expect(result.status == 0, "\(result.errors)")
      #expect((try result.object["tensors"] as? [Any])?.count == 2)
    }
  }

  // MARK: Polygraphy

  /// The files are Polygraphy's own, of two runs of ONNX Runtime.
  @Test func resultsOfPolygraphyAreAReference() throws {
    let values = [Self.parity + "polygraphy-outputs.json", "--inputs", Self.parity + "polygraphy-inputs.json"]
    let right = try Command.run(["parity", Self.parity + "right.onnx"] + values)
    #expect(right.status == 0, "\(right.errors)")
    #expect(right.output.contains("2 of 2 data sets are equal"))
    let wrong = try Command.run(["parity", Self.parity + "epsilon.onnx"] + values)
    #expect(wrong.status == 1)
    #expect(wrong.output.contains("part at 'norm' (LayerNormalization)"))
  }

  @Test func iterationsAreReadApart() throws {
    let file = try PolygraphyFile(path: Self.parity + "polygraphy-outputs.json")
    #expect(file.iterations == [["norm", "probabilities"], ["norm", "probabilities"]])
    #expect(try file.value(named: "norm", in: 1).shape == [1, 8, 64])
    #expect(throws: ValueDumpError.self) { try file.value(named: "norm", in: 2) }
    let inputs = try PolygraphyFile(path: Self.parity + "polygraphy-inputs.json")
    guard case .tensor(let image) = try inputs.value(named: "image") else {
      Issue.record("no tensor")
      return
    }
    let expected = try #require(try Self.values("image").first?.1)
    #expect(try Comparison(actual: image, expected: expected, tolerance: .exact).isEqual)
    let both = try Command.run(
      "compare", Self.parity + "polygraphy-outputs.json", Self.parity + "polygraphy-outputs.json", "--json")
    #expect((try both.object["tensors"] as? [[String: Any]])?.last?["name"] as? String == "1/probabilities")
  }

  @Test(arguments: [
    (#"{"lst": [["a", [{"outputs": {}}]], ["b", []]]}"#, "holds the results of 'a', 'b'; those of one runner"),
    (#"{"lst": []}"#, "holds no values"), (#"{"a": 1}"#, "an object was expected at byte 6"),
    (#"{"a": {"tensor": "AAAA"}}"#, "'a' is stored as a tensor of PyTorch"),
    (#"[{"a": {"array": 3}}]"#, "an array in base 64 was expected"),
    (#"[{"a": {"array": "AAA"}}]"#, "'a' is not written in base 64"),
    (#"[{"a": {"array": "AA-A"}}]"#, "'a' is not written in base 64"),
    (#"[{"a": {"array": "AAAA"}}]"#, "not a .npy file"), (#"[{"a": {"dtype": "f"}}]"#, "an object with \"array\""),
    (#"[{"a": {"array": ""}, "a": {"array": ""}}]"#, "has two values called 'a'"),
    (String(repeating: #"{"values":"#, count: 12), "more than 8 nested"), (#"[{"a""#, "ends inside a value"),
  ])
  func otherJSONIsBadData(text: String, message: String) throws {
    try TemporaryFolder.with { folder in
      try Data(text.utf8).write(to: folder.file("x.json"))
      let result = try Command.run("compare", folder.path("x.json"), folder.path("x.json"))
      #expect(result.status == 65)
      #expect(result.errors.contains(message), "\(result.errors)")
    }
  }

  // MARK: Data sets of the standard

  @Test func dataSetOfTheStandardIsAReference() throws {
    try TemporaryFolder.with { folder in
      let data = folder.path("small/")
      let reduced = try Command.run(
        "reduce", Self.parity + "epsilon.onnx", "--expected", Self.parity + "reference.safetensors", "--output",
        folder.path("small.onnx"), "--data", data)
      #expect(reduced.status == 0)
      let result = try Command.run("parity", folder.path("small.onnx"), data)
      #expect(result.status == 1)
      #expect(result.output.contains("part at 'norm' (LayerNormalization)"))
    }
  }
}
