import ApusTestSupport
import Testing

@testable import Apus

/// Both ways to multiply against a naive loop, over odd sizes, transposes and leading dimensions.
@Suite struct GEMMTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var m: Int
    var n: Int
    var k: Int
    var testDescription: String { "\(m)×\(n)×\(k)" }
  }

  static let cases: [Case] =
    [
      (1, 1, 1), (1, 33, 7), (7, 1, 100), (2, 16, 16), (13, 17, 19), (14, 32, 64), (15, 31, 33), (29, 37, 145),
      (16, 18, 600), (270, 5, 4), (3, 530, 5), (5, 4, 0),
      // Right operands that are read where they lie.
      (1, 48, 300), (6, 4128, 40), (7, 48, 300),
    ].map { Case(m: $0.0, n: $0.1, k: $0.2) }

  @Test(arguments: cases)
  func matchesNaiveLoop(_ c: Case) throws {
    try check(c, Float.self, tolerance: 1e-4)
    try check(c, Double.self, tolerance: 1e-12)
  }

  func check<Scalar: FloatingPointScalar>(_ c: Case, _: Scalar.Type, tolerance: Double) throws {
    var random = SplitMix64(seed: UInt64(c.m * 31 + c.n * 7 + c.k))
    for (transposeA, transposeB) in [(false, false), (false, true), (true, false), (true, true)] {
      for (alpha, beta) in [(1.0, 0.0), (-0.5, 1.0), (2.0, 0.25)] {
        // Leading dimensions longer than the rows they stride over.
        let (rowsA, columnsA) = transposeA ? (c.k, c.m) : (c.m, c.k)
        let (rowsB, columnsB) = transposeB ? (c.n, c.k) : (c.k, c.n)
        let (lda, ldb, ldc) = (columnsA + 3, columnsB + 1, c.n + 2)
        let a = try Tensor<Scalar>.random([rowsA + 1, lda], using: &random)
        let b = try Tensor<Scalar>.random([rowsB + 1, ldb], using: &random)
        let start = try Tensor<Scalar>.random([c.m, ldc], using: &random)
        let before = try start.elements, x = try a.elements, y = try b.elements
        let left = MatrixOperand(a.pointer, leading: lda, isTransposed: transposeA)
        let right = MatrixOperand(b.pointer, leading: ldb, isTransposed: transposeB)
        var expected = before.map { Double($0) }
        for i in 0..<c.m {
          for j in 0..<c.n {
            var sum = 0.0
            for t in 0..<c.k {
              sum +=
                Double(x[transposeA ? t * lda + i : i * lda + t]) * Double(y[transposeB ? j * ldb + t : t * ldb + j])
            }
            expected[i * ldc + j] = alpha * sum + beta * expected[i * ldc + j]
          }
        }

        for variant in Execution.availableVariants {
          for usesBLAS in [false, true] {
            func multiply(threads: Int) throws -> [Scalar] {
              var result = start
              try Execution.with(threads: threads, variant: variant, usesBLAS: usesBLAS) {
                try result.withUnsafeMutableBufferPointer { buffer in
                  guard let base = buffer.baseAddress else { return }
                  try gemm(
                    m: c.m, n: c.n, k: c.k, alpha: Scalar(alpha), left, right, beta: Scalar(beta),
                    into: MatrixResult(base: base, leading: ldc))
                }
              }
              return try result.elements
            }
            let found = try multiply(threads: 1)
            #expect(largestDifference(found, expected) < tolerance, "\(variant), BLAS \(usesBLAS)")
            #expect(try multiply(threads: 2) == found)
            #expect(try multiply(threads: 4) == found)
          }
        }
        withExtendedLifetime((a, b)) {}
      }
    }
  }

  @Test func betaZeroDoesNotReadTheResult() throws {
    let a = try Tensor<Float>(repeating: 1, shape: [20, 20])
    for usesBLAS in [false, true] {
      var c = try Tensor<Float>(repeating: .nan, shape: [20, 20])
      try Execution.with(usesBLAS: usesBLAS) {
        try c.withUnsafeMutableBufferPointer { buffer in
          guard let base = buffer.baseAddress else { return }
          try gemm(
            m: 20, n: 20, k: 20, MatrixOperand(a.pointer, leading: 20), MatrixOperand(a.pointer, leading: 20),
            into: MatrixResult(base: base, leading: 20))
        }
      }
      #expect(try c.elements.allSatisfy { $0 == 20 })
    }
  }

  /// Batches of products that are small, of a few rows, and too large for that: each is the product it is by itself, or
  /// nearly, whatever computes it and on however many threads.
  @Test(arguments: [(5, 16, 32), (6, 7, 1), (7, 31, 150), (17, 48, 15), (64, 33, 300), (3, 9, 130), (260, 260, 40)])
  func productsOfABatch(m: Int, n: Int, k: Int) throws {
    try checkBatch(m, n, k, Float.self, tolerance: 1e-4)
    try checkBatch(m, n, k, Double.self, tolerance: 1e-12)
  }

  private func checkBatch<Scalar: FloatingPointScalar>(
    _ m: Int, _ n: Int, _ k: Int, _: Scalar.Type, tolerance: Double
  ) throws {
    var random = SplitMix64(seed: UInt64(m * 31 + n * 7 + k))
    let a = try Tensor<Scalar>.random([3, m, k], using: &random)
    let b = try Tensor<Scalar>.random([3, k, n], using: &random)
    let (x, y) = (try a.elements.map { Double($0) }, try b.elements.map { Double($0) })
    let expected: [Double] = (0..<3 * m * n).map { index in
      let (batch, row, column) = (index / (m * n), index / n % m, index % n)
      var sum = 0.0
      for i in 0..<k { sum += x[(batch * m + row) * k + i] * y[(batch * k + i) * n + column] }
      return -0.5 * sum
    }
    for variant in Execution.availableVariants {
      for (b, isTransposed) in [(b, false), (try b.transposed(), true)] {
        func multiply(threads: Int, usesBLAS: Bool) throws -> [Scalar] {
          try Execution.with(threads: threads, variant: variant, usesBLAS: usesBLAS) {
            try matmul(a, b, transposingB: isTransposed, alpha: -0.5).elements
          }
        }
        for usesBLAS in [false, true] {
          let result = try multiply(threads: 1, usesBLAS: usesBLAS)
          let error = zip(result, expected).reduce(0) { max($0, abs(Double($1.0) - $1.1)) }
          #expect(error <= tolerance * Double(k).squareRoot(), "\(variant), BLAS \(usesBLAS)")
          #expect(try multiply(threads: 3, usesBLAS: usesBLAS) == result)
        }
      }
    }
  }

  @Test func matmulBroadcastsItsBatch() throws {
    var random = SplitMix64(seed: 5)
    let a = try Tensor<Double>.random([3, 1, 4, 5], using: &random)
    let b = try Tensor<Double>.random([2, 5, 6], using: &random)
    let y = try matmul(a, b)
    #expect(y.shape == [3, 2, 4, 6])
    let (x, w, found) = (try a.elements, try b.elements, try y.elements)
    for i in 0..<3 {
      for j in 0..<2 {
        for r in 0..<4 {
          for s in 0..<6 {
            var sum = 0.0
            for k in 0..<5 { sum += x[(i * 4 + r) * 5 + k] * w[(j * 5 + k) * 6 + s] }
            #expect(abs(found[((i * 2 + j) * 4 + r) * 6 + s] - sum) < 1e-12)
          }
        }
      }
    }
    #expect(throws: TensorError.self) { try matmul(a, a) }
    #expect(throws: TensorError.self) { try linear(a, weight: b) }
  }
}
