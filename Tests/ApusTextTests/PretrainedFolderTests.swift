import Apus
import ApusNetworks
import ApusTestSupport
import ApusText
import Foundation
import Testing

/// Folders as Hugging Face writes them, against what its own classes compute in float64.
@Suite struct PretrainedFolderTests {
  @Test(arguments: ["mobilebert", "mobilebert-float16", "mobilebert-bfloat16", "mobilebert-untied", "bert"])
  func aFolderComputesWhatHuggingFaceComputes(name: String) throws {
    let golden = try PretrainedGolden(name)
    let folder = try PretrainedFolder(path: fixture("pretrained/\(name)"))
    try golden.check(try folder.maskedLanguageModel().logits(golden.input).elements.map { Double($0) }, within: 3e-6)
    try golden.check(try folder.maskedLanguageModel(as: Double.self).logits(golden.input).elements, within: 1e-13)
  }

  @Test func aFolderOfHuggingFaceIsRead() throws {
    let golden = try GoldenSamples(path: shipped("reference/golden/mobilebert-small.safetensors"))
    let weights = try #require(try golden.generatedWeights)
    let configuration = try #require(golden.metadata["configuration"])
    let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path(percentEncoded: false)
    #expect(throws: FileError.self) { try MobileBERTForMaskedLM<Float>(folder: path) }
    var writer = SafetensorsWriter()
    for name in weights.names { try writer.add(weights.anyTensor(name), named: name) }
    try Data(try writer.bytes()).write(to: folder.appending(path: "model.safetensors"))
    try #require(configuration.hasPrefix("{"))
    try Data("{\"model_type\":\"mobilebert\",\(configuration.dropFirst())".utf8)
      .write(to: folder.appending(path: "config.json"))
    let input = try TokenInput(ids: [5, 17, 98])
    let expected = try MobileBERTForMaskedLM<Float>(weights, configuration: .init(json: configuration)).logits(input)
    let model = try MobileBERTForMaskedLM<Float>(folder: path)
    #expect(try model.logits(input).elements == expected.elements)
  }

  @Test(arguments: ["mobilebert", "bert"])
  func onePositionHasTheScoresItHasAmongAll(name: String) throws {
    let golden = try PretrainedGolden(name)
    let model = try PretrainedFolder(path: fixture("pretrained/\(name)")).maskedLanguageModel(as: Double.self)
    #expect(model.vocabularySize == 45)
    #expect(model.positionCount == 12)
    let ids = [2, 17, 35, 9, 33, 4, 41, 20, 3]
    let found = try model.logits(ids: ids, at: 5)
    #expect(found.shape == [45])
    let expected = try golden.logits.elements[(5 * 45)..<(6 * 45)]
    for (found, expected) in zip(try found.elements, expected) { #expect(abs(found - expected) < 1e-12) }
    #expect(throws: TensorError.self) { try model.logits(ids: ids, at: 9) }
    #expect(throws: TensorError.self) { try model.logits(ids: [45], at: 0) }
    #expect(throws: TensorError.self) { try model.logits(ids: [], at: 0) }
    #expect(throws: TensorError.self) { try model.logits(ids: [Int](repeating: 1, count: 13), at: 0) }
  }

  @Test func theKindIsReadFromTheFolder() throws {
    let folder = try PretrainedFolder(contentsOf: URL(filePath: fixture("pretrained/bert")))
    #expect(folder.modelType == .bert)
    #expect(folder.architectures == ["BertForMaskedLM"])
    let old = try TemporaryFolder(copying: "bert")
    try old.edit("config.json", "\"model_type\": \"bert\",", "")
    #expect(try PretrainedFolder(path: old.path).modelType == .bert)
    try old.edit("config.json", "\"BertForMaskedLM\"", "\"MobileBertForMaskedLM\"")
    #expect(try PretrainedFolder(path: old.path).modelType == .mobileBERT)
  }

  @Test func anotherHeadIsRefusedByName() throws {
    let folder = try PretrainedFolder(path: fixture("pretrained/bert-classifier"))
    let error = try #require(throws: PretrainedFolderError.self) { try folder.maskedLanguageModel(as: Float.self) }
    #expect(error.reason == .otherHead(architectures: ["BertForSequenceClassification"]))
    let model = try folder.model(BERTForSequenceClassification<Float>.self)
    #expect(try model.logits(TokenInput(ids: [1, 2])).shape == [1, 2])
  }

  @Test func missingFilesAreNamed() throws {
    let folder = try TemporaryFolder(copying: "mobilebert-float16")
    try folder.remove("model.safetensors")
    #expect(throws: FileError.notFound(path: "\(folder.path)/model.safetensors")) {
      try PretrainedFolder(path: folder.path)
    }
    try folder.remove("config.json")
    #expect(throws: FileError.notFound(path: "\(folder.path)/config.json")) { try PretrainedFolder(path: folder.path) }
    #expect(throws: FileError.notFound(path: "/nowhere/config.json")) { try PretrainedFolder(path: "/nowhere") }
  }

  @Test(arguments: ["pytorch_model.bin", "tf_model.h5", "pytorch_model.bin.index.json"])
  func weightsInAnotherFormatComeWithAWayOut(file: String) throws {
    let folder = try TemporaryFolder(copying: "mobilebert-float16")
    try folder.remove("model.safetensors")
    try folder.write(file, "something")
    let error = try #require(throws: PretrainedFolderError.self) { try PretrainedFolder(path: folder.path) }
    #expect(error.reason == .otherFormat(file: file))
    #expect("\(error)".contains("save_pretrained"))
  }

  @Test(arguments: [
    ("\"model_type\": \"bert\"", "\"model_type\": \"roberta\"", "\"roberta\"; expected one of bert, mobilebert"),
    ("\"model_type\": \"bert\"", "\"model_type\": 3", "is 3; expected a text"),
    ("\"vocab_size\": 45", "\"vocab_size\": 44", "[45, 24], where [44, 24]"),
    ("\"num_hidden_layers\": 1", "\"num_hidden_layers\": 2", "layer.1."),
    ("\"hidden_size\": 24", "\"hidden_size\": 0", "\"hidden_size\" is 0"),
    ("\"hidden_size\": 24", "\"hidden_size\": 24, \"hidden_size\": 24", "twice"), ("{", "[", "is not JSON"),
    ("\"architectures\": [", "\"architectures\": [{}, ", "is not JSON"),
  ])
  func aWrongConfigurationIsRefused(old: String, new: String, message: String) throws {
    let folder = try TemporaryFolder(copying: "bert")
    try folder.edit("config.json", old, new)
    do {
      _ = try PretrainedFolder(path: folder.path).maskedLanguageModel(as: Float.self)
      Issue.record("accepted")
    } catch let error as ModelConfigurationError {
      #expect("\(error)".contains(message))
    } catch let error as WeightsError {
      #expect("\(error)".contains(message))
    }
  }

  @Test func otherFilesOfTheFolderAreNotLookedAt() throws {
    let folder = try TemporaryFolder(copying: "mobilebert-bfloat16")
    for name in ["generation_config.json", "tokenizer.json", "pytorch_model.bin", "model.safetensors.index.json"] {
      try folder.write(name, "\u{0}{")
    }
    _ = try PretrainedFolder(path: folder.path).maskedLanguageModel(as: Float.self)
  }
}

/// An index and its files must agree.
@Suite struct PretrainedShardTests {
  private let index = "model.safetensors.index.json"
  private let first = "\"cls.predictions.bias\": \"model-00003-of-00003.safetensors\""

  private func error(_ change: (TemporaryFolder) throws -> Void) throws -> SafetensorsShardsError.Reason {
    let folder = try TemporaryFolder(copying: "mobilebert")
    try change(folder)
    let error = try #require(throws: SafetensorsShardsError.self) { try PretrainedFolder(path: folder.path) }
    #expect(error.file == "\(folder.path)/\(index)")
    return error.reason
  }

  @Test func aTensorIsWhereTheIndexSaysAndNowhereElse() throws {
    let (tensor, second, third) = (
      "cls.predictions.bias", "model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors"
    )
    #expect(
      try error { try $0.edit(index, first, first.replacing("00003-of", with: "00002-of")) }
        == .notInShard(tensor: tensor, shard: second))
    #expect(
      try error { try $0.edit(index, first + ",", "") } == .contradiction(tensor: tensor, shard: third, listed: nil))
    #expect(
      try error { try $0.edit(index, first, "\"cls.other\": \"\(third)\", " + first) }
        == .notInShard(tensor: "cls.other", shard: third))
    let twice = try error { folder in
      let shard = try SafetensorsFile(path: "\(folder.path)/\(second)")
      var writer = SafetensorsWriter()
      for name in shard.tensorNames { try writer.add(shard.anyTensor(named: name), named: name) }
      try writer.add(Tensor<Float>(zeros: [45]), named: tensor)
      try writer.write(toPath: "\(folder.path)/\(second)")
    }
    #expect(twice == .contradiction(tensor: tensor, shard: second, listed: third))
  }

  @Test func aTensorListedTwiceIsRefused() throws {
    let reason = try error { try $0.edit(index, first, first + ", " + first) }
    guard case .json(let error) = reason else {
      Issue.record("\(reason)")
      return
    }
    #expect(error.reason == .duplicateKey("cls.predictions.bias"))
  }

  @Test(arguments: [
    "../model-00003-of-00003.safetensors", "/etc/passwd", "model-00003-of-00003.bin", "", "a/b.safetensors",
    "sub/../model-00003-of-00003.safetensors",
  ])
  func filesLieBesideTheIndex(name: String) throws {
    let reason = try error { try $0.edit(index, first, "\"cls.predictions.bias\": \"\(name)\"") }
    #expect(reason == .badFileName(name))
  }

  @Test func anIndexOfNothingIsRefused() throws {
    #expect(try error { try $0.write(index, "{}") } == .noTensors)
    #expect(try error { try $0.write(index, "{\"weight_map\": {}}") } == .noTensors)
    for text in ["{\"weight_map\": 3}", "[]", "{\"weight_map\": {\"a\": null}}", "{"] {
      guard case .json = try error({ try $0.write(index, text) }) else {
        Issue.record("\(text)")
        continue
      }
    }
    let folder = try TemporaryFolder(copying: "mobilebert")
    try folder.remove("model-00002-of-00003.safetensors")
    #expect(throws: FileError.notFound(path: "\(folder.path)/model-00002-of-00003.safetensors")) {
      try PretrainedFolder(path: folder.path)
    }
  }
}
