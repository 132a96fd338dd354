/// An n-dimensional array: a shape, and its elements in contiguous memory.
///
/// A tensor is a value. Copies share memory until one of them is written to; reshaping never moves data. Memory is
/// 64-byte aligned and recycled, and may be borrowed from a mapped file.
///
/// ```swift
/// let x = try Tensor<Float>([1, 2, 3, 4, 5, 6], shape: [2, 3])
/// let y = try x.transposed() * 2 + 1          // [3, 2]
/// ```
public struct Tensor<Scalar: TensorScalar>: Sendable {
  /// The extent of each axis; empty for a single value.
  public let shape: [Int]
  /// The number of elements.
  public let count: Int
  /// How elements lie in memory. See ``TensorLayout``.
  package let layout: TensorLayout
  var storage: TensorStorage

  /// A view of existing storage. `count` is the product of `shape`, and the storage holds at least that.
  init(shape: [Int], count: Int, layout: TensorLayout = .rowMajor, storage: TensorStorage) {
    self.shape = shape
    self.count = count
    self.layout = layout
    self.storage = storage
  }

  /// Undefined contents, for an operator to fill.
  @_specialize(where Scalar == Float)
  @_specialize(where Scalar == Int64)
  package init(uninitialized shape: [Int], layout: TensorLayout = .rowMajor) throws {
    let count = try Shape.elementCount(shape)
    let (stored, isMore) = layout == .rowMajor ? (count, false) : Self.blockedCount(count, channels: shape[1])
    let (bytes, overflow) = stored.multipliedReportingOverflow(by: MemoryLayout<Scalar>.stride)
    guard !isMore, !overflow else { throw TensorError.beyondMemoryLimit(bytes: .max, shape: shape) }
    do {
      self.init(shape: shape, count: count, layout: layout, storage: try TensorStorage(byteCount: bytes))
    } catch let error as TensorError {
      throw error.asking(for: shape)
    }
  }

  /// The number of axes.
  public var rank: Int { shape.count }

  /// The name of the element type.
  public var dataType: DataType { Scalar.dataType }
}

// MARK: - Memory

extension Tensor {
  /// The elements, in the order of ``layout``. Valid while `storage` is: wrap uses in `withExtendedLifetime(self)`.
  package var pointer: UnsafePointer<Scalar> {
    UnsafePointer(storage.base.assumingMemoryBound(to: Scalar.self))
  }

  /// Calls `body` with the elements in row-major order.
  public func withUnsafeBufferPointer<Result>(
    _ body: (UnsafeBufferPointer<Scalar>) throws -> Result
  ) throws -> Result {
    let source = try rowMajor
    return try withExtendedLifetime(source.storage) {
      try body(UnsafeBufferPointer(start: source.pointer, count: count))
    }
  }

  /// Calls `body` with the elements in row-major order, to be changed in place. Memory shared with another tensor is
  /// copied first.
  public mutating func withUnsafeMutableBufferPointer<Result>(
    _ body: (UnsafeMutableBufferPointer<Scalar>) throws -> Result
  ) throws -> Result {
    if layout != .rowMajor { self = try rowMajor }
    try makeUnique()
    let base = storage.base.assumingMemoryBound(to: Scalar.self)
    return try withExtendedLifetime(storage) {
      try body(UnsafeMutableBufferPointer(start: base, count: count))
    }
  }

  /// Makes this tensor the only owner of writable memory.
  package mutating func makeUnique() throws {
    if storage.owner == nil, isKnownUniquelyReferenced(&storage) { return }
    let bytes = count * MemoryLayout<Scalar>.stride
    let copy = try TensorStorage(byteCount: bytes)
    copy.base.copyMemory(from: storage.base, byteCount: bytes)
    storage = copy
  }

  /// A tensor whose elements `fill` writes, every one of them, in the order of `layout`.
  #if compiler(>=6.3)
    // Debian's Swift 6.2 checks itself, and ends at the closure of the copy that this asks for.
    @_specialize(where Scalar == Float)
    @_specialize(where Scalar == Int64)
  #endif
  package static func filled(
    _ shape: [Int], layout: TensorLayout = .rowMajor,
    by fill: (UnsafeMutablePointer<Scalar>) throws -> Void
  ) throws -> Tensor {
    let result = try Tensor(uninitialized: shape, layout: layout)
    try withExtendedLifetime(result.storage) {
      try fill(result.storage.base.assumingMemoryBound(to: Scalar.self))
    }
    return result
  }
}
