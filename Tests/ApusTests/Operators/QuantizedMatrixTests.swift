import Testing

@testable import Apus

/// Products of bytes against sums in 64 bits, over shapes chosen to leave rests everywhere.
@Suite struct QuantizedMatrixTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let rows: Int
    let depth: Int
    let columns: Int
    var testDescription: String { "\(rows)×\(depth)×\(columns)" }
  }

  static let cases: [Case] = [
    Case(rows: 1, depth: 1, columns: 1), Case(rows: 1, depth: 64, columns: 130), Case(rows: 2, depth: 7, columns: 16),
    Case(rows: 3, depth: 5, columns: 33), Case(rows: 7, depth: 19, columns: 47), Case(rows: 8, depth: 16, columns: 48),
    Case(rows: 13, depth: 30, columns: 49), Case(rows: 21, depth: 101, columns: 97),
    Case(rows: 140, depth: 33, columns: 65),
    // Eight rows of whole words at a time, eight words and a rest.
    Case(rows: 20, depth: 92, columns: 50),
  ]

  @Test(arguments: cases)
  func productsOfEverySignAreExact(_ c: Case) throws {
    try check(c, UInt8.self, UInt8.self)
    try check(c, UInt8.self, Int8.self)
    try check(c, Int8.self, UInt8.self)
    try check(c, Int8.self, Int8.self)
  }

  private func check<A: ByteScalar, B: ByteScalar>(_ c: Case, _: A.Type, _: B.Type) throws {
    let a = try randomIntegers([c.rows, c.depth], seed: 1, as: A.self)
    let b = try randomIntegers([c.depth, c.columns], seed: 2, as: B.self)
    // None, one for all, one for each.
    let rowPoints: [Tensor<A>?] = [nil, try randomIntegers([], seed: 3), try randomIntegers([c.rows], seed: 4)]
    let columnPoints: [Tensor<B>?] = [nil, try randomIntegers([], seed: 5), try randomIntegers([c.columns], seed: 6)]
    for za in rowPoints {
      for zb in columnPoints {
        let expected = try naiveProduct(a, b, za, zb)
        let results = try resultsByVariant { try matmulInteger(a, b, aZeroPoint: za, bZeroPoint: zb) }
        for (variant, result) in results {
          #expect(result.shape == [c.rows, c.columns])
          #expect(try result.elements == expected, "\(variant), \(A.self) × \(B.self)")
        }
      }
    }
  }

  /// What saturates: great columns, and rows of which some elements are beyond what pairs of products leave room for.
  @Test(arguments: cases)
  func fewGreatElementsAreExact(_ c: Case) throws {
    let a = try fewGreatIntegers([c.rows, c.depth], seed: 1)
    let b = try randomIntegers([c.depth, c.columns], seed: 2, as: UInt8.self)
    let great = try Tensor(b.elements.map { $0 | 0xC0 }, shape: b.shape)
    let expected = try naiveProduct(a, great, nil, nil)
    for (variant, result) in try resultsByVariant({ try matmulInteger(a, great) }) {
      #expect(try result.elements == expected, "\(variant)")
    }
  }

  /// Rows that lie to one side of their levels, as those of a softmax and a rectifier do, and what is far beyond in them.
  @Test(arguments: cases, [(UInt8(0), UInt8(9)), (3, 40), (255, 60), (128, 2), (90, 90)])
  func oneSidedRowsAreExact(_ c: Case, _ level: (most: UInt8, spread: UInt8)) throws {
    let noise = try randomIntegers([c.rows, c.depth], seed: 1, as: UInt8.self).elements
    let great = try randomIntegers([c.rows, c.depth], seed: 2, as: UInt8.self).elements
    let bytes = zip(noise, great).map { noise, great in
      let near = UInt8(clamping: Int(level.most) + Int(noise % level.spread) * (level.most > 128 ? -1 : 1))
      return great < 5 ? ~level.most : great == 5 ? 255 : near
    }
    let a = try Tensor(bytes, shape: [c.rows, c.depth])
    let b = try Tensor(
      randomIntegers([c.depth, c.columns], seed: 3, as: UInt8.self).elements.map { $0 | 0x80 },
      shape: [c.depth, c.columns])
    let (one, each) = (try Tensor([level.most], shape: []), try randomIntegers([c.rows], seed: 4, as: UInt8.self))
    for za in [nil, one, each] {
      for zb in [nil, try randomIntegers([c.columns], seed: 5, as: UInt8.self)] {
        let expected = try naiveProduct(a, b, za, zb)
        for (variant, result) in try resultsByVariant({ try matmulInteger(a, b, aZeroPoint: za, bZeroPoint: zb) }) {
          #expect(try result.elements == expected, "\(variant)")
        }
      }
    }
  }

  /// 70,000 products of 255 and 255 are more than 32 bits hold.
  @Test func sumsWrapAround() throws {
    let a = try Tensor<UInt8>(repeating: 255, shape: [2, 70_000])
    let b = try Tensor<UInt8>(repeating: 255, shape: [70_000, 3])
    let expected = Int32(truncatingIfNeeded: 255 * 255 * 70_000)
    for (variant, result) in try resultsByVariant({ try matmulInteger(a, b) }) {
      #expect(try result.elements == [Int32](repeating: expected, count: 6), "\(variant)")
    }
  }

  /// Pairs of products beyond 16 bits are what saturating instructions get wrong.
  @Test func extremesDoNotSaturate() throws {
    let a = try Tensor<UInt8>(repeating: 255, shape: [1, 4])
    let b = try Tensor<Int8>(repeating: -128, shape: [4, 1])
    for (_, result) in try resultsByVariant({ try matmulInteger(a, b) }) {
      #expect(try result.elements == [-130_560])
    }
  }

  /// The example of ONNX's `MatMulInteger`.
  @Test func zeroPointsAreSubtracted() throws {
    let a = try Tensor<UInt8>([11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0], shape: [4, 3])
    let b = try Tensor<UInt8>([1, 4, 2, 5, 3, 6], shape: [3, 2])
    let y = try matmulInteger(
      a, b, aZeroPoint: Tensor([12], shape: [1]), bZeroPoint: Tensor([0], shape: [1]))
    #expect(try y.elements == [-38, -83, -44, -98, -50, -113, -56, -128])
  }

  /// One of those that lie in `batch` one after the other.
  private func matrix<Scalar: TensorScalar>(
    _ index: Int, of batch: Tensor<Scalar>, shape: [Int]
  ) throws -> Tensor<Scalar> {
    let count = shape.reduce(1, *)
    return try Tensor(Array(batch.elements.dropFirst(index * count).prefix(count)), shape: shape)
  }

  @Test func batchesAreBroadcast() throws {
    let a = try randomIntegers([2, 1, 3, 5], seed: 1, as: UInt8.self)
    let b = try randomIntegers([4, 5, 7], seed: 2, as: Int8.self)
    let za = try randomIntegers([2, 1, 3, 1], seed: 3, as: UInt8.self)
    let zb = try randomIntegers([4, 1, 7], seed: 4, as: Int8.self)
    let result = try matmulInteger(a, b, aZeroPoint: za, bZeroPoint: zb)
    #expect(result.shape == [2, 4, 3, 7])
    var expected: [Int32] = []
    for i in 0..<2 {
      for j in 0..<4 {
        expected += try naiveProduct(
          matrix(i, of: a, shape: [3, 5]), matrix(j, of: b, shape: [5, 7]), matrix(i, of: za, shape: [3]),
          matrix(j, of: zb, shape: [7]))
      }
    }
    #expect(try result.elements == expected)
    // One matrix for a batch, and zero points that repeat for every matrix.
    let one = try randomIntegers([5, 7], seed: 5, as: Int8.self)
    let rows = try randomIntegers([3], seed: 6, as: UInt8.self)
    let shared = try matmulInteger(a, one, aZeroPoint: rows)
    let halves = try (0..<2).flatMap { i in
      try naiveProduct(matrix(i, of: a, shape: [3, 5]), one, rows, nil)
    }
    #expect(try shared.elements == halves)
  }

  /// Stacks of computed matrices, with their epilogues.
  @Test(arguments: cases)
  func stacksAreTheirMatrices(_ c: Case) throws {
    let a = try randomIntegers([2, 1, c.rows, c.depth], seed: 1, as: UInt8.self)
    let b = try randomIntegers([3, c.depth, c.columns], seed: 2, as: Int8.self)
    let za = try Tensor<UInt8>([117], shape: [])
    let scale = try randomTensor([c.columns], seed: 4, in: 0.0001...0.01, as: Float.self)
    for zb in [try Tensor<Int8>([0], shape: []), try Tensor([5], shape: []), try randomIntegers([c.columns], seed: 3)] {
      let sums = try (0..<2).flatMap { i in
        try (0..<3).flatMap { j in
          try naiveProduct(
            a.selected(axis: 0, index: i).selected(axis: 0, index: 0), b.selected(axis: 0, index: j), za, zb)
        }
      }
      let s = try scale.elements
      let scaled = sums.indices.map { Float(sums[$0]) * s[$0 % c.columns] }
      let bytes = sums.indices.map { requantized(sums[$0], s[$0 % c.columns], zeroPoint: -3, as: Int8.self) }
      for variant in Execution.availableVariants {
        try Execution.with(variant: variant) {
          let matrices = try IntegerMatrices(a, b, aZeroPoint: za, bZeroPoint: zb)
          #expect(matrices.shape == [2, 3, c.rows, c.columns])
          #expect(try matrices.product().elements == sums, "\(variant)")
          let numbers = try matrices.scaledProduct(scale: scale)
          #expect(try numbers.elements == scaled, "\(variant)")
          let found = try matrices.requantizedProduct(scale: scale, outputZeroPoint: Int8(-3))
          #expect(try found.elements == bytes, "\(variant)")
          let quantized = try matrices.quantizedProduct(scale: scale, outputScale: 0.7, outputZeroPoint: UInt8(90))
          let steps: Tensor<UInt8> = try quantizeLinear(
            numbers, scale: Tensor([0.7], shape: []), zeroPoint: Tensor([90], shape: []))
          #expect(try quantized?.elements == steps.elements, "\(variant)")
        }
      }
    }
  }

  /// Many matrices share a task, and a few are laid out by several.
  @Test(arguments: [(40, 3, 4, 5), (3, 70, 64, 100), (3, 120, 90, 100)])
  func stacksAreTheSameForAllThreads(count: Int, rows: Int, depth: Int, columns: Int) throws {
    let a = try randomIntegers([count, rows, depth], seed: 1, as: UInt8.self)
    let b = try randomIntegers([count, depth, columns], seed: 2, as: UInt8.self)
    let expected = try (0..<count).flatMap {
      try naiveProduct(a.selected(axis: 0, index: $0), b.selected(axis: 0, index: $0), nil, nil)
    }
    for threads in [1, 2, 5] {
      #expect(try Execution.with(threads: threads) { try matmulInteger(a, b) }.elements == expected)
    }
  }

  @Test func emptyOperandsGiveZeros() throws {
    let stack = try IntegerMatrices(Tensor<UInt8>(zeros: [2, 3, 0]), Tensor<Int8>(zeros: [2, 0, 50]))
    #expect(try stack.product().elements == [Int32](repeating: 0, count: 300))
    let points = try stack.requantizedProduct(scale: Tensor([0.5], shape: []), outputZeroPoint: Int8(-7))
    #expect(try points.elements == [Int8](repeating: -7, count: 300))

    let y = try matmulInteger(Tensor<UInt8>(zeros: [2, 0]), Tensor<UInt8>(zeros: [0, 3]))
    #expect(y.shape == [2, 3])
    #expect(try y.elements == [Int32](repeating: 0, count: 6))
    #expect(try matmulInteger(Tensor<UInt8>(zeros: [0, 4]), Tensor<UInt8>(zeros: [4, 3])).shape == [0, 3])
  }

  /// Packed once, with its epilogues: bit for bit what the steps give one after the other in float32.
  @Test(arguments: cases)
  func epiloguesAreTheirSteps(_ c: Case) throws {
    let a = try randomIntegers([c.rows, c.depth], seed: 1, as: UInt8.self)
    let b = try randomIntegers([c.depth, c.columns], seed: 2, as: Int8.self)
    let zb = try randomIntegers([c.columns], seed: 3, as: Int8.self)
    let za = try Tensor<UInt8>([117], shape: [])
    let scale = try randomTensor([c.columns], seed: 4, in: 0.0001...0.01, as: Float.self)
    let bias = try randomTensor([c.columns], seed: 5, as: Float.self)
    let sums = try naiveProduct(a, b, za, zb)
    let (s, o) = (try scale.elements, try bias.elements)
    let scaled = sums.indices.map { Float(sums[$0]) * s[$0 % c.columns] + o[$0 % c.columns] }
    let bytes = sums.indices.map { requantized(sums[$0], s[$0 % c.columns], zeroPoint: -3, as: Int8.self) }
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let packed = try PackedIntegerMatrix(b, zeroPoint: zb)
        #expect(try packed.product(a, zeroPoint: za).elements == sums)
        #expect(try packed.scaledProduct(a, zeroPoint: za, scale: scale, bias: bias).elements == scaled, "\(variant)")
        let found = try packed.requantizedProduct(a, zeroPoint: za, scale: scale, outputZeroPoint: Int8(-3))
        #expect(try found.elements == bytes, "\(variant)")
      }
    }
  }

  /// What one variant has laid out another can multiply.
  @Test func layoutsAreTheSameForAllVariants() throws {
    let a = try randomIntegers([9, 21], seed: 1, as: Int8.self)
    let b = try randomIntegers([21, 50], seed: 2, as: UInt8.self)
    let expected = try naiveProduct(a, b, nil, nil)
    for first in Execution.availableVariants {
      let packed = try Execution.with(variant: first) { try PackedIntegerMatrix(b) }
      for second in Execution.availableVariants {
        #expect(try Execution.with(variant: second) { try packed.product(a) }.elements == expected)
      }
    }
  }

  @Test func shapesThatDoNotFitAreRefused() throws {
    let a = try Tensor<UInt8>(zeros: [2, 3])
    #expect(throws: TensorError.self) { try matmulInteger(a, Tensor<UInt8>(zeros: [4, 2])) }
    #expect(throws: TensorError.self) { try matmulInteger(a, Tensor<UInt8>(zeros: [3])) }
    let b = try Tensor<UInt8>(zeros: [3, 4])
    #expect(throws: TensorError.self) { try matmulInteger(a, b, aZeroPoint: Tensor<UInt8>(zeros: [3])) }
    #expect(throws: TensorError.self) { try matmulInteger(a, b, bZeroPoint: Tensor<UInt8>(zeros: [2])) }
    #expect(throws: TensorError.self) { try PackedIntegerMatrix(b).product(Tensor<UInt8>(zeros: [2, 2])) }
    #expect(throws: TensorError.self) {
      try PackedIntegerMatrix(b).scaledProduct(a, scale: Tensor<Float>(zeros: [3]))
    }
  }
}

private func naiveProduct<A: ByteScalar, B: ByteScalar>(
  _ a: Tensor<A>, _ b: Tensor<B>, _ za: Tensor<A>?, _ zb: Tensor<B>?
) throws -> [Int32] {
  let (m, k, n) = (a.shape[0], a.shape[1], b.shape[1])
  let (x, w) = (try a.elements.map { Int($0) }, try b.elements.map { Int($0) })
  let (p, q) = (try za?.elements ?? [0], try zb?.elements ?? [0])
  var result: [Int32] = []
  for row in 0..<m {
    for column in 0..<n {
      let (zp, zq) = (Int(p[p.count == 1 ? 0 : row]), Int(q[q.count == 1 ? 0 : column]))
      var sum = 0
      for i in 0..<k { sum += (x[row * k + i] - zp) * (w[i * n + column] - zq) }
      result.append(Int32(truncatingIfNeeded: sum))
    }
  }
  return result
}
