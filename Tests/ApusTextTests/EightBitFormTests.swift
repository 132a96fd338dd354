import Apus
import ApusNetworks
import ApusTestSupport
import ApusText
import Foundation
import Testing

/// Matrices in 8 bits: against what generate/pretrained.py makes of the same network by the same rule.
@Suite struct EightBitFormTests {
  private func folder(_ name: String = "mobilebert") throws -> PretrainedFolder {
    try PretrainedFolder(path: fixture("pretrained/\(name)"))
  }

  @Test func itComputesWhatItsValuesCompute() throws {
    let golden = try PretrainedGolden("mobilebert-int8")
    let folder = try folder("mobilebert-int8")
    for setting in Setting.all {
      try setting.run {
        let found = try folder.maskedLanguageModel().logits(golden.input).elements.map { Double($0) }
        try golden.check(found, within: 3e-6)
      }
    }
    try golden.check(try folder.maskedLanguageModel(as: Double.self).logits(golden.input).elements, within: 1e-13)
  }

  @Test func matricesAreQuantizedByTheSameRule() throws {
    let form = try EightBitForm(of: folder())
    let expected = try folder("mobilebert-int8").weights
    #expect(Set(form.tensors.keys) == Set(expected.names))
    for name in expected.names {
      let (found, wanted) = (try #require(form.tensors[name]), try expected.anyTensor(name))
      #expect(found.shape == wanted.shape)
      #expect(found.dataType == wanted.dataType)
      // A row of zeros has any scale.
      let (a, b) = (try found.converted(to: Float.self).elements, try wanted.converted(to: Float.self).elements)
      #expect(zip(a, b).allSatisfy { abs($0 - $1) <= 1e-6 * abs($1) + 1e-30 }, "\(name)")
    }
    #expect(form.byteCounts.before == 39_236)
    #expect(form.byteCounts.after == 15_920)
    #expect(form.matrices.allSatisfy { $0.relativeError > 0 && $0.relativeError < 0.01 })
    #expect(form.matrices.contains { $0.name == "cls.predictions.dense.weight" && $0.shape == [16, 45] })
  }

  @Test func theCostIsThatOfTheValues() throws {
    let (plain, eight) = (try PretrainedGolden("mobilebert"), try PretrainedGolden("mobilebert-int8"))
    let (original, quantized) = (
      try folder().maskedLanguageModel(), try folder("mobilebert-int8").maskedLanguageModel()
    )
    let sample = QuantizationCost.Sample(ids: [2, 17, 35, 9, 33, 4, 41, 20, 3], position: 5)
    let cost = try QuantizationCost(of: quantized, against: original, on: [sample])
    let (a, b) = (try plain.logits.elements[225..<270], try eight.logits.elements[225..<270])
    let differences = zip(a, b).map { abs($0 - $1) }
    #expect(abs(cost.largestDifference - (differences.max() ?? 0)) < 1e-5)
    #expect(abs(cost.meanDifference - differences.reduce(0, +) / 45) < 1e-5)
    let norm = a.reduce(0) { $0 + $1 * $1 }
    let relative = (differences.reduce(0) { $0 + $1 * $1 } / norm).squareRoot()
    #expect(abs(cost.relativeError - relative) < 1e-5)
    #expect(cost.sampleCount == 1)
    #expect(
      cost.activations.map(\.name) == [
        "mobilebert.embeddings", "mobilebert.encoder.layer.0", "mobilebert.encoder.layer.1",
        "cls.predictions.transform",
      ])
    #expect(cost.activations.allSatisfy { $0.relativeError > 0 && $0.relativeError < 0.05 })
    let none = try QuantizationCost(of: original, against: original, on: [sample])
    #expect(none.largestDifference == 0 && none.relativeError == 0)
    #expect(none.sameBest == 1 && none.sameBestThree == 1)
  }

  @Test func samplesOfChanceAreRepeatable() throws {
    let model = try folder().maskedLanguageModel()
    let samples = QuantizationCost.samples(count: 9, seed: 5, for: model)
    #expect(samples == QuantizationCost.samples(count: 9, seed: 5, for: model))
    #expect(samples != QuantizationCost.samples(count: 9, seed: 6, for: model))
    for count in [0, -1, .min] { #expect(QuantizationCost.samples(count: count, seed: 5, for: model).isEmpty) }
    #expect(samples.allSatisfy { $0.ids.count == 12 && $0.ids.allSatisfy((0..<45).contains) && $0.position < 12 })
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let source = try TemporaryFolder(copying: "bert")
    try source.write("vocab.txt", "[PAD]\n")
    let folder = try PretrainedFolder(path: source.path)
    let form = try EightBitForm(of: folder)
    let target = source.path + "-int8/"
    defer { try? FileManager.default.removeItem(atPath: target) }
    for _ in 0..<2 { try form.write(to: target, from: folder) }
    let names = try FileManager.default.contentsOfDirectory(atPath: target)
    #expect(Set(names) == ["config.json", "model.safetensors", "vocab.txt"])
    let written = try PretrainedFolder(path: target)
    #expect(written.modelType == .bert)
    let input = try PretrainedGolden("bert").input
    let expected = try folder.with(Weights(form.tensors)).maskedLanguageModel().logits(input).elements
    #expect(try written.maskedLanguageModel().logits(input).elements == expected)
    // Quantising twice would round twice.
    let error = try #require(throws: PretrainedFolderError.self) { try EightBitForm(of: written) }
    guard case .alreadyQuantized = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect(throws: ModelConfigurationError.self) { try form.write(to: target, from: written) }
    let file = try PretrainedFolder(path: "\(target)model.safetensors")
    #expect(try file.maskedLanguageModel().logits(input).elements == expected)
  }

  @Test func anotherQuantizationIsRefusedByName() throws {
    let copy = try TemporaryFolder(copying: "mobilebert-int8")
    try copy.edit("config.json", "\"apus\"", "\"bitsandbytes\"")
    let error = try #require(throws: ModelConfigurationError.self) { try PretrainedFolder(path: copy.path) }
    #expect("\(error)".contains("bitsandbytes"))
  }

  @Test func numbersThatAreNotFiniteAreRefused() throws {
    var tensors: [String: AnyTensor] = [:]
    let folder = try folder()
    for name in folder.weights.names { tensors[name] = try folder.weights.anyTensor(name) }
    let name = "mobilebert.encoder.layer.1.output.dense.weight"
    var values = try #require(try tensors[name]?.converted(to: Float.self)).elements
    values[3] = .nan
    tensors[name] = AnyTensor(try Tensor(values, shape: [12, 20]))
    let error = try #require(throws: TensorError.self) { try EightBitForm(of: folder.with(Weights(tensors))) }
    #expect("\(error)".contains(name))
  }
}
