extension Tensor {
  /// A tensor of the given elements, in row-major order.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when `shape` does not hold exactly that many.
  public init(_ elements: some Collection<Scalar>, shape: [Int]) throws {
    let count = try Shape.elementCount(shape)
    guard elements.count == count else {
      throw TensorError.shape(
        operation: "Tensor", reason: "\(elements.count) elements were given for shape \(shape), which holds \(count)")
    }
    self = try Tensor.filled(shape) { destination in
      let buffer = UnsafeMutableBufferPointer(start: destination, count: count)
      _ = buffer.initialize(fromContentsOf: elements)
    }
  }

  /// A one-dimensional tensor.
  public init(_ elements: some Collection<Scalar>) throws {
    try self.init(elements, shape: [elements.count])
  }

  /// A tensor whose elements are all `value`.
  public init(repeating value: Scalar, shape: [Int]) throws {
    let count = try Shape.elementCount(shape)
    let kernels = Execution.current.kernels.data
    self = try Tensor.filled(shape) { destination in
      nonisolated(unsafe) let y = destination
      parallelRanges(count) { start, count in
        withUnsafeBytes(of: value) { bytes in
          guard let value = bytes.baseAddress else { return }
          kernels.fill(elementSize: MemoryLayout<Scalar>.stride, with: value, y + start, count: count)
        }
      }
    }
  }

  /// A tensor of zeros (`false` for `Bool`).
  public init(zeros shape: [Int]) throws {
    try self.init(repeating: .zero, shape: shape)
  }

  /// The elements in row-major order.
  public var elements: [Scalar] {
    @_specialize(where Scalar == Int64)
    get throws { try withUnsafeBufferPointer { Array($0) } }
  }
}

extension Tensor where Scalar: FloatingPointScalar {
  /// `[0, 1, 2, …, count - 1]`.
  /// - Throws: ``TensorError`` for a negative number of them, and for more than the memory may hold.
  public init(range count: Int) throws {
    self = try Tensor.filled([count]) { elements in
      for index in 0..<count { elements[index] = Scalar(index) }
    }
  }
}

// MARK: - Shape

extension Tensor {
  /// The same elements in another shape; nothing is moved. One dimension may be -1: it takes what is left over.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when the counts differ.
  @_specialize(where Scalar == Float)
  @_specialize(where Scalar == Int64)
  public func reshaped(_ newShape: [Int]) throws -> Tensor {
    var resolved = newShape
    if let free = newShape.firstIndex(of: -1) {
      resolved[free] = 1
      let known = try Shape.elementCount(resolved, operation: "reshape")
      guard known > 0, count.isMultiple(of: known) else {
        throw TensorError.shape(operation: "reshape", reason: "shape \(shape) cannot become \(newShape)")
      }
      resolved[free] = count / known
    }
    guard try Shape.elementCount(resolved, operation: "reshape") == count else {
      throw TensorError.shape(operation: "reshape", reason: "shape \(shape) cannot become \(newShape)")
    }
    if resolved == shape { return self }
    if keepsBlocks(as: resolved) {
      return Tensor(shape: resolved, count: count, layout: .channelBlocked, storage: storage)
    }
    return Tensor(shape: resolved, count: count, storage: try rowMajor.storage)
  }

  /// Axes `from` to `through`, both included, as one (PyTorch's `flatten`).
  public func flattened(from: Int = 0, through: Int = -1) throws -> Tensor {
    if shape.isEmpty { return try reshaped([1]) }
    let first = try Shape.axis(from, in: shape, operation: "flatten")
    let last = try Shape.axis(through, in: shape, operation: "flatten")
    guard first <= last else {
      throw TensorError.argument(operation: "flatten", reason: "axis \(from) comes after axis \(through)")
    }
    let merged = shape[first...last].reduce(1, *)
    return try reshaped(Array(shape[..<first]) + [merged] + Array(shape[(last + 1)...]))
  }
}

// MARK: - Indexing

extension Tensor {
  /// The element at `indices`, one for each axis; negative ones count from the end.
  /// - Throws: ``TensorError/argument(operation:reason:)`` for a wrong number of indices or one out of range.
  public func element(_ indices: Int...) throws -> Scalar {
    let offset = try self.offset(of: indices)
    return try withUnsafeBufferPointer { $0[offset] }
  }

  /// Replaces the element at `indices`.
  public mutating func setElement(_ indices: Int..., to value: Scalar) throws {
    let offset = try self.offset(of: indices)
    try withUnsafeMutableBufferPointer { $0[offset] = value }
  }

  /// The only element.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when there is not exactly one.
  public var scalar: Scalar {
    get throws {
      guard count == 1 else {
        throw TensorError.shape(operation: "scalar", reason: "a tensor of shape \(shape) is not a single value")
      }
      return try withUnsafeBufferPointer { $0[0] }
    }
  }

  private func offset(of indices: [Int]) throws -> Int {
    guard indices.count == rank else {
      throw TensorError.argument(
        operation: "element", reason: "\(indices.count) indices were given for a tensor of shape \(shape)")
    }
    var offset = 0
    for (axis, index) in indices.enumerated() {
      let resolved = index < 0 ? index &+ shape[axis] : index
      guard resolved >= 0, resolved < shape[axis] else {
        throw TensorError.argument(
          operation: "element", reason: "index \(index) is outside axis \(axis) of a tensor of shape \(shape)")
      }
      offset = offset * shape[axis] + resolved
    }
    return offset
  }
}
