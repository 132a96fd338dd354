/// What turns the coefficients of a JPEG file into pixels.
public protocol JPEGKernels {
}
