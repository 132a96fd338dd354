import ApusKernelInterface

/// The `Float` kernels of this variant; the working type.
package enum Float32Kernels: FloatingKernels {
  package typealias Scalar = Float
}

/// The `Double` kernels of this variant; plain loops: the float64 reference need not be fast.
package enum Float64Kernels: FloatingKernels {
  package typealias Scalar = Double
}

/// The kernels of this variant that move and convert data.
package enum AnyDataKernels: DataKernels {}

/// The channel-blocked convolutions of this variant.
package enum BlockedKernels: ConvolutionKernels {}

/// The loops over pixels of this variant.
package enum AnyPixelKernels: PixelKernels {}
