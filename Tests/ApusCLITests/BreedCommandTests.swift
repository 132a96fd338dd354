import Apus
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
    }
  }
}
