import ApusKernelInterface
import ApusKernels

#if arch(x86_64)
  import ApusKernelsAVX2
  import ApusKernelsAVX512
  import ApusKernelsAVXVNNI
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
  /// Those and AVX-VNNI, dot products of bytes (Alder Lake and later).
  case avxvnni
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
    case .avxvnni: .haswell.union(.avxvnni)
    case .avx512: .cascadeLake
    case .dotprod: [.neon, .dotprod]
    case .i8mm: [.neon, .dotprod, .i8mm]
    }
  }
}

extension KernelVariant {
  /// The variant whose kernels are this one's too, but for products of bytes.
  package var base: KernelVariant {
    switch self {
    case .baseline, .dotprod, .i8mm: .baseline
    case .avx2, .avxvnni: .avx2
    case .avx512: .avx512
    }
  }

  /// The bits of a vector.
  var vectorWidth: Int {
    switch self {
    case .baseline, .dotprod, .i8mm: 128
    case .avx2, .avxvnni: 256
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
    switch variant.base {
    #if arch(x86_64)
      case .avx512:
        float32 = ApusKernelsAVX512.Float32Kernels.self
        float64 = ApusKernelsAVX512.Float64Kernels.self
        data = ApusKernelsAVX512.AnyDataKernels.self
        convolution = ApusKernelsAVX512.BlockedKernels.self
        pixels = ApusKernelsAVX512.AnyPixelKernels.self
      case .avx2:
        float32 = ApusKernelsAVX2.Float32Kernels.self
        float64 = ApusKernelsAVX2.Float64Kernels.self
        data = ApusKernelsAVX2.AnyDataKernels.self
        convolution = ApusKernelsAVX2.BlockedKernels.self
        pixels = ApusKernelsAVX2.AnyPixelKernels.self
    #endif
    default:
      float32 = ApusKernels.Float32Kernels.self
      float64 = ApusKernels.Float64Kernels.self
      data = ApusKernels.AnyDataKernels.self
      convolution = ApusKernels.BlockedKernels.self
      pixels = ApusKernels.AnyPixelKernels.self
    }
    switch variant {
    #if arch(x86_64)
      case .avx512: quantized = ApusKernelsAVX512.IntegerKernels.self
      case .avxvnni: quantized = ApusKernelsAVXVNNI.IntegerKernels.self
      case .avx2: quantized = ApusKernelsAVX2.IntegerKernels.self
    #elseif arch(arm64)
      case .i8mm: quantized = ApusKernelsI8MM.IntegerKernels.self
      case .dotprod: quantized = ApusKernelsDotProd.IntegerKernels.self
    #endif
    default: quantized = ApusKernels.IntegerKernels.self
    }
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
