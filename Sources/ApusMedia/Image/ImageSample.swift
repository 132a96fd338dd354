/// A number that one channel of one pixel can be: 8 or 16 bits, or `Float` from 0 to 1.
public protocol ImageSample: BitwiseCopyable, Comparable, Sendable {
  /// The number of a channel at its darkest, and of no opacity.
  static var zero: Self { get }
  /// The number of a channel at its brightest, and of full opacity.
  static var full: Self { get }
}

extension UInt8: ImageSample {
  /// 255, `UInt8.max`.
  public static var full: UInt8 { 255 }
}

extension UInt16: ImageSample {
  /// 65,535, `UInt16.max`.
  public static var full: UInt16 { 65_535 }
}

extension Float: ImageSample {
  /// 1; greater numbers are brighter than white.
  public static var full: Float { 1 }
}
