/// A picture in memory: rows from top to bottom, pixels from left to right, the channels of a pixel side by side.
///
/// The origin is the upper left corner, x grows to the right and y downwards. A pixel is a square of side 1, so the
/// centre of the first one is at (0.5, 0.5). A picture has at least one pixel.
public struct Image<Sample: ImageSample>: Sendable, Equatable {
  /// Columns of pixels, at least 1.
  public let width: Int
  /// Rows of pixels, at least 1.
  public let height: Int
  /// What the channels of a pixel stand for.
  public let color: ColorModel
  /// `height · width · color.channels` numbers, `[height, width, channels]`.
  public private(set) var samples: [Sample]

  /// - Throws: ``ImageError`` for a side that is not positive, and for another number of samples than the sides say.
  public init(width: Int, height: Int, color: ColorModel, samples: [Sample]) throws(ImageError) {
    let count = try Self.sampleCount(width: width, height: height, color: color)
    guard samples.count == count else {
      throw ImageError(
        .invalidArgument("\(samples.count) samples were given for \(width) × \(height) pixels of \(color), \(count)"))
    }
    self.init(unchecked: samples, width: width, height: height, color: color)
  }

  /// A picture of one colour; `pixel` has a number for each channel.
  /// - Throws: ``ImageError`` for impossible sides, a pixel of another number of channels, and a picture too large for
  ///   the memory.
  public init(width: Int, height: Int, color: ColorModel, filledWith pixel: [Sample]) throws(ImageError) {
    let count = try Self.sampleCount(width: width, height: height, color: color)
    try Self.checkMemory(width: width, height: height, color: color)
    guard pixel.count == color.channels else {
      throw ImageError(.invalidArgument("\(pixel.count) numbers were given for a pixel of \(color)"))
    }
    let samples = [Sample](unsafeUninitializedCapacity: count) { buffer, filled in
      for index in 0..<count { buffer.initializeElement(at: index, to: pixel[index % pixel.count]) }
      filled = count
    }
    self.init(unchecked: samples, width: width, height: height, color: color)
  }

  /// A picture whose samples `body` writes; it gets room for all of them, and must initialize every one.
  /// - Throws: ``ImageError`` for impossible sides, and what `body` throws.
  package init(
    width: Int, height: Int, color: ColorModel,
    writing body: (UnsafeMutableBufferPointer<Sample>) throws -> Void
  ) throws {
    let count = try Self.sampleCount(width: width, height: height, color: color)
    let samples = try [Sample](unsafeUninitializedCapacity: count) { buffer, filled in
      try body(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      filled = count
    }
    self.init(unchecked: samples, width: width, height: height, color: color)
  }

  /// The picture with every sample changed by `body`.
  @inline(__always)
  func mapped<Other: ImageSample>(_ body: (Sample) -> Other) -> Image<Other> {
    Image<Other>(unchecked: samples.map(body), width: width, height: height, color: color)
  }

  /// A picture of the same sides in another colour model, whose samples `body` writes.
  @inline(__always)
  func remade(as color: ColorModel, writing body: (UnsafeMutableBufferPointer<Sample>) -> Void) -> Image {
    let count = width * height * color.channels
    let samples = [Sample](unsafeUninitializedCapacity: count) { buffer, filled in
      body(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      filled = count
    }
    return Image(unchecked: samples, width: width, height: height, color: color)
  }

  fileprivate init(unchecked samples: [Sample], width: Int, height: Int, color: ColorModel) {
    self.width = width
    self.height = height
    self.color = color
    self.samples = samples
  }

  /// Numbers per row.
  public var rowCount: Int { width * color.channels }

  /// The channels of the pixel at `x`, `y`, which must be inside the picture.
  public subscript(x: Int, y: Int) -> ArraySlice<Sample> {
    let start = (y * width + x) * color.channels
    return samples[start..<start + color.channels]
  }

  /// Lets `body` change the samples in place.
  public mutating func withUnsafeMutableSamples<Result>(
    _ body: (UnsafeMutableBufferPointer<Sample>) throws -> Result
  ) rethrows -> Result {
    try samples.withUnsafeMutableBufferPointer { try body($0) }
  }

  /// The samples of a picture with these sides.
  /// - Throws: ``ImageError`` for sides that are not positive or whose product no memory could hold.
  package static func sampleCount(width: Int, height: Int, color: ColorModel) throws(ImageError) -> Int {
    guard width > 0, height > 0 else {
      throw ImageError(.invalidArgument("a picture of \(width) × \(height) pixels; both sides must be positive"))
    }
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, pixels <= Int.max / 64 else {
      throw ImageError(.tooLarge(width: width, height: height, limit: ImageLimits.default.pixels))
    }
    return pixels * color.channels
  }
}
