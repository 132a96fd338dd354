import Apus

// Each takes constants and gives a tensor a few times as large at most, so that passes fold it when a session is made.

extension Operators {
  static let compressedWeights: [OperatorDefinition] = [
    OperatorDefinition("Unpack", domain: "apus", .plain(.unpack), Unpack),
    OperatorDefinition("LookUp", domain: "apus", .plain(.lookUp), LookUp),
    OperatorDefinition("Densify", domain: "apus", .plain(.densify), Densify),
    OperatorDefinition("BlockDequantize", domain: "apus", .plain(.blockDequantize), BlockDequantize),
  ]

  /// Integers of `bits` bits, lowest first through all bytes of input 0, as a tensor of `shape`: INT8 in two's complement
  /// with `signed`, otherwise UINT8.
  static func Unpack(_ node: NodeDescription) throws -> PreparedOperator {
    let bits = try node.int("bits", default: 8)
    let isSigned = try node.flag("signed")
    let shape = try node.ints("shape", default: [])
    guard 1...8 ~= bits else { throw OperatorError("elements of \(bits) bits are asked for; 1 to 8 are possible") }
    let count = try Shape.elementCount(shape, operation: "Unpack")
    return { arguments in
      let packed = try arguments.tensor(0, of: UInt8.self)
      guard packed.count >= count / 8 * bits + (count % 8 * bits + 7) / 8 else {
        throw OperatorError("\(packed.count) bytes do not hold \(count) elements of \(bits) bits")
      }
      let codes = try packed.withUnsafeBufferPointer { bytes in
        try Tensor<UInt8>.filled(shape) { codes in
          let mask = UInt16(1) << UInt16(bits) - 1
          for index in 0..<count {
            let (byte, shift) = (index * bits / 8, index * bits % 8)
            // An element may reach into the next byte.
            let next = byte + 1 < bytes.count ? UInt16(bytes[byte + 1]) : 0
            let code = UInt8(truncatingIfNeeded: (UInt16(bytes[byte]) | next << 8) >> UInt16(shift) & mask)
            let isNegative = isSigned && code >> UInt8(bits - 1) == 1
            codes[index] = isNegative ? code | ~UInt8(truncatingIfNeeded: mask) : code
          }
        }
      }
      guard isSigned else { return [GraphValue(codes)] }
      return [
        GraphValue(
          try codes.withUnsafeBufferPointer { codes in
            try Tensor<Int8>.filled(shape) { for index in 0..<count { $0[index] = Int8(bitPattern: codes[index]) } }
          })
      ]
    }
  }

  /// Entries of tables that indices name.
  ///
  /// Inputs: indices UINT8 of any shape, and tables `[groups along each axis…, entries, length]`: an index at a place
  /// takes its entry from the table of the group that the place lies in. Entries of a length above 1 follow each other
  /// along `vector_axis`, which becomes as many times longer.
  static func LookUp(_ node: NodeDescription) throws -> PreparedOperator {
    let vectorAxis = try node.optionalInt("vector_axis")
    return { arguments in
      let indices = try arguments.tensor(0, of: UInt8.self)
      let table = try arguments.value(1)
      let layout = try TableLayout(indices: indices.shape, table: table.extents, vectorAxis: vectorAxis)
      return [try TableSelection(layout: layout, indices: indices).run(table)]
    }
  }

  /// A tensor of zeros but where the mask (input 1, of the result's shape) is not 0: there the elements of input 0, in
  /// their order.
  static func Densify(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let mask = try arguments.tensor(1).converted(to: UInt8.self)
      return [try Spreading(mask: mask).run(arguments.value(0))]
    }
  }

  /// `scale · (data − offset)`, computed in the type of the scale. Scale and offset have the rank of the data, and each
  /// of their elements is for a block of as many data along every axis as its extent divides into.
  static func BlockDequantize(_ node: NodeDescription) throws -> PreparedOperator {
    floating(likeInput: 1, BlockDequantization<Float>(), BlockDequantization<Double>())
  }
}

private struct BlockDequantization<Scalar: FloatingPointScalar>: FloatingOperator {
  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let data = try arguments.tensor(0).converted(to: Scalar.self)
    let scale = try arguments.floating(1, as: Scalar.self)
    let offset = try arguments.optionalTensor(2)?.converted(to: Scalar.self)
    guard offset == nil || offset?.shape == scale.shape || offset?.count == 1 else {
      throw OperatorError("offsets of shape \(offset?.shape ?? []) do not fit scales of shape \(scale.shape)")
    }
    let blocks = try BlockWalk(data.shape, groups: scale.shape, what: "scales")
    var y = data
    try scale.withUnsafeBufferPointer { scale in
      try (offset ?? Tensor(zeros: [1])).withUnsafeBufferPointer { offset in
        try y.withUnsafeMutableBufferPointer { y in
          blocks.forRuns { position, count, group in
            let (factor, shift) = (scale[group], offset[offset.count == 1 ? 0 : group])
            for index in position..<(position + count) { y[index] = factor * (y[index] - shift) }
          }
        }
      }
    }
    return [try GraphValue(rounding: y, to: type)]
  }
}

/// The way through a tensor cut into equal blocks along every axis, in runs that lie in one block.
private struct BlockWalk {
  private let shape: [Int]
  private let groups: [Int]
  /// The elements along each axis that a group has.
  private let sizes: [Int]

  init(_ shape: [Int], groups: [Int], what: String) throws {
    guard shape.count == groups.count,
      zip(shape, groups).allSatisfy({ $0 == 0 || ($1 > 0 && $0.isMultiple(of: $1)) })
    else { throw OperatorError("\(what) of shape \(groups) do not divide a tensor of shape \(shape)") }
    self.shape = shape
    self.groups = groups
    sizes = zip(shape, groups).map { $1 == 0 ? 1 : max(1, $0 / $1) }
  }

  /// Calls `body` with where each run begins, how long it is, and its group.
  func forRuns(_ body: (_ position: Int, _ count: Int, _ group: Int) -> Void) {
    guard !shape.contains(0) else { return }
    guard let width = shape.last, let size = sizes.last, let columns = groups.last else { return body(0, 1, 0) }
    let outer = shape.count - 1
    var index = [Int](repeating: 0, count: outer)
    var position = 0
    while true {
      var row = 0
      for axis in 0..<outer { row = row * groups[axis] + index[axis] / sizes[axis] }
      for column in 0..<columns { body(position + column * size, size, row * columns + column) }
      position += width
      var axis = outer - 1
      while axis >= 0 {
        index[axis] += 1
        if index[axis] < shape[axis] { break }
        index[axis] = 0
        axis -= 1
      }
      if axis < 0 { return }
    }
  }
}

/// How indices and tables fit each other.
private struct TableLayout {
  let indices: [Int]
  let groups: [Int]
  let entries: Int
  let length: Int
  /// The axis that entries lie along, and the shape of the result.
  let axis: Int
  let shape: [Int]

  init(indices: [Int], table: [Int], vectorAxis: Int?) throws {
    guard table.count == indices.count + 2, table[indices.count] > 0, table[indices.count + 1] > 0 else {
      throw OperatorError(
        "a table of shape \(table) does not fit indices of shape \(indices): two axes more are needed")
    }
    self.indices = indices
    groups = Array(table.prefix(indices.count))
    entries = table[indices.count]
    length = table[indices.count + 1]
    if length == 1 {
      axis = 0
      shape = indices
    } else {
      guard let vectorAxis else { throw OperatorError("entries of length \(length) need a vector_axis") }
      axis = try Axes.resolve(vectorAxis, rank: indices.count)
      let (size, overflow) = indices[axis].multipliedReportingOverflow(by: length)
      guard !overflow else { throw OperatorError("an axis of \(indices[axis]) · \(length) is more than memory holds") }
      shape = indices.replacing(axis, with: size)
    }
    _ = try Shape.elementCount(shape, operation: "LookUp")
  }
}

private struct TableSelection: Rearrangement {
  let layout: TableLayout
  let indices: Tensor<UInt8>

  func moved<Scalar: TensorScalar>(_ table: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let blocks = try BlockWalk(layout.indices, groups: layout.groups, what: "tables")
    let (entries, length) = (layout.entries, layout.length)
    // Elements behind the axis of entries: an entry's elements are that far apart.
    let inner = length == 1 ? 1 : layout.indices.dropFirst(layout.axis + 1).product
    var wrong: (place: Int, code: UInt8)?
    let result = try indices.withUnsafeBufferPointer { indices in
      try table.withUnsafeBufferPointer { table in
        try Tensor<Scalar>.filled(layout.shape) { y in
          blocks.forRuns { position, count, group in
            let base = group * entries * length
            for place in position..<(position + count) {
              let code = Int(indices[place])
              guard code < entries else {
                wrong = wrong ?? (place, indices[place])
                for step in 0..<length { y[(place / inner * length + step) * inner + place % inner] = table[0] }
                continue
              }
              if length == 1 {
                y[place] = table[base + code]
              } else {
                for step in 0..<length {
                  y[(place / inner * length + step) * inner + place % inner] = table[base + code * length + step]
                }
              }
            }
          }
        }
      }
    }
    if let wrong {
      throw OperatorError("index \(wrong.code) at element \(wrong.place) is outside a table of \(entries) entries")
    }
    return result
  }
}

/// Elements in a row put where a mask is not 0.
private struct Spreading: Rearrangement {
  let mask: Tensor<UInt8>

  func moved<Scalar: TensorScalar>(_ values: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try mask.withUnsafeBufferPointer { mask in
      let wanted = mask.reduce(0) { $0 + ($1 == 0 ? 0 : 1) }
      guard wanted == values.count else {
        throw OperatorError("\(values.count) elements are given for the \(wanted) places of a mask")
      }
      return try values.withUnsafeBufferPointer { values in
        try Tensor<Scalar>.filled(self.mask.shape) { y in
          var next = 0
          for place in mask.indices {
            if mask[place] == 0 {
              y[place] = .zero
            } else {
              y[place] = values[next]
              next += 1
            }
          }
        }
      }
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let unpack = ShapeRule.rule { facts in
    [InferredType(try facts.node.flag("signed") ? .int8 : .uint8, try facts.node.ints("shape", default: []))]
  }

  static let lookUp = ShapeRule.rule { facts in
    let layout = try TableLayout(
      indices: facts.shape(0), table: facts.shape(1), vectorAxis: facts.node.optionalInt("vector_axis"))
    return [InferredType(facts.elementType(1), layout.shape)]
  }

  static let densify = ShapeRule.rule { [InferredType($0.elementType(0), try $0.shape(1))] }

  static let blockDequantize = ShapeRule.rule { [InferredType($0.elementType(1), try $0.shape(0))] }
}
