import Apus
import ApusKernelInterface

/// The order of a tensor's axes that holds a picture.
public enum ImageLayout: String, Sendable, Hashable, CaseIterable {
  /// `[1, channels, height, width]`.
  case nchw
  /// `[1, height, width, channels]`.
  case nhwc
}

/// The order of a tensor's colours.
public enum ColorOrder: String, Sendable, Hashable, CaseIterable {
  /// Red first, or blue first.
  case rgb, bgr
}

/// How bytes become a network's numbers: `(byte / divisor − mean) / deviation`, in `Float`, every step rounded.
public struct ImageNormalization: Sendable, Hashable {
  /// What bytes are divided by first.
  public var divisor: Float
  /// One for each channel of the tensor, in the tensor's order.
  public var mean: [Float]
  /// One for each channel of the tensor, in the tensor's order; not zero.
  public var deviation: [Float]

  /// - Parameters:
  ///   - divisor: what bytes are divided by first; not zero.
  ///   - mean: what is subtracted from each channel then.
  ///   - deviation: what each channel is divided by last; none of them zero.
  public init(divisor: Float = 255, mean: [Float] = [0, 0, 0], deviation: [Float] = [1, 1, 1]) {
    self.divisor = divisor
    self.mean = mean
    self.deviation = deviation
  }

  /// 0 to 1.
  public static let unit = ImageNormalization()
  /// 0 to 255.
  public static let bytes = ImageNormalization(divisor: 1)
  /// −1 to 1.
  public static let signed = ImageNormalization(mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5])
  /// The mean and the deviation of ImageNet's colours, for a tensor in the order red, green, blue.
  public static let imageNet = ImageNormalization(mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225])

  /// What each channel's bytes become.
  /// - Throws: ``ImageError`` unless there are three means and deviations, or `channels` with one, that can be computed
  ///   with.
  func scales(channels: Int) throws(ImageError) -> [PixelScale] {
    guard mean.count >= channels, deviation.count == mean.count, mean.count == 3 || mean.count == channels else {
      throw ImageError(
        .invalidArgument(
          "\(mean.count) means and \(deviation.count) deviations for a picture of \(channels) channels"))
    }
    guard divisor.isFinite, divisor != 0, mean.allSatisfy(\.isFinite), deviation.allSatisfy({ $0.isFinite && $0 != 0 })
    else {
      throw ImageError(
        .invalidArgument("a divisor of \(divisor), means \(mean) and deviations \(deviation) make no numbers"))
    }
    return (0..<channels).map { PixelScale(divisor: divisor, mean: mean[$0], deviation: deviation[$0]) }
  }
}

extension ColorOrder {
  /// The picture's channel for each of the tensor's.
  func sources(channels: Int) -> [Int] { self == .bgr && channels == 3 ? [2, 1, 0] : Array(0..<channels) }
}

extension Tensor<Float> {
  /// The picture as numbers: `[1, channels, height, width]` or `[1, height, width, channels]`, with three channels or,
  /// for a grey one, one.
  /// - Throws: ``ImageError`` for a picture with opacity, and a normalisation that makes no sense; ``TensorError`` when
  ///   there is no room.
  public init(
    _ image: Image<UInt8>, layout: ImageLayout = .nchw, order: ColorOrder = .rgb,
    normalization: ImageNormalization = .unit
  ) throws {
    try image.checkOpaque()
    let channels = image.color.channels
    let sources = order.sources(channels: channels)
    let tables = try normalization.scales(channels: channels).map { scale in
      (0..<256).map { scale[UInt8($0)] }
    }
    let (width, height) = (image.width, image.height)
    let (pixelStep, planeStep) = layout == .nchw ? (1, width * height) : (channels, 1)
    let shape = layout == .nchw ? [1, channels, height, width] : [1, height, width, channels]
    let kernels = Execution.current.pixelKernels
    self = try Tensor.filled(shape) { destination in
      nonisolated(unsafe) let y = destination
      parallelRows(height, width: width * channels) { first, rows in
        image.samples.withUnsafeBufferPointer { samples in
          guard let x = samples.baseAddress else { return }
          let start = first * width
          for plane in 0..<channels {
            tables[plane].withUnsafeBufferPointer { table in
              guard let table = table.baseAddress else { return }
              kernels.lookUp(
                x + start * channels + sources[plane], xStep: channels, table,
                y + plane * planeStep + start * pixelStep, yStep: pixelStep, count: rows * width)
            }
          }
        }
      }
    }
  }
}

extension Image {
  /// - Throws: ``ImageError`` for a picture with opacity, which a network does not take.
  func checkOpaque() throws(ImageError) {
    guard !color.hasAlpha else {
      throw ImageError(.invalidArgument("a picture with opacity must be laid on a ground before a network sees it"))
    }
  }
}
