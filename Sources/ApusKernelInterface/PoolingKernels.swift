/// Maxima and averages over windows.
public protocol PoolingKernels<Scalar> {
  associatedtype Scalar
}
