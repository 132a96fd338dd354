/// Pictures at another size, and as the numbers that networks take.
public protocol ResamplingKernels {
}
