import Foundation
import Testing

import struct ApusTestSupport.ZipBuilder

@testable import Apus

@Suite struct InspectCommandTests {
  private func withFile(_ body: (String) throws -> Void) throws {
    try TemporaryFolder.with { folder in
      try body(
        folder.safetensors(
          "model",
          [
            ("encoder.weight", AnyTensor(try Tensor<Float>(zeros: [2, 3]))),
            ("steps", AnyTensor(try Tensor<Int64>([1]))),
            ("odd\u{1B}[31m", AnyTensor(try Tensor<Bool>([true]))),
          ], metadata: ["labels": String(repeating: "label,", count: 40), "by": "me"]))
    }
  }

  @Test func listsTensorsAndTotals() throws {
    try withFile { path in
      let result = try Command.run("inspect", path)
      #expect(result.status == 0)
      #expect(result.lines.contains { $0.hasPrefix("  encoder.weight") && $0.hasSuffix("float32  [2, 3]  24 B") })
      #expect(result.output.contains("3 tensors, 8 elements, 33 B"))
      #expect(result.output.contains("label…"))
      // Names from a file must not drive the terminal.
      #expect(!result.output.contains("\u{1B}"))
      #expect(try Command.run("inspect", path, "--metadata").output.contains(String(repeating: "label,", count: 40)))
    }
  }

  @Test func jsonHasEveryTensor() throws {
    try withFile { path in
      let report = try Command.run("inspect", path, "--json").object
      #expect(report["bytes"] as? Int == 33)
      #expect(report["elements"] as? Int == 8)
      #expect((report["metadata"] as? [String: String])?["by"] == "me")
      let tensors = try #require(report["tensors"] as? [[String: Any]])
      let weight = try #require(tensors.first { $0["name"] as? String == "encoder.weight" })
      #expect(weight["dtype"] as? String == "float32")
      #expect(weight["shape"] as? [Int] == [2, 3])
      #expect(weight["bytes"] as? Int == 24)
    }
  }

  @Test func arraysOfNumPyAreListed() throws {
    try TemporaryFolder.with { folder in
      try NPYFile.write(AnyTensor(try Tensor<Float>(zeros: [2, 3])), toPath: folder.path("x.npy"))
      let array = try Command.run("inspect", folder.path("x.npy"), "--json").object
      let tensors = try #require(array["tensors"] as? [[String: Any]])
      #expect(
        tensors.count == 1 && tensors[0]["shape"] as? [Int] == [2, 3] && tensors[0]["dtype"] as? String == "float32")
      #expect(array["bytes"] as? Int == 24)
      let archive = Array(try Data(contentsOf: folder.file("x.npy")))
      try Data(ZipBuilder(["a.npy": archive, "b.npy": archive]).bytes).write(to: folder.file("x.npz"))
      let text = try Command.run("inspect", folder.path("x.npz"))
      #expect(text.status == 0 && text.output.contains("2 tensors, 12 elements, 48 B"))
      // What follows a header is not read, nor is memory made for it.
      var damaged = ZipBuilder(["a.npy": archive])
      damaged.entries[0].checksum ^= 1
      try Data(damaged.bytes).write(to: folder.file("damaged.npz"))
      let header = try Command.run("inspect", folder.path("damaged.npz"))
      #expect(header.status == 0 && header.output.contains("6 elements, 24 B"))
      #expect(try Command.run("compare", folder.path("damaged.npz"), folder.path("x.npz")).status == 65)
      // Texts have four bytes a character, as many characters as the longest has.
      try NPYFile.write(["ab", "abc"], shape: [2], toPath: folder.path("texts.npy"))
      let texts = try Command.run("inspect", folder.path("texts.npy"), "--json").object
      let first = (texts["tensors"] as? [[String: Any]])?.first
      #expect(texts["bytes"] as? Int == 24 && first?["dtype"] as? String == "text" && first?["shape"] as? [Int] == [2])
      try Data(ZipBuilder(["a.npy": Array(archive.dropLast())]).bytes).write(to: folder.file("cut.npz"))
      #expect(try Command.run("inspect", folder.path("cut.npz")).status == 65)
      try Data(archive.dropLast()).write(to: folder.file("cut.npy"))
      #expect(try Command.run("inspect", folder.path("cut.npy")).status == 65)
    }
  }

  /// What Apus does not run or list, by its content and not by its name: what it is, and what to do with it.
  private static let others: [(name: String, bytes: [UInt8], format: String, what: String, advice: String)] = [
    ("a", [0x1C, 0, 0, 0] + Array("TFL3".utf8), "tensorFlowLite", "a TensorFlow Lite model", "tf2onnx"),
    ("a", ZipBuilder(["m/data.pkl": [0x80, 2, 0x2E]]).bytes, "torchCheckpoint", "checkpoint", "torch.onnx.export"),
    ("a", ZipBuilder(["m/constants.pkl": [0x80, 2, 0x2E]]).bytes, "torchScript", "TorchScript", "torch.onnx.export"),
    ("a", ZipBuilder(["pose_detector.tflite": [1]]).bytes, "mediaPipeTask", "MediaPipe task", "--tflite"),
    ("a", ZipBuilder(["notes.txt": [1]]).bytes, "zip", "a ZIP archive", "unpack it"),
    ("a", Array("GGUF".utf8) + [3, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0], "gguf", "a GGUF file", "llama.cpp"),
    ("a", [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A], "hdf5", "an HDF5 file", "Keras"),
    ("a", [0, 0, 0, 0x18] + Array("ftypisom".utf8), "video", "a video (MP4, QuickTime)", "ffmpeg -i"),
    ("a", Array("RIFF....WEBP".utf8), "picture", "a WebP file", "ffmpeg -i"),
    ("a", Array("YUV4MPEG2 W4 H2 F25:1 Cmono\nFRAME\n12345678".utf8), "video", "a video as YUV4MPEG2", "apus detect"),
    ("a", Array("P6 2 1 255\nabcdef".utf8), "picture", "picture, 2 × 1", "apus detect"),
    ("a", Array("scorer,me\nbodyparts,nose\n".utf8), "text", "a table of DeepLabCut", "apus behavior"),
    ("a", Array("{\"a\": 1}".utf8), "json", "JSON text", "apus behavior"),
    ("a", Array("[{\"a\": 1}]".utf8), "json", "JSON text", "apus behavior"),
    ("a", Array("[PAD]\n[UNK]\n".utf8), "text", "text", "--detections FILE"),
    ("a", [0xFD] + Array("7zXZ".utf8) + [0, 0, 4], "compressed", "compressed, with xz", "unpack it"),
  ]

  @Test(arguments: others.indices) func anyFileIsNamed(index: Int) throws {
    let other = Self.others[index]
    try TemporaryFolder.with { folder in
      try Data(other.bytes).write(to: folder.file(other.name))
      let result = try Command.run("inspect", folder.path(other.name), "--json")
      #expect(result.status == 0, "\(result.errors)")
      let report = try result.object
      #expect(report["format_name"] as? String == other.format)
      #expect((report["what"] as? String)?.contains(other.what) == true)
      #expect((report["advice"] as? [String])?.contains { $0.contains(other.advice) } == true)
      let text = try Command.run("inspect", folder.path(other.name))
      #expect(text.output.contains(other.what) && text.output.contains("next"))
    }
  }

  @Test func foldersAreNamed() throws {
    try TemporaryFolder.with { folder in
      try Data("P6 2 1 255\nabcdef".utf8).write(to: folder.file("1.ppm"))
      let pictures = try Command.run("inspect", folder.path("."), "--json").object
      #expect(pictures["what"] as? String == "a folder of 1 picture")
    }
    try KeyboardFolder.with { _, model in
      let report = try Command.run("inspect", model, "--json").object
      #expect(report["format_name"] as? String == "pretrainedFolder")
      #expect((report["facts"] as? [String: String])?["network"] == "mobilebert")
      #expect((report["advice"] as? [String])?.first?.contains("apus suggest") == true)
    }
  }

  @Test func whatIsBrokenIsAnError() throws {
    try TemporaryFolder.with { folder in
      for (text, complaint) in [
        ("version https://git-lfs.github.com/spec/v1\n", "git lfs pull"), ("<html></html>", "a web page"),
        ("\u{1}\u{2}", "is of no format that Apus knows; a model (.onnx"),
      ] {
        try Data(text.utf8).write(to: folder.file("model.bin"))
        let result = try Command.run("inspect", folder.path("model.bin"))
        #expect(result.status == 65 && result.errors.contains(complaint) && result.output.isEmpty)
      }
    }
  }

  @Test func aDamagedPictureIsOne() throws {
    try TemporaryFolder.with { folder in
      try Data([0x42, 0x4D, 0, 0, 0]).write(to: folder.file("x.bmp"))
      let result = try Command.run("inspect", folder.path("x.bmp"))
      #expect(result.status == 65 && !result.errors.contains("ONNX"), "\(result.errors)")
    }
  }

  @Test func aFileThatIsNotSafetensorsIsBadData() throws {
    try TemporaryFolder.with { folder in
      try Data("hello, world".utf8).write(to: folder.file("x.safetensors"))
      let result = try Command.run("inspect", folder.path("x.safetensors"))
      #expect(result.status == 65)
      #expect(result.output.isEmpty)
      #expect(result.errors.hasPrefix("apus: "))
      #expect(try Command.run("inspect", folder.path("absent")).status == 66)
      let none = try Command.run("inspect", folder.url.path(percentEncoded: false))
      #expect(none.status == 65 && none.errors.contains("is a folder of no kind that Apus knows"))
    }
  }
}
