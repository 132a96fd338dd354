import ApusMedia
import ApusTestSupport
import Foundation
import Testing

@testable import Apus
@testable import ApusGraph

/// Core ML models at the command line: dictionaries, texts and pictures, in and out.
@Suite struct CoreMLCommandTests {
  private static func fixture(_ name: String) -> String {
    packageFolder.appending(path: "Tests/Fixtures/coreml/\(name)").path(percentEncoded: false)
  }

  private func rows(_ result: CommandResult) throws -> [[String: Any]] {
    try #require(result.object["outputs"] as? [[String: Any]])
  }

  /// A picture of the fixture's inputs: height × width, with three colours or one.
  private func picture(_ name: String) throws -> Image<UInt8> {
    let pixels = try NPZFile(path: Self.fixture("network-pictures/inputs.npz")).tensor(named: name, as: UInt8.self)
    return try Image(
      width: pixels.shape[1], height: pixels.shape[0], color: pixels.rank == 2 ? .gray : .rgb,
      samples: pixels.elements)
  }

  private func outputs(_ result: CommandResult) throws -> [String: [Float]] {
    try rows(result).reduce(into: [:]) { outputs, row in
      let (name, file) = (try #require(row["name"] as? String), try #require(row["file"] as? String))
      outputs[name] = try NPYFile.read(path: file).tensor(as: Float.self)?.elements
    }
  }

  private func expected() throws -> [String: [Float]] {
    let file = try NPZFile(path: Self.fixture("network-pictures/expected.npz"))
    return try file.arrayNames.reduce(into: [:]) {
      $0[$1] = try file.anyTensor(named: $1).converted(to: Float.self).elements
    }
  }

  // MARK: Dictionaries

  @Test func dictionariesAreKeysAndValues() throws {
    try TemporaryFolder.with { folder in
      let model = Self.fixture("classic-pipeline/model.mlmodel")
      let answers = try NPZFile(path: Self.fixture("classic-pipeline/expected.npz"))
      let inputs = try NPZFile(path: Self.fixture("classic-pipeline/inputs.npz"))
      // The fixture has five examples; a run has one, and its numbers have no axes.
      var arguments = ["run", model, "--output", folder.path("out"), "--json"]
      for name in ["a", "b"] {
        let number = try inputs.tensor(named: name, as: Double.self).elements[1]
        arguments += ["--input", "\(name)=\(try folder.npy(name, [number], shape: []))"]
      }
      let result = try Command.run(arguments)
      #expect(result.status == 0, "\(result.errors)")
      let rows = try rows(result)
      #expect(rows.map { $0["name"] as? String } == ["label", "shares.keys", "shares.values"])
      #expect(rows.map { $0["dtype"] as? String } == ["string", "string", "float64"])
      let names = rows.compactMap { $0["name"] as? String }
      #expect(rows.compactMap { $0["file"] as? String } == names.map { folder.path("out/\($0).npy") })
      #expect(try NPYFile.texts(path: folder.path("out/shares.keys.npy"))?.elements == ["cat", "dog", "fox"])
      let values = try NPYFile.read(path: folder.path("out/shares.values.npy")).converted(to: Double.self).elements
      let right = try answers.tensor(named: "shares.values", as: Double.self).elements[3..<6]
      #expect(zip(values, right).allSatisfy { abs($0 - $1) < 1e-6 } && values.count == 3)
      let label = try NPYFile.texts(path: folder.path("out/label.npy"))?.elements
      let labels = try #require(try answers.texts(named: "label"))
      #expect(label == [labels.elements[1]])
    }
  }

  // MARK: States

  /// FLOAT16 is what the file declares of the state, and FLOAT what it is kept in.
  @Test func statesTakeTheTypeThatIsDeclared() throws {
    try TemporaryFolder.with { folder in
      let model = Self.fixture("program-state/model.mlpackage")
      let x = try folder.npy("x", [1, 2, 3, 4, 5, 6] as [Float16], shape: [2, 3])
      let half = try folder.npy("half", [10, 0, 0, 0, 0, -1] as [Float16], shape: [2, 3])
      let whole = try folder.npy("whole", [10, 0, 0, 0, 0, -1] as [Float], shape: [2, 3])
      for total in [half, whole] {
        let result = try Command.run(
          "run", model, "--input", "x=\(x)", "--input", "total=\(total)", "--output", folder.path("out"), "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try outputs(result) == ["twice": [22, 4, 6, 8, 10, 10], "total.updated": [11, 2, 3, 4, 5, 5]])
      }
    }
  }

  @Test func statesAreInspected() throws {
    let inspected = try Command.run("inspect", Self.fixture("program-state/model.mlpackage"), "--json").object
    func types(_ key: String) throws -> [String: String] {
      try #require(inspected[key] as? [[String: Any]]).reduce(into: [:]) {
        $0[try #require($1["name"] as? String)] = $1["type"] as? String
      }
    }
    #expect(try types("inputs") == ["x": "FLOAT16[2, 3]", "total": "FLOAT[2, 3]"])
    #expect(try types("outputs") == ["twice": "FLOAT[2, 3]", "total.updated": "FLOAT[2, 3]"])
  }

  // MARK: Pictures

  @Test func arraysOfPixelsArePictures() throws {
    try TemporaryFolder.with { folder in
      let result = try Command.run(
        "run", Self.fixture("network-pictures/model.mlmodel"), "--input", Self.fixture("network-pictures/inputs.npz"),
        "--output", folder.path("out"), "--json")
      #expect(result.status == 0, "\(result.errors)")
      #expect(try outputs(result) == expected())
    }
  }

  @Test func filesOfPicturesAreInputs() throws {
    try TemporaryFolder.with { folder in
      let files = ["photo": "photo.png", "mask": "mask.pgm", "tile": "tile.ppm"]
      var arguments: [String] = []
      for (name, file) in files {
        try ImageFile.write(picture(name), to: folder.path(file))
        arguments += ["--input", "\(name)=\(folder.path(file))"]
      }
      let model = Self.fixture("network-pictures/model.mlmodel")
      let result = try Command.run(["run", model, "--output", folder.path("out"), "--json"] + arguments)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try outputs(result) == expected())
      // The same files are inputs of a comparison.
      let parity = try Command.run(
        ["parity", model, "--expected", Self.fixture("network-pictures/expected.npz"), "--inputs"]
          + files.map { "\($0)=\(folder.path($1))" })
      #expect(parity.status == 0, "\(parity.output)\(parity.errors)")
    }
  }

  @Test func picturesAreBroughtToTheDeclaredSize() throws {
    try TemporaryFolder.with { folder in
      let large = try Image(
        width: 13, height: 9, color: .rgb, samples: (0..<13 * 9 * 3).map { UInt8(truncatingIfNeeded: $0 * 37) })
      try ImageFile.write(large, to: folder.path("large.png"))
      try ImageFile.write(large.resized(width: 6, height: 4, filter: .lanczos), to: folder.path("small.png"))
      for name in ["mask", "tile"] { try ImageFile.write(picture(name), to: folder.path(name + ".png")) }
      func run(_ photo: String) throws -> CommandResult {
        try Command.run(
          "run", Self.fixture("network-pictures/model.mlmodel"), "--input", "photo=\(folder.path(photo))", "--input",
          "mask=\(folder.path("mask.png"))", "--input", "tile=\(folder.path("tile.png"))", "--output",
          folder.path("out-" + photo), "--json")
      }
      let (brought, same) = (try run("large.png"), try run("small.png"))
      #expect(brought.status == 0, "\(brought.errors)")
      #expect(try outputs(brought) == outputs(same))
      let sources = try #require(brought.object["inputs"] as? [[String: Any]]).compactMap { $0["source"] as? String }
      #expect(sources.filter { $0.hasSuffix("13 × 9 brought to 6 × 4") }.count == 1)
    }
  }

  @Test func whatIsNoPictureOfTheModelIsRefused() throws {
    try TemporaryFolder.with { folder in
      let model = Self.fixture("network-pictures/model.mlmodel")
      let wrong = try folder.npy("wrong", [UInt8](repeating: 0, count: 8), shape: [2, 4])
      for (input, text) in [
        ("mask=\(wrong)", "3 × 5 of numbers from 0 to 255"), ("tile=\(wrong)", "2 × 2 × 3 of numbers"),
        ("mask=\(Self.fixture("operations.txt"))", "pictures are read from PNG"),
      ] {
        let result = try Command.run("run", model, "--input", input)
        #expect(result.status == 65, "\(result.output)")
        #expect(result.errors.contains(text), "\(result.errors)")
      }
    }
  }

  @Test func picturesAreNotGuessedToBeNumbers() throws {
    try TemporaryFolder.with { folder in
      try ImageFile.write(picture("photo"), to: folder.path("photo.png"))
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let result = try Command.run("run", model, "--input", "x=\(folder.path("photo.png"))")
      #expect(result.status == 65)
      #expect(result.errors.contains("is a picture, and the model declares 'x' as numbers"), "\(result.errors)")
    }
  }

  // MARK: Networks behind commands

  private struct Found: Decodable {
    struct Object: Decodable {
      var `class`: String
      var score: Double
      var box: [Double]
    }
    var model: String?
    var options: [String]?
    var detections: [Object]
  }

  /// A model that ends in Core ML's own suppression, and such as leave it to the caller (`generate/coreml_detector.py`).
  @Test func detectorsMayBeCoreML() throws {
    let folder = packageFolder.appending(path: "Tests/Fixtures/coreml-detector").path(percentEncoded: false)
    let text = try Data(contentsOf: URL(filePath: folder + "/expected.json"))
    let cases = try JSONDecoder().decode([Found].self, from: text)
    #expect(Set(cases.compactMap(\.model)) == ["pipeline", "bare", "raw"])
    for expected in cases {
      let model = try #require(expected.model)
      let result = try Command.run(
        ["detect", folder + "/picture.png", "--model", "\(folder)/\(model).mlpackage", "--json"]
          + (expected.options ?? []))
      #expect(result.status == 0, "\(result.errors)")
      let found = try JSONDecoder().decode(Found.self, from: Data(result.output.utf8)).detections
      // The bare model has no names for its classes.
      let names = ["class 0": "plate", "class 1": "bar end", "class 2": "person"]
      #expect(found.map { names[$0.class] ?? $0.class } == expected.detections.map(\.class))
      for (object, right) in zip(found, expected.detections) {
        #expect(abs(object.score - right.score) < 1e-5)
        #expect(zip(object.box, right.box).allSatisfy { abs($0 - $1) < 1e-3 }, "\(object.box), not \(right.box)")
      }
    }
  }

  /// The thresholds of the file hold unless a run says otherwise.
  @Test func thresholdsOfASuppressionAreInputs() throws {
    try TemporaryFolder.with { folder in
      let detector = packageFolder.appending(path: "Tests/Fixtures/coreml-detector").path(percentEncoded: false)
      let run = ["run", detector + "/pipeline.mlpackage", "--input", "image=\(detector)/picture.png", "--json"]
      func boxes(_ others: [String]) throws -> Int {
        let result = try Command.run(run + others)
        #expect(result.status == 0, "\(result.errors)")
        let row = try #require(rows(result).first { $0["name"] as? String == "coordinates" })
        return try #require((row["shape"] as? [Int])?.first)
      }
      #expect(try boxes([]) == 13)
      let none = try folder.npy("none", [1.0], shape: [])
      #expect(try boxes(["--input", "confidenceThreshold=\(none)"]) == 0)
      // Every box that has the score: as many as are left where boxes may share 0.8 of their union.
      let all = try folder.npy("all", [1.0], shape: [1])
      #expect(try boxes(["--input", "iouThreshold=\(all)"]) == 16)
    }
  }

  /// Pixels go in as bytes, for the file itself says what becomes of them, and classes come out under their names.
  @Test func aClassifierOfBreedsMayBeCoreML() throws {
    try TemporaryFolder.with { folder in
      let test = Self.fixture("network-classes")
      let pixels = try NPZFile(path: test + "/inputs.npz").tensor(named: "image", as: UInt8.self)
      let shares = try NPZFile(path: test + "/expected.npz").tensor(named: "shares.values", as: Double.self).elements
      try ImageFile.write(
        Image(width: 4, height: 4, color: .rgb, samples: pixels.elements), to: folder.path("dog.png"))
      let result = try Command.run("breed", folder.path("dog.png"), "--model", test + "/model.mlmodel", "--json")
      #expect(result.status == 0, "\(result.errors)")
      let top = try #require(try result.object["top"] as? [String: Any])
      #expect(abs(try #require(top["probability"] as? Double) - (shares.max() ?? 0)) < 1e-5)
    }
  }
}
