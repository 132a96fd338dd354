import ApusPlatform
import Testing

@testable import Apus

@Suite struct BLASTests {
  @Test func sizesBeyond32BitsAreNotAccepted() {
    #expect(BLAS.accepts(1, 2, 3, 4, 5, 6))
    #expect(BLAS.accepts(0, 0, 0, 0, 0, Int(Int32.max)))
    for position in 0..<6 {
      for wrong in [Int(Int32.max) + 1, 1 << 40, -1, Int.min] {
        var sizes = [Int](repeating: 7, count: 6)
        sizes[position] = wrong
        #expect(!BLAS.accepts(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]))
      }
    }
  }

  @Test func theEnvironmentIsAsBefore() {
    let names = ["OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS"]
    let before = names.map(environment)
    _ = BLAS.shared
    #expect(names.map(environment) == before)
  }

  /// Small integers, so that every sum is exact.
  private static func matrix<Scalar: BinaryFloatingPoint>(_ count: Int, _ factor: Int) -> [Scalar] {
    (0..<count).map { Scalar(($0 * factor + 3) % 11 - 5) }
  }

  private static func product<Scalar: BinaryFloatingPoint>(
    _ transposeA: Bool, _ transposeB: Bool, _ m: Int, _ n: Int, _ k: Int, _ a: [Scalar], _ strideA: Int,
    _ b: [Scalar], _ strideB: Int, _ c: [Scalar], _ strideC: Int, alpha: Scalar, beta: Scalar
  ) -> [Scalar] {
    var c = c
    for i in 0..<m {
      for j in 0..<n {
        var sum: Scalar = 0
        for l in 0..<k {
          let left = transposeA ? a[l * strideA + i] : a[i * strideA + l]
          let right = transposeB ? b[j * strideB + l] : b[l * strideB + j]
          sum += left * right
        }
        c[i * strideC + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * strideC + j])
      }
    }
    return c
  }

  @Test(.enabled(if: BLAS.shared != nil, "no BLAS library here"), arguments: [false, true], [false, true])
  func productsAreExactOnSmallIntegers(transposeA: Bool, transposeB: Bool) throws {
    let blas = try #require(BLAS.shared)
    for (m, n, k) in [(1, 1, 1), (3, 5, 7), (16, 48, 33), (65, 31, 129)] {
      let strideA = (transposeA ? m : k) + 3
      let strideB = (transposeB ? k : n) + 1
      let strideC = n + 2
      let a: [Float] = Self.matrix((transposeA ? k : m) * strideA, 7)
      let b: [Float] = Self.matrix((transposeB ? n : k) * strideB, 5)
      for (alpha, beta) in [(1, 0), (2, 1), (-1, 3)] as [(Float, Float)] {
        var c: [Float] = Self.matrix(m * strideC, 3)
        if beta == 0 { c[0] = .nan }
        let expected = Self.product(
          transposeA, transposeB, m, n, k, a, strideA, b, strideB, c, strideC, alpha: alpha, beta: beta)
        blas.sgemm(
          transposeA: transposeA, transposeB: transposeB, m: m, n: n, k: k, alpha: alpha, a, strideA: strideA,
          b, strideB: strideB, beta: beta, &c, strideC: strideC)
        #expect(c == expected)

        let (a64, b64) = (a.map(Double.init), b.map(Double.init))
        var c64: [Double] = Self.matrix(m * strideC, 3)
        let expected64 = Self.product(
          transposeA, transposeB, m, n, k, a64, strideA, b64, strideB, c64, strideC,
          alpha: Double(alpha), beta: Double(beta))
        blas.dgemm(
          transposeA: transposeA, transposeB: transposeB, m: m, n: n, k: k, alpha: Double(alpha), a64, strideA: strideA,
          b64, strideB: strideB, beta: Double(beta), &c64, strideC: strideC)
        #expect(c64 == expected64)
      }
    }
  }
}

#if !canImport(Darwin)
  @Suite struct OpenBLASTests {
    @Test func theCoreTypeSuitsTheProcessor() {
      #expect(OpenBLAS.coreType(for: .cascadeLake) == "SkylakeX")
      #expect(OpenBLAS.coreType(for: .skylakeServer) == "SkylakeX")
      #expect(OpenBLAS.coreType(for: .haswell) == "Haswell")
      // A Knights Landing has AVX-512, but not the part that these kernels use.
      #expect(OpenBLAS.coreType(for: .haswell.union([.avx512f, .avx512cd])) == "Haswell")
      #expect(OpenBLAS.coreType(for: [.sse42, .avx]) == nil)
      #expect(OpenBLAS.coreType(for: .neon) == nil)
      // What the user asks for counts, unless the processor would die of it.
      #expect(OpenBLAS.coreTypeSetting(nil, .haswell) == "Haswell")
      #expect(OpenBLAS.coreTypeSetting("Haswell", .skylakeServer) == "Haswell")
      #expect(OpenBLAS.coreTypeSetting("SkylakeX", .haswell) == "Haswell")
      #expect(OpenBLAS.coreTypeSetting("haswell", [.sse42]) == nil)
      #expect(OpenBLAS.coreTypeSetting("Sandybridge", [.sse42]) == nil)
      #expect(OpenBLAS.coreTypeSetting("Prescott", [.sse42]) == "Prescott")
    }

    @Test func oldCoresAreNarrow() {
      for core in ["Prescott", "Core2", "Nehalem", "Sandybridge", "Bulldozer", "Unknown"] {
        #expect(OpenBLAS.vectorWidth(ofCore: core) == 128)
      }
      #expect(OpenBLAS.vectorWidth(ofCore: "Zen") == 256)
      #expect(OpenBLAS.vectorWidth(ofCore: "Haswell") == 256)
      #expect(OpenBLAS.vectorWidth(ofCore: "SkylakeX") == 512)
      #expect(OpenBLAS.vectorWidth(of: .cascadeLake) == 512)
      #expect(OpenBLAS.vectorWidth(of: .haswell) == 256)
      #expect(OpenBLAS.vectorWidth(of: [.sse42, .avx]) == 128)
    }

    @Test func noneMeansNone() {
      let search = OpenBLAS.search("none", features: .current)
      #expect(search.library == nil)
      #expect(search.warnings.isEmpty)
    }

    @Test func aMissingLibraryIsAWarning() {
      let search = OpenBLAS.search("/nowhere/libopenblas.so", features: .current)
      #expect(search.library == nil)
      #expect(search.warnings.count == 1)
      #expect(search.warnings.first?.contains("/nowhere/libopenblas.so") == true)
      #expect(search.refusals.count == 1 && search.refusals.first?.hasPrefix("cannot be loaded: ") == true)
    }

    @Test func anotherLibraryIsRefused() {
      let search = OpenBLAS.search("libc.so.6", features: .current)
      #expect(search.library == nil)
      #expect(search.warnings.first?.contains("not an OpenBLAS") == true)
      #expect(search.refusals.first?.contains("not an OpenBLAS") == true)
    }

    @Test(.enabled(if: BLAS.shared != nil, "no BLAS library here"))
    func theLibraryIsWorthUsing() throws {
      let blas = try #require(BLAS.shared)
      #expect(OpenBLAS.vectorWidth(ofCore: blas.core) * 2 >= OpenBLAS.vectorWidth(of: .current))
      #expect(blas.config.contains("OpenBLAS"))
    }

    /// Once loaded, a library's core type is what it is, and a wider processor would be ill served.
    @Test(.enabled(if: BLAS.shared.map { OpenBLAS.vectorWidth(ofCore: $0.core) } == 128, "its kernels are wide"))
    func aNarrowCoreIsRefusedOnAWideProcessor() throws {
      let blas = try #require(BLAS.shared)
      let search = OpenBLAS.search(blas.library, features: .haswell)
      #expect(search.library == nil)
      #expect(search.warnings.first?.contains(blas.core) == true)
    }
  }
#endif
