/// Loops over the pixels of pictures.
package protocol PixelKernels: JPEGKernels, ResamplingKernels {}
