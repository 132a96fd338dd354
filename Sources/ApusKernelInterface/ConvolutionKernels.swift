/// Convolution over channel-blocked maps.
public protocol ConvolutionKernels: SendableMetatype {
}
