import Apus

// Elements that indices name.

extension Operators {
  static let gathers: [OperatorDefinition] = [
    OperatorDefinition("Gather", .movement(.gather, results: .fresh, layout: .rowMajor), Gather),
    OperatorDefinition("GatherElements", .plain(.gatherElements), GatherElements),
    OperatorDefinition("GatherND", .plain(.gatherND), GatherND),
    OperatorDefinition("GatherND", domain: "com.microsoft", .plain(.gatherND), GatherND),
  ]

  /// `x[…, indices, …]`: `axis` is replaced by the axes of `indices`.
  static func Gather(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: 0)
    return { arguments in
      let indices = try arguments.indices(1)
      return [try Selection(axis: axis, indices: indices).run(arguments.take(0))]
    }
  }

  /// `y[i, j, k] = x[i, indices[i, j, k], k]` for axis 1, and likewise for others.
  static func GatherElements(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: 0)
    return { arguments in
      let indices = try arguments.indices(1)
      return [try ElementSelection(axis: axis, indices: indices).run(arguments.take(0))]
    }
  }

  /// The slices that the rows of `indices` name, each of them the first places of a position. The first `batch_dims`
  /// axes of both go together.
  static func GatherND(_ node: NodeDescription) throws -> PreparedOperator {
    let batchAxes = try node.int("batch_dims", default: 0)
    return { arguments in
      let indices = try arguments.indices(1)
      let x = try arguments.take(0)
      let places = try IndexedRows(indices, shape: x.extents, batchAxes: batchAxes)
      return [try RowSelection(axes: places.axes, rows: places.rows, shape: places.resultShape).run(x)]
    }
  }
}

extension Arguments {
  /// Input `index`, INT32 or INT64, as indices.
  func indices(_ index: Int) throws -> Tensor<Int64> {
    switch try tensor(index) {
    case .int64(let tensor): return tensor
    case .int32(let tensor): return try tensor.converted(to: Int64.self)
    default: throw OperatorError("input \(index) is \(try value(index).type); INT32 or INT64 is needed")
    }
  }
}

/// Entries along an axis, which is replaced by the axes of the indices.
struct Selection: Rearrangement {
  let axis: Int
  let indices: Tensor<Int64>

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try x.indexSelect(axis: axis, indices)
  }
}

/// Single elements along an axis, an index for each.
struct ElementSelection: Rearrangement {
  let axis: Int
  let indices: Tensor<Int64>

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try x.gather(axis: axis, indices)
  }
}

/// The rows that tuples of indices name, the last axis of a tensor, in another tensor of shape `shape`.
struct IndexedRows {
  /// The first axes of the other tensor that a tuple and its batch name a place in: as one axis they are counted by
  /// ``rows``.
  let axes: Int
  let rows: Tensor<Int64>
  /// The shape of all rows named.
  let resultShape: [Int]

  /// - Throws: ``OperatorError`` for shapes that do not fit and for the first index out of range.
  init(_ indices: Tensor<Int64>, shape: [Int], batchAxes: Int = 0) throws {
    guard let length = indices.shape.last, batchAxes >= 0, batchAxes < indices.rank,
      batchAxes + length <= shape.count, indices.shape[..<batchAxes] == shape[..<batchAxes]
    else {
      throw OperatorError(
        "indices of shape \(indices.shape) do not fit a tensor of shape \(shape) with \(batchAxes) batch axes")
    }
    axes = batchAxes + length
    let tuples = Array(indices.shape.dropLast())
    resultShape = tuples + shape[axes...]
    let indexed = Array(shape[batchAxes..<axes])
    let batches = try Shape.elementCount(Array(shape[..<batchAxes]))
    let count = try Shape.elementCount(tuples)
    let perBatch = batches == 0 ? 0 : count / batches
    let rowsPerBatch = try Shape.elementCount(indexed)
    rows = try indices.withUnsafeBufferPointer { indices in
      try Tensor<Int64>.filled([count]) { rows in
        for tuple in 0..<count {
          var row = 0
          for (axis, size) in indexed.enumerated() {
            let index = Int(indices[tuple * length + axis])
            let place = index < 0 ? index + size : index
            guard place >= 0, place < size else {
              throw OperatorError(
                "index \(index) of tuple \(tuple) is outside axis \(batchAxes + axis) of a tensor of shape \(shape)")
            }
            row = row * size + place
          }
          rows[tuple] = Int64(tuple / max(1, perBatch) * rowsPerBatch + row)
        }
      }
    }
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let gather = ShapeRule.rule { facts in
    let x = try facts.input(0)
    let axis = try Axes.resolve(facts.node.int("axis", default: 0), rank: x.shape.count)
    return [InferredType(x.elementType, try x.shape[..<axis] + facts.shape(1) + x.shape[(axis + 1)...])]
  }

  static let gatherElements = ShapeRule.rule { [InferredType($0.elementType(0), try $0.shape(1))] }

  static let gatherND = ShapeRule.rule { facts in
    let (x, indices) = try (facts.input(0), facts.shape(1))
    let batch = try facts.node.int("batch_dims", default: 0)
    guard let length = indices.last, batch >= 0, batch < indices.count, length >= 0, length <= x.shape.count - batch
    else { throw ShapeFacts.Unknown() }
    return [InferredType(x.elementType, indices.dropLast() + x.shape[(batch + length)...])]
  }
}

extension Cut {
  /// What a Gather takes whose only index is known: one place along an axis.
  init(singlePlaceOf facts: ShapeFacts) throws {
    self.init(whole: try facts.shape(0))
    guard let place = try facts.integer(1) else { throw ShapeFacts.Unknown() }
    let axis = try Axes.resolve(facts.node.int("axis", default: 0), rank: counts.count)
    let size = counts[axis]
    guard -size <= place, place < size else { throw ShapeFacts.Unknown() }
    let start = place < 0 ? place + size : place
    try take(axis, from: start, to: start + 1, step: 1)
  }
}
