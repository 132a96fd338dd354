import Apus
import Testing

@testable import ApusGraph

/// What docs/onnx.md says of numbers that leave the range of a type.
@Suite struct NumberRangeTests {
  private func cast<Scalar: TensorScalar>(_ numbers: [Float], to number: Int64, as type: Scalar.Type) throws -> [Scalar]
  {
    let result = try runNode("Cast", [GraphValue(Tensor(numbers))], ["to": .int(number)])
    return try #require(result[0]?.tensor(of: type)).elements
  }

  @Test func floatsBecomeTheNearestIntegerOfTheType() throws {
    let numbers: [Float] = [.nan, .infinity, -.infinity, 1e20, -1e20, 300, -300, -0.9, 2.9, -2.9]
    #expect(try cast(numbers, to: 6, as: Int32.self) == [0, .max, .min, .max, .min, 300, -300, 0, 2, -2])
    #expect(try cast(numbers, to: 7, as: Int64.self) == [0, .max, .min, .max, .min, 300, -300, 0, 2, -2])
    #expect(try cast(numbers, to: 2, as: UInt8.self) == [0, 255, 0, 255, 0, 255, 0, 0, 2, 0])
    #expect(try cast(numbers, to: 3, as: Int8.self) == [0, 127, -128, 127, -128, 127, -128, 0, 2, -2])
    #expect(try cast(numbers, to: 9, as: Bool.self) == [true, true, true, true, true, true, true, true, true, true])
  }

  @Test func integersKeepTheirLowBits() throws {
    let result = try runNode("Cast", [GraphValue(Tensor([300, -1, 65_536] as [Int32]))], ["to": .int(2)])
    #expect(try result[0]?.tensor(of: UInt8.self)?.elements == [44, 255, 0])
  }

  /// ONNX Runtime's and the standard's reference's values; from 11 on the reference's.
  @Test(arguments: [6, 10, 11, 13])
  func clipKeepsInfinitiesSinceItsBoundsAreInputs(opset: Int) throws {
    let numbers = GraphValue(try Tensor<Float>([.infinity, -.infinity, 1]))
    let limit: Float = opset < 11 ? 3.402_823_466_385_288_6e38 : .infinity
    let open = try runNode("Clip", [numbers], opset: opset)
    #expect(try open[0]?.tensor(of: Float.self)?.elements == [limit, -limit, 1])
    let zero = GraphValue(try Tensor<Float>([0], shape: []))
    let raised =
      opset < 11
      ? try runNode("Clip", [numbers], opset: opset, ["min": .float(0)])
      : try runNode("Clip", [numbers, zero], opset: opset)
    #expect(try raised[0]?.tensor(of: Float.self)?.elements == [limit, 0, 1])
  }

  /// ONNX Runtime 1.32.
  @Test func clipIsNotBoundByWhatIsNoNumber() throws {
    func clip(_ least: Float, _ most: Float) throws -> [Float]? {
      let bounds = try [least, most].map { GraphValue(try Tensor<Float>([$0], shape: [])) }
      return try runNode("Clip", [GraphValue(Tensor<Float>([-5, 0, 5]))] + bounds, opset: 13)[0]?
        .tensor(of: Float.self)?.elements
    }
    #expect(try clip(.nan, 1) == [-5, 0, 1])
    #expect(try clip(-1, .nan) == [-1, 0, 5])
  }

  /// Sums, and counts, that the type of the numbers does not hold. By hand.
  @Test func meansOfIntegersAreOfWholeSums() throws {
    func mean<Scalar: TensorScalar>(_ numbers: [Scalar]) throws -> Scalar? {
      try runNode("ReduceMean", [GraphValue(Tensor(numbers))], ["keepdims": .int(0)])[0]?.tensor(of: Scalar.self)?
        .scalar
    }
    #expect(try mean([Int32](repeating: 1 << 30, count: 3)) == 1 << 30)
    #expect(try mean([Int32.min, .min, .max]) == -715_827_883)
    #expect(try mean([UInt32.max, .max, 0]) == 2_863_311_530)
    #expect(try mean([Int8](repeating: -100, count: 200)) == -100)
    #expect(try mean([UInt8](repeating: 255, count: 300)) == 255)
    #expect(try mean([-3, -4] as [Int32]) == -3)
    #expect(try mean([-3, -4] as [Int64]) == -3)
  }

  /// The squares of these are beyond FLOAT; mean and variance are taken in float64. By hand: (x - mean) / σ.
  @Test(arguments: [1e30, 1e38, 1e-30] as [Float])
  func normalizationOfLargeNumbersIsWhatTheFormulaSays(size: Float) throws {
    let x = GraphValue(try Tensor([size, -size, size, -size], shape: [1, 4]))
    let scale = GraphValue(try Tensor<Float>(repeating: 1, shape: [4]))
    let result = try runNode("LayerNormalization", [x, scale], ["epsilon": .float(0)])
    let elements = try #require(result[0]?.tensor(of: Float.self)).elements
    for (element, expected) in zip(elements, [1, -1, 1, -1] as [Float]) { #expect(abs(element - expected) <= 1e-6) }
  }
}
