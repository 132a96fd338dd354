import Apus
import ApusGraph
import ApusNetworks
import ApusONNX
import ApusTestSupport
import Testing

/// A network written by hand and the same one exported to ONNX are one network: they agree bit for bit in `exact`.
@Suite struct ONNXTwinTests {
  @Test(arguments: Setting.all)
  func theBehaviorClassifierAgreesWithItsExport(setting: Setting) throws {
    let golden = try GoldenSamples(path: shipped("behavior/samples/golden.safetensors"))
    let written = try BehaviorClassifier<Float>(path: shipped(BehaviorClassifier<Float>.shippedFile))
    try setting.run {
      let exported = try InferenceSession(ONNXModel(path: shipped("behavior/shipped/behavior-classifier.onnx")))
      let output = try #require(exported.graph.outputs.first.map { exported.graph.values[$0].name })
      for name in golden.sampleNames {
        let poses: Tensor<Float> = try golden.inputs(of: name).single()
        let expected = try written(poses)
        let values = try exported.run(["pose_sequence": GraphValue(poses)])
        guard case .tensor(.float32(let actual))? = values[output] else {
          Issue.record("\(name) gives \(String(describing: values[output]?.type))")
          continue
        }
        #expect(actual.shape == expected.shape)
        #expect(try actual.elements.map(\.bitPattern) == expected.elements.map(\.bitPattern), "\(name)")
      }
    }
  }
}
