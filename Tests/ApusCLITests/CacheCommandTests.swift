import Apus
import ApusGraph
import ApusMedia
import ApusONNX
import ApusTestSupport
import Foundation
import Testing

/// `--cache`: the second command finds what the first has laid out, and says the same.
@Suite struct CacheCommandTests {
  private static let model = shipped("behavior/shipped/behavior-classifier.onnx")

  private func cache(_ result: CommandResult) throws -> (found: Int, made: Int, file: String) {
    let cache = try #require(result.object["cache"] as? [String: Any])
    return (
      try #require(cache["found"] as? Int), try #require(cache["made"] as? Int), try #require(cache["file"] as? String)
    )
  }

  private func run(_ folder: TemporaryFolder, _ number: Int, _ more: String...) throws -> CommandResult {
    try Command.run(
      ["run", Self.model, "--random", "1", "--json", "--output", folder.path("out\(number)")] + dimensions + more)
  }

  /// The model leaves the number of windows open.
  private var dimensions: [String] { ["--dim", "batch=2"] }

  private func outputs(_ folder: TemporaryFolder, _ number: Int) throws -> [Data] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path("out\(number)")).sorted().map {
      try Data(contentsOf: folder.file("out\(number)/\($0)"))
    }
  }

  @Test(arguments: ["exact", "fast"])
  func theSecondRunIsTheSame(precision: String) throws {
    try TemporaryFolder.with { folder in
      let plain = try run(folder, 0, "--precision", precision)
      #expect(plain.status == 0, "\(plain.errors)")
      #expect(try plain.object["cache"] == nil)
      let expected = try outputs(folder, 0)
      #expect(!expected.isEmpty)
      let first = try run(folder, 1, "--precision", precision, "--cache", folder.path("kept"))
      #expect(first.status == 0 && first.errors.isEmpty, "\(first.errors)")
      let made = try cache(first)
      #expect(try made.found == 0 && made.made > 0 && outputs(folder, 1) == expected)
      #expect(made.file.hasPrefix(folder.path("kept/apus-")) && made.file.hasSuffix(".packed"))
      let second = try run(folder, 2, "--precision", precision, "--cache", folder.path("kept"))
      let found = try cache(second)
      #expect(try found == (made.made, 0, made.file) && outputs(folder, 2) == expected)
      let text = try Command.run(
        ["run", Self.model, "--random", "1", "--precision", precision, "--cache", folder.path("kept")] + dimensions)
      #expect(text.output.contains("\(made.made) of \(made.made) packed weight"), "\(text.output)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("kept")).count == 1)
    }
  }

  @Test func whatCannotBeWrittenIsAWarning() throws {
    try TemporaryFolder.with { folder in
      try Data("text".utf8).write(to: folder.file("file"))
      for place in [folder.path("file"), folder.path("file/inside"), "/proc/apus"] {
        let result = try run(folder, 0, "--cache", place)
        #expect(result.status == 0)
        #expect(
          result.errors.hasPrefix("apus: --cache: \(place)") && result.errors.contains("cannot be written"),
          "\(result.errors)")
        #expect(try cache(result).made > 0)
      }
      #expect(try Data(contentsOf: folder.file("file")) == Data("text".utf8))
      #expect(try run(folder, 0, "--cache", "").status == 64)
    }
  }

  @Test func manyCommandsAtOnce() throws {
    try TemporaryFolder.with { folder in
      _ = try run(folder, 0)
      let expected = try outputs(folder, 0)
      let processes = try (1...6).map { number in
        let process = Command.process(
          ["run", Self.model, "--random", "1", "--output", folder.path("out\(number)"), "--cache", folder.path("kept")]
            + dimensions)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
      }
      for (number, process) in processes.enumerated() {
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try outputs(folder, number + 1) == expected)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("kept")).count == 1)
      #expect(try cache(run(folder, 7, "--cache", folder.path("kept"))).made == 0)
    }
  }

  @Test func detectionsAreTheSame() throws {
    try TemporaryFolder.with { folder in
      let picture = folder.path("blank.png")
      try ImageFile.write(
        Image<UInt8>(width: 211, height: 120, color: .rgb, filledWith: [90, 120, 150]), to: picture)
      let arguments =
        ["detect", picture, "--model", try folder.onnx("boxes", Self.detector), "--layout", "v8"]
        + ["--confidence", "0.1", "--json", "--verbose"]
      let plain = try Command.run(arguments)
      let first = try Command.run(arguments + ["--cache", folder.path("kept")])
      let second = try Command.run(arguments + ["--cache", folder.path("kept")])
      #expect(plain.status == 0 && plain.output.contains("class_id"), "\(plain.errors)")
      #expect(first.output == plain.output && second.output == plain.output)
      let place = "of 1 packed weight from \(folder.path("kept"))/apus-"
      #expect(first.errors.contains("apus: 0 \(place)"), "\(first.errors)")
      #expect(second.errors.contains("apus: 1 \(place)"), "\(second.errors)")
    }
  }

  /// One convolution that gives boxes of eleven classes at as many places as a YOLO has of 64 × 96 pixels: 9 × 14.
  private static var detector: ModelProto {
    get throws {
      let numbers = (0..<15 * 120).map { index in Float(index % 11) / 1200 }
      let weights = try Tensor(numbers, shape: [15, 3, 8, 5])
      return try ModelFixtures.model(
        [
          NodeProto(
            opType: "Conv", inputs: ["images", "weights"], outputs: ["maps"],
            attributes: [AttributeProto(name: "strides", value: .ints([7, 7]))]),
          NodeProto(opType: "Reshape", inputs: ["maps", "shape"], outputs: ["boxes"]),
        ], inputs: [ModelFixtures.tensor("images", [1, 3, 64, 96].map { .size($0) })],
        outputs: [ModelFixtures.tensor("boxes", [1, 15, 126].map { .size($0) })],
        initializers: [
          TensorProto(name: "weights", value: GraphValue(weights)),
          TensorProto(name: "shape", value: GraphValue(Tensor<Int64>([1, 15, 126]))),
        ])
    }
  }

  @Test func picturesThatAreReadAreSafe() throws {
    try TemporaryFolder.with { folder in
      try ImageFile.write(
        Image<UInt8>(width: 20, height: 20, color: .rgb, filledWith: [90, 120, 150]), to: folder.path("blank.png"))
      let model = fixture("detector/seg.onnx")
      for command in ["detect", "classify", "breed"] {
        let result = try Command.run(command, folder.path(""), "--model", model, "--cache", folder.path(""))
        #expect(result.status == 64 && result.errors.contains("--cache"), "\(command): \(result.errors)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["blank.png"])
    }
  }
}
