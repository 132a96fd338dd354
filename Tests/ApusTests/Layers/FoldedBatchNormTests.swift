import Testing

@testable import Apus

@Suite struct FoldedBatchNormTests {
  private func parameters(bias: Bool = false, without missing: String? = nil) throws -> [String: Tensor<Double>] {
    func values(_ shape: [Int], _ step: Double, _ start: Double) throws -> Tensor<Double> {
      let elements: [Double] = (0..<shape.reduce(1, *)).map { start + Double($0 * 7 % 13) * step }
      return try Tensor(elements, shape: shape)
    }
    var tensors = [
      "conv.weight": try values([16, 4, 3, 3], 0.11, -0.6), "bn.weight": try values([16], 0.1, 0.4),
      "bn.bias": try values([16], 0.05, -0.3), "bn.running_mean": try values([16], 0.07, -0.4),
      "bn.running_var": try values([16], 0.2, 0.1),
    ]
    if bias { tensors["conv.bias"] = try values([16], 0.3, -1) }
    if let missing { tensors[missing] = nil }
    return tensors
  }

  private func folded(_ weights: Weights, epsilon: Double = 1e-3) throws -> Conv2d<Double> {
    try Conv2d(
      weights["conv"], foldingBatchNorm: weights["bn"], inputs: 4, outputs: 16, kernel: 3, padding: 1, epsilon: epsilon)
  }

  @Test(arguments: [false, true], [nil, "bn.weight", "bn.bias"] as [String?])
  func oneLayerComputesWhatTwoCompute(bias: Bool, missing: String?) throws {
    let weights = Weights(try parameters(bias: bias, without: missing))
    let convolution = try Conv2d<Double>(weights["conv"], inputs: 4, outputs: 16, kernel: 3, padding: 1)
    let normalization = try BatchNorm2d<Double>(weights["bn"], channels: 16, epsilon: 1e-3)
    let values = (0..<140).map { index in Double(index * 11 % 17 - 8) / 8 }
    let input = try Tensor<Double>(values, shape: [1, 4, 5, 7])
    let tolerance = Tolerance(relative: 1e-13, absolute: 1e-13)
    let comparison = try Comparison(
      actual: folded(weights)(input), expected: normalization(convolution(input)), tolerance: tolerance)
    #expect(comparison.isEqual, "\(comparison)")
  }

  @Test func float32ParametersAreFoldedInFloat64AndRoundedOnce() throws {
    let single = try parameters().mapValues { try $0.converted(to: Float.self) }
    let wide = try single.mapValues { try $0.converted(to: Double.self) }
    let input = try Tensor<Double>(repeating: 1, shape: [1, 4, 3, 3])
    let fromSingle = try folded(Weights(single))(input)
    #expect(try fromSingle.elements == folded(Weights(wide))(input).elements)
  }

  @Test func aCheckpointFoldedBeforeIsTakenAsItIs() throws {
    let names = ["conv.weight", "conv.bias"]
    let weights = Weights(try parameters(bias: true).filter { names.contains($0.key) })
    let convolution = try Conv2d<Double>(weights["conv"], inputs: 4, outputs: 16, kernel: 3, padding: 1)
    let values: [Double] = (0..<36).map { Double($0) }
    let input = try Tensor<Double>(values, shape: [1, 4, 3, 3])
    #expect(try folded(weights)(input).elements == convolution(input).elements)
  }

  @Test(arguments: ["bn.running_mean", "bn.running_var", "conv.weight"])
  func whatIsMissingIsNamed(name: String) throws {
    let weights = Weights(try parameters(without: name))
    let error = try #require(throws: WeightsError.self) { try folded(weights) }
    #expect("\(error)".contains(name))
  }

  @Test func neitherNormalisationNorBias() throws {
    let weights = Weights(try parameters().filter { $0.key == "conv.weight" })
    let error = try #require(throws: WeightsError.self) { try folded(weights) }
    #expect("\(error)".contains("bn.running_mean"))
  }

  @Test func shapesAreChecked() throws {
    var tensors = try parameters()
    tensors["bn.running_var"] = try Tensor(zeros: [15])
    let error = try #require(throws: WeightsError.self) { try folded(Weights(tensors)) }
    #expect("\(error)".contains("bn.running_var") && "\(error)".contains("[15]"))
  }

  @Test func nanWeightsGiveNaN() throws {
    var tensors = try parameters()
    tensors["bn.running_var"] = try Tensor(repeating: -1, shape: [16])
    let output = try folded(Weights(tensors))(Tensor(repeating: 1, shape: [1, 4, 3, 3]))
    #expect(try output.elements.allSatisfy(\.isNaN))
  }
}
