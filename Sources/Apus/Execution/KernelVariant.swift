import ApusKernelInterface
import ApusKernels

#if arch(x86_64)
  import ApusKernelsAVX2
  import ApusKernelsAVX512
#elseif arch(arm64)
  import ApusKernelsDotProd
  import ApusKernelsI8MM
#endif

/// The instruction set a copy of the kernels was compiled for.
public enum KernelVariant: String, Sendable, Hashable, CaseIterable, Codable {
  /// What every processor of the architecture has: SSE2 on x86-64, NEON on arm64.
  case baseline
  /// AVX2, FMA and F16C (Haswell and later).
  case avx2
  /// AVX-512 F, CD, BW, DQ, VL and VNNI (Cascade Lake and later).
  case avx512
  /// NEON and the dot products of bytes (Neoverse N1, Cortex-A76, Apple's M1 and later).
  case dotprod
  /// Those of unsigned and signed bytes too (Neoverse V1 and N2, Apple's M2 and later).
  case i8mm

  /// What a processor must have to run the variant.
  var requirements: ProcessorFeatures {
    switch self {
    case .baseline: []
    case .avx2: .haswell
    case .avx512: .cascadeLake
    case .dotprod: [.neon, .dotprod]
    case .i8mm: [.neon, .dotprod, .i8mm]
    }
  }
}

extension KernelVariant {
  /// The bits of a vector.
  var vectorWidth: Int {
    switch self {
    case .baseline, .dotprod, .i8mm: 128
    case .avx2: 256
    case .avx512: 512
    }
  }
}

/// The kernels of one variant.
struct KernelSet: Sendable {
  let variant: KernelVariant
  let float32: any FloatingKernels<Float>.Type
  let float64: any FloatingKernels<Double>.Type
  let data: any DataKernels.Type
  let convolution: any ConvolutionKernels.Type
  let quantized: any QuantizedKernels.Type
  let pixels: any PixelKernels.Type

  init(_ variant: KernelVariant) {
    self.variant = variant
    #if arch(x86_64)
      switch variant {
      case .avx512:
        float32 = ApusKernelsAVX512.Float32Kernels.self
        float64 = ApusKernelsAVX512.Float64Kernels.self
        data = ApusKernelsAVX512.AnyDataKernels.self
        convolution = ApusKernelsAVX512.BlockedKernels.self
        quantized = ApusKernelsAVX512.IntegerKernels.self
        pixels = ApusKernelsAVX512.AnyPixelKernels.self
        return
      case .avx2:
        float32 = ApusKernelsAVX2.Float32Kernels.self
        float64 = ApusKernelsAVX2.Float64Kernels.self
        data = ApusKernelsAVX2.AnyDataKernels.self
        convolution = ApusKernelsAVX2.BlockedKernels.self
        quantized = ApusKernelsAVX2.IntegerKernels.self
        pixels = ApusKernelsAVX2.AnyPixelKernels.self
        return
      default: break
      }
    #endif
    float32 = ApusKernels.Float32Kernels.self
    float64 = ApusKernels.Float64Kernels.self
    data = ApusKernels.AnyDataKernels.self
    convolution = ApusKernels.BlockedKernels.self
    pixels = ApusKernels.AnyPixelKernels.self
    #if arch(arm64)
      switch variant {
      case .i8mm: quantized = ApusKernelsI8MM.IntegerKernels.self
      case .dotprod: quantized = ApusKernelsDotProd.IntegerKernels.self
      default: quantized = ApusKernels.IntegerKernels.self
      }
    #else
      quantized = ApusKernels.IntegerKernels.self
    #endif
  }
}

extension Execution {
  /// The loops over pixels.
  package var pixelKernels: any PixelKernels.Type { kernels.pixels }

  /// The loops over channel-blocked maps.
  package var convolutionKernels: any ConvolutionKernels.Type { kernels.convolution }

  /// The loops that move elements.
  package var dataKernels: any DataKernels.Type { kernels.data }
}
