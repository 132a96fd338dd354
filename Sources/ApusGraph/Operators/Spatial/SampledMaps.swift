import Apus
import ApusKernelInterface

/// Maps that are sampled anywhere, all channels at the same places: sixteen at a time where that pays, else one after the
/// other.
struct SampledMaps<Scalar: FloatingPointScalar>: Sendable {
  private let x: Tensor<Scalar>
  /// The same channel-blocked.
  private let blocked: Tensor<Float>?
  /// Positions of a map.
  private let plane: Int
  private let kernels: any FloatingKernels<Scalar>.Type
  private let blockKernels: any ConvolutionKernels.Type
  private let dataKernels: any DataKernels.Type

  /// - Parameters:
  ///   - x: `[batch, channels, …]`.
  ///   - channels: how many are sampled at a time.
  ///   - samples: how many are taken of each channel, about.
  init(_ x: Tensor<Scalar>, channels: Int, samples: Int) throws {
    let block = TensorLayout.block
    let isAligned = channels == x.shape[1] || channels.isMultiple(of: block)
    // A sample takes some ten times as long as it takes to lay an element out.
    let isWorthIt = x.layout == .channelBlocked || samples >= x.count / max(x.shape[1], 1) / 10
    if isAligned, isWorthIt, let floats = x as? Tensor<Float>, case let blocked = try floats.channelBlocked,
      blocked.layout == .channelBlocked
    {
      (self.x, self.blocked) = (x, blocked)
    } else {
      (self.x, blocked) = (try x.rowMajor, nil)
    }
    plane = x.count / max(x.shape[0] * x.shape[1], 1)
    let execution = Execution.current
    (kernels, blockKernels, dataKernels) = (Scalar.kernels, execution.convolutionKernels, execution.dataKernels)
  }

  /// Sums of samples, each times a factor if there are any: output `i` of a channel at `y[(channel - first) * step + i]`.
  func sum(
    _ samples: SampleRun, of sample: Int, channels: Range<Int>, factors: UnsafePointer<Scalar>?, count: Int,
    to y: UnsafeMutablePointer<Scalar>, step: Int
  ) {
    if let blocked {
      let raw = UnsafeMutableRawPointer(y), rawFactors = UnsafeRawPointer(factors)
      sumBlocks(
        blocked, samples, of: sample, channels: channels, factors: rawFactors?.assumingMemoryBound(to: Float.self),
        count: count, to: raw.assumingMemoryBound(to: Float.self), step: step)
      return
    }
    withExtendedLifetime(x) {
      for channel in channels {
        let sums = samples.sums(x.pointer + (sample * x.shape[1] + channel) * plane, count: count, kernels)
        let y = y + (channel - channels.lowerBound) * step
        if let factors {
          for index in 0..<count { y[index] = Scalar(sums[index] * Double(factors[index])) }
        } else {
          for index in 0..<count { y[index] = Scalar(sums[index]) }
        }
      }
    }
  }

  private func sumBlocks(
    _ x: Tensor<Float>, _ samples: SampleRun, of sample: Int, channels: Range<Int>, factors: UnsafePointer<Float>?,
    count: Int, to y: UnsafeMutablePointer<Float>, step: Int
  ) {
    let block = TensorLayout.block
    withExtendedLifetime(x) {
      withUnsafeTemporaryAllocation(of: Float.self, capacity: count * block) { room in
        guard let room = room.baseAddress else { return }
        for first in stride(from: channels.lowerBound, to: channels.upperBound, by: block) {
          let index = sample * TensorLayout.blocks(x.shape[1]) + first / block
          samples.blockSums(x.pointer + index * plane * block, factors: factors, count: count, to: room, blockKernels)
          dataKernels.transpose(
            elementSize: MemoryLayout<Float>.stride, from: room, sourceStride: block,
            to: y + (first - channels.lowerBound) * step, destinationStride: step, rows: count,
            columns: min(block, channels.upperBound - first))
        }
      }
    }
  }
}
