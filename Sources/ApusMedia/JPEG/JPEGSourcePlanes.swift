import Apus

/// The channels of a picture as a file has them: luminance, or luminance and two differences of colour.
struct JPEGSourcePlanes {
  let width: Int
  let height: Int
  /// One plane or three, `[height, width]`.
  let planes: [[UInt8]]

  init(_ image: Image<UInt8>) {
    (width, height) = (image.width, image.height)
    let count = width * height
    let channels = image.color.channels
    let hasAlpha = image.color.hasAlpha
    let samples = image.samples
    /// A channel on white paper.
    func light(_ place: Int, _ channel: Int) -> Int {
      let value = Int(samples[place + channel])
      guard hasAlpha else { return value }
      let opacity = Int(samples[place + channels - 1])
      return (value * opacity + 255 * (255 - opacity) + 127) / 255
    }
    if image.color.isGray {
      planes = [hasAlpha ? (0..<count).map { UInt8(light($0 * channels, 0)) } : samples]
      return
    }
    var y = [UInt8](repeating: 0, count: count)
    var (cb, cr) = (y, y)
    // 0.299, 0.587 and 0.114 of the three are the luminance, with 16 bits after the point; a half and a little less
    // is added, so that a difference of 127.5 does not become 128.
    for index in 0..<count {
      let place = index * channels
      let (red, green, blue) = (light(place, 0), light(place, 1), light(place, 2))
      y[index] = UInt8(truncatingIfNeeded: (19_595 * red + 38_470 * green + 7471 * blue + 32_768) >> 16)
      let centre = 128 << 16 + 32_767
      cb[index] = UInt8(truncatingIfNeeded: (-11_059 * red - 21_709 * green + 32_768 * blue + centre) >> 16)
      cr[index] = UInt8(truncatingIfNeeded: (32_768 * red - 27_439 * green - 5329 * blue + centre) >> 16)
    }
    planes = [y, cb, cr]
  }

  /// A plane with the mean of `across` · `down` samples each. Rounding alternates between up and down.
  ///
  /// Rows are as long as whole blocks: beyond the edge stand means of the last sample.
  func plane(_ index: Int, across: Int, down: Int) -> Plane {
    guard across > 1 || down > 1 else {
      return Plane(samples: planes[index], width: width, height: height, stride: width)
    }
    let source = planes[index]
    let (newWidth, newHeight) = (width.dividedRoundingUp(by: across), height.dividedRoundingUp(by: down))
    let stride = newWidth.roundedUp(toMultipleOf: 8)
    var result = [UInt8](repeating: 0, count: stride * newHeight)
    for y in 0..<newHeight {
      let upper = y * down * width
      let lower = min(y * down + down - 1, height - 1) * width
      for x in 0..<stride {
        let (left, right) = (min(x * 2, width - 1), min(x * 2 + 1, width - 1))
        var sum = Int(source[upper + left]) + Int(source[upper + right])
        if down > 1 {
          sum = (sum + Int(source[lower + left]) + Int(source[lower + right]) + 1 + (x & 1)) >> 2
        } else {
          sum = (sum + (x & 1)) >> 1
        }
        result[y * stride + x] = UInt8(truncatingIfNeeded: sum)
      }
    }
    return Plane(samples: result, width: newWidth, height: newHeight, stride: stride)
  }

  /// A channel in the resolution that it has in the file.
  struct Plane {
    let samples: [UInt8]
    let width: Int
    let height: Int
    /// Samples from row to row.
    let stride: Int
  }
}
