/// Makes RGB of a luma plane and two planes of colour differences of 8 bits.
///
/// Y = 16…235 and Cb, Cr = 16…240 (or all 0…255) become R′, G′, B′ = 0…255 by the matrix of the standard: with
/// y = (Y − 16) / 219, b = (Cb − 128) / 224, r = (Cr − 128) / 224,
/// R = y + 2 (1 − Kr) r, B = y + 2 (1 − Kb) b, G = (y − Kr R − Kb B) / (1 − Kr − Kb), and each is rounded and kept
/// within 0…255. Colours are interpolated linearly between the places where ``Y4MHeader/Chroma`` says they are, and
/// held at the edges.
public struct YUVConversion: Sendable {
  /// The standard whose weights of red, green and blue make up the brightness.
  public enum Matrix: Sendable, Hashable, CaseIterable {
    /// BT.601, for video of standard definition, or BT.709, for high definition.
    case bt601, bt709

    /// The shares of red and blue in luma.
    var shares: (red: Double, blue: Double) {
      switch self {
      case .bt601: (0.299, 0.114)
      case .bt709: (0.2126, 0.0722)
      }
    }
  }

  private let header: Y4MHeader
  /// Factors times 2¹⁸; those of colours for sixteenths of their numbers.
  private let luma: Int32
  private let offset: Int32
  private let redOfRed: Int32
  private let greenOfBlue: Int32
  private let greenOfRed: Int32
  private let blueOfBlue: Int32

  private static let shift: Int32 = 18

  init(_ header: Y4MHeader, matrix: Matrix) {
    self.header = header
    let (red, blue) = matrix.shares
    let green = 1 - red - blue
    let one = Double(1 << Self.shift)
    let (lumaRange, chromaRange) = header.isFullRange ? (255.0, 255.0) : (219.0, 224.0)
    func fixed(_ value: Double) -> Int32 { Int32((value * one).rounded()) }
    luma = fixed(255 / lumaRange)
    offset = header.isFullRange ? 0 : 16
    // A sixteenth: see `interpolate`.
    let chroma = 255 / chromaRange / 16
    redOfRed = fixed(2 * (1 - red) * chroma)
    blueOfBlue = fixed(2 * (1 - blue) * chroma)
    greenOfRed = fixed(-2 * (1 - red) * red / green * chroma)
    greenOfBlue = fixed(-2 * (1 - blue) * blue / green * chroma)
  }

  /// The picture of a frame of `header.frameBytes` bytes.
  func image(_ frame: UnsafeBufferPointer<UInt8>) throws(VideoError) -> Image<UInt8> {
    let (width, height) = (header.width, header.height)
    let isGray = header.chroma == .mono
    let count = width * height * (isGray ? 1 : 3)
    let samples = [UInt8](unsafeUninitializedCapacity: count) { output, filled in
      guard let source = frame.baseAddress, let target = output.baseAddress else { return }
      let rows = UnsafeMutablePointer<Int32>.allocate(capacity: 3 * width)
      rows.initialize(repeating: 0, count: 3 * width)
      defer { rows.deallocate() }
      let (blue, red, scratch) = (rows, rows + width, rows + 2 * width)
      let plane = header.chromaWidth * header.chromaHeight
      for y in 0..<height {
        let luma = source + y * width
        if isGray {
          convert(luma, count: width, into: target + y * width)
        } else {
          interpolate(source + width * height, row: y, scratch, into: blue)
          interpolate(source + width * height + plane, row: y, scratch, into: red)
          convert(luma, blue, red, count: width, into: target + 3 * y * width)
        }
      }
      filled = count
    }
    do throws(ImageError) {
      return try Image(width: width, height: height, color: isGray ? .gray : .rgb, samples: samples)
    } catch {
      throw VideoError(.malformed("\(error)"))
    }
  }

  /// The numbers of colour at the pixels of a row, less 128, in sixteenths.
  private func interpolate(
    _ plane: UnsafePointer<UInt8>, row y: Int, _ scratch: UnsafeMutablePointer<Int32>,
    into output: UnsafeMutablePointer<Int32>
  ) {
    let count = header.chromaWidth
    let (near, far, weight) = Self.neighbours(
      y, count: header.chromaHeight, isHalved: header.chroma.isHalvedDown,
      isBetween: header.chroma == .c420jpeg || header.chroma == .c420mpeg2)
    let (first, second) = (plane + near * count, plane + far * count)
    for x in 0..<count { scratch[x] = Int32(first[x]) &* (4 &- weight) &+ Int32(second[x]) &* weight &- 512 }
    guard header.chroma.isHalvedAcross else {
      for x in 0..<count { output[x] = 4 &* scratch[x] }
      return
    }
    let isBetween = header.chroma == .c420jpeg
    for x in 0..<header.width {
      let (near, far, weight) = Self.neighbours(x, count: count, isHalved: true, isBetween: isBetween)
      output[x] = scratch[near] &* (4 &- weight) &+ scratch[far] &* weight
    }
  }

  /// The places of colour nearest to pixel `index`, and the weight of the farther one in quarters.
  ///
  /// - Parameter isBetween: whether they are in the middle between two pixels, and not at the first of them.
  @inline(__always)
  private static func neighbours(
    _ index: Int, count: Int, isHalved: Bool, isBetween: Bool
  ) -> (near: Int, far: Int, weight: Int32) {
    guard isHalved else { return (index, index, 0) }
    let near = index / 2
    let isFirst = index % 2 == 0
    if isBetween { return (near, isFirst ? max(0, near - 1) : min(count - 1, near + 1), 1) }
    return (near, min(count - 1, near + 1), isFirst ? 0 : 2)
  }

  private func convert(_ source: UnsafePointer<UInt8>, count: Int, into target: UnsafeMutablePointer<UInt8>) {
    for x in 0..<count { target[x] = Self.clamped((Int32(source[x]) &- offset) &* luma) }
  }

  private func convert(
    _ source: UnsafePointer<UInt8>, _ blue: UnsafePointer<Int32>, _ red: UnsafePointer<Int32>, count: Int,
    into target: UnsafeMutablePointer<UInt8>
  ) {
    for x in 0..<count {
      let y = (Int32(source[x]) &- offset) &* luma
      target[3 * x] = Self.clamped(y &+ red[x] &* redOfRed)
      target[3 * x + 1] = Self.clamped(y &+ blue[x] &* greenOfBlue &+ red[x] &* greenOfRed)
      target[3 * x + 2] = Self.clamped(y &+ blue[x] &* blueOfBlue)
    }
  }

  @inline(__always)
  private static func clamped(_ value: Int32) -> UInt8 {
    UInt8(truncatingIfNeeded: min(255, max(0, (value &+ 1 << (shift - 1)) >> shift)))
  }
}
