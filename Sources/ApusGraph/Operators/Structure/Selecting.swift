import Apus

// Places of elements that are something, and elements at such places.

extension Operators {
  static let selections: [OperatorDefinition] = [
    OperatorDefinition("NonZero", .plain(.unknown("it depends on how many elements are not zero")), NonZero),
    OperatorDefinition("Compress", .plain(.unknown("it depends on how many entries are chosen")), Compress),
    OperatorDefinition("OneHot", .plain(.oneHot), OneHot),
  ]

  /// The positions of all elements that are not zero (strings: not empty), in row-major order: `[rank, count]`.
  static func NonZero(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let x = try arguments.value(0)
      let shape = try x.extents
      var rest = try x.nonzeroPlaces
      let count = rest.count
      if shape.count == 1 { return [GraphValue(try rest.reshaped([1, count]))] }
      let positions = try Tensor<Int64>.filled([shape.count, count]) { positions in
        try rest.withUnsafeMutableBufferPointer { rest in
          // From the last axis on, what is left of each place; a whole row of places shares what is left of the first.
          for axis in shape.indices.reversed() {
            let size = Int64(shape[axis])
            let line = positions + axis * count
            var (quotient, start): (Int64, Int64) = (0, 0)
            for index in rest.indices {
              if rest[index] - start >= size || rest[index] < start {
                quotient = rest[index] / size
                start = quotient * size
              }
              line[index] = rest[index] - start
              rest[index] = quotient
            }
          }
        }
      }
      return [GraphValue(positions)]
    }
  }

  /// The entries along `axis` (of all elements as one axis, without) for which input 1 is true. Entries beyond the end
  /// of input 1 are dropped.
  static func Compress(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.optionalInt("axis")
    return { arguments in
      let condition = try arguments.tensor(1, of: Bool.self)
      var x = try arguments.take(0)
      if axis == nil { x = try x.reshaped([Shape.elementCount(x.extents)]) }
      let resolved = try Axes.resolve(axis ?? 0, rank: x.extents.count)
      let size = try x.extents[resolved]
      let chosen = try condition.withUnsafeBufferPointer { condition in
        try Tensor(placesBelow: min(size, condition.count)) { condition[$0] }
      }
      return [try Selection(axis: resolved, indices: chosen).run(x)]
    }
  }

  /// `values[1]` where the index in input 0 is the position along the new axis, `values[0]` everywhere else. An index
  /// outside `-depth ..< depth` is nowhere.
  static func OneHot(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: -1)
    return { arguments in
      let indices = try arguments.tensor(0)
      let depths = try arguments.tensor(1).converted(to: Int64.self).elements
      let values = try arguments.value(2)
      guard depths.count == 1, let depth = depths.first.map({ Int($0) }), depth >= 0 else {
        throw OperatorError("depth is \(depths); one integer that is not negative is needed")
      }
      guard try values.extents == [2] else {
        throw OperatorError("values have shape \(try values.extents); [2] is needed")
      }
      let axis = try Axes.resolve(axis, rank: indices.rank + 1)
      var shape = indices.shape
      shape.insert(depth, at: axis)
      // The sizes are checked before their products are used.
      let count = try Shape.elementCount(shape)
      let inner = count == 0 ? 1 : try Shape.elementCount(Array(shape[(axis + 1)...]))
      let places = try indices.converted(to: Int64.self).withUnsafeBufferPointer { indices in
        indices.enumerated().compactMap { offset, index -> Int? in
          let place = index < 0 ? Int(index) + depth : Int(index)
          guard count > 0, place >= 0, place < depth else { return nil }
          return (offset / inner * depth + place) * inner + offset % inner
        }
      }
      return [try Marking(places: places, shape: shape).single([values])]
    }
  }
}

/// A tensor of the first of two elements, but for some places, which hold the second.
private struct Marking: Movement {
  let places: [Int]
  let shape: [Int]

  func callAsFunction<Scalar: TensorScalar>(_ operands: [Tensor<Scalar>]) throws -> [Tensor<Scalar>] {
    guard let values = operands.first else { return [] }
    var result = try Tensor(repeating: values.element(0), shape: shape)
    let mark = try values.element(1)
    try result.withUnsafeMutableBufferPointer { result in for place in places { result[place] = mark } }
    return [result]
  }
}

extension Tensor where Scalar == Int64 {
  /// The numbers from 0 to `end`, without that, for which something holds.
  fileprivate init(placesBelow end: Int, where holds: (Int) -> Bool) throws {
    var count = 0
    for index in 0..<end where holds(index) { count += 1 }
    self = try Tensor.filled([count]) { places in
      var written = 0
      for index in 0..<end where holds(index) {
        places[written] = Int64(index)
        written += 1
      }
    }
  }
}

extension GraphValue {
  /// Where the elements that are not zero, or not empty strings, stand in row-major order.
  fileprivate var nonzeroPlaces: Tensor<Int64> {
    get throws {
      switch self {
      case .strings(let tensor):
        return try Tensor(placesBelow: tensor.elements.count) { !tensor.elements[$0].isEmpty }
      case .coded(let tensor): return try GraphValue(tensor.widened()).nonzeroPlaces
      case .sequence, .optional: throw OperatorError("\(type) is given; a tensor is needed")
      case .tensor(let tensor):
        let isFloating = tensor.dataType.isFloatingPoint
        return try tensor.withUnsafeBytes { bytes in
          switch tensor.dataType.byteCount {
          case 1: try places(in: bytes, UInt8.self, mask: .max)
          // The sign of a zero is of no account.
          case 2: try places(in: bytes, UInt16.self, mask: isFloating ? .max >> 1 : .max)
          case 4: try places(in: bytes, UInt32.self, mask: isFloating ? .max >> 1 : .max)
          default: try places(in: bytes, UInt64.self, mask: isFloating ? .max >> 1 : .max)
          }
        }
      }
    }
  }

  @inline(__always)
  private func places<Bits: FixedWidthInteger & BitwiseCopyable>(
    in bytes: UnsafeRawBufferPointer, _: Bits.Type, mask: Bits
  ) throws -> Tensor<Int64> {
    let elements = bytes.assumingMemoryBound(to: Bits.self)
    var count = 0
    for element in elements { count += element & mask == 0 ? 0 : 1 }
    return try Tensor<Int64>.filled([count]) { places in
      // Every index is written, over the one before unless that is to stay; none behind the last that stays.
      var (index, written) = (0, 0)
      while written < count {
        places[written] = Int64(index)
        written += elements[index] & mask == 0 ? 0 : 1
        index += 1
      }
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let oneHot = ShapeRule.rule { facts in
    var shape = try facts.shape(0)
    let axis = try Axes.resolve(facts.node.int("axis", default: -1), rank: shape.count + 1)
    guard let depth = try facts.integers(1)?.first else { throw ShapeFacts.Unknown() }
    shape.insert(depth, at: axis)
    return [InferredType(facts.elementType(2), shape)]
  }
}
