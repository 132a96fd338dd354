import Apus
import ApusGraph
import ApusONNX
import ApusTestSupport
import Foundation
import Testing

/// `--jsonl`: a line in, a line out, in the same order, whatever happens.
@Suite struct RequestTests {
  private static let texts = fixture("text-classifiers/texts")

  /// The answers, without the line that says that it is ready.
  private func answers(
    _ arguments: [String], _ requests: [String], environment: [String: String] = [:]
  ) throws -> [[String: Any]] {
    let result = try Command.run(
      arguments + ["--jsonl", "-"], input: requests.map { $0 + "\n" }.joined(), environment: environment)
    #expect(result.status == 0, "\(result.errors)")
    let objects = try result.lines.map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.first?["ready"] as? Bool == true)
    #expect(objects.first?["command"] as? String == arguments[0])
    return Array(objects.dropFirst())
  }

  private func withClassifier(_ body: (TemporaryFolder, _ model: String, _ photo: String) throws -> Void) throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      try (Data("P6 16 16 255\n".utf8) + Data((0..<256).flatMap { _ in [UInt8(0), 255, 0] })).write(
        to: folder.file("green.ppm"))
      try body(
        folder, folder.onnx("model", ClassifyPictureTests.model(classes: 1000)), folder.path("green.ppm"))
    }
  }

  @Test func picturesAreAnsweredInOrderAndErrorsAreRows() throws {
    try withClassifier { folder, model, photo in
      let bytes = try Data(contentsOf: folder.file("green.ppm")).base64EncodedString()
      let found = try answers(
        ["classify", "--model", model],
        [
          #"{"id": 1, "path": "\#(photo)"}"#, "", #"{"base64": "\#(bytes)", "id": {"row": [2]}}"#,
          #"{"id": "three", "path": "/nowhere/x.jpg"}"#, #"{"id": 4}"#, "not JSON", #"{"id": 5, "path": "#,
          #"{"id": 6, "base64": "*"}"#, #"{"id": 7, "base64": "AAAA"}"#, #"{"id": 8, "path": "a", "base64": "AAAA"}"#,
          #"{"id": 9, "id": 10}"#, #"{"id": "\#(String(repeating: "x", count: 5000))"}"#, "[1]",
          #"{"id": 11, "path": "\#(photo)", "else": [1, {"a": 2}]}"#, #"{"id": 12, "path": "/dev/null"}"#,
        ])
      try #require(found.count == 14)
      let tops = found.map { ($0["top"] as? [String: Any])?["class"] as? String }
      #expect(tops.enumerated().filter { $1 == "goldfish" }.map(\.offset) == [0, 1, 12])
      #expect((found[1]["id"] as? [String: Any])?["row"] as? [Int] == [2])
      #expect(found[2]["id"] as? String == "three" && found[2]["status"] as? Int == 66)
      // Empty lines count, and are not answered.
      #expect(found[2]["line"] as? Int == 4)
      #expect(found[3..<12].allSatisfy { $0["status"] as? Int == 65 && $0["error"] is String })
      #expect(found[4]["id"] is NSNull && found[5]["id"] as? Int == 5)
      #expect((found[3]["error"] as? String)?.contains("a picture was expected") == true)
      #expect(found[12]["id"] as? Int == 11)
      // As of /dev/zero, which never ends, nothing is read.
      #expect((found[13]["error"] as? String)?.contains("regular file") == true)
    }
  }

  @Test func linesThatAreTooLongAreRowsAndMemoryIsBounded() throws {
    try withClassifier { folder, model, photo in
      let long = #"{"id": 1, "base64": ""# + String(repeating: "A", count: 20_000_000) + #""}"#
      // A quarter of the memory is what a line may take.
      let found = try answers(
        ["classify", "--model", model], [long, #"{"id": 2, "path": "\#(photo)"}"#],
        environment: ["APUS_MEMORY_LIMIT": "64M"])
      try #require(found.count == 2)
      #expect((found[0]["error"] as? String)?.contains("the line has more than") == true, "\(found[0])")
      #expect(found[1]["id"] as? Int == 2 && found[1]["error"] == nil)
    }
  }

  @Test func textsAreAnswered() throws {
    let found = try answers(
      ["classify", "--model", Self.texts], [#"{"id": 1, "text": "a good dog"}"#, #"{"id": 2, "path": "x"}"#])
    try #require(found.count == 2)
    #expect(found[0]["text"] as? String == "a good dog" && found[0]["top"] != nil)
    #expect((found[1]["error"] as? String)?.contains("a text was expected") == true)
  }

  @Test func detectionsAreAnswered() throws {
    let photo = fixture("detector/00.jpg")
    let alone = try Command.run("detect", photo, "--json").object
    let found = try answers(["detect"], [#"{"id": 1, "path": "\#(photo)"}"#])
    try #require(found.count == 1)
    #expect(found[0]["detections"] as? NSArray == alone["detections"] as? NSArray)
    #expect(try Command.run("detect", photo, "--jsonl", "-").status == 64)
    #expect(try Command.run("detect", "--jsonl", "/nowhere").status == 66)
    #expect(try Command.run("detect", "--jsonl", "-", "--batch", "0").status == 64)
  }

  /// Whoever asks gets the answer before asking again, however large a batch is.
  @Test func anAnswerComesWhileTheInputStaysOpen() throws {
    try withClassifier { _, model, photo in
      let process = Command.process(["classify", "--model", model, "--jsonl", "-", "--batch", "1000"])
      let (input, output) = (Pipe(), Pipe())
      (process.standardInput, process.standardOutput) = (input, output)
      process.standardError = FileHandle.nullDevice
      try process.run()
      var received = Data()
      func line() -> String {
        while !received.contains(0x0A) {
          let more = output.fileHandleForReading.availableData
          if more.isEmpty { break }
          received += more
        }
        let end = received.firstIndex(of: 0x0A) ?? received.endIndex
        defer { received = Data(received[end...].dropFirst()) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      #expect(line().contains(#""ready":true"#))
      for id in 1...3 {
        try input.fileHandleForWriting.write(contentsOf: Data(#"{"id": \#(id), "path": "\#(photo)"}"#.utf8 + [0x0A]))
        #expect(line().hasPrefix(#"{"id":\#(id),"#))
      }
      try input.fileHandleForWriting.close()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
  }

  // MARK: - Tensors

  private func request(_ id: Int, _ type: String, _ shape: String, _ data: String, _ more: String = "") -> String {
    #"{"id": \#(id), "inputs": [{"name": "x", "shape": \#(shape), "datatype": "\#(type)", "data": \#(data)}]\#(more)}"#
  }

  @Test func tensorsAreThoseOfTheOpenInferenceProtocol() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let array = try folder.npy("x", [Float(-1), 7], shape: [1, 2])
      let found = try answers(
        ["run", model],
        [
          request(1, "FP32", "[2, 2]", "[-1, 2.5, 3e-2, -4]"), request(2, "FP32", "[2, 2]", "[[-1, 2.5], [0.1, -4]]"),
          request(3, "FP32", "[1, 2]", "[1, 2]", #", "outputs": [{"name": "inner"}]"#),
          #"{"id": 4, "inputs": [{"name": "x", "path": "\#(array)"}]}"#, request(5, "FP32", "[2, 2]", "[1, 2, 3]"),
          request(6, "FP32", "[1, 2]", "[1, 2, 3]"), request(7, "FP33", "[1, 2]", "[1, 2]"),
          request(8, "INT64", "[1, 2]", "[1, 2]"), request(9, "FP32", "[1, 3]", "[1, 2, 3]"),
          request(10, "FP32", "[-1, 2]", "[]"), request(11, "FP32", "[9223372036854775807, 9]", "[]"),
          request(12, "FP32", "[1, 2]", "[1, 1e300]"), request(13, "FP32", "[1, 2]", "[1, [[2]]]"), #"{"id": 14}"#,
          #"{"id": 15, "inputs": [{"name": "z", "shape": [1], "datatype": "FP32", "data": [1]}]}"#,
          request(16, "FP32", "[1, 2]", "[1, 2]", #", "outputs": [{"name": "nothing"}]"#),
          request(17, "INT8", "[1, 2]", "[1, 200]"), request(18, "FP32", "[0, 2]", "[]"),
        ])
      try #require(found.map { $0["id"] as? Int } == (1...18).map { $0 })
      func output(_ index: Int) throws -> [String: Any] {
        try #require((found[index]["outputs"] as? [[String: Any]])?.first, "\(found[index])")
      }
      #expect(found[0]["model_name"] as? String == model)
      let first = try output(0)
      #expect(first["name"] as? String == "y" && first["datatype"] as? String == "FP32")
      #expect(first["shape"] as? [Int] == [2, 2])
      #expect((first["data"] as? [Double])?.map { Float($0) } == [0, 2.5, 0.03, 0])
      #expect((try output(1)["data"] as? [Double])?.map { Float($0) } == [0, 2.5, 0.1, 0])
      #expect(try output(2)["name"] as? String == "inner")
      #expect(try output(3)["data"] as? [Double] == [0, 7])
      for index in 4..<17 { #expect(found[index]["error"] is String, "\(found[index])") }
      #expect(try output(17)["data"] as? [Double] == [])
      #expect((found[4]["error"] as? String)?.contains("the shape [2, 2] has 4") == true)
      #expect((found[16]["error"] as? String)?.contains("does not fit into INT8") == true)
    }
  }

  /// What lists in lists say of the shape counts, and nothing that is given is left aside.
  @Test func tensorsThatContradictThemselvesAreRefused() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let array = try folder.npy("x", [Float(-1), 7], shape: [1, 2])
      let refused = [
        (request(1, "FP32", "[2, 3]", "[[1, 2], [3, 4], [5, 6]]"), "a list along axis 1"),
        (request(2, "FP32", "[2, 2]", "[[1, 2, 3], [4]]"), "a list along axis 1"),
        (request(3, "FP32", "[2, 2]", "[1, [2, 3], 4]"), "a list along axis 0"),
        (request(4, "FP32", "[2, 2]", "[1, [2, 3]]"), "a list along axis 0"),
        (
          request(5, "FP32", "[1, 2]", "[1, 2]").replacing(#""data""#, with: #""path": "\#(array)", "data""#),
          "both given"
        ),
        (request(6, "FP32", "[1, 2]", "[1, null]"), "null is no element"),
        (request(7, "FP32", "[1, 2]", #"[1, "NaN"]"#), "a number was expected"),
        (request(8, "INT64", "[1, 2]", "[1, true]"), "an integer was expected"),
      ]
      let found = try answers(["run", model], refused.map(\.0))
      try #require(found.count == refused.count)
      for (answer, message) in zip(found, refused.map(\.1)) {
        #expect((answer["error"] as? String)?.contains(message) == true, "\(answer)")
      }
    }
  }

  @Test func byteOrderMarkIsNoPartOfTheFirstRequest() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let model = try folder.onnx("relu", ModelFixtures.relu)
      let found = try answers(["run", model], ["\u{FEFF}" + request(1, "FP32", "[2, 2]", "[[-1, 2], [3, -4]]")])
      let output = try #require((found.first?["outputs"] as? [[String: Any]])?.first)
      #expect(output["data"] as? [Double] == [0, 2, 3, 0])
    }
  }

  @Test func otherTypesComeBackAsTheyWere() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      let model = try folder.onnx("product", ModelFixtures.product)
      let found = try answers(
        ["run", model],
        [#"{"inputs": [{"name": "a", "shape": [1, 3], "datatype": "UINT8", "data": [1, 2, 255]}], "id": null}"#])
      let output = try #require((found[0]["outputs"] as? [[String: Any]])?.first)
      #expect(output["datatype"] as? String == "INT32" && output["data"] as? [Int] == [516, 516, 516, 516])
    }
  }

  @Test func optionsThatMakeNoSenseTogetherAreRefused() throws {
    for arguments in [
      ["--random", "1"], ["--input", "x.npy"], ["--repeat", "2"], ["--output", "o"], ["--dim", "n=1"],
    ] {
      #expect(try Command.run(["run", "model.onnx", "--jsonl", "-"] + arguments).status == 64)
    }
  }
}
