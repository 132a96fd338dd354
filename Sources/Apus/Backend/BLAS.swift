/// The BLAS library in use, when there is one.
struct BLAS: Sendable {
  static let shared: BLAS? = nil
}
