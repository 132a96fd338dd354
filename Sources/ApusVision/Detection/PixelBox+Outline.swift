import ApusMedia
import ApusPlatform

extension PixelBox {
  /// The box around the same middle that is as large as the round thing in it.
  ///
  /// A network says where a box ends to a few hundredths of its size, and errs to the same side in all frames of a video,
  /// for the thing looks the same in all of them. The thing's outline is in the picture: of all ellipses with the box's
  /// middle and proportions, 0.87 to 1.13 times as large, the one across which colours change most, on average over its
  /// circumference. Nearer sizes are a little more likely than farther ones.
  ///
  /// The box itself comes back where no size stands out, where it is less than 12 pixels large, and where it touches the
  /// picture's edge, for its middle is then not the thing's.
  public func fittedToOutline(in image: Image<UInt8>) -> PixelBox {
    let least = min(width, height), most = max(width, height)
    guard least >= 12, most < 1e6, x0 > 1, y0 > 1, x1 < Double(image.width - 1), y1 < Double(image.height - 1) else {
      return self
    }
    guard let factor = OutlineSearch(of: self, in: image).factor else { return self }
    let (x, y) = ((x0 + x1) / 2, (y0 + y1) / 2)
    let (across, down) = (width / 2 * factor, height / 2 * factor)
    return PixelBox(x0: x - across, y0: y - down, x1: x + across, y1: y + down)
      .clipped(width: image.width, height: image.height)
  }
}

/// How much colours change across ellipses of many sizes.
private struct OutlineSearch {
  /// In parts of the box.
  private static let sizes = (85...115).map { Float($0) / 100 }
  /// A change is that from a size to the fourth after it.
  private static let reach = 4
  private static let directions = 64
  /// How far sizes are likely to be from the box's.
  private static let deviation: Float = 0.12
  /// The largest change stands out when it is so many times as large as the middle one.
  private static let distinctness: Float = 1.2

  /// Between which sizes each change is, and how likely such a size is.
  private static let middles = sizes.dropFirst(reach / 2).dropLast(reach - reach / 2)
  private static let weights = middles.map { exp(-($0 - 1) * ($0 - 1) / (2 * deviation * deviation)) }

  /// The mean over all directions of the square root of the change: a part of the outline in front of something bright is
  /// not to outweigh the rest.
  private var changes = [Float](repeating: 0, count: sizes.count - reach)

  init(of box: PixelBox, in image: Image<UInt8>) {
    let channels = image.color.channels
    var line = [Float](repeating: 0, count: Self.sizes.count * channels)
    for direction in 0..<Self.directions {
      let angle = 2 * Double.pi * Double(direction) / Double(Self.directions)
      let (across, down) = (Float(box.width / 2 * cos(angle)), Float(box.height / 2 * sin(angle)))
      image.samples.withUnsafeBufferPointer { samples in
        for (index, size) in Self.sizes.enumerated() {
          // Centres of pixels are at halves.
          let x = Float(box.x0 + box.x1) / 2 + across * size - 0.5
          let y = Float(box.y0 + box.y1) / 2 + down * size - 0.5
          image.mix(samples, x, y) { channel, value in line[index * channels + channel] = value }
        }
      }
      for index in changes.indices {
        var change: Float = 0
        for channel in 0..<channels {
          change += abs(line[(index + Self.reach) * channels + channel] - line[index * channels + channel])
        }
        changes[index] += change.squareRoot() / Float(Self.directions)
      }
    }
  }

  /// How many times as large as the box the outline is; nil where none stands out.
  var factor: Double? {
    let likely = zip(changes, Self.weights).map { $0 * $1 }
    guard let best = likely.indices.dropFirst().dropLast().max(by: { likely[$0] < likely[$1] }) else { return nil }
    let (before, peak, after) = (likely[best - 1], likely[best], likely[best + 1])
    let bend = before - 2 * peak + after
    // At an end of the range it is not the highest, and the outline is farther out or in.
    guard before <= peak, after <= peak, bend < 0,
      changes[best] > Self.distinctness * changes.sorted()[changes.count / 2]
    else { return nil }
    // The top of the parabola through three sizes.
    let step = Self.sizes[1] - Self.sizes[0]
    return Double(Self.middles[Self.middles.startIndex + best] + step * 0.5 * (before - after) / bend)
  }
}

extension Image<UInt8> {
  /// Calls `body` with what is at a place between the centres of pixels, channel by channel; beyond the edges, with what
  /// is there.
  @inline(__always)
  fileprivate func mix(
    _ samples: UnsafeBufferPointer<UInt8>, _ x: Float, _ y: Float, _ body: (_ channel: Int, _ value: Float) -> Void
  ) {
    let (x, y) = (min(max(x, 0), Float(width - 1)), min(max(y, 0), Float(height - 1)))
    let (left, top) = (Int(x), Int(y))
    let (right, below) = (min(left + 1, width - 1), min(top + 1, height - 1))
    let (across, down) = (x - Float(left), y - Float(top))
    let channels = color.channels
    func sample(_ x: Int, _ y: Int, _ channel: Int) -> Float { Float(samples[(y * width + x) * channels + channel]) }
    for channel in 0..<channels {
      let (a, b) = (sample(left, top, channel), sample(right, top, channel))
      let (c, d) = (sample(left, below, channel), sample(right, below, channel))
      let (upper, lower) = (a + (b - a) * across, c + (d - c) * across)
      body(channel, upper + (lower - upper) * down)
    }
  }
}
