import Apus
import ApusKernelInterface

/// Weighted sums of numbers along both axes, added in one order on every processor.
struct FloatResampling: Sendable {
  let across: ResamplingAxis
  let down: ResamplingAxis

  /// Samples are from 0 to `full`, as far as opacity is concerned.
  /// - Throws: ``ImageError`` when there is no memory.
  func callAsFunction(_ image: Image<Float>, full: Float) throws -> Image<Float> {
    let channels = image.color.channels
    guard image.color.hasAlpha else { return try resampled(image) }
    var seen = image
    seen.withUnsafeMutableSamples { samples in
      for pixel in 0..<samples.count / channels {
        let alpha = samples[pixel * channels + channels - 1] / full
        for channel in 0..<channels - 1 { samples[pixel * channels + channel] *= alpha }
      }
    }
    var result = try resampled(seen)
    result.withUnsafeMutableSamples { samples in
      for pixel in 0..<samples.count / channels {
        let alpha = samples[pixel * channels + channels - 1] / full
        guard alpha > 0 else { continue }
        for channel in 0..<channels - 1 { samples[pixel * channels + channel] /= alpha }
      }
    }
    return result
  }

  private func resampled(_ image: Image<Float>) throws -> Image<Float> {
    if down.isIdentity { return across.isIdentity ? image : try alongRows(image, rows: 0..<image.height) }
    let rows = down.range
    if across.isIdentity { return try alongColumns(image, firstRow: 0) }
    return try alongColumns(try alongRows(image, rows: rows), firstRow: rows.lowerBound)
  }

  private func alongRows(_ image: Image<Float>, rows: Range<Int>) throws -> Image<Float> {
    let channels = image.color.channels
    try Image<Float>.checkMemory(width: across.count, height: rows.count, color: image.color)
    let kernels = Execution.current.pixelKernels
    let narrow = across.weights.map { Float($0) }
    let rowStep = image.rowCount
    let outputStep = across.count * channels
    return try Image(width: across.count, height: rows.count, color: image.color) { samples in
      nonisolated(unsafe) let y = samples
      parallelRows(rows.count, width: across.weights.count * channels) { first, count in
        image.samples.withUnsafeBufferPointer { x in
          across.starts.withUnsafeBufferPointer { starts in
            across.places.withUnsafeBufferPointer { places in
              narrow.withUnsafeBufferPointer { weights in
                guard let starts = starts.baseAddress, let places = places.baseAddress,
                  let weights = weights.baseAddress, let x = x.baseAddress, let y = y.baseAddress
                else { return }
                let sums = FloatSums(
                  starts: starts, places: places, weights: weights, count: across.count, channels: channels)
                for row in first..<first + count {
                  kernels.sumColumns(x + (rows.lowerBound + row) * rowStep, sums, y + row * outputStep)
                }
              }
            }
          }
        }
      }
    }
  }

  private func alongColumns(_ image: Image<Float>, firstRow: Int) throws -> Image<Float> {
    let kernels = Execution.current.pixelKernels
    let narrow = down.weights.map { Float($0) }
    let rowCount = image.rowCount
    let taps = down.weights.count / down.count + 1
    return try Image(width: image.width, height: down.count, color: image.color) { samples in
      nonisolated(unsafe) let y = samples
      parallelRows(down.count, width: rowCount * taps) { first, count in
        narrow.withUnsafeBufferPointer { weights in
          image.samples.withUnsafeBufferPointer { x in
            guard let x = x.baseAddress, let y = y.baseAddress else { return }
            for row in first..<first + count {
              kernels.sumRows(
                x + (down.starts[row] - firstRow) * rowCount, rowStep: rowCount,
                weights: UnsafeBufferPointer(rebasing: weights[down.places[row]..<down.places[row + 1]]),
                y + row * rowCount, count: rowCount)
            }
          }
        }
      }
    }
  }
}
