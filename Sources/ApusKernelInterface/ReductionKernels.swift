/// Sums, products and extremes over runs of elements.
public protocol ReductionKernels<Scalar> {
  associatedtype Scalar
}
