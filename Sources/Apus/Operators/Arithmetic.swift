import ApusKernelInterface

// Arithmetic follows NumPy's rule of broadcasting: shapes are aligned at the last axis, and an axis of size 1 is
// repeated. Results are rounded once, as IEEE 754 says.

extension Tensor where Scalar: FloatingPointScalar {
  /// `a + b`, element by element.
  /// - Throws: ``TensorError/shape(operation:reason:)`` with both shapes when they cannot be broadcast together.
  public static func + (a: Tensor, b: Tensor) throws -> Tensor { try combine(.add, a, b, "add") }
  /// `a - b`, element by element.
  public static func - (a: Tensor, b: Tensor) throws -> Tensor { try combine(.subtract, a, b, "subtract") }
  /// `a * b`, element by element.
  public static func * (a: Tensor, b: Tensor) throws -> Tensor { try combine(.multiply, a, b, "multiply") }
  /// `a / b`, element by element.
  public static func / (a: Tensor, b: Tensor) throws -> Tensor { try combine(.divide, a, b, "divide") }

  /// `b` added to every element.
  public static func + (a: Tensor, b: Scalar) throws -> Tensor { try a.combined(.add, scalar: b) }
  /// `b` subtracted from every element.
  public static func - (a: Tensor, b: Scalar) throws -> Tensor { try a.combined(.subtract, scalar: b) }
  /// Every element times `b`.
  public static func * (a: Tensor, b: Scalar) throws -> Tensor { try a.combined(.multiply, scalar: b) }
  /// Every element divided by `b`.
  public static func / (a: Tensor, b: Scalar) throws -> Tensor { try a.combined(.divide, scalar: b) }

  /// Every element added to `a`.
  public static func + (a: Scalar, b: Tensor) throws -> Tensor { try b.combined(.add, scalarFirst: a) }
  /// Every element subtracted from `a`.
  public static func - (a: Scalar, b: Tensor) throws -> Tensor { try b.combined(.subtract, scalarFirst: a) }
  /// `a` times every element.
  public static func * (a: Scalar, b: Tensor) throws -> Tensor { try b.combined(.multiply, scalarFirst: a) }
  /// `a` divided by every element.
  public static func / (a: Scalar, b: Tensor) throws -> Tensor { try b.combined(.divide, scalarFirst: a) }

  /// Every element of this tensor to the power that `exponent` has at its place.
  public func pow(_ exponent: Tensor) throws -> Tensor { try Tensor.combine(.power, self, exponent, "pow") }
}

/// `activation(a + b)`, element by element: what ends a residual block.
///
/// As exact as one after the other, in one pass over the memory. Where both have the same shape and one is
/// channel-blocked, so is the result.
/// - Throws: ``TensorError/shape(operation:reason:)`` with both shapes when they cannot be broadcast together.
public func add<Scalar: FloatingPointScalar>(
  _ a: Tensor<Scalar>, _ b: Tensor<Scalar>, activation function: Activation = .identity
) throws -> Tensor<Scalar> {
  guard a.shape == b.shape else { return try activation(a + b, function) }
  return try Tensor.combineAlike(.add, a, b, then: function.operation)
}

/// The greater of `a` and `b`, element by element; NaN where either is.
public func maximum<Scalar: FloatingPointScalar>(
  _ a: Tensor<Scalar>, _ b: Tensor<Scalar>
) throws -> Tensor<Scalar> {
  try Tensor.combine(.maximum, a, b, "maximum")
}

/// The smaller of `a` and `b`, element by element; NaN where either is.
public func minimum<Scalar: FloatingPointScalar>(
  _ a: Tensor<Scalar>, _ b: Tensor<Scalar>
) throws -> Tensor<Scalar> {
  try Tensor.combine(.minimum, a, b, "minimum")
}

/// `x` above zero, `slope * x` below; the slope broadcasts: one for each channel, for example.
/// - Throws: ``TensorError/shape(operation:reason:)`` with both shapes when they cannot be broadcast together.
public func prelu<Scalar: FloatingPointScalar>(
  _ x: Tensor<Scalar>, slope: Tensor<Scalar>
) throws -> Tensor<Scalar> {
  try Tensor.combine(.scaleNegative, x, slope, "prelu")
}

extension Tensor where Scalar: FloatingPointScalar {
  /// `a op b` with broadcasting. Operands of the same shape keep their layout; where one is channel-blocked the other
  /// becomes so, too.
  @_specialize(where Scalar == Float)
  static func combine(_ operation: BinaryOperation, _ a: Tensor, _ b: Tensor, _ name: String) throws -> Tensor {
    if a.shape == b.shape { return try combineAlike(operation, a, b) }
    if b.count == 1, b.rank <= a.rank { return try a.combined(operation, scalar: b.scalar) }
    if a.count == 1, a.rank <= b.rank { return try b.combined(operation, scalarFirst: a.scalar) }
    if let result = try combineBlocked(operation, a, b, name) { return result }
    return try combineBroadcast(operation, a.rowMajor, b.rowMajor, name)
  }

  /// `a op b` where one operand is channel-blocked and has the shape of the result, so that it stays as it is: a value
  /// a channel, a map for all channels. nil for everything else.
  private static func combineBlocked(
    _ operation: BinaryOperation, _ a: Tensor, _ b: Tensor, _ name: String
  ) throws -> Tensor? {
    guard a.layout == .channelBlocked || b.layout == .channelBlocked else { return nil }
    let shape = try Shape.broadcast(a.shape, b.shape, operation: name)
    let isFirst = a.layout == .channelBlocked && a.shape == shape
    guard isFirst || (b.layout == .channelBlocked && b.shape == shape) else { return nil }
    let whole = isFirst ? a : b
    let other = isFirst ? b : a
    if let axis = StretchedVector<Scalar>.axis(of: other.shape, over: shape, layout: .channelBlocked) {
      let vector = try StretchedVector(other, along: axis, of: shape, layout: .channelBlocked)
      return try withExtendedLifetime(whole.storage) {
        nonisolated(unsafe) let x = whole.pointer
        return try filled(shape, layout: .channelBlocked) { destination in
          nonisolated(unsafe) let y = destination
          // Whole rows of a block, whatever the threads take.
          let block = TensorLayout.block
          parallelRanges(whole.storedCount / block, grain: elementsPerPiece / block) { start, count in
            let (start, count) = (start * block, count * block)
            vector.combine(operation, x + start, isFirst: !isFirst, y + start, from: start, count: count)
          }
        }
      }
    }
    // The other with as many axes, and its channels, if it has several, in blocks as well.
    var padded = [Int](repeating: 1, count: shape.count - other.rank) + other.shape
    let stretched = other.layout == .rowMajor ? try other.reshaped(padded) : other
    var view = try stretched.channelBlocked
    if padded[1] == 1 {
      view = try stretched.rowMajor
      padded.append(1)
    } else if view.layout == .channelBlocked {
      padded = blockedShape(padded)
    } else {
      return nil
    }
    let blocked = blockedShape(shape)
    let count = try Shape.elementCount(blocked)
    let first = Tensor(shape: blocked, count: count, storage: whole.storage)
    let second = Tensor(shape: padded, count: try Shape.elementCount(padded), storage: view.storage)
    let result =
      try isFirst
      ? combineBroadcast(operation, first, second, name) : combineBroadcast(operation, second, first, name)
    return Tensor(shape: shape, count: whole.count, layout: .channelBlocked, storage: result.storage)
  }

  /// `a op b` for tensors of one shape, and `function` of that while it is in the cache.
  fileprivate static func combineAlike(
    _ operation: BinaryOperation, _ a: Tensor, _ b: Tensor, then function: UnaryOperation? = nil
  ) throws -> Tensor {
    let (a, b) = a.layout == b.layout ? (a, b) : (try a.channelBlocked, try b.channelBlocked)
    return try withExtendedLifetime((a.storage, b.storage)) {
      try filled(a.shape, layout: a.layout) {
        run(operation, a.pointer, b.pointer, into: $0, count: a.storedCount, then: function)
      }
    }
  }

  /// `a op b` for `count` elements, and `function` of that while it is in the cache; `y` may be `a` or `b`.
  static func run(
    _ operation: BinaryOperation, _ a: UnsafePointer<Scalar>, _ b: UnsafePointer<Scalar>,
    into y: UnsafeMutablePointer<Scalar>, count: Int, then function: UnaryOperation? = nil
  ) {
    let kernels = Scalar.kernels
    nonisolated(unsafe) let (a, b, y) = (a, b, y)
    parallelRanges(count) { start, count in
      kernels.binary(operation, a + start, b + start, y + start, count: count)
      if let function { kernels.unary(function, y + start, y + start, count: count) }
    }
  }

  private static func combineBroadcast(
    _ operation: BinaryOperation, _ a: Tensor, _ b: Tensor, _ name: String
  ) throws -> Tensor {
    let broadcast = try Broadcast(a.shape, b.shape, operation: name)
    let kernels = Scalar.kernels
    let total = try Shape.elementCount(broadcast.shape)
    return try withExtendedLifetime((a.storage, b.storage)) {
      nonisolated(unsafe) let first = a.pointer
      nonisolated(unsafe) let second = b.pointer
      return try filled(broadcast.shape) { destination in
        nonisolated(unsafe) let y = destination
        broadcast.withAxes { axes, rank in
          nonisolated(unsafe) let axes = axes
          parallelRanges(total) { start, count in
            kernels.binary(operation, first, second, y, over: axes, rank: rank, from: start, count: count)
          }
        }
      }
    }
  }

  /// `self op scalar`.
  func combined(_ operation: BinaryOperation, scalar: Scalar) throws -> Tensor {
    let kernels = Scalar.kernels
    return try withExtendedLifetime(storage) {
      nonisolated(unsafe) let x = pointer
      return try Tensor.filled(shape, layout: layout) { destination in
        nonisolated(unsafe) let y = destination
        parallelRanges(storedCount) { start, count in
          kernels.binary(operation, x + start, scalar: scalar, y + start, count: count)
        }
      }
    }
  }

  /// `scalar op self`.
  func combined(_ operation: BinaryOperation, scalarFirst scalar: Scalar) throws -> Tensor {
    let kernels = Scalar.kernels
    return try withExtendedLifetime(storage) {
      nonisolated(unsafe) let x = pointer
      return try Tensor.filled(shape, layout: layout) { destination in
        nonisolated(unsafe) let y = destination
        parallelRanges(storedCount) { start, count in
          kernels.binary(operation, scalar: scalar, x + start, y + start, count: count)
        }
      }
    }
  }
}
