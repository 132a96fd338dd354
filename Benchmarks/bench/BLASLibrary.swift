import Apus
import ApusPlatform

/// The BLAS library called without Apus in between: what its share of the time is measured against.
///
/// On Linux this is the library that Apus has loaded, with the kernels that Apus has chosen for it. Where Apus uses
/// none (`APUS_BLAS=none`), it is loaded here as any program would load it.
struct BLASLibrary: Sendable {
  static let shared = BLASLibrary()

  #if os(Linux)
    private typealias SGEMM =
      @convention(c) (
        Int32, Int32, Int32, Int32, Int32, Int32, Float, UnsafePointer<Float>, Int32, UnsafePointer<Float>, Int32,
        Float, UnsafeMutablePointer<Float>, Int32
      ) -> Void
    private let sgemm: SGEMM
    /// The processor family that the library's kernels were written for.
    let core: String

    private init?() {
      // First, so that Apus can say which kernels it wants.
      let name = Diagnosis().blas?.library ?? "libopenblas.so.0"
      guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL), let function = dlsym(handle, "cblas_sgemm"),
        let coreName = dlsym(handle, "openblas_get_corename")
      else { return nil }
      if let setThreads = dlsym(handle, "openblas_set_num_threads") {
        unsafeBitCast(setThreads, to: (@convention(c) (Int32) -> Void).self)(1)
      }
      sgemm = unsafeBitCast(function, to: SGEMM.self)
      typealias CoreName = @convention(c) () -> UnsafePointer<CChar>?
      core = unsafeBitCast(coreName, to: CoreName.self)().map { String(cString: $0) } ?? "unknown"
    }

    func multiply(
      m: Int, n: Int, k: Int, _ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>, transposingB: Bool,
      into c: UnsafeMutableBufferPointer<Float>
    ) {
      guard let a = a.baseAddress, let b = b.baseAddress, let c = c.baseAddress else { return }
      let (rowMajor, plain, transposed): (Int32, Int32, Int32) = (101, 111, 112)
      sgemm(
        rowMajor, plain, transposingB ? transposed : plain, Int32(m), Int32(n), Int32(k),
        1, a, Int32(k), b, Int32(transposingB ? k : n), 0, c, Int32(n))
    }
  #else
    private init?() { nil }
    let core = "none"

    func multiply(
      m: Int, n: Int, k: Int, _ a: UnsafeBufferPointer<Float>, _ b: UnsafeBufferPointer<Float>, transposingB: Bool,
      into c: UnsafeMutableBufferPointer<Float>
    ) {}
  #endif
}
