import Apus

/// What the first line of a YUV4MPEG2 stream says.
public struct Y4MHeader: Sendable, Hashable {
  /// How many numbers of colour there are, and where they are.
  public enum Chroma: String, Sendable, Hashable, CaseIterable {
    /// Half as many each way; in the middle of four pixels (JPEG, MPEG-1), also when nothing more is said.
    case c420jpeg = "420jpeg"
    /// Half as many each way; at every other pixel of a row, between two rows (MPEG-2, H.264).
    case c420mpeg2 = "420mpeg2"
    /// Half as many each way; at every other pixel of every other row (DV).
    case c420paldv = "420paldv"
    /// Half as many in a row; at every other pixel.
    case c422 = "422"
    /// As many as there are pixels.
    case c444 = "444"
    /// None.
    case mono

    var isHalvedAcross: Bool { self != .c444 && self != .mono }
    var isHalvedDown: Bool { isHalvedAcross && self != .c422 }
  }

  /// Columns of pixels of a frame.
  public let width: Int
  /// Rows of pixels of a frame.
  public let height: Int
  /// Frames per second, as a fraction; `nil` when it is not known.
  public let rate: Rate?
  /// How many numbers of colour a frame has, and where they are.
  public let chroma: Chroma
  /// Whether numbers go from 0 to 255, instead of 16 to 235 and 240.
  public let isFullRange: Bool

  /// Frames per second, as a fraction such as 30000 : 1001.
  public struct Rate: Sendable, Hashable {
    /// The numerator, at least 1.
    public let frames: Int
    /// The denominator, at least 1.
    public let seconds: Int

    /// - Throws: ``VideoError`` unless both are positive.
    public init(frames: Int, seconds: Int) throws(VideoError) {
      guard frames > 0, seconds > 0 else {
        throw VideoError(.invalidArgument("\(frames):\(seconds) for frames per second"))
      }
      (self.frames, self.seconds) = (frames, seconds)
    }
  }

  /// Numbers of each of the two planes of colour.
  var chromaWidth: Int { chroma == .mono ? 0 : chroma.isHalvedAcross ? width.dividedRoundingUp(by: 2) : width }
  var chromaHeight: Int { chroma == .mono ? 0 : chroma.isHalvedDown ? height.dividedRoundingUp(by: 2) : height }

  /// The bytes of a frame, without the line before it.
  var frameBytes: Int { width * height + 2 * chromaWidth * chromaHeight }

  init(width: Int, height: Int, rate: Rate?, chroma: Chroma, isFullRange: Bool) {
    (self.width, self.height, self.rate) = (width, height, rate)
    (self.chroma, self.isFullRange) = (chroma, isFullRange)
  }

  /// Reads the line, without its end.
  init(_ line: ArraySlice<UInt8>, limits: ImageLimits) throws(VideoError) {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard let magic = words.first, magic.elementsEqual("YUV4MPEG2".utf8) else {
      throw VideoError(.malformed("the first line does not begin with YUV4MPEG2"))
    }
    var (width, height): (Int?, Int?)
    var rate: Rate?
    var chroma = Chroma.c420jpeg
    var isFullRange = false
    for word in words.dropFirst() {
      let value = String(decoding: word.dropFirst(), as: UTF8.self)
      switch word.first {
      case UInt8(ascii: "W"): width = try Self.number(value, "W")
      case UInt8(ascii: "H"): height = try Self.number(value, "H")
      case UInt8(ascii: "F"): rate = try Self.rate(value)
      case UInt8(ascii: "C"): chroma = try Self.chroma(value)
      case UInt8(ascii: "I"):
        guard value == "p" || value == "?" else { throw VideoError(.unsupported("interlaced video (I\(value))")) }
      case UInt8(ascii: "X"):
        if value == "COLORRANGE=FULL" { isFullRange = true }
      default: break
      }
    }
    guard let width, let height else { throw VideoError(.malformed("the first line says no width (W) or height (H)")) }
    guard width > 0, height > 0 else { throw VideoError(.malformed("frames of \(width) × \(height) pixels")) }
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, pixels <= limits.pixels, pixels <= Int.max / 64 else {
      throw VideoError(.tooLarge(width: width, height: height, limit: limits.pixels))
    }
    self.init(width: width, height: height, rate: rate, chroma: chroma, isFullRange: isFullRange)
  }

  private static func number(_ text: String, _ name: String) throws(VideoError) -> Int {
    guard text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
      throw VideoError(.malformed("\(name)\(text.prefix(32)) in the first line; a number was expected"))
    }
    return number
  }

  /// 0:0 stands for a rate that is not known.
  private static func rate(_ text: String) throws(VideoError) -> Rate? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw VideoError(.malformed("F\(text.prefix(32)) in the first line; two numbers were expected, as in F30:1"))
    }
    let (frames, seconds) = (try number(String(parts[0]), "F"), try number(String(parts[1]), "F:"))
    if frames == 0, seconds == 0 { return nil }
    guard frames > 0, seconds > 0 else { throw VideoError(.malformed("\(text) for frames per second")) }
    return try Rate(frames: frames, seconds: seconds)
  }

  private static func chroma(_ text: String) throws(VideoError) -> Chroma {
    if text == "420" { return .c420jpeg }
    guard let chroma = Chroma(rawValue: text) else {
      let known = Chroma.allCases.map(\.rawValue).joined(separator: ", ")
      throw VideoError(.unsupported("pixels of the kind C\(text.prefix(32)) (of 8 bits, \(known) are read); they"))
    }
    return chroma
  }
}
