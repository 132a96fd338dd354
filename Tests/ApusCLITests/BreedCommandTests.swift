import Apus
import ApusGraph
import ApusONNX
import ApusTestSupport
import Foundation
import Testing

@Suite struct BreedCommandTests {
  private func with<Result>(_ body: (TemporaryFolder) throws -> Result) throws -> Result {
    try TemporaryFolder.with { folder in
      func path(_ name: String) -> String { folder.file(name).path(percentEncoded: false) }
      try NPYFile.write(AnyTensor(Tensor<Double>([1, 2, 3, 4])), toPath: path("features.npy"))
      var writer = SafetensorsWriter()
      try writer.add(Tensor<Double>((0..<476).map { $0 == 40 ? 3 : 0 }, shape: [119, 4]), named: "weights")
      try writer.add(Tensor<Double>(zeros: [119]), named: "offset")
      try writer.write(toPath: path("regression.safetensors"))
      return try body(folder)
    }
  }

  @Test func featuresFromElsewhereBecomeBreeds() throws {
    try with { (folder: TemporaryFolder) throws in
      let arguments = [
        "breed", "--features", folder.file("features.npy").path(percentEncoded: false), "--regression",
        folder.file("regression.safetensors").path(percentEncoded: false),
      ]
      let report = try Command.run(arguments + ["--json"]).object
      let top = try #require(report["top"] as? [String: Any])
      // Row 10 belongs to the twelfth breed, as the first is the reference: e³ to 119 times 1.
      #expect(top["label"] as? String == "n02088364-beagle")
      let probability = try #require(top["probability"] as? Double)
      #expect(abs(probability - 20.085536923187668 / (20.085536923187668 + 119)) < 1e-12)
      #expect((report["breeds"] as? [Any])?.count == 120)
      let text = try Command.run(arguments)
      #expect(text.output.contains("14 %  beagle  beagle"))
      let list = folder.file("list.json")
      try Data(#"{"message": {"hound": ["beagle"]}, "status": "success"}"#.utf8).write(to: list)
      let now = try Command.run(arguments + ["--breed-list", list.path(percentEncoded: false)])
      #expect(now.output.contains("hound/beagle"))
      try Data(#"{"message": "gone", "status": "error"}"#.utf8).write(to: list)
      let gone = try Command.run(arguments + ["--breed-list", list.path(percentEncoded: false)])
      #expect(gone.status == 65)
    }
  }

  @Test func mistakesEndWithTheirStatus() throws {
    try with { (folder: TemporaryFolder) throws in
      let features = folder.file("features.npy").path(percentEncoded: false)
      #expect(try Command.run("breed").status == 64)
      #expect(try Command.run("breed", "photo.jpg").status == 64)
      #expect(try Command.run("breed", "--features", features).status == 64)
      #expect(try Command.run("breed", "photo.jpg", "--model", "/nowhere.onnx").status == 66)
      #expect(
        try Command.run("breed", features, "--model", shipped("behavior/shipped/behavior-classifier.onnx")).status == 65
      )
      #expect(try Command.run("breed", "--features", features, "--regression", features).status == 65)
      #expect(try Command.run("breed", "a.jpg", "--model", "b.onnx", "--std", "0,1,1").status == 64)
      #expect(try Command.run("breed", "a.jpg", "--model", "b.onnx", "--mean", "1,2").status == 64)
      let bytes = try Command.run("breed", "a.jpg", "--model", "b.onnx", "--mean", "127,127,127")
      #expect(bytes.status == 64 && bytes.errors.contains("--mean: 0 to 1 was expected"), "\(bytes.errors)")
    }
  }

  /// A classifier of 1000 classes: a picture's red, green and blue times a matrix; the breed beagle where red is about 1.
  private func classifier(_ metadata: [StringStringEntry]) throws -> ModelProto {
    // Class 162 is the beagle's: 40 · (red − 0.8), against 0 of all others.
    let weight = (0..<3000).map { Float($0 == 162 ? 40 : 0) }
    let bias = (0..<1000).map { Float($0 == 162 ? -32 : 0) }
    var model = ModelFixtures.model(
      [
        NodeProto(name: "pool", opType: "GlobalAveragePool", inputs: ["image"], outputs: ["pooled"]),
        NodeProto(name: "flat", opType: "Flatten", inputs: ["pooled"], outputs: ["features"]),
        NodeProto(name: "head", opType: "Gemm", inputs: ["features", "weight", "bias"], outputs: ["classes"]),
      ], inputs: [ModelFixtures.tensor("image", [.size(1), .size(3), .size(16), .size(16)])],
      outputs: [ModelFixtures.tensor("classes", [.size(1), .size(1000)])],
      initializers: [
        try TensorProto(name: "weight", value: GraphValue(Tensor(weight, shape: [3, 1000]))),
        try TensorProto(name: "bias", value: GraphValue(Tensor(bias))),
      ])
    model.metadata = metadata
    return model
  }

  @Test func aClassifierOfUltralyticsIsGivenWhatItWants() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let photo = folder.file("red.ppm").path(percentEncoded: false)
      let red = Data("P6 16 16 255\n".utf8) + Data((0..<256).flatMap { _ in [UInt8(255), 0, 0] })
      try red.write(to: folder.file("red.ppm"))
      let entries = [("author", "Ultralytics"), ("task", "classify"), ("imgsz", "[16, 16]")]
      let named = folder.file("named.onnx").path(percentEncoded: false)
      try classifier(entries.map { StringStringEntry(key: $0.0, value: $0.1) }).write(to: named)
      let known = try Command.run("breed", photo, "--model", named, "--json")
      let report = try known.object
      #expect((report["top"] as? [String: Any])?["display_name"] as? String == "beagle")
      // σ-like: e⁸ of 40 · (1 − 0.8) against 999 times 1.
      let mass = try #require(report["dog_mass"] as? Double)
      #expect(abs(mass - (2980.957987 + 119) / (2980.957987 + 999)) < 1e-4)
      #expect((report["preprocessing"] as? String)?.contains("0 to 1") == true)
      #expect(known.errors.isEmpty, "\(known.errors)")

      let silent = folder.file("silent.onnx").path(percentEncoded: false)
      try classifier([]).write(to: silent)
      let assumed = try Command.run("breed", photo, "--model", silent, "--json")
      #expect(assumed.errors.contains("nothing says how it wants its pictures"), "\(assumed.errors)")
      #expect(try (assumed.object["preprocessing"] as? String)?.contains("assumed") == true)
      let stated = try Command.run("breed", photo, "--model", silent, "--mean", "0,0,0", "--std", "1,1,1", "--json")
      let half = try Command.run("breed", photo, "--model", silent, "--mean", "0,0,0", "--json")
      #expect(half.errors.contains("--mean without --std: ImageNet's"), "\(half.errors)")
      #expect(stated.errors.isEmpty)
      #expect(try stated.object["dog_mass"] as? Double == mass)

      // Of black nothing is likely: the answer asks.
      let black = folder.file("black.ppm").path(percentEncoded: false)
      try (Data("P6 16 16 255\n".utf8) + Data(repeating: 0, count: 768)).write(to: folder.file("black.ppm"))
      let flat = try Command.run("breed", black, "--model", named)
      #expect(flat.output.contains("does the preprocessing fit?"), "\(flat.output)")

      // The same knowledge serves a model that is merely run.
      let run = try Command.run("run", named, "--input", "image=\(photo)")
      #expect(run.status == 0, "\(run.errors)")
      let guess = try Command.run("run", silent, "--input", "image=\(photo)")
      #expect(guess.status == 0 && guess.errors.contains("nothing says how the model wants its pictures"))
      let told = try Command.run("run", silent, "--input", "image=\(photo)", "--mean", "0,0,0", "--std", "1,1,1")
      #expect(told.status == 0 && told.errors.isEmpty, "\(told.errors)")
      #expect(told.output.contains("(as stated)"))
    }
  }

  @Test func namesOfClassesDecideWhichBreedsTheyAre() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let photo = folder.path("green.ppm")
      let green = Data("P6 16 16 255\n".utf8) + Data((0..<256).flatMap { _ in [UInt8(0), 255, 0] })
      try green.write(to: folder.file("green.ppm"))
      // The second class: of those without names the Japanese spaniel.
      let model = try folder.onnx("breeds", ClassifyPictureTests.model(classes: 120))
      func top(_ arguments: String...) throws -> String? {
        let report = try Command.run(["breed", photo, "--model", model, "--json"] + arguments).object
        #expect(report["dog_mass"] == nil && (report["breeds"] as? [Any])?.count == 120)
        return (report["top"] as? [String: Any])?["display_name"] as? String
      }
      #expect(try top() == "japanese spaniel")
      let lines = try String(
        contentsOf: packageFolder.appending(path: "Sources/ApusVision/Breeds/DogBreed+Table.swift"), encoding: .utf8)
      let names = lines.split(separator: "\n").compactMap { line -> Substring? in
        let fields = line.split(separator: " ")
        return fields.count == 3 && fields[0].hasPrefix("n0") ? fields[1] : nil
      }
      try #require(names.count == 120)
      try Data(names.reversed().joined(separator: "\n").utf8).write(to: folder.file("labels.txt"))
      #expect(try top("--labels", folder.path("labels.txt")) == names[118].lowercased().replacing("_", with: " "))
      try Data((0..<120).map { "thing of kind \(200 - $0)\n" }.joined().utf8).write(to: folder.file("labels.txt"))
      let things = try Command.run("breed", photo, "--model", model, "--labels", folder.path("labels.txt"))
      #expect(things.status == 65 && things.errors.contains("0 have names of breeds"), "\(things.errors)")
    }
  }
}
