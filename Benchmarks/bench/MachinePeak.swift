import Apus
import ApusKernels
import ApusPlatform
import Dispatch

#if arch(x86_64)
  import ApusKernelsAVX2
  import ApusKernelsAVX512
#endif

/// What this machine can do at best, measured now.
struct MachinePeak: Encodable {
  /// Multiply-adds on registers alone, with the instruction set of the kernels in use, on all threads.
  let gigaflops: Double
  /// The faster of reading and copying 128 MB in memory, on all threads; a copy counts bytes read and bytes written.
  let gigabytesPerSecond: Double

  init(threads: Int, variant: KernelVariant, budget: Double) {
    gigaflops = Self.gigaflops(threads, variant, budget)
    gigabytesPerSecond = Self.gigabytes(threads, variant, budget)
  }

  private static func gigaflops(_ threads: Int, _ variant: KernelVariant, _ budget: Double) -> Double {
    let rounds = 20_000
    let operations = Double(threads * rounds * variant.peakOperationsPerRound)
    let timing = Timing.of(budget: budget) {
      onThreads(threads) { _ in
        discard(variant.peakMultiplyAdds(rounds: rounds, factor: 0.999, summand: 0.001))
      }
    }
    return operations / timing.minimum * 1e-9
  }

  private static func gigabytes(_ threads: Int, _ variant: KernelVariant, _ budget: Double) -> Double {
    // Larger than any cache, and an integer of pages for each thread.
    let count = (32 << 20) / threads / 1024 * 1024
    let bytes = count * MemoryLayout<Float>.stride
    nonisolated(unsafe) let buffers = (0..<2 * threads).map { _ in
      UnsafeMutablePointer<Float>.allocate(capacity: count)
    }
    defer { for buffer in buffers { buffer.deallocate() } }
    for buffer in buffers { buffer.initialize(repeating: 1, count: count) }
    let reading = Timing.of(budget: budget) {
      onThreads(threads) { discard(variant.peakSum(UnsafePointer(buffers[2 * $0]), count: count)) }
    }
    let copying = Timing.of(budget: budget) {
      onThreads(threads) { memcpy(buffers[2 * $0], buffers[2 * $0 + 1], bytes) }
    }
    let total = Double(threads * bytes) * 1e-9
    return max(total / reading.minimum, 2 * total / copying.minimum)
  }

  private static func onThreads(_ count: Int, _ body: @Sendable (Int) -> Void) {
    if count == 1 { body(0) } else { DispatchQueue.concurrentPerform(iterations: count, execute: body) }
  }

  /// Keeps the optimiser from dropping what made the value.
  @inline(never)
  private static func discard(_ value: Float) {
    withExtendedLifetime(value) {}
  }
}

extension KernelVariant {
  fileprivate var peakOperationsPerRound: Int {
    #if arch(x86_64)
      switch base {
      case .avx512: return ApusKernelsAVX512.PeakKernels.operationsPerRound
      case .avx2: return ApusKernelsAVX2.PeakKernels.operationsPerRound
      default: break
      }
    #endif
    return ApusKernels.PeakKernels.operationsPerRound
  }

  fileprivate func peakMultiplyAdds(rounds: Int, factor: Float, summand: Float) -> Float {
    #if arch(x86_64)
      switch base {
      case .avx512:
        return ApusKernelsAVX512.PeakKernels.multiplyAdds(rounds: rounds, factor: factor, summand: summand)
      case .avx2: return ApusKernelsAVX2.PeakKernels.multiplyAdds(rounds: rounds, factor: factor, summand: summand)
      default: break
      }
    #endif
    return ApusKernels.PeakKernels.multiplyAdds(rounds: rounds, factor: factor, summand: summand)
  }

  fileprivate func peakSum(_ x: UnsafePointer<Float>, count: Int) -> Float {
    #if arch(x86_64)
      switch base {
      case .avx512: return ApusKernelsAVX512.PeakKernels.sum(x, count: count)
      case .avx2: return ApusKernelsAVX2.PeakKernels.sum(x, count: count)
      default: break
      }
    #endif
    return ApusKernels.PeakKernels.sum(x, count: count)
  }
}
