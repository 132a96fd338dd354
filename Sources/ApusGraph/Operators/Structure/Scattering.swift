import Apus

// A tensor with some elements replaced, or combined with others.

extension Operators {
  static let scatters: [OperatorDefinition] = [
    OperatorDefinition("Scatter", .plain(.likeInput), ScatterElements),
    OperatorDefinition("ScatterElements", .plain(.likeInput), ScatterElements),
    OperatorDefinition("ScatterND", .plain(.likeInput), ScatterND),
  ]

  /// `y = x; y[i, indices[i, j, k], k] = updates[i, j, k]` for axis 1, and likewise for others. Since versions 16 and
  /// 18 `reduction` may combine old and new. An index named twice takes the last, or all in their order.
  static func ScatterElements(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: 0)
    let reduction = try Reduction(node)
    return { arguments in
      let indices = try arguments.indices(1)
      let updates = try arguments.value(2)
      let x = try arguments.take(0)
      let shape = try x.extents
      guard try updates.extents == indices.shape else {
        throw OperatorError("updates of shape \(try updates.extents) do not fit indices of shape \(indices.shape)")
      }
      // A single value may be given where the standard wants at least one axis.
      let places = try elementPlaces(indices, in: shape, axis: Axes.resolve(axis, rank: max(1, shape.count)))
      return [try reduction.scatter(x, updates, Scattering(rows: places, width: 1))]
    }
  }

  /// `y = x; y[indices[i]] = updates[i]`, where the last axis of `indices` names slices.
  static func ScatterND(_ node: NodeDescription) throws -> PreparedOperator {
    let reduction = try Reduction(node)
    return { arguments in
      let indices = try arguments.indices(1)
      let updates = try arguments.value(2)
      let x = try arguments.take(0)
      let shape = try x.extents
      let places = try IndexedRows(indices, shape: shape)
      guard try updates.extents == places.resultShape else {
        throw OperatorError(
          "updates of shape \(try updates.extents) do not fit indices of shape \(indices.shape) into \(shape); "
            + "\(places.resultShape) is needed")
      }
      let width = try Shape.elementCount(Array(shape[places.axes...]))
      return [try reduction.scatter(x, updates, Scattering(rows: places.rows, width: width))]
    }
  }

  /// Where in a row-major tensor of shape `shape` each index points.
  private static func elementPlaces(_ indices: Tensor<Int64>, in shape: [Int], axis: Int) throws -> Tensor<Int64> {
    guard indices.rank == shape.count,
      shape.indices.allSatisfy({ $0 == axis || indices.shape[$0] <= shape[$0] }), !shape.isEmpty
    else {
      throw OperatorError("indices of shape \(indices.shape) do not fit a tensor of shape \(shape) along axis \(axis)")
    }
    let (size, strides, extents) = (shape[axis], Shape.strides(shape), indices.shape)
    let (last, step) = (extents.count - 1, strides[axis])
    return try indices.withUnsafeBufferPointer { indices in
      try Tensor<Int64>.filled([indices.count]) { places in
        guard !indices.isEmpty else { return }
        // The line that is gone through, and the place of its first element there but for `axis`.
        var line = [Int](repeating: 0, count: last)
        var base = 0
        for first in stride(from: 0, to: indices.count, by: extents[last]) {
          for column in 0..<extents[last] {
            let index = Int(indices[first + column])
            let resolved = index < 0 ? index + size : index
            guard resolved >= 0, resolved < size else {
              throw OperatorError("index \(index) is outside axis \(axis) of a tensor of shape \(shape)")
            }
            places[first + column] = Int64(base + resolved * step + (axis == last ? 0 : column))
          }
          for next in line.indices.reversed() {
            line[next] += 1
            if next != axis { base += strides[next] }
            if line[next] < extents[next] { break }
            if next != axis { base -= strides[next] * line[next] }
            line[next] = 0
          }
        }
      }
    }
  }
}

/// Rows of updates put at places of another tensor.
private struct Scattering: Movement {
  /// For each row of the updates, the row that it goes to.
  let rows: Tensor<Int64>
  /// The elements of a row.
  let width: Int

  /// `[x, updates]`
  func callAsFunction<Scalar: TensorScalar>(_ operands: [Tensor<Scalar>]) throws -> [Tensor<Scalar>] {
    guard operands.count == 2 else { throw OperatorError("the updates are missing") }
    var result = operands[0]
    try rows.withUnsafeBufferPointer { rows in
      try operands[1].withUnsafeBufferPointer { updates in
        try result.withUnsafeMutableBufferPointer { result in
          guard let target = UnsafeMutableRawPointer(result.baseAddress),
            let source = UnsafeRawPointer(updates.baseAddress)
          else { return }
          switch (width, MemoryLayout<Scalar>.stride) {
          case (1, 1): put(source, target, rows, UInt8.self)
          case (1, 2): put(source, target, rows, UInt16.self)
          case (1, 4): put(source, target, rows, UInt32.self)
          case (1, 8): put(source, target, rows, UInt64.self)
          case (_, let size):
            let bytes = width * size
            for (index, row) in rows.enumerated() {
              (target + Int(row) * bytes).copyMemory(from: source + index * bytes, byteCount: bytes)
            }
          }
        }
      }
    }
    return [result]
  }

  /// Single elements, distinguished by nothing but their size.
  @inline(__always)
  private func put<Bits: FixedWidthInteger & BitwiseCopyable>(
    _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, _ rows: UnsafeBufferPointer<Int64>, _: Bits.Type
  ) {
    let source = source.assumingMemoryBound(to: Bits.self)
    let target = target.assumingMemoryBound(to: Bits.self)
    for index in rows.indices { target[Int(rows[index])] = source[index] }
  }

  /// Every element of the updates combined with what is there already.
  @inline(__always)
  func combine<Scalar: TensorScalar>(
    _ x: Tensor<Scalar>, _ updates: Tensor<Scalar>, _ combined: (Scalar, Scalar) -> Scalar
  ) throws -> Tensor<Scalar> {
    // Pointers, not calls with a closure, through which what combines two elements would not be seen.
    var result = try x.rowMajor
    try result.makeUnique()
    let (rows, updates) = (try rows.rowMajor, try updates.rowMajor)
    withExtendedLifetime((rows, updates, result)) {
      let (y, row, source) = (result.mutablePointer, rows.pointer, updates.pointer)
      for index in 0..<rows.count {
        let target = y + Int(row[index]) * width
        let update = source + index * width
        for column in 0..<width { target[column] = combined(target[column], update[column]) }
      }
    }
    return result
  }
}

/// What becomes of an old and a new element at one place.
private enum Reduction: String {
  case none, add, mul, max, min

  init(_ node: NodeDescription) throws {
    let name = try node.string("reduction", default: "none")
    guard let reduction = Reduction(rawValue: name) else {
      throw OperatorError("reduction '\(name)' is not known; it is none, add, mul, max or min")
    }
    self = reduction
  }

  func scatter(_ x: GraphValue, _ updates: GraphValue, _ scattering: Scattering) throws -> GraphValue {
    if self == .none { return try scattering.single([x, updates]) }
    guard case .tensor(let data) = x, case .tensor(let other) = updates, data.dataType == other.dataType else {
      throw OperatorError("\(x.type) and \(updates.type) cannot be combined; numbers of one type are needed")
    }
    if data.dataType.isFloatingPoint {
      return try Operators.evaluate(OnFloating(reduction: self, updates: other, scattering: scattering), data)
    }
    if case .bool(let data) = data { return GraphValue(try truth(data, other.converted(), scattering)) }
    let visitor = OnWholeNumbers(reduction: self, x: data, updates: other, scattering: scattering)
    guard let value = try data.dataType.visitWholeNumber(visitor) else {
      throw OperatorError("elements of type \(x.type) cannot be combined")
    }
    return value
  }

  @inline(__always)
  fileprivate func floating<Scalar: FloatingPointScalar>(
    _ x: Tensor<Scalar>, _ updates: Tensor<Scalar>, _ scattering: Scattering
  ) throws -> Tensor<Scalar> {
    switch self {
    case .none: x
    case .add: try scattering.combine(x, updates) { $0 + $1 }
    case .mul: try scattering.combine(x, updates) { $0 * $1 }
    // A NaN stays, as in NumPy.
    case .max: try scattering.combine(x, updates) { $0 > $1 || $0.isNaN ? $0 : $1 }
    case .min: try scattering.combine(x, updates) { $0 < $1 || $0.isNaN ? $0 : $1 }
    }
  }

  @inline(__always)
  fileprivate func whole<Scalar: TensorScalar & FixedWidthInteger>(
    _ x: Tensor<Scalar>, _ updates: Tensor<Scalar>, _ scattering: Scattering
  ) throws -> Tensor<Scalar> {
    switch self {
    case .none: x
    case .add: try scattering.combine(x, updates) { $0 &+ $1 }
    case .mul: try scattering.combine(x, updates) { $0 &* $1 }
    case .max: try scattering.combine(x, updates) { Swift.max($0, $1) }
    case .min: try scattering.combine(x, updates) { Swift.min($0, $1) }
    }
  }

  private func truth(_ x: Tensor<Bool>, _ updates: Tensor<Bool>, _ scattering: Scattering) throws -> Tensor<Bool> {
    switch self {
    case .none: x
    case .add, .max: try scattering.combine(x, updates) { $0 || $1 }
    case .mul, .min: try scattering.combine(x, updates) { $0 && $1 }
    }
  }
}

private struct OnFloating: FloatingFunction {
  let reduction: Reduction
  let updates: AnyTensor
  let scattering: Scattering

  func callAsFunction<Real: FloatingPointScalar>(_ x: Tensor<Real>) throws -> Tensor<Real> {
    try reduction.floating(x, updates.converted(), scattering)
  }
}

private struct OnWholeNumbers: WholeNumberVisitor {
  let reduction: Reduction
  let x: AnyTensor
  let updates: AnyTensor
  let scattering: Scattering

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
    GraphValue(try reduction.whole(x.converted(to: type), updates.converted(), scattering))
  }
}
