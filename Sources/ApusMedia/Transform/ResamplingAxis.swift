import Apus
import ApusPlatform

func sine(_ x: Double) -> Double { sin(x) }

/// Which pixels along one axis each output pixel is the weighted sum of: `weights[places[i] ..< places[i + 1]]`
/// belong to the pixels from `starts[i]` on. They sum up to 1, and neither the first nor the last of a pixel is 0.
struct ResamplingAxis: Sendable {
  let starts: [Int]
  let places: [Int]
  let weights: [Double]
  /// Whether every output pixel is the input pixel at its place.
  let isIdentity: Bool

  /// `count` output pixels from `low ..< high` of `limit` input pixels. What lies beside that range has its part in the
  /// pixels at its ends; what lies outside the picture has none.
  /// - Throws: ``ImageError`` when there is no memory for the weights.
  init(_ filter: ResizeFilter, from low: Double, to high: Double, count: Int, limit: Int) throws(ImageError) {
    isIdentity = low == 0 && high == Double(limit) && count == limit
    let step = (high - low) / Double(count)
    var starts: [Int] = []
    var places = [0]
    var weights: [Double] = []
    if let support = filter.support {
      let stretch = max(step, 1)
      let reach = support * stretch
      // What the vector kernels make of a weight takes 16 bytes.
      let bytes = (min(2 * reach, Double(limit)) + 2) * Double(count) * 24
      guard bytes <= Double(Execution.memoryLimit) else {
        throw ImageError(.invalidArgument("no memory for the weights of \(count) pixels from \(limit)"))
      }
      for index in 0..<count {
        let center = low + (Double(index) + 0.5) * step
        let first = Int(max(0, center - reach + 0.5))
        let end = Int(min(Double(limit), max(0, center + reach + 0.5)))
        let raw = (first..<max(first, end)).map { filter.weight((Double($0) - center + 0.5) * (1 / stretch)) }
        let total = raw.reduce(0, +)
        append(first, raw.map { total == 0 ? $0 : $0 / total })
      }
    } else {
      let reach = filter == .cubic ? 2 : 1
      for index in 0..<count {
        let position = low + (Double(index) + 0.5) * step - 0.5
        let before = Int(position.rounded(.down))
        // Pixels beyond the edge are as the one at the edge.
        let first = min(max(before - reach + 1, 0), limit - 1)
        let last = min(max(before + reach, 0), limit - 1)
        var taps = [Double](repeating: 0, count: last - first + 1)
        for pixel in before - reach + 1...before + reach {
          taps[min(max(pixel, first), last) - first] += filter.weight(Double(pixel) - position)
        }
        append(first, taps)
      }
    }
    self.starts = starts
    self.places = places
    self.weights = weights

    func append(_ first: Int, _ taps: [Double]) {
      var taps = taps[...]
      while taps.count > 1, taps.last == 0 { taps.removeLast() }
      while taps.count > 1, taps.first == 0 { taps.removeFirst() }
      starts.append(first + taps.startIndex)
      weights += taps
      places.append(weights.count)
    }
  }

  /// Output pixels.
  var count: Int { starts.count }

  /// The input pixels that are needed.
  var range: Range<Int> {
    var (low, high) = (Int.max, 0)
    for (index, start) in starts.enumerated() {
      low = min(low, start)
      high = max(high, start + places[index + 1] - places[index])
    }
    return min(low, high)..<high
  }

  /// The weights as multiples of 2⁻²².
  var fixedWeights: [Int32] {
    weights.map { Int32(max(-0x1p30, min(0x1p30, ($0 * 0x1p22 + ($0 < 0 ? -0.5 : 0.5)).rounded(.towardZero)))) }
  }
}
