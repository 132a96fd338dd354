/// A pair of extents or steps along height and width; an integer literal means the same for both.
public struct Size2D: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The extent or step along the last axis but one.
  public var height: Int
  /// The extent or step along the last axis.
  public var width: Int

  /// Any pair; operators refuse values outside their range.
  public init(height: Int, width: Int) {
    self.height = height
    self.width = width
  }

  /// `value` for height and width alike.
  public init(integerLiteral value: Int) {
    self.init(height: value, width: value)
  }
}

/// Zeros added around a map; an integer literal means the same on all sides.
public struct Padding2D: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// Rows added before the first.
  public var top: Int
  /// Columns added before the first.
  public var left: Int
  /// Rows added after the last.
  public var bottom: Int
  /// Columns added after the last.
  public var right: Int

  /// Any four numbers; operators refuse values outside their range.
  public init(top: Int, left: Int, bottom: Int, right: Int) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }

  /// The same above as below, and left as right.
  public init(height: Int, width: Int) {
    self.init(top: height, left: width, bottom: height, right: width)
  }

  /// `value` on all four sides.
  public init(integerLiteral value: Int) {
    self.init(height: value, width: value)
  }
}

/// How a window moves over a map. A one-dimensional convolution is one over maps of height 1.
package struct ConvolutionParameters: Hashable, Sendable {
  /// `conv1d` or `conv2d`, for messages.
  var operation: String
  var kernel: Size2D
  var stride: Size2D
  var padding: Padding2D
  var dilation: Size2D
  var groups: Int

  /// - Throws: ``TensorError/argument(operation:reason:)`` for a value that is negative, zero where that cannot be, or
  ///   too large to compute with.
  package init(
    operation: String, kernel: Size2D, stride: Size2D, padding: Padding2D, dilation: Size2D, groups: Int
  ) throws {
    self.operation = operation
    self.kernel = kernel
    self.stride = stride
    self.padding = padding
    self.dilation = dilation
    self.groups = groups
    let limit = 1 << 31
    func check(_ name: String, _ values: [Int], minimum: Int) throws {
      for value in values where value < minimum || value > limit {
        throw TensorError.argument(operation: operation, reason: "\(name) \(value) is outside \(minimum)...\(limit)")
      }
    }
    try check("kernel size", [kernel.height, kernel.width], minimum: 1)
    try check("stride", [stride.height, stride.width], minimum: 1)
    try check("padding", [padding.top, padding.left, padding.bottom, padding.right], minimum: 0)
    try check("dilation", [dilation.height, dilation.width], minimum: 1)
    try check("groups", [groups], minimum: 1)
  }

  /// The channels of each of `groups`, for the weight of a layer.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for groups that do not share `channels` out evenly.
  static func channels(_ channels: Int, ofEachOf groups: Int, operation: String) throws -> Int {
    guard groups > 0, channels.isMultiple(of: groups) else {
      throw TensorError.argument(
        operation: operation, reason: "\(channels) channels cannot be shared out evenly to \(groups) groups")
    }
    return channels / groups
  }

  /// The same with another padding.
  func padded(by padding: Padding2D) throws -> ConvolutionParameters {
    try ConvolutionParameters(
      operation: operation, kernel: kernel, stride: stride, padding: padding, dilation: dilation, groups: groups)
  }

  /// Positions a window covers, holes included.
  var extent: Size2D {
    Size2D(
      height: dilation.height * (kernel.height - 1) + 1,
      width: dilation.width * (kernel.width - 1) + 1)
  }

  /// The output's size for a map of `input`'s.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when the window is larger than the padded map.
  func outputSize(_ input: Size2D) throws -> Size2D {
    func size(_ input: Int, _ padding: Int, _ extent: Int, _ stride: Int) throws -> Int {
      guard input <= 1 << 31, input + padding >= extent else {
        throw TensorError.shape(
          operation: operation,
          reason: "a window of \(extent) positions does not fit into \(input) positions padded by \(padding)")
      }
      return (input + padding - extent) / stride + 1
    }
    return Size2D(
      height: try size(input.height, padding.top + padding.bottom, extent.height, stride.height),
      width: try size(input.width, padding.left + padding.right, extent.width, stride.width))
  }

  /// Whether every position is one window: a matrix product of channels.
  var isPointwise: Bool {
    kernel == 1 && stride == 1 && padding == 0
  }
}

/// The taps of a window that lie inside a map, along one axis; empty where none does.
///
/// - Parameters:
///   - size: the map's extent.
///   - begin: where the window's first tap lies; before the map where that is negative.
func tapsInside(_ size: Int, from begin: Int, count: Int, dilation: Int) -> Range<Int> {
  let first = begin >= 0 ? 0 : min(count, (-begin + dilation - 1) / dilation)
  let end = begin >= size ? 0 : (size - 1 - begin) / dilation + 1
  return first..<max(first, min(count, end))
}
