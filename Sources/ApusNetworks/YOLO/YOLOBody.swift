import Apus

/// What a YOLO network sees in a picture before its head names it: backbone and neck.
///
/// Maps that only the next layer reads are all called `x`: a constant would hold its memory until the end.
protocol YOLOBody<Scalar>: Sendable {
  associatedtype Scalar: FloatingPointScalar

  /// - Parameter picture: `[batch, 3, height, width]`.
  /// - Returns: three maps, with steps of 8, 16 and 32 pixels.
  func callAsFunction(_ picture: Tensor<Scalar>) throws -> [Tensor<Scalar>]
}

extension YOLOBody {
  /// A map twice as high and wide, every position four times.
  func upsampled(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try interpolate(x, size: [2 * x.shape[2], 2 * x.shape[3]])
  }
}

/// Channels of the maps at one half, one quarter, … one thirty-second of the picture's size.
struct YOLOWidths {
  let c64, c128, c256, c512, c1024: Int

  init(_ configuration: YOLOConfiguration) {
    c64 = configuration.channels(64)
    c128 = configuration.channels(128)
    c256 = configuration.channels(256)
    c512 = configuration.channels(512)
    c1024 = configuration.channels(1024)
  }

  /// Those of the maps that the neck gives.
  var outputs: [Int] { [c256, c512, c1024] }
}
