import ApusBase

#if canImport(Accelerate)
  import Accelerate
#endif

/// The BLAS library in use: OpenBLAS on Linux, found when first needed; Accelerate on Apple platforms (untested).
///
/// It multiplies matrices and does nothing else, always on the calling thread: split over several its results would
/// change with their number.
struct BLAS: Sendable {
  /// What was opened, as it was asked for: a file name or a path.
  let library: String
  /// The processor family that the library's kernels were written for.
  let core: String
  /// The library's own description of its version and build.
  let config: String
  /// The bits of a vector of the library's kernels. Products with wider Swift kernels are made by those, unless the user
  /// has named the library.
  let vectorWidth: Int
  private let functions: Functions

  /// The library, or nil when there is none that is worth using; ``warnings`` says why. The first use loads it.
  static var shared: BLAS? { search.library }

  /// Why no library is used, or why it is slower than it could be.
  static var warnings: [String] { search.warnings }

  /// What is wrong with `APUS_BLAS`: it names something that is not a library, or not one that can be used here.
  static var environmentError: EnvironmentError? {
    guard let name = environment(variable), name != "none" else { return nil }
    #if canImport(Accelerate)
      let expected = "none; without it Accelerate is used"
    #else
      if search.library != nil { return nil }
      let reasons = search.refusals.isEmpty ? "" : " (\(search.refusals.joined(separator: "; ")))"
      let expected = "the name or path of an OpenBLAS, or none\(reasons)"
    #endif
    return EnvironmentError(variable: variable, value: name, expected: expected)
  }

  private static let variable = "APUS_BLAS"
  private static let search = find()
}

extension BLAS {
  /// Whether sizes and strides fit the library's 32-bit integers. Larger products must not be passed on.
  static func accepts(_ m: Int, _ n: Int, _ k: Int, _ strideA: Int, _ strideB: Int, _ strideC: Int) -> Bool {
    UInt(bitPattern: m | n | k | strideA | strideB | strideC) <= UInt(Int32.max)
  }

  /// C ← `alpha` · A · B + `beta` · C for row-major matrices; with `beta` 0 whatever C held is ignored.
  ///
  /// - Parameters:
  ///   - transposeA: whether `a` holds Aᵀ, `[k, m]`, rather than A, `[m, k]`.
  ///   - transposeB: whether `b` holds Bᵀ, `[n, k]`, rather than B, `[k, n]`.
  ///   - m: rows of A and C. All sizes and strides are ones that ``accepts(_:_:_:_:_:_:)``.
  ///   - n: columns of B and C.
  ///   - k: columns of A and rows of B.
  ///   - strideA: elements from one row of `a` to the next, at least the length of a row; likewise for `b` and `c`.
  func sgemm(
    transposeA: Bool, transposeB: Bool, m: Int, n: Int, k: Int,
    alpha: Float, _ a: UnsafePointer<Float>, strideA: Int, _ b: UnsafePointer<Float>, strideB: Int,
    beta: Float, _ c: UnsafeMutablePointer<Float>, strideC: Int
  ) {
    functions.sgemm(
      Order.rowMajor, Order.transposition(transposeA), Order.transposition(transposeB), Int32(m), Int32(n), Int32(k),
      alpha, a, Int32(strideA), b, Int32(strideB), beta, c, Int32(strideC))
  }

  /// Like ``sgemm(transposeA:transposeB:m:n:k:alpha:_:strideA:_:strideB:beta:_:strideC:)`` in double precision.
  func dgemm(
    transposeA: Bool, transposeB: Bool, m: Int, n: Int, k: Int,
    alpha: Double, _ a: UnsafePointer<Double>, strideA: Int, _ b: UnsafePointer<Double>, strideB: Int,
    beta: Double, _ c: UnsafeMutablePointer<Double>, strideC: Int
  ) {
    functions.dgemm(
      Order.rowMajor, Order.transposition(transposeA), Order.transposition(transposeB), Int32(m), Int32(n), Int32(k),
      alpha, a, Int32(strideA), b, Int32(strideB), beta, c, Int32(strideC))
  }
}

#if canImport(Accelerate)
  extension BLAS {
    private struct Functions: Sendable {
      func sgemm(
        _ order: CBLAS_ORDER, _ transposeA: CBLAS_TRANSPOSE, _ transposeB: CBLAS_TRANSPOSE,
        _ m: Int32, _ n: Int32, _ k: Int32, _ alpha: Float, _ a: UnsafePointer<Float>, _ strideA: Int32,
        _ b: UnsafePointer<Float>, _ strideB: Int32, _ beta: Float, _ c: UnsafeMutablePointer<Float>, _ strideC: Int32
      ) {
        cblas_sgemm(order, transposeA, transposeB, m, n, k, alpha, a, strideA, b, strideB, beta, c, strideC)
      }
      func dgemm(
        _ order: CBLAS_ORDER, _ transposeA: CBLAS_TRANSPOSE, _ transposeB: CBLAS_TRANSPOSE,
        _ m: Int32, _ n: Int32, _ k: Int32, _ alpha: Double, _ a: UnsafePointer<Double>, _ strideA: Int32,
        _ b: UnsafePointer<Double>, _ strideB: Int32, _ beta: Double, _ c: UnsafeMutablePointer<Double>,
        _ strideC: Int32
      ) {
        cblas_dgemm(order, transposeA, transposeB, m, n, k, alpha, a, strideA, b, strideB, beta, c, strideC)
      }
    }

    private enum Order {
      static let rowMajor = CblasRowMajor
      static func transposition(_ transposed: Bool) -> CBLAS_TRANSPOSE { transposed ? CblasTrans : CblasNoTrans }
    }

    private static func find() -> (library: BLAS?, warnings: [String], refusals: [String]) {
      if environment(variable) == "none" { return (nil, [], []) }
      BLASSetThreading(BLAS_THREADING_SINGLE_THREADED)
      let library = BLAS(
        library: "Accelerate", core: "Accelerate", config: "Accelerate", vectorWidth: .max, functions: Functions())
      return (library, [], [])
    }
  }
#else
  extension BLAS {
    private typealias Functions = OpenBLAS.Functions

    private enum Order {
      static let rowMajor: Int32 = 101
      static func transposition(_ transposed: Bool) -> Int32 { transposed ? 112 : 111 }
    }

    private static func find() -> (library: BLAS?, warnings: [String], refusals: [String]) {
      let setting = environment(variable)
      let search = OpenBLAS.search(setting, features: .current)
      let library = search.library.map {
        BLAS(
          library: $0.name, core: $0.core, config: $0.config,
          vectorWidth: setting == nil ? OpenBLAS.vectorWidth(ofCore: $0.core) : .max, functions: $0.functions)
      }
      return (library, search.warnings, search.refusals)
    }
  }
#endif
