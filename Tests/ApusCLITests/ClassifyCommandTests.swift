import Apus
import ApusGraph
import ApusONNX
import ApusTestSupport
import Foundation
import Testing

/// `apus classify` of texts, against transformers' pipelines (`generate/text_classifiers.py`).
@Suite struct ClassifyTextTests {
  private static let folder = fixture("text-classifiers")

  private struct Expected: Decodable {
    struct Score: Decodable {
      var label: String
      var score: Double
    }
    struct Token: Decodable {
      var entity: String
      var score: Double
      var word: String
      var start: Int
      var end: Int
    }
    struct Entity: Decodable {
      var entity_group: String
      var score: Double
      var start: Int
      var end: Int
    }
    struct Tokens: Decodable {
      var tokens: [Token]
      var entities: [Entity]
    }

    var texts: [String: [[Score]]]
    var labels: [String: [[Score]]]
    var tokens: [String: Tokens]
  }

  private struct Found: Decodable {
    struct Class: Decodable {
      var `class`: String
      var class_id: Int
      var probability: Double
    }
    struct Token: Decodable {
      var piece: String
      var start: Int
      var end: Int
      var `class`: String
      var probability: Double
    }
    struct Entity: Decodable {
      var `class`: String
      var text: String
      var start: Int
      var end: Int
      var probability: Double
    }

    var text: String
    var classes: [Class]?
    var top: Class?
    var entities: [Entity]?
    var tokens: [Token]?
    var note: String?
  }

  private static var expected: Expected {
    get throws {
      try JSONDecoder().decode(Expected.self, from: Data(contentsOf: URL(filePath: folder + "/expected.json")))
    }
  }

  private func classify(_ model: String, _ text: String, _ arguments: String...) throws -> Found {
    let result = try Command.run(["classify", "--model", model, "--text", text, "--json"] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Found.self, from: Data(result.output.utf8))
  }

  /// Float32 against float64: probabilities to 1e-5.
  @Test(arguments: ["texts", "texts/model.onnx", "texts/model.safetensors", "labels"])
  func textsHaveTheProbabilitiesOfThePipeline(model: String) throws {
    let expected = try model == "labels" ? Self.expected.labels : Self.expected.texts
    #expect(expected.count == 5)
    for (text, scores) in expected {
      let found = try classify("\(Self.folder)/\(model)", text)
      #expect(found.text == text)
      let classes = try #require(found.classes)
      #expect(classes.map(\.class) == scores[0].map(\.label))
      for (found, expected) in zip(classes, scores[0]) { #expect(abs(found.probability - expected.score) < 1e-5) }
      #expect(found.top?.class == scores[0][0].label)
    }
  }

  @Test func tokensHaveTheClassesOfThePipeline() throws {
    for (text, expected) in try Self.expected.tokens {
      let found = try classify("\(Self.folder)/tokens", text)
      let (tokens, entities) = (try #require(found.tokens), try #require(found.entities))
      #expect(tokens.map(\.piece) == expected.tokens.map { $0.word == "qwertz" ? "[UNK]" : $0.word })
      #expect(tokens.map(\.class) == expected.tokens.map(\.entity))
      #expect(tokens.map { [$0.start, $0.end] } == expected.tokens.map { [$0.start, $0.end] })
      for (found, expected) in zip(tokens, expected.tokens) { #expect(abs(found.probability - expected.score) < 1e-5) }
      #expect(entities.map(\.class) == expected.entities.map(\.entity_group))
      #expect(entities.map { [$0.start, $0.end] } == expected.entities.map { [$0.start, $0.end] })
      for (found, expected) in zip(entities, expected.entities) {
        #expect(abs(found.probability - expected.score) < 1e-5)
      }
    }
    // Offsets are bytes: é has two.
    let found = try classify("\(Self.folder)/tokens", "é anna")
    #expect(found.tokens?.map { [$0.start, $0.end] } == [[0, 2], [3, 7]])
    #expect(found.entities?.contains { $0.text == "anna" } == true)
  }

  @Test func linesOfAFileAndOfStandardInputAreTexts() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      try Data("a good dog\n\nanna".utf8).write(to: folder.file("texts.txt"))
      let model = ["classify", "--model", "\(Self.folder)/texts", "--json"]
      let file = try Command.run(model + [folder.path("texts.txt")])
      #expect(file.status == 0, "\(file.errors)")
      #expect(file.lines.count == 3)
      for input in [["-"], ["--text", "-"]] {
        let piped = try Command.run(model + input, input: "a good dog\n\nanna\n")
        #expect(piped.output == file.output)
      }
      let people = try Command.run(Array(model.dropLast()) + [folder.path("texts.txt")])
      #expect(people.lines.first?.hasPrefix("a good dog  ") == true)
    }
  }

  @Test func longTextsAreCutAloud() throws {
    let long = Array(repeating: "dog", count: 40).joined(separator: " ")
    let found = try classify("\(Self.folder)/texts", long)
    #expect(found.note?.contains("has 42 tokens, and the model reads 16") == true)
    let cut = try classify("\(Self.folder)/texts", Array(repeating: "dog", count: 14).joined(separator: " "))
    #expect(cut.note == nil && cut.top?.probability == found.top?.probability)
  }

  @Test func labelsOfAFileCountMost() throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      try Data("one\ntwo\nthree\n".utf8).write(to: folder.file("names.txt"))
      let found = try classify("\(Self.folder)/texts", "a good dog", "--labels", folder.path("names.txt"), "--top", "1")
      #expect(["one", "two", "three"].contains(found.top?.class) && found.classes?.count == 1)
      try Data("one\ntwo\n".utf8).write(to: folder.file("names.txt"))
      let wrong = try Command.run(
        "classify", "--model", "\(Self.folder)/texts", "--text", "a", "--labels", folder.path("names.txt"))
      #expect(wrong.status == 65)
      #expect(wrong.errors.contains("names 2 classes, and the model distinguishes 3"), "\(wrong.errors)")
    }
  }

  @Test func whatIsNoClassifierOfTextsIsRefused() throws {
    let fixtures = packageFolder.appending(path: "Tests/Fixtures").path(percentEncoded: false)
    let vocabulary = "\(Self.folder)/texts/vocab.txt"
    let words = try Command.run(
      "classify", "--text", "a", "--vocab", vocabulary, "--model", "\(fixtures)/pretrained/mobilebert-float16")
    #expect(words.status == 65 && words.errors.contains("expected a classifier"), "\(words.errors)")
    let motion = try Command.run(
      "classify", "--text", "a", "--vocab", vocabulary, "--model", shipped("behavior/shipped/behavior-classifier.onnx"))
    #expect(motion.status == 65 && motion.errors.contains("is none of a classifier of texts"), "\(motion.errors)")
    // No vocabulary.
    let bare = try Command.run("classify", "--text", "a", "--model", "\(fixtures)/pretrained/bert-classifier")
    #expect(bare.status == 66, "\(bare.errors)")
  }
}

/// `apus classify` of pictures.
@Suite struct ClassifyPictureTests {
  /// Averages each colour: class 0 is 10 · red, class 1 is 10 · green, class 2 is 10 · blue, all others 0.
  static func model(classes: Int, ending: [NodeProto] = [], metadata: [(String, String)] = []) throws -> ModelProto {
    let weight = (0..<3 * classes).map { Float($0 % classes == $0 / classes ? 10 : 0) }
    var model = ModelFixtures.model(
      [
        NodeProto(name: "pool", opType: "GlobalAveragePool", inputs: ["image"], outputs: ["pooled"]),
        NodeProto(name: "flat", opType: "Flatten", inputs: ["pooled"], outputs: ["features"]),
        NodeProto(
          name: "head", opType: "MatMul", inputs: ["features", "weight"], outputs: [ending.isEmpty ? "classes" : "raw"]),
      ] + ending, inputs: [ModelFixtures.tensor("image", [.size(1), .size(3), .size(16), .size(16)])],
      outputs: [ModelFixtures.tensor("classes", [.size(1), .size(classes)])],
      initializers: [try TensorProto(name: "weight", value: GraphValue(Tensor(weight, shape: [3, classes])))])
    model.metadata = ([("Image.NominalPixelRange", "Normalized_0_1")] + metadata).map {
      StringStringEntry(key: $0.0, value: $0.1)
    }
    return model
  }

  private static let green = Data("P6 16 16 255\n".utf8) + Data((0..<256).flatMap { _ in [UInt8(0), 255, 0] })

  private func with(_ body: (TemporaryFolder, _ photo: String) throws -> Void) throws {
    try TemporaryFolder.with { (folder: TemporaryFolder) throws in
      try Self.green.write(to: folder.file("green.ppm"))
      try body(folder, folder.path("green.ppm"))
    }
  }

  private func top(_ arguments: String...) throws -> (name: String?, id: Int?, probability: Double?) {
    let result = try Command.run(["classify", "--json"] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    let top = try result.object["top"] as? [String: Any]
    return (top?["class"] as? String, top?["class_id"] as? Int, top?["probability"] as? Double)
  }

  /// What softmax makes of 10 among so many zeros.
  private static func certainty(among others: Double) -> Double { 22026.465794806718 / (22026.465794806718 + others) }

  @Test func aThousandClassesAreImageNets() throws {
    try with { folder, photo in
      let found = try top(photo, "--model", try folder.onnx("thousand", Self.model(classes: 1000)))
      #expect(found.name == "goldfish" && found.id == 1)
      let (probability, certainty) = (try #require(found.probability), Self.certainty(among: 999))
      #expect(abs(probability - certainty) < 1e-5)
      let background = try top(photo, "--model", try folder.onnx("background", Self.model(classes: 1001)))
      #expect(background.name == "tench" && background.id == 1)
    }
  }

  @Test func namesAreTakenFromWhoeverHasThem() throws {
    try with { folder, photo in
      let silent = try folder.onnx("silent", Self.model(classes: 3))
      #expect(try top(photo, "--model", silent).name == "class 1")
      let named = try Self.model(classes: 3, metadata: [("names", "{0: 'ruby', 1: 'emerald', 2: 'sapphire'}")])
      #expect(try top(photo, "--model", try folder.onnx("named", named)).name == "emerald")
      try Data(#"{"id2label": {"0": "rose", "1": "grass", "2": "sky"}}"#.utf8).write(to: folder.file("config.json"))
      #expect(try top(photo, "--model", silent).name == "grass")
      for text in [
        "red\ngreen\nblue\n", "0 red\n1 green\n2 blue", #"["red", "green", "blue"]"#,
        #"{"0": ["n1", "red"], "1": ["n2", "green"], "2": ["n3", "blue"]}"#,
      ] {
        try Data(text.utf8).write(to: folder.file("labels"))
        #expect(try top(photo, "--model", silent, "--labels", folder.path("labels")).name == "green")
      }
      // A folder is as good as the file in it.
      try Self.model(classes: 3).write(to: folder.path("model.onnx"))
      #expect(try top(photo, "--model", folder.path("")).name == "grass")
    }
  }

  @Test func probabilitiesStayWhatTheyAre() throws {
    try with { folder, photo in
      let softmax = [NodeProto(name: "end", opType: "Softmax", inputs: ["raw"], outputs: ["classes"])]
      let found = try top(photo, "--model", try folder.onnx("softmax", Self.model(classes: 3, ending: softmax)))
      let (probability, certainty) = (try #require(found.probability), Self.certainty(among: 2))
      #expect(abs(probability - certainty) < 1e-6)
      // Each class by itself: they do not add up to 1, and no softmax is taken of them.
      let sigmoid = [NodeProto(name: "end", opType: "Sigmoid", inputs: ["raw"], outputs: ["classes"])]
      let path = try folder.onnx("sigmoid", Self.model(classes: 3, ending: sigmoid))
      let own = try #require(top(photo, "--model", path).probability)
      #expect(abs(own - 0.9999546021312976) < 1e-6)
      let single = try folder.onnx("single", Self.model(classes: 1, ending: sigmoid))
      // Of one number the other class is what is left: 10 · red is 0 here, so both have a half.
      #expect(try top(photo, "--model", single).probability == 0.5)
      let raw = try folder.onnx("raw", Self.model(classes: 3))
      let wrong = try Command.run("classify", photo, "--model", raw, "--scores", "probabilities")
      #expect(wrong.status == 65 && wrong.errors.contains("probabilities lie between 0 and 1"), "\(wrong.errors)")
      let soft = try Command.run(
        "classify", photo, "--model", folder.path("softmax.onnx"), "--scores", "logits")
      #expect(soft.status == 65 && soft.errors.contains("add up to 1"), "\(soft.errors)")
    }
  }

  @Test func peopleGetRowsAndFailuresAreNamed() throws {
    try with { folder, photo in
      let model = try folder.onnx("thousand", Self.model(classes: 1000))
      let one = try Command.run("classify", photo, "--model", model, "--top", "2")
      #expect(one.lines.count == 3 && one.lines[1].hasSuffix("95.7 %  goldfish"), "\(one.output)")
      try FileManager.default.createDirectory(at: folder.file("photos"), withIntermediateDirectories: true)
      for index in 0..<6 { try Self.green.write(to: folder.file("photos/\(index).ppm")) }
      try Data([0xFF, 0xD8, 0xFF, 0]).write(to: folder.file("photos/broken.jpg"))
      let many = try Command.run("classify", folder.path("photos"), "--model", model)
      #expect(many.status == 65 && many.lines.count == 6, "\(many.output)")
      #expect(many.lines.allSatisfy { $0.hasSuffix("95.7 %  goldfish") })
      #expect(many.errors.contains("broken.jpg"))
    }
  }

  @Test func mistakesEndWithTheirStatus() throws {
    try with { folder, photo in
      let model = try folder.onnx("model", Self.model(classes: 3))
      #expect(try Command.run("classify", photo).status == 64)
      #expect(try Command.run("classify", "--model", model).status == 64)
      #expect(try Command.run("classify", photo, "--model", model, "--top", "0").status == 64)
      #expect(try Command.run("classify", photo, "--model", folder.path("none.onnx")).status == 66)
      #expect(try Command.run("classify", folder.path("none.png"), "--model", model).status == 66)
      #expect(try Command.run("classify", photo, "--model", model, "--labels", folder.path("none.txt")).status == 66)
      try Data([0xFF, 0xFE, 0]).write(to: folder.file("bytes.txt"))
      #expect(try Command.run("classify", photo, "--model", model, "--labels", folder.path("bytes.txt")).status == 65)
      try FileManager.default.createDirectory(at: folder.file("empty"), withIntermediateDirectories: true)
      try Data("{}".utf8).write(to: folder.file("empty/config.json"))
      let empty = try Command.run("classify", photo, "--model", folder.path("empty"))
      #expect(empty.status == 66 && empty.errors.contains("has no model"), "\(empty.errors)")
    }
  }
}
