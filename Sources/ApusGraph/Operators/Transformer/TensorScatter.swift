import Apus

extension Operators {
  static let caches: [OperatorDefinition] = [
    OperatorDefinition("TensorScatter", .plain(.likeInput), TensorScatter)
  ]

  /// The cache with `update` written over the entries from `write_indices` on, a sample each, along `axis`; `circular`
  /// goes on at the beginning where the end is reached.
  static func TensorScatter(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: -2)
    let mode = try node.string("mode", default: "linear")
    guard mode == "linear" || mode == "circular" else {
      throw OperatorError("mode is '\(mode)'; 'linear' or 'circular' is needed")
    }
    return { arguments in
      let scatter = CacheScatter(
        axis: axis, starts: try arguments.optionalIntegers(2), isCircular: mode == "circular")
      return [try scatter.single([arguments.take(0), arguments.value(1)])]
    }
  }
}

/// Writes the entries of an update, the second operand, over those of a cache, the first.
private struct CacheScatter: Movement {
  let axis: Int
  /// Where each sample's entries begin; nil: at the beginning.
  let starts: [Int]?
  let isCircular: Bool

  func callAsFunction<Scalar: TensorScalar>(_ operands: [Tensor<Scalar>]) throws -> [Tensor<Scalar>] {
    var (cache, update) = (operands[0], operands[1])
    let shape = cache.shape
    let axis = try Shape.axis(axis, in: shape, operation: "TensorScatter")
    var expected = shape
    if update.rank == shape.count { expected[axis] = min(update.shape[axis], shape[axis]) }
    guard axis > 0, update.shape == expected else {
      throw OperatorError(
        "an update of shape \(update.shape) does not fit a cache of shape \(shape) along axis \(axis)")
    }
    let (size, count) = (shape[axis], update.shape[axis])
    if let starts {
      guard starts.count == shape[0] else {
        throw OperatorError("write_indices has \(starts.count) elements for a batch of \(shape[0])")
      }
      for start in starts where start < 0 || (!isCircular && start > size - count) {
        throw OperatorError("\(count) entries from \(start) on do not fit a cache of \(size) along axis \(axis)")
      }
    }
    guard update.count > 0 else { return [cache] }
    update = try update.rowMajor
    let (outer, inner) = (shape[..<axis].reduce(1, *), shape[(axis + 1)...].reduce(1, *))
    let rowsPerSample = outer / shape[0]
    try cache.withUnsafeMutableBufferPointer { to in
      try update.withUnsafeBufferPointer { from in
        guard let to = to.baseAddress, let from = from.baseAddress else { return }
        for row in 0..<outer {
          let start = starts?[row / rowsPerSample] ?? 0
          for entry in 0..<count {
            let place = isCircular ? (start % size + entry) % size : start + entry
            (to + (row * size + place) * inner).update(from: from + (row * count + entry) * inner, count: inner)
          }
        }
      }
    }
    return [cache]
  }
}
