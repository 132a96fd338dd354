/// Element-by-element functions of one operand.
public protocol ActivationKernels<Scalar> {
  associatedtype Scalar
}
