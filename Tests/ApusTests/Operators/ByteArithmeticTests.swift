import Testing

@testable import Apus

/// Sums and products of bytes that are repeated, each against numbers of 64 bits.
@Suite struct ByteArithmeticTests {
  static let shapes: [(whole: [Int], part: [Int])] = [
    ([3, 5, 7], [3, 5, 7]), ([3, 5, 7], [7]), ([3, 5, 7], [1, 5, 7]), ([3, 5, 7], []), ([3, 5, 7], [1, 1, 1]),
    ([2, 4, 9, 9], [4, 1, 1]), ([2, 4, 9, 9], [1, 4, 1, 1]), ([2, 4, 9, 9], [2, 4, 1, 1]),
    ([2, 3, 40, 33], [3, 1, 1]), ([2, 3, 1100], [2, 3, 1]), ([6, 1], [6, 1]), ([5, 70, 64], [70, 1]),
  ]

  @Test(arguments: shapes.indices)
  func bytesAreRepeated(index: Int) throws {
    let (whole, part) = Self.shapes[index]
    try check(whole, part, as: UInt8.self)
    try check(whole, part, as: Int8.self)
  }

  /// The middle of three axes is stretched: for somebody else.
  @Test func otherShapesAreLeft() throws {
    let (a, b) = (try Tensor<UInt8>(zeros: [3, 4, 5]), try Tensor<UInt8>(zeros: [3, 1, 5]))
    #expect(try addBytes(a, b, aScale: 1, bScale: 1, rest: 0) == nil)
  }

  /// What ONNX Runtime gives: the even one of two results is taken, not that of two products.
  @Test(arguments: [126, 127] as [UInt8])
  func tiesEndWithTheZeroPointAdded(zeroPoint: UInt8) throws {
    let a = try Tensor(Array(0...255) as [UInt8])
    let expected = (0...255).map { UInt8(min(255, (Float($0) / 2 + Float(zeroPoint)).rounded(.toNearestOrEven))) }
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let one = try Tensor<UInt8>([1])
        let product = try multiplyBytes(a, one, aZeroPoint: 0, bZeroPoint: 0, scale: 0.5, zeroPoint: zeroPoint)
        #expect(try #require(product).elements == expected, "\(variant)")
      }
    }
  }

  private func check<Scalar: ByteScalar>(_ whole: [Int], _ part: [Int], as type: Scalar.Type) throws {
    let a = try randomIntegers(whole, seed: 1, as: Scalar.self)
    let b = try randomIntegers(part, seed: 2, as: Scalar.self)
    let (x, y) = (try a.elements, try b.expanded(to: whole).elements)
    func saturated(_ value: Float) -> Scalar { Scalar(clamping: Int(value.rounded(.toNearestOrEven))) }
    let (first, second, rest, scale) = (Float(0.43), Float(0.71), Float(-3.3), Float(0.0173))
    let sums = zip(x, y).map { x, y in
      saturated(Float(Double(x) * Double(first) + Double(Float(Double(y) * Double(second) + Double(rest)))))
    }
    let products = zip(x, y).map { x, y in saturated(Float((Int(x) - 11) * (Int(y) - 5)) * scale + 9) }
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let forward = try #require(try addBytes(a, b, aScale: first, bScale: second, rest: rest))
        #expect(try forward.shape == whole && forward.elements == sums, "\(variant)")
        let backward = try #require(try multiplyBytes(b, a, aZeroPoint: 5, bZeroPoint: 11, scale: scale, zeroPoint: 9))
        #expect(try backward.shape == whole && backward.elements == products, "\(variant)")
      }
    }
  }
}
