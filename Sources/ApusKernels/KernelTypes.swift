import ApusKernelInterface

/// The `Float` kernels of this variant; the working type.
public enum Float32Kernels: FloatingKernels {
  public typealias Scalar = Float
}

/// The `Double` kernels of this variant; plain loops: the float64 reference need not be fast.
public enum Float64Kernels: FloatingKernels {
  public typealias Scalar = Double
}

/// The kernels of this variant that move and convert data.
public enum AnyDataKernels: DataKernels {}

/// The channel-blocked convolutions of this variant.
public enum BlockedKernels: ConvolutionKernels {}

/// The loops over pixels of this variant.
public enum AnyPixelKernels: PixelKernels {}
