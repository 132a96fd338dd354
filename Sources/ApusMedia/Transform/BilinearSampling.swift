import Apus
import ApusKernelInterface

/// Bilinear interpolation of bytes with two taps along each axis: OpenCV's `INTER_LINEAR`, PyTorch's `bilinear` without
/// aligned corners.
///
/// The sample at place `i` of `n` in a box from `a` to `b` is at `a + (i + ½) · (b − a) / n − ½`, and nothing is read
/// beyond the first and the last pixel. The result is the byte nearest to the exact value, of halves the upper one (see
/// ``ResamplingKernels``). OpenCV itself rounds weights to 2⁻¹¹, and may differ by a level.
struct BilinearSampling: Sendable {
  struct Row: Sendable {
    var upper: Int
    var lower: Int
    var weight: Double
  }

  let width: Int
  let rows: [Row]
  /// The samples of a source row that are needed.
  private let columns: Range<Int>
  private let rowCount: Int
  private let channels: Int
  /// For each column, beginning with the first that is needed.
  private let offsets: [Int32]
  private let weights: [Float]
  private let exactWeights: [Double]
  /// Whether `Float` holds every mixture as it is, as where a side is halved: a byte and two weights of seven binary places.
  private let isExact: Bool

  /// - Throws: ``ImageError`` for a row that is too long to number its samples.
  init(_ image: Image<UInt8>, from box: PixelBox, width: Int, height: Int) throws(ImageError) {
    guard image.rowCount < Int(Int32.max) else {
      throw ImageError(.invalidArgument("a row of \(image.width) pixels is too long to be resized"))
    }
    let across = Self.positions(from: box.x0, to: box.x1, count: width, limit: image.width)
    let first = across.first?.pixel ?? 0
    let last = across.last?.pixel ?? 0
    self.width = width
    channels = image.color.channels
    rowCount = image.rowCount
    columns = first * channels..<min(last + 2, image.width) * channels
    offsets = across.map { Int32(($0.pixel - first) * image.color.channels) }
    exactWeights = across.map(\.weight)
    weights = exactWeights.map { Float($0) }
    let down = Self.positions(from: box.y0, to: box.y1, count: height, limit: image.height)
    rows = down.map { Row(upper: $0.pixel, lower: min($0.pixel + 1, image.height - 1), weight: $0.weight) }
    isExact = (across + down).allSatisfy { ($0.weight * 128).rounded() == $0.weight * 128 }
  }

  private static func positions(
    from low: Double, to high: Double, count: Int, limit: Int
  ) -> [(pixel: Int, weight: Double)] {
    let step = (high - low) / Double(count)
    return (0..<count).map { index in
      let position = min(max(low + (Double(index) + 0.5) * step - 0.5, 0), Double(limit - 1))
      let pixel = Int(position)
      return (pixel, position - Double(pixel))
    }
  }

  /// Numbers a mixed pixel takes.
  private var step: Int { channels == 1 ? 1 : 4 }

  /// Calls `body` for every row of the output, with its mixed pixels: bands of rows, spread over threads.
  private func forRows(
    of image: Image<UInt8>, _ body: @Sendable (_ row: Int, _ pixels: UnsafePointer<Float>) -> Void
  ) {
    let kernels = Execution.current.pixelKernels
    let count = columns.count
    image.samples.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      nonisolated(unsafe) let source = base + columns.lowerBound
      withTaps { taps in
        nonisolated(unsafe) let taps = taps
        parallelRows(rows.count, width: max(width * channels, count)) { first, rowCount in
          // The last pixel has no next one; four numbers are read of it.
          withUnsafeTemporaryAllocation(of: Float.self, capacity: count + channels + 4) { mixed in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: width * step + 4) { pixels in
              guard let mixed = mixed.baseAddress, let pixels = pixels.baseAddress else { return }
              (mixed + count).initialize(repeating: 0, count: channels + 4)
              (pixels + width * step).initialize(repeating: 0, count: 4)
              for row in first..<first + rowCount {
                let tap = rows[row]
                let (upper, lower) = (source + tap.upper * self.rowCount, source + tap.lower * self.rowCount)
                kernels.mixRows(upper, lower, weight: Float(tap.weight), count: count, mixed)
                kernels.mixColumns(mixed, taps, channels: channels, pixels)
                if !isExact {
                  kernels.settleHalves(pixels, taps, channels: channels, upper, lower, weight: tap.weight)
                }
                body(row, pixels)
              }
            }
          }
        }
      }
    }
  }

  /// Writes the picture, channels side by side, with rows `rowStep` samples apart.
  func write(_ image: Image<UInt8>, to destination: UnsafeMutablePointer<UInt8>, rowStep: Int) {
    let kernels = Execution.current.pixelKernels
    nonisolated(unsafe) let destination = destination
    forRows(of: image) { row, pixels in
      kernels.levels(pixels, count: width, channels: channels, destination + row * rowStep)
    }
  }

  /// Writes planes of numbers: channel `order[p]` of the picture as `scales[p]` says, to plane `p` at
  /// `destination + p * planeStep`, with rows `rowStep` apart.
  func writePlanes(
    _ image: Image<UInt8>, order: [Int], scales: [PixelScale], to destination: UnsafeMutablePointer<Float>,
    rowStep: Int, planeStep: Int
  ) {
    let kernels = Execution.current.pixelKernels
    nonisolated(unsafe) let destination = destination
    forRows(of: image) { row, pixels in
      for plane in 0..<order.count {
        kernels.levels(
          pixels + order[plane], step: step, count: width, scales[plane],
          destination + plane * planeStep + row * rowStep)
      }
    }
  }

  private func withTaps(_ body: (PixelTaps) -> Void) {
    offsets.withUnsafeBufferPointer { offsets in
      weights.withUnsafeBufferPointer { weights in
        exactWeights.withUnsafeBufferPointer { exact in
          guard let first = offsets.baseAddress, let weight = weights.baseAddress, let exact = exact.baseAddress
          else { return }
          body(PixelTaps(offsets: first, weights: weight, exactWeights: exact, count: offsets.count))
        }
      }
    }
  }
}
