/// Softmax and the normalisations.
public protocol NormalizationKernels<Scalar> {
  associatedtype Scalar
}
