import Testing

@testable import Apus

@Suite("affine")
struct AffineTests {
  static let shapes = [[1], [16], [3, 5], [7, 16], [2, 33, 17], [32, 128], [300, 130], [0, 4], [4, 0]]

  @Test("affine gives the bits of its operations one after the other, on every variant", arguments: shapes)
  func equalsSeparateOperations(shape: [Int]) throws {
    try check(shape, Float.self)
    try check(shape, Double.self)
  }

  private func check<Scalar: FloatingPointScalar>(_ shape: [Int], _: Scalar.Type) throws {
    let features = shape[shape.count - 1]
    var values = try randomTensor(shape, seed: 1, in: -3...3, as: Scalar.self).elements
    for (index, special) in [Scalar.nan, .infinity, -.infinity, -0.0].enumerated() where 3 * index < values.count {
      values[3 * index] = special
    }
    let x = try Tensor(values, shape: shape)
    let residual = try randomTensor(shape, seed: 2, as: Scalar.self)
    let weight = try randomTensor([features], seed: 3, as: Scalar.self)
    let bias = try randomTensor([features], seed: 4, as: Scalar.self)
    let plain = try (x * weight + bias).bytes
    let added = try ((x + residual) * weight + bias).bytes
    for (variant, result) in try resultsByVariant({ try affine(x, weight: weight, bias: bias) }) {
      #expect(result.shape == shape)
      #expect(try result.bytes == plain, "\(variant)")
    }
    for (variant, result) in try resultsByVariant({ try affine(x, weight: weight, bias: bias, residual: residual) }) {
      #expect(try result.bytes == added, "\(variant)")
    }
  }

  @Test("shapes that do not fit are refused by name")
  func refusals() throws {
    let x = try Tensor<Float>(zeros: [2, 3])
    let three = try Tensor<Float>(zeros: [3]), four = try Tensor<Float>(zeros: [4])
    for (name, attempt) in [
      ("weight", { try affine(x, weight: four, bias: three) }),
      ("bias", { try affine(x, weight: three, bias: four) }),
      ("residual", { try affine(x, weight: three, bias: three, residual: three) }),
      ("single value", { try affine(Tensor<Float>([1], shape: []), weight: three, bias: three) }),
    ] as [(String, () throws -> Tensor<Float>)] {
      #expect { try attempt() } throws: { $0 is TensorError && "\($0)".contains(name) }
    }
  }
}
