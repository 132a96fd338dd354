import ApusGraph
import ApusONNX
import ApusTestSupport
import Foundation
import Testing

@testable import ApusMedia

/// No command writes over what it reads, or over what else it writes, under whatever names.
@Suite struct FilePlanTests {
  /// A folder with an input of every kind.
  private struct Files {
    let folder: TemporaryFolder

    func path(_ name: String) -> String { folder.url.path(percentEncoded: false) + "/" + name }

    init(_ folder: TemporaryFolder) throws {
      self.folder = folder
      try FileManager.default.copyItem(atPath: shipped("behavior/samples/walking.jsonl"), toPath: path("dog.jsonl"))
      try Data(OverlayFixtures.arms().utf8).write(to: folder.file("arms.json"))
      try Data("bar_x,bar_y\n1,2\n".utf8).write(to: folder.file("bar.json"))
      try Data("{}".utf8).write(to: folder.file("settings.json"))
      try Data("0\n0.1\n".utf8).write(to: folder.file("times.txt"))
      let image = try Image<UInt8>(width: 32, height: 32, color: .rgb, filledWith: [200, 200, 200])
      try FileManager.default.createDirectory(atPath: path("pictures"), withIntermediateDirectories: true)
      for name in ["1.png", "2.png"] { try ImageFile.write(image, to: path("pictures/\(name)")) }
      try ImageFile.write(image, to: path("picture.png"))
      let writer = try Y4MWriter(width: 32, height: 32, rate: .init(frames: 10, seconds: 1))
      try Data(writer.firstLine + writer.frame(image)).write(to: folder.file("clip.y4m"))
      _ = try folder.onnx("model", ModelFixtures.relu)
      try Self.addDataBesideModel(to: folder)
      let package = packageFolder.appending(path: "Tests/Fixtures/coreml-parity/right.mlpackage")
      try FileManager.default.copyItem(at: package, to: folder.file("right.mlpackage"))
      _ = try folder.npy("x", [1, 2] as [Float], shape: [1, 2])
      _ = try folder.npy("y", [1, 2] as [Float], shape: [1, 2])
      try FileManager.default.createDirectory(atPath: path("tests/test_a"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: path("model.onnx"), toPath: path("tests/test_a/model.onnx"))
      try FileManager.default.createDirectory(atPath: path("set"), withIntermediateDirectories: true)
      try Data("x".utf8).write(to: folder.file("set/input_0.pb"))
    }

    private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
      [number << 3 | 2, UInt8(bytes.count)] + bytes
    }

    private static func text(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

    /// A tensor of floats whose elements lie in another file, in the bytes of `onnx.proto`.
    private static func outside(_ name: String, _ shape: [UInt8], in file: String) -> [UInt8] {
      let place = field(13, text(1, "location") + text(2, file))
      return shape.flatMap { [8, $0] } + [16, 1] + text(8, name) + place + [14 << 3, 1]
    }

    /// `in.pb`, whose numbers lie where `apus run` writes the output `y`.
    func addValueWithData() throws {
      try Data(Self.outside("x", [1, 2], in: "out/y.npy")).write(to: folder.file("in.pb"))
      try FileManager.default.createDirectory(atPath: path("out"), withIntermediateDirectories: true)
      let numbers: [Float] = [1, 2]
      try numbers.withUnsafeBytes { Data($0) }.write(to: folder.file("out/y.npy"))
    }

    /// Adds a file in folders of its own.
    func add(_ text: String, at name: String) throws {
      let file = folder.file(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }

    /// `y = x · w` with `w` in a file beside it, as ONNX writes large weights, in the bytes of `onnx.proto`.
    private static func addDataBesideModel(to folder: TemporaryFolder) throws {
      func row(_ number: UInt8, _ name: String) -> [UInt8] {
        let shape = field(2, field(1, [8, 1]) + field(1, [8, 2]))
        return field(number, text(1, name) + field(2, field(1, [8, 1] + shape)))
      }
      let node = field(1, text(1, "x") + text(1, "w") + text(2, "y") + text(4, "MatMul"))
      let weight = field(5, outside("w", [2, 2], in: "w"))
      let graph = node + text(2, "graph") + weight + row(11, "x") + row(12, "y")
      try Data([8, 8] + field(7, graph) + field(8, [16, 18])).write(to: folder.file("outside.onnx"))
      let numbers: [Float] = [1, 2, 3, 4]
      try numbers.withUnsafeBytes { Data($0) }.write(to: folder.file("w"))
    }

    /// Every file with what is in it.
    func contents() throws -> [String: Data] {
      var contents: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path(percentEncoded: false)) {
        contents[name] = try? Data(contentsOf: folder.file(name))
      }
      return contents
    }
  }

  /// Runs a command line, in which `@` is the folder with a slash, and expects it to be refused and to touch nothing.
  /// - Parameter names: what the message must name.
  private func expectRefusal(
    _ line: String, naming names: [String], _ prepare: (Files) throws -> Void = { _ in },
    _ change: (Process, Files) throws -> Void = { _, _ in }, location: SourceLocation = #_sourceLocation
  ) throws {
    try TemporaryFolder.with { folder in
      let files = try Files(folder)
      try prepare(files)
      let before = try files.contents()
      let process = Command.process(
        line.split(separator: " ").map { word in
          String(word).replacing("@", with: files.path(""))
        })
      let errors = Pipe()
      (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
      try change(process, files)
      try process.run()
      let message = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 64, "\(message)", sourceLocation: location)
      for name in names { #expect(message.contains(name), "\(message)", sourceLocation: location) }
      #expect(try files.contents() == before, sourceLocation: location)
    }
  }

  @Test(arguments: [
    ("detect @clip.y4m --save @clip.y4m", ["the input", "--save", "clip.y4m"]),
    ("detect @picture.png --save @picture.png", ["the input", "--save", "picture.png"]),
    ("detect @pictures --save @pictures", ["the input", "--save", "pictures"]),
    ("detect @pictures --save @pictures/2.png", ["the input", "pictures/2.png", "--save"]),
    ("detect @clip.y4m --timestamps @times.txt --save @times.txt", ["--timestamps", "--save"]),
    ("detect @clip.y4m --model @model.onnx --save @model.onnx", ["--model", "--save"]),
    ("behavior @dog.jsonl --report @dog.jsonl", ["the input", "--report", "dog.jsonl"]),
    ("behavior @dog.jsonl --csv @dog.jsonl", ["the input", "--csv", "dog.jsonl"]),
    ("behavior @dog.jsonl --settings @settings.json --csv @settings.json", ["--settings", "--csv"]),
    ("behavior @dog.jsonl --frames @clip.y4m --overlay @clip.y4m", ["--frames", "--overlay"]),
    ("behavior @dog.jsonl --frames @pictures --overlay @pictures", ["--frames", "--overlay"]),
    ("behavior @dog.jsonl --frames @pictures --report x --charts @pictures", ["--frames", "--charts"]),
    ("barpath --detections @dog.jsonl --csv @dog.jsonl", ["--detections", "--csv", "dog.jsonl"]),
    ("barpath --detections @bar.json --csv @bar.csv", ["--detections", "--csv", "bar.json"]),
    ("barpath @clip.y4m --overlay @clip.y4m", ["the input", "--overlay"]),
    ("barpath @clip.y4m --overlay @clip.y4m --live --plate-px 9", ["the input", "--overlay"]),
    ("barpath --detections @dog.jsonl --settings @settings.json --report @settings.json", ["--settings", "--report"]),
    ("arm-drift @arms.json --csv @arms.json", ["the input", "--csv", "arms.json"]),
    ("arm-drift @arms.json --overlay @clip.y4m --frames @clip.y4m", ["--frames", "--overlay"]),
    ("image @picture.png @picture.png --gray", ["the input", "the output", "picture.png"]),
    ("reduce @model.onnx --expected @x.npy --output @model.onnx", ["the model", "--output"]),
    ("reduce @model.onnx --expected @x.npy --output @small.onnx --data @x.npy", ["--expected", "--data"]),
    ("reduce @model.onnx --expected @set --output @small.onnx --data @set/", ["--expected", "--data"]),
    ("conformance @tests --document @tests/test_a/model.onnx", ["the tests", "--document"]),
    ("conformance @tests --document @tests/test_a/weights", ["the tests", "--document", "weights"]),
    ("conformance @tests --expected-failures @times.txt --document @times.txt", ["--expected-failures", "--document"]),
    ("pose @picture.png --points @times.txt --csv @times.txt", ["--points", "--csv", "times.txt"]),
    (
      "quantize @beside/model.onnx @beside/preprocessor_config.json --calibrate @x.npy",
      ["the model's configuration", "the output", "preprocessor_config.json"]
    ),
    ("quantize @outside.onnx @w --calibrate @x.npy", ["the model's data", "the output", "w"]),
    ("parity @outside.onnx @y.npy --inputs @x.npy --report @w", ["the model's data", "--report"]),
    ("parity @model.onnx @outside.onnx --csv @w", ["the model's data", "--csv"]),
    ("reduce @outside.onnx --inputs @x.npy --expected @y.npy --output @w", ["the model's data", "--output"]),
    ("quantize @right.mlpackage @right.mlpackage/Manifest.json --calibrate @x.npy", ["the input", "the output"]),
    (
      "parity @right.mlpackage @y.npy --report @right.mlpackage/Data/com.apple.CoreML/weights/weight.bin",
      ["the model", "--report", "weight.bin"]
    ),
    (
      "barpath @clip.y4m --model @right.mlpackage --csv @right.mlpackage/Data/com.apple.CoreML/model.mlmodel",
      ["--model", "--csv", "model.mlmodel"]
    ),
    ("run @right.mlpackage --random 1 --output @right.mlpackage/Data/com.apple.CoreML", ["the model", "--output"]),
    ("quantize @tests @tests --force", ["the input", "the output"]),
    ("quantize @tests @set --prompts @set/README.md --force", ["--prompts", "the output"]),
  ])
  func whatIsReadIsNotWritten(line: String, names: [String]) throws {
    try expectRefusal(line, naming: names) { files in
      // Only where the command reads it.
      if line.contains("README") { try Data("text".utf8).write(to: files.folder.file("set/README.md")) }
      if line.contains("test_a/weights") { try files.add("x", at: "tests/test_a/weights") }
      if line.contains("beside") {
        try files.add("{}", at: "beside/preprocessor_config.json")
        try FileManager.default.copyItem(atPath: files.path("model.onnx"), toPath: files.path("beside/model.onnx"))
      }
    }
  }

  /// What ships is read where no option names something else.
  @Test(arguments: [
    ("pose @picture.png --csv @weights/detector/shipped/model.safetensors", "the detector that ships"),
    ("barpath @clip.y4m --csv @weights/detector/shipped/model.safetensors", "the detector that ships"),
    (
      "parity @model.onnx behavior-classifier --csv @weights/behavior/samples/golden.safetensors",
      "the data of behavior-classifier"
    ),
  ])
  func whatShipsIsNotWritten(line: String, name: String) throws {
    try expectRefusal(line, naming: [name, "--csv"]) { files in
      try files.add("x", at: "weights/detector/shipped/model.safetensors")
      try files.add("x", at: "weights/behavior/samples/golden.safetensors")
    } _: { process, files in
      process.environment?["APUS_WEIGHTS"] = files.path("weights")
    }
  }

  /// Settings from standard input can be read once only, and name files.
  @Test(arguments: ["-", "/dev/stdin"])
  func whatSettingsNameIsNotWritten(settings: String) throws {
    try expectRefusal("behavior @dog.jsonl --settings \(settings) --csv @times.txt", naming: ["--mean", "--csv"]) { _ in
    } _: { process, files in
      let pipe = Pipe()
      let names = ["mean": files.path("times.txt"), "std": files.path("x.npy")]
      try pipe.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(names))
      try pipe.fileHandleForWriting.close()
      process.standardInput = pipe
    }
  }

  /// Where the elements of a value lie is known only when it is read.
  @Test func dataOfValuesIsNotWritten() throws {
    try expectRefusal("run @model.onnx --input x=@in.pb --output @out", naming: ["the data of", "in.pb", "y.npy"]) {
      try $0.addValueWithData()
    }
  }

  /// The names of outputs are known only when the model has run.
  @Test func aFolderOfOutputsSparesInputs() throws {
    try expectRefusal("run @model.onnx --input x=@y.npy --output @", naming: ["y.npy", "--input"])
    try TemporaryFolder.with { folder in
      let files = try Files(folder)
      let (model, input) = (files.path("model.onnx"), files.path("x.npy"))
      let result = try Command.run("run", model, "--input", input, "--output", files.path(""))
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test func aFolderOfPicturesSparesInputs() throws {
    try expectRefusal("detect @pictures/1.png @pictures/2.png --save @pictures", naming: ["pictures/1.png"])
  }

  @Test func linksAreSeenThrough() throws {
    for hard in [false, true] {
      try expectRefusal("behavior @dog.jsonl --report @link.html", naming: ["dog.jsonl", "link.html"]) { files in
        let (from, to) = (files.path("link.html"), files.path("dog.jsonl"))
        if hard {
          try FileManager.default.linkItem(atPath: to, toPath: from)
        } else {
          try FileManager.default.createSymbolicLink(atPath: from, withDestinationPath: to)
        }
      }
    }
  }

  @Test func standardInputIsAFileToo() throws {
    try expectRefusal("behavior - --report @dog.jsonl", naming: ["standard input", "--report"]) { _ in
    } _: { process, files in
      process.standardInput = try FileHandle(forReadingFrom: files.folder.file("dog.jsonl"))
    }
    try expectRefusal("detect - --save @clip.y4m", naming: ["standard input", "--save"]) { _ in
    } _: { process, files in
      process.standardInput = try FileHandle(forReadingFrom: files.folder.file("clip.y4m"))
    }
  }

  @Test func standardOutputIsAFileToo() throws {
    for line in ["behavior @dog.jsonl --json", "behavior @arms.json --csv @dog.jsonl"] {
      try expectRefusal(line, naming: ["standard output", "dog.jsonl"]) { _ in
      } _: { process, files in
        let output = try FileHandle(forWritingTo: files.folder.file("dog.jsonl"))
        try output.seekToEnd()
        process.standardOutput = output
      }
    }
  }

  /// What would be appended to what is read, without an end where the command reads to its end.
  @Test(arguments: [
    ("suggest -", "times.txt", ["standard output", "standard input"]),
    ("tokenize --vocab @settings.json -", "times.txt", ["standard output", "standard input"]),
    ("tokenize --vocab @settings.json", "times.txt", ["standard output", "standard input"]),
    ("classify --text - --model @model.onnx", "times.txt", ["standard output", "standard input"]),
    ("tokenize --vocab @times.txt hello", "times.txt", ["standard output", "--vocab"]),
    ("tokenize --vocab @dog.jsonl --config @settings.json hello", "settings.json", ["standard output", "--config"]),
    ("inspect @x.npy", "x.npy", ["standard output", "the file"]),
    ("inspect @outside.onnx", "w", ["standard output", "the model's data"]),
    ("classify @picture.png --model @model.onnx", "model.onnx", ["standard output", "--model"]),
    ("conformance @tests", "tests/test_a/model.onnx", ["standard output", "the tests"]),
    ("verify --model behavior-classifier --weights @x.npy", "x.npy", ["standard output", "behavior-classifier"]),
    ("demo", "weights/keyboard/shipped/config.json", ["standard output", "what ships"]),
    ("suggest hello", "weights/keyboard/shipped/config.json", ["standard output", "the model that ships"]),
    ("history @runs", "runs/a/session.json", ["standard output", "the sessions"]),
    ("history show @runs/a", "runs/a/session.json", ["standard output", "the session"]),
    ("history compare @runs/a @runs/b", "runs/b/session.json", ["standard output", "the session"]),
  ])
  func standardOutputIsNoFileThatIsRead(line: String, output: String, names: [String]) throws {
    try expectRefusal(line, naming: names) { files in
      for name in ["weights/keyboard/shipped", "runs/a", "runs/b"] {
        try files.add("{}", at: "\(name)/\(name.hasPrefix("runs") ? "session" : "config").json")
      }
    } _: { process, files in
      let handle = try FileHandle(forWritingTo: files.folder.file(output))
      try handle.seekToEnd()
      process.standardOutput = handle
      if names.contains("standard input") {
        process.standardInput = try FileHandle(forReadingFrom: files.folder.file(output))
      }
      process.environment?["APUS_WEIGHTS"] = files.path("weights")
    }
  }

  @Test(arguments: ["@out.txt", "@./out.txt", "@there/../out.txt", "@link/out.txt"])
  func twoOutputsAreTwoFiles(other: String) throws {
    let lines = [
      "behavior @dog.jsonl --csv @out.txt --report \(other)", "arm-drift @arms.json --csv \(other) --report @out.txt",
    ]
    for line in lines {
      try expectRefusal(line, naming: ["--csv", "--report", "out.txt"]) { files in
        try FileManager.default.createDirectory(atPath: files.path("there"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
          atPath: files.path("link"), withDestinationPath: files.folder.url.path(percentEncoded: false))
      }
    }
  }

  /// A file that is being written has another name, and no one else's end may take that.
  @Test(arguments: [("out", "out.part"), ("out.part", "out")])
  func noOutputIsWhereAnotherOneIsUntilItIsComplete(csv: String, report: String) throws {
    try expectRefusal(
      "behavior @dog.jsonl --csv @\(csv) --report @\(report)",
      naming: ["--csv", "--report", "out is written as", "out.part until it is complete"])
  }

  /// The names of charts and frames are known only when they are made.
  @Test(arguments: [
    ("behavior @dog.jsonl --charts @pictures --csv @pictures/timeline.svg", "--csv"),
    ("behavior @dog.jsonl --charts @pictures --csv @pictures/timeline.png", "--csv"),
    ("behavior @dog.jsonl --charts @c1 --csv @c1/../x --report @x", "--csv"),
  ])
  func aFolderSparesOtherOutputs(line: String, option: String) throws {
    try expectRefusal(line, naming: [option, "are the same file"])
  }

  @Test(arguments: [true, false])
  func frameFilesSpareOtherOutputs(isThere: Bool) throws {
    try TemporaryFolder.with { folder in
      let files = try Files(folder)
      let frames = files.path("frames")
      if isThere { try FileManager.default.createDirectory(atPath: frames, withIntermediateDirectories: true) }
      let table = "\(frames)/000003.png"
      let result = try Command.run("behavior", files.path("dog.jsonl"), "--overlay", frames, "--csv", table)
      #expect(result.status == 64 && result.errors.contains("--csv \(table)"), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: table))
    }
  }

  @Test(arguments: [["--report", "page.html"], ["--csv", "page.csv"], ["--csv", "page"]])
  func aFolderThatIsMadeTakesOtherOutputs(option: [String]) throws {
    try TemporaryFolder.with { folder in
      let files = try Files(folder)
      let charts = files.path("charts")
      let result = try Command.run(
        "behavior", files.path("dog.jsonl"), "--charts", charts, option[0], "\(files.path("."))/charts/\(option[1])")
      #expect(result.status == 0, "\(result.errors)")
      let names = Set(try FileManager.default.contentsOfDirectory(atPath: charts))
      #expect(names.isSuperset(of: [option[1], "timeline.svg", "timeline.png"]), "\(names)")
    }
  }

  /// Both links lead to one file, which is not there yet.
  @Test func linksToNothingAreSeenThrough() throws {
    func link(_ files: Files, _ name: String) throws {
      try FileManager.default.createSymbolicLink(atPath: files.path(name), withDestinationPath: "target")
    }
    for report in ["@second", "@target"] {
      try expectRefusal(
        "behavior @dog.jsonl --csv @first --report \(report)", naming: ["--csv", "--report", "are the same file"]
      ) { files in
        for name in ["first", "second"] { try link(files, name) }
      }
    }
    try TemporaryFolder.with { folder in
      let files = try Files(folder)
      try link(files, "first")
      let result = try Command.run("behavior", files.path("dog.jsonl"), "--csv", files.path("first"))
      #expect(result.status == 0, "\(result.errors)")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: files.path("first")) == "target")
      #expect(try String(contentsOfFile: files.path("target"), encoding: .utf8).hasPrefix("t,frame,label"))
    }
  }

  @Test func whatLosesNothingIsAllowed() throws {
    try TemporaryFolder.with { folder in
      let files = try Files(folder)
      let (arms, out) = (files.path("arms.json"), files.path("out"))
      let devices = try Command.run("arm-drift", arms, "--csv", "/dev/null", "--report", "/dev/null")
      #expect(devices.status == 0, "\(devices.errors)")
      let folders = try Command.run("arm-drift", arms, "--charts", out, "--overlay", out, "--session", out)
      #expect(folders.status == 0, "\(folders.errors)")
      // An input that is missing is that, whatever else is called so.
      let missing = files.path("missing.json")
      #expect(try Command.run("arm-drift", missing, "--csv", missing).status == 66)
    }
  }
}
