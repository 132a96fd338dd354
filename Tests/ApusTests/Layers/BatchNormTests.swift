import Testing

@testable import Apus

@Suite struct BatchNormTests {
  private func parameters(_ channels: Int, without missing: String? = nil) throws -> Weights {
    var tensors: [String: Tensor<Float>] = [:]
    for (index, name) in ["weight", "bias", "running_mean", "running_var"].enumerated() where name != missing {
      tensors["norm.\(name)"] = try Tensor((1...channels).map { Float($0 + index) / 4 })
    }
    return Weights(tensors)["norm"]
  }

  /// The formula, written down once more.
  private func expected(_ x: [Float], channels: Int, positions: Int) -> [Float] {
    x.enumerated().map { offset, value in
      let channel = offset / positions % channels + 1
      let scaled = (Double(value) - Double(channel + 2) / 4) / (Double(channel + 3) / 4 + 1e-5).squareRoot()
      return Float(scaled * Double(channel) / 4 + Double(channel + 1) / 4)
    }
  }

  @Test(arguments: [[2, 3, 5], [4, 3], [1, 3, 1]])
  func oneDimension(shape: [Int]) throws {
    let elements: [Float] = (0..<shape.reduce(1, *)).map { Float($0) * 0.37 - 2 }
    let layer = try BatchNorm1d<Float>(parameters(3), channels: 3)
    let result = try layer(Tensor(elements, shape: shape))
    let positions = shape.dropFirst(2).reduce(1, *)
    let truth = try Tensor(expected(elements, channels: 3, positions: positions), shape: shape)
    #expect(try Comparison(actual: result, expected: truth).isEqual)
  }

  @Test func twoDimensions() throws {
    let elements: [Float] = (0..<120).map { Float($0) * 0.11 - 2 }
    let layer = try BatchNorm2d<Float>(parameters(3), channels: 3)
    let result = try layer(Tensor(elements, shape: [2, 3, 4, 5]))
    let truth = try Tensor(expected(elements, channels: 3, positions: 20), shape: [2, 3, 4, 5])
    #expect(try Comparison(actual: result, expected: truth).isEqual)
  }

  @Test func withoutWeightAndBiasItOnlyNormalises() throws {
    let (mean, variance) = (try Tensor<Double>([1, 2]), try Tensor<Double>([4, 0.25]))
    let layer = try BatchNorm1d(runningMean: mean, runningVariance: variance, epsilon: 0)
    let result = try layer(Tensor<Double>([3, 3], shape: [1, 2]))
    #expect(try result.elements == [1, 2])
  }

  @Test(arguments: ["running_mean", "running_var"])
  func statisticsAreNeeded(name: String) throws {
    let weights = try parameters(3, without: name)
    let error = try #require(throws: WeightsError.self) { try BatchNorm2d<Float>(weights, channels: 3) }
    #expect("\(error)".contains("norm.\(name)"))
  }

  @Test func shapesAreChecked() throws {
    let weights = try parameters(3)
    #expect(throws: WeightsError.self) { try BatchNorm1d<Float>(weights, channels: 4) }
    let (two, three) = (try Tensor<Float>([1, 2]), try Tensor<Float>([1, 2, 3]))
    #expect(throws: TensorError.self) { try BatchNorm1d(runningMean: two, runningVariance: three) }
    let (line, plane) = (
      try BatchNorm1d<Float>(weights, channels: 3), try BatchNorm2d<Float>(weights, channels: 3)
    )
    for shape in [[3], [1, 3, 2, 2], [1, 4, 2], []] {
      #expect(throws: TensorError.self) { try line(Tensor(zeros: shape)) }
    }
    for shape in [[1, 3, 2], [1, 4, 2, 2], [3]] {
      #expect(throws: TensorError.self) { try plane(Tensor(zeros: shape)) }
    }
  }
}
