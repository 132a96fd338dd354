/// Sampling at other resolutions.
public protocol ResizeKernels<Scalar> {
  associatedtype Scalar
}
