import Apus
import ApusKernelInterface

/// Weighted sums of bytes along both axes, rows first, with bytes between them: what Pillow computes, bit for bit.
/// (Version 13.0 begins with the columns of some pictures. A byte may then differ by 1, and by more where a filter with
/// negative weights meets black or white.)
struct ByteResampling: Sendable {
  let across: ResamplingAxis
  let down: ResamplingAxis

  /// - Throws: ``ImageError`` when there is no memory.
  func callAsFunction(_ image: Image<UInt8>) throws -> Image<UInt8> {
    guard image.color.hasAlpha else { return try resampled(image) }
    // Colours count as much as they are seen.
    let kernels = Execution.current.pixelKernels
    let channels = image.color.channels
    let seen = try Image<UInt8>(width: image.width, height: image.height, color: image.color) { samples in
      nonisolated(unsafe) let y = samples
      parallelRanges(y.count / channels) { first, count in
        image.samples.withUnsafeBufferPointer { x in
          guard let x = x.baseAddress, let y = y.baseAddress else { return }
          kernels.premultiply(x + first * channels, channels: channels, y + first * channels, count: count)
        }
      }
    }
    var result = try resampled(seen)
    result.withUnsafeMutableSamples { samples in
      nonisolated(unsafe) let x = samples
      parallelRanges(x.count / channels) { first, count in
        guard let x = x.baseAddress else { return }
        kernels.unpremultiply(x + first * channels, channels: channels, count: count)
      }
    }
    return result
  }

  private func resampled(_ image: Image<UInt8>) throws -> Image<UInt8> {
    if down.isIdentity { return across.isIdentity ? image : try alongRows(image, rows: 0..<image.height) }
    let rows = down.range
    if across.isIdentity { return try alongColumns(image, firstRow: 0) }
    return try alongColumns(try alongRows(image, rows: rows), firstRow: rows.lowerBound)
  }

  /// Some rows of the picture at their new width.
  private func alongRows(_ image: Image<UInt8>, rows: Range<Int>) throws -> Image<UInt8> {
    let channels = image.color.channels
    guard image.rowCount < Int(Int32.max) else {
      throw ImageError(.invalidArgument("a row of \(image.width) pixels is too long to be resized"))
    }
    try Image<UInt8>.checkMemory(width: across.count, height: rows.count, color: image.color)
    let step = ByteSums.step(channels: channels)
    let longest = across.starts.indices.map { across.places[$0 + 1] - across.places[$0] }.max() ?? 1
    let groups = (longest * channels).dividedRoundingUp(by: step)
    let starts = across.starts.map { Int32($0 * channels) }
    let fixed = across.fixedWeights
    var weights = [Int32](repeating: 0, count: across.count * groups * 16)
    for pixel in 0..<across.count {
      for (tap, place) in (across.places[pixel]..<across.places[pixel + 1]).enumerated() {
        for byte in tap * channels..<(tap + 1) * channels {
          weights[(pixel * groups + byte / step) * 16 + byte % step] = fixed[place]
        }
      }
    }
    // What the last group of a row reads, from the row's beginning, may be more than the row.
    let read = Int(starts.max() ?? 0) + (groups - 1) * step + 16
    let kernels = Execution.current.pixelKernels
    let rowStep = image.rowCount
    let outputStep = across.count * channels
    return try Image(width: across.count, height: rows.count, color: image.color) { samples in
      nonisolated(unsafe) let y = samples
      starts.withUnsafeBufferPointer { starts in
        weights.withUnsafeBufferPointer { weights in
          image.samples.withUnsafeBufferPointer { x in
            guard let starts = starts.baseAddress, let weights = weights.baseAddress, let first = y.baseAddress,
              let base = x.baseAddress
            else { return }
            nonisolated(unsafe) let sums = ByteSums(
              starts: starts, weights: weights, count: across.count, groups: groups, channels: channels)
            let safe = x.count < read ? 0 : (x.count - read) / rowStep + 1
            nonisolated(unsafe) let (source, target) = (base, first)
            parallelRanges(rows.count, grain: max(8, elementsPerPiece / rowStep)) { first, count in
              let row = rows.lowerBound + first
              let whole = max(0, min(count, safe - row))
              kernels.sumColumns(
                source + row * rowStep, rowStep: rowStep, rows: whole, sums, target + first * outputStep,
                outputStep: outputStep)
              let rest = count - whole
              guard rest > 0 else { return }
              withUnsafeTemporaryAllocation(of: UInt8.self, capacity: rest * rowStep + read) { room in
                guard let room = room.baseAddress else { return }
                room.update(repeating: 0, count: rest * rowStep + read)
                room.update(from: source + (row + whole) * rowStep, count: rest * rowStep)
                kernels.sumColumns(
                  room, rowStep: rowStep, rows: rest, sums, target + (first + whole) * outputStep,
                  outputStep: outputStep)
              }
            }
          }
        }
      }
    }
  }

  /// The picture, which begins with row `firstRow`, at its new height.
  private func alongColumns(_ image: Image<UInt8>, firstRow: Int) throws -> Image<UInt8> {
    let kernels = Execution.current.pixelKernels
    let fixed = down.fixedWeights
    let rowCount = image.rowCount
    let taps = down.weights.count / down.count + 1
    return try Image(width: image.width, height: down.count, color: image.color) { samples in
      nonisolated(unsafe) let y = samples
      parallelRows(down.count, width: rowCount * taps / 4 + 1) { first, count in
        fixed.withUnsafeBufferPointer { weights in
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
