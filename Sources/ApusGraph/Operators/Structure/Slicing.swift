import Apus

// Parts of a tensor that a start, an end and a step describe.

extension Operators {
  static let slices: [OperatorDefinition] = [
    OperatorDefinition(
      "Slice", .movement(.slice, results: .partOfInput, layout: .keepsBlocked, axes: .slice), Slice),
    OperatorDefinition("ReverseSequence", .plain(.likeInput), ReverseSequence),
  ]

  /// `x[start:end:step]` along each axis named, as Python slices. Starts, ends and axes are attributes before version
  /// 10, inputs since; steps came with version 10 and may be negative.
  static func Slice(_ node: NodeDescription) throws -> PreparedOperator {
    let starts = try node.integers(1, attribute: "starts", inputSince: 10)
    let ends = try node.integers(2, attribute: "ends", inputSince: 10)
    let axes = try node.integers(3, attribute: "axes", inputSince: 10)
    let steps = try node.integers(4, attribute: "steps", inputSince: 10)
    return { arguments in
      guard let starts = try starts(arguments), let ends = try ends(arguments) else {
        throw OperatorError("starts or ends are missing")
      }
      let axes = try axes(arguments)
      let steps = try steps(arguments) ?? [Int](repeating: 1, count: starts.count)
      let x = try arguments.take(0)
      var cut = Cut(whole: try x.extents)
      let resolved = try Axes.resolve(axes ?? Array(starts.indices), rank: cut.counts.count)
      guard ends.count == starts.count, resolved.count == starts.count, steps.count == starts.count else {
        throw OperatorError(
          "\(starts.count) starts, \(ends.count) ends, \(resolved.count) axes and \(steps.count) steps are given")
      }
      for (index, axis) in resolved.enumerated() {
        try cut.take(axis, from: starts[index], to: ends[index], step: steps[index])
      }
      return [try cut.run(x)]
    }
  }

  /// The first `sequence_lens[b]` elements of each sequence `b` in reverse order, the others where they are.
  static func ReverseSequence(_ node: NodeDescription) throws -> PreparedOperator {
    let timeAxis = try node.int("time_axis", default: 0)
    let batchAxis = try node.int("batch_axis", default: 1)
    guard (timeAxis, batchAxis) == (0, 1) || (timeAxis, batchAxis) == (1, 0) else {
      throw OperatorError("time_axis is \(timeAxis) and batch_axis \(batchAxis); one must be 0, the other 1")
    }
    return { arguments in
      let x = try arguments.take(0)
      let shape = try x.extents
      let lengths = try arguments.integers(1)
      guard shape.count >= 2, lengths.count == shape[batchAxis] else {
        throw OperatorError("\(lengths.count) lengths are given for a tensor of shape \(shape)")
      }
      let (steps, batch) = (shape[timeAxis], shape[batchAxis])
      if let length = lengths.first(where: { $0 < 0 || $0 > steps }) {
        throw OperatorError("length \(length) does not lie in 0 ... \(steps)")
      }
      guard !shape.contains(0) else { return [x] }
      let rows = try Tensor<Int64>.filled([steps * batch]) { rows in
        for time in 0..<steps {
          for sequence in 0..<batch {
            let source = time < lengths[sequence] ? lengths[sequence] - 1 - time : time
            func row(_ time: Int) -> Int { timeAxis == 0 ? time * batch + sequence : sequence * steps + time }
            rows[row(time)] = Int64(row(source))
          }
        }
      }
      return [try RowSelection(axes: 2, rows: rows, shape: shape).run(x)]
    }
  }
}

/// Along every axis some elements, each a step after the one before.
struct Cut: Rearrangement {
  private(set) var starts: [Int]
  private(set) var counts: [Int]
  private(set) var steps: [Int]

  /// All of a tensor of shape `shape`.
  init(whole shape: [Int]) {
    starts = [Int](repeating: 0, count: shape.count)
    counts = shape
    steps = [Int](repeating: 1, count: shape.count)
  }

  /// Narrows `axis`, still whole, as Python slices: bounds outside are moved to the nearest end.
  mutating func take(_ axis: Int, from start: Int, to end: Int, step: Int) throws {
    let size = counts[axis]
    guard step != 0 else { throw OperatorError("the step along axis \(axis) is 0") }
    let low = step > 0 ? 0 : -1
    let high = step > 0 ? size : size - 1
    let first = min(max(start < 0 ? start + size : start, step > 0 ? 0 : min(0, high)), high)
    let last = min(max(end < 0 ? end + size : end, low), high)
    let distance = step > 0 ? last - first : first - last
    starts[axis] = first
    counts[axis] = distance <= 0 ? 0 : Int((UInt(distance) - 1) / step.magnitude) + 1
    // With a single element the step is of no account, and may be as large as it likes.
    steps[axis] = counts[axis] > 1 ? step : 1
  }

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try x.sliced(starts: starts, counts: counts, steps: steps)
  }
}

/// Rows of a tensor whose first `axes` axes count as one, in the shape `shape`.
struct RowSelection: Rearrangement {
  let axes: Int
  let rows: Tensor<Int64>
  let shape: [Int]

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let outer = try Shape.elementCount(Array(x.shape[..<axes]))
    return try x.reshaped([outer] + x.shape[axes...]).indexSelect(axis: 0, rows).reshaped(shape)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let slice = ShapeRule.rule { facts in
    [InferredType(facts.elementType(0), try Cut(facts).counts)]
  }
}

extension Cut {
  /// What a Slice takes.
  init(_ facts: ShapeFacts) throws {
    guard let starts = try facts.integers(1, attribute: "starts", inputSince: 10),
      let ends = try facts.integers(2, attribute: "ends", inputSince: 10)
    else { throw ShapeFacts.Unknown() }
    self.init(whole: try facts.shape(0))
    let axes = try facts.integers(3, attribute: "axes", inputSince: 10) ?? Array(starts.indices)
    let steps = try facts.integers(4, attribute: "steps", inputSince: 10) ?? [Int](repeating: 1, count: starts.count)
    let resolved = try Axes.resolve(axes, rank: counts.count)
    guard ends.count == starts.count, resolved.count == starts.count, steps.count == starts.count else {
      throw ShapeFacts.Unknown()
    }
    for (index, axis) in resolved.enumerated() {
      try take(axis, from: starts[index], to: ends[index], step: steps[index])
    }
  }
}

// MARK: - Axes

extension AxisRule {
  /// The axes that are cut; the first ones where none are named.
  static let slice = AxisRule.named(.first, exactly: true) { facts, order in
    guard let starts = try facts.integers(1, attribute: "starts", inputSince: 10) else { throw ShapeFacts.Unknown() }
    let axes = try facts.integers(3, attribute: "axes", inputSince: 10) ?? Array(starts.indices)
    var renaming = Renaming(order)
    renaming.set(try axes.map { try order($0) }, 3, attribute: "axes", inputSince: 10, facts)
    return renaming
  }
}
