import Apus
import ApusNetworks
import ApusTestSupport
import Testing

/// InceptionV3 has one size only: its weights are those of the golden file.
@Suite struct InceptionTests {
  private static let weights = Result { () -> Weights in
    let golden = try GoldenSamples(path: shipped("reference/golden/inception_v3.safetensors"))
    return try #require(try golden.generatedWeights)
  }

  @Test func picturesHaveAtLeastSeventyFivePixels() throws {
    let network = try InceptionV3<Float>(Self.weights.get())
    #expect(network.featureCount == 2048)
    #expect(try network(picture(1, 3, 75, 90)).shape == [1, 1000])
    #expect(try network(picture(0, 3, 75, 75)).shape == [0, 1000])
    let error = try #require(throws: TensorError.self) { try network(picture(1, 3, 74, 90)) }
    #expect("\(error)".contains("at least 75"))
  }

  @Test func theTransformUndoesTheUsualNormalization() throws {
    let weights = try Self.weights.get()
    let configuration = try ImageClassifierConfiguration(
      metadata: ["configuration": #"{"architecture": "inception_v3", "transform_input": true}"#], file: "w")
    let pixels: Tensor<Float> = try picture(1, 3, 75, 75)
    let mean = try Tensor<Float>([0.485, 0.456, 0.406], shape: [1, 3, 1, 1])
    let deviation = try Tensor<Float>([0.229, 0.224, 0.225], shape: [1, 3, 1, 1])
    let found = try InceptionV3<Float>(weights, configuration: configuration)((pixels - mean) / deviation)
    let expected = try InceptionV3<Float>(weights)(pixels * 2 - 1)
    for (a, b) in zip(try found.elements, try expected.elements) { #expect(abs(a - b) < 1e-3) }
  }
}
