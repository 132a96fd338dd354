import Apus
import ApusMotion
import ApusMotionModels
import ApusTestSupport
import Foundation
import Testing

/// The original model, whose weights do not ship. `generate/convert_original_behavior.py` makes from its ONNX file what
/// is read here, in the folder that `APUS_CONVERTED_MODELS` or `APUS_EXTERNAL_MODELS` names.
private let originalModel: String? = {
  let environment = ProcessInfo.processInfo.environment
  return [environment["APUS_CONVERTED_MODELS"], environment["APUS_EXTERNAL_MODELS"]]
    .compactMap { $0.map { "\($0)/dog_behavior_classifier.safetensors" } }
    .first { FileManager.default.fileExists(atPath: $0) }
}()

@Suite(.enabled(if: originalModel != nil, "needs the converted original weights; see docs/behavior.md"))
struct OriginalBehaviorModelTests {
  private func classifier() throws -> BehaviorModel {
    try BehaviorModel(path: #require(originalModel))
  }

  private func window(_ value: (_ channel: Int, _ frame: Int) -> Float) throws -> Tensor<Float> {
    try Tensor((0..<4800).map { value($0 / 100, $0 % 100) }, shape: [1, 48, 100])
  }

  private func probabilities(_ poses: Tensor<Float>) throws -> (sit: Float, down: Float, stand: Float) {
    let values = try classifier().network(poses).elements
    return (values[0], values[1], values[2])
  }

  @Test(arguments: Setting.all)
  func zerosGiveTheOriginalsNumbers(setting: Setting) throws {
    try setting.run {
      let poses = try window { _, _ in 0 }
      let logits = try classifier().network.logits(poses).elements
      let expected: [Int: Float] = [
        0: 2.8350, 1: -3.6176, 2: 8.4420, 3: -7.2115, 11: -7.0512, 20: -7.1344,
      ]
      for (index, logit) in expected { #expect(abs(logits[index] - logit) < 2e-3, "logit \(index)") }
      let found = try probabilities(poses)
      #expect(abs(found.sit - 0.00365882) < 1e-5)
      #expect(abs(found.down - 5.7676e-6) < 1e-5)
      #expect(abs(found.stand - 0.99633324) < 1e-5)
    }
  }

  @Test(arguments: Setting.all)
  func aRampGivesTheOriginalsNumbers(setting: Setting) throws {
    try setting.run {
      let poses = try window { Float(100 * $0 + $1) / 4800 }
      let logits = try classifier().network.logits(poses).elements
      for (index, logit) in [(0, 2.8934), (1, -3.7178), (2, 8.6591)] as [(Int, Float)] {
        #expect(abs(logits[index] - logit) < 2e-3, "logit \(index)")
      }
      let found = try probabilities(poses)
      #expect(abs(found.sit - 0.00312333) < 1e-5)
      #expect(abs(found.down - 4.2016e-6) < 1e-5)
      #expect(abs(found.stand - 0.99687093) < 1e-5)
    }
  }

  @Test func aWindowFilledTheWrongWayRoundShows() throws {
    #expect(abs(try probabilities(window { Float(48 * $1 + $0) / 4800 }).stand - 0.997581) < 1e-5)
  }

  @Test func theOriginalSaysStandToEveryPose() throws {
    let found = try classifier().sensitivity(samples: 64)
    #expect(found.isConstant)
    #expect(found.predictedLabels == ["stand"])
  }
}
