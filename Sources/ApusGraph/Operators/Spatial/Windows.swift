import Apus

/// How the windows of a convolution or a pool move, as the node's attributes say: `auto_pad`, `kernel_shape`,
/// `strides`, `pads`, `dilations`, `ceil_mode`.
struct WindowAttributes: Sendable {
  enum AutoPad: String, Sendable {
    case explicit = "NOTSET"
    /// As much padding as makes the output `⌈input / stride⌉`, the odd element at the end or at the beginning.
    case sameUpper = "SAME_UPPER"
    case sameLower = "SAME_LOWER"
    case valid = "VALID"
  }

  let autoPad: AutoPad
  let kernel: [Int]?
  let strides: [Int]?
  /// All beginnings, then all ends.
  let pads: [Int]?
  let dilations: [Int]?
  let ceilMode: Bool

  /// The largest number that any of these may be: nothing computed of them overflows.
  static let limit = 1 << 31

  init(_ node: NodeDescription) throws {
    let name = try node.string("auto_pad", default: "NOTSET")
    guard let autoPad = AutoPad(rawValue: name.isEmpty ? "NOTSET" : name) else {
      throw OperatorError("auto_pad '\(name)' is not NOTSET, SAME_UPPER, SAME_LOWER or VALID")
    }
    self.autoPad = autoPad
    kernel = try Self.list(node, "kernel_shape", minimum: 1)
    strides = try Self.list(node, "strides", minimum: 1)
    pads = try Self.list(node, "pads", minimum: 0)
    dilations = try Self.list(node, "dilations", minimum: 1)
    ceilMode = try node.flag("ceil_mode")
  }

  /// The numbers of an attribute; nil when it is omitted or empty.
  static func list(_ node: NodeDescription, _ name: String, minimum: Int) throws -> [Int]? {
    guard let values = try node.optionalInts(name), !values.isEmpty else { return nil }
    for value in values where value < minimum || value > limit {
      throw OperatorError("\(name) holds \(value), which is outside \(minimum)...\(limit)")
    }
    return values
  }
}

/// How windows move along one axis, before its extent is known.
struct WindowAxis: Hashable, Sendable {
  var kernel: Int
  var stride: Int
  var dilation: Int
  var before: Int
  var after: Int

  /// An axis that is not there: one window of one position.
  static let single = WindowAxis(kernel: 1, stride: 1, dilation: 1, before: 0, after: 0)

  /// Positions that a window covers, holes included.
  var extent: Int { dilation * (kernel - 1) + 1 }

  /// Whether every position is a window.
  var isPointwise: Bool { kernel == 1 && stride == 1 && before == 0 && after == 0 }
}

extension Padding2D {
  init(rows: WindowAxis, columns: WindowAxis) {
    self.init(top: rows.before, left: columns.before, bottom: rows.after, right: columns.after)
  }
}

extension ConvolutionParameters {
  /// A convolution whose windows move along two axes.
  init(operation: String, rows: WindowAxis, columns: WindowAxis, groups: Int) throws {
    try self.init(
      operation: operation, kernel: Size2D(height: rows.kernel, width: columns.kernel),
      stride: Size2D(height: rows.stride, width: columns.stride), padding: Padding2D(rows: rows, columns: columns),
      dilation: Size2D(height: rows.dilation, width: columns.dilation), groups: groups)
  }
}

extension WindowAttributes {
  /// The numbers of each axis, with padding as it is given.
  ///
  /// - Parameter kernel: the size of the window along each axis, which `kernel_shape` must not contradict.
  func axes(kernel: [Int]) throws -> [WindowAxis] {
    let rank = kernel.count
    if let declared = self.kernel, declared != kernel {
      throw OperatorError("kernel_shape \(declared) contradicts the weight's window, \(kernel)")
    }
    for size in kernel where size < 1 || size > Self.limit {
      throw OperatorError("a window of shape \(kernel) is outside 1...\(Self.limit)")
    }
    func values(_ name: String, _ list: [Int]?, count: Int, default value: Int) throws -> [Int] {
      let list = list ?? [Int](repeating: value, count: count)
      guard list.count == count else {
        throw OperatorError("\(name) has \(list.count) numbers; \(count) are needed for \(rank) axes")
      }
      return list
    }
    let strides = try values("strides", strides, count: rank, default: 1)
    let dilations = try values("dilations", dilations, count: rank, default: 1)
    let pads = try values("pads", autoPad == .explicit ? pads : nil, count: 2 * rank, default: 0)
    return kernel.indices.map {
      WindowAxis(
        kernel: kernel[$0], stride: strides[$0], dilation: dilations[$0], before: pads[$0], after: pads[rank + $0])
    }
  }

  /// Whether the padding depends on the size of the input.
  var padsBySize: Bool { autoPad == .sameUpper || autoPad == .sameLower }

  /// `axis` with the padding that `auto_pad` asks for on `size` positions.
  func padded(_ axis: WindowAxis, size: Int) throws -> WindowAxis {
    guard padsBySize else { return axis }
    guard size <= Self.limit else { throw OperatorError("an axis of \(size) positions is too long") }
    let outputs = (size + axis.stride - 1) / axis.stride
    let total = max(0, (outputs - 1) * axis.stride + axis.extent - size)
    var result = axis
    result.before = autoPad == .sameUpper ? total / 2 : total - total / 2
    result.after = total - result.before
    return result
  }

  /// The number of windows on `size` positions of an axis that ``padded(_:size:)`` gave.
  func outputs(_ axis: WindowAxis, size: Int) throws -> Int {
    guard size <= Self.limit else { throw OperatorError("an axis of \(size) positions is too long") }
    let room = size + axis.before + axis.after - axis.extent
    // With auto_pad, the standard's numbers of windows are the same with and without ceil_mode: ⌈size / stride⌉, and of
    // VALID ⌈(size - extent + 1) / stride⌉.
    let roundsUp = ceilMode && autoPad == .explicit
    guard room >= 0 || (roundsUp && room > -axis.stride) else {
      throw OperatorError(
        "a window of \(axis.extent) positions does not fit into \(size) positions padded by "
          + "\(axis.before + axis.after)")
    }
    guard roundsUp else { return room / axis.stride + 1 }
    let count = (room + axis.stride - 1) / axis.stride + 1
    // A last window that would begin in the padding behind the map does not count.
    return (count - 1) * axis.stride >= size + axis.before ? count - 1 : count
  }
}
