/// Loops over the pixels of pictures.
public protocol PixelKernels: JPEGKernels, ResamplingKernels {}
