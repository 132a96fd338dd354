/// Element-by-element arithmetic of one or two operands.
public protocol ArithmeticKernels<Scalar> {
  associatedtype Scalar
}
