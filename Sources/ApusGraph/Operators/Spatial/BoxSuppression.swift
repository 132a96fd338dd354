import Apus

extension Operators {
  /// Boxes in the order of their scores without those that overlap a better one.
  ///
  /// Inputs boxes `[batch, B, 4]` (centre x, centre y, width, height), scores `[batch, B, classes]`, and two numbers
  /// that may be left out, `iou_threshold` (0) and `score_threshold` (−∞). Outputs: the first `max_boxes` boxes
  /// `[batch, max_boxes, 4]`, their scores `[batch, max_boxes, classes]`, their numbers INT32 `[batch, max_boxes]`, and
  /// how many there are, INT32 `[batch]`. What is missing is 0, and −1 as a number.
  ///
  /// A box counts by the best of its scores, which must be `score_threshold` at least; boxes that share more than
  /// `iou_threshold` of their union overlap, with `per_class` only if they are best at the same class.
  static func BoxSuppression(_ node: NodeDescription) throws -> PreparedOperator {
    let limit = try node.int("max_boxes", default: 1)
    let isPerClass = try node.flag("per_class")
    guard limit >= 0 else { throw OperatorError("max_boxes is \(limit)") }
    return { arguments in
      let type = try arguments.floatingType(0)
      let boxes = try arguments.tensor(0).converted(to: Double.self)
      let scores = try arguments.tensor(1).converted(to: Double.self)
      let overlap = try threshold("iou_threshold", arguments.optionalTensor(2), default: 0)
      let threshold = try threshold("score_threshold", arguments.optionalTensor(3), default: -.infinity)
      let shapes = try suppressionShapes(boxes.shape, scores.shape, limit: limit)
      let (batch, count) = (boxes.shape[0], boxes.shape[1])
      for shape in shapes { _ = try Shape.elementCount(shape, operation: "BoxSuppression") }
      let suppression = Suppression(overlap: overlap, threshold: threshold, limit: limit, isPerClass: isPerClass)
      let numbers = try boxes.elements
      let candidates = zip(try bestScores(scores), stride(from: 0, to: numbers.count, by: 4)).map { best, index in
        Suppression.Candidate(box: Box(sized: numbers, at: index), score: best.score, label: best.label)
      }
      var moves: [(from: Int, to: Int)] = []
      var counts: [Int32] = []
      for sample in 0..<batch {
        let kept = try suppression.kept(candidates[(sample * count)..<((sample + 1) * count)], arguments.context)
        counts.append(Int32(kept.count))
        moves += kept.enumerated().map { (from: $1, to: sample * limit + $0) }
      }
      var places = try Tensor<Int32>(repeating: -1, shape: shapes[2])
      try places.withUnsafeMutableBufferPointer { places in
        for move in moves { places[move.to] = Int32(move.from % count) }
      }
      let dataType = type.dataType ?? .float32
      return [
        .tensor(try AnyTensor(rows(of: boxes, moves, shape: shapes[0])).converted(to: dataType)),
        .tensor(try AnyTensor(rows(of: scores, moves, shape: shapes[1])).converted(to: dataType)), GraphValue(places),
        GraphValue(try Tensor(counts, shape: [batch])),
      ]
    }
  }

  /// The best of each box's scores, and the class that has it.
  private static func bestScores(_ scores: Tensor<Double>) throws -> [(score: Double, label: Int)] {
    let (count, classes) = (scores.shape[0] * scores.shape[1], scores.shape[2])
    return try scores.withUnsafeBufferPointer { scores in
      (0..<count).map { box in
        let row = scores[(box * classes)..<((box + 1) * classes)]
        let label = row.indices.max { row[$0] < row[$1] || row[$0].isNaN } ?? row.startIndex
        return (classes == 0 ? -.infinity : row[label], label - row.startIndex)
      }
    }
  }

  /// Rows of `x`, its last axis, in their places among zeros.
  private static func rows(
    of x: Tensor<Double>, _ moves: [(from: Int, to: Int)], shape: [Int]
  ) throws -> Tensor<Double> {
    let width = shape[2]
    var result = try Tensor<Double>(zeros: shape)
    try x.withUnsafeBufferPointer { x in
      try result.withUnsafeMutableBufferPointer { result in
        for move in moves {
          for index in 0..<width { result[move.to * width + index] = x[move.from * width + index] }
        }
      }
    }
    return result
  }

  private static func threshold(_ name: String, _ given: AnyTensor?, default value: Double) throws -> Double {
    guard let given else { return value }
    guard given.count == 1 else { throw OperatorError("\(name) is of shape \(given.shape); one number is needed") }
    return try given.converted(to: Double.self).elements[0]
  }

  fileprivate static func suppressionShapes(_ boxes: [Int], _ scores: [Int], limit: Int) throws -> [[Int]] {
    guard boxes.count == 3, scores.count == 3, boxes[2] == 4, Array(boxes[..<2]) == Array(scores[..<2]) else {
      throw OperatorError(
        "boxes of shape \(boxes) and scores of shape \(scores) are given; [batch, B, 4] and [batch, B, classes] are "
          + "needed")
    }
    return [[boxes[0], limit, 4], [boxes[0], limit, scores[2]], [boxes[0], limit], [boxes[0]]]
  }
}

private struct Suppression {
  struct Candidate {
    let box: Box<Double>
    let score: Double
    let label: Int
  }

  let overlap: Double
  let threshold: Double
  let limit: Int
  let isPerClass: Bool

  /// The indices of the boxes that are left, the best first.
  func kept(_ candidates: ArraySlice<Candidate>, _ context: RunContext) throws -> [Int] {
    // Of equal scores the first comes first.
    let order = candidates.indices.filter { candidates[$0].score >= threshold }.sorted {
      (candidates[$1].score, $0) < (candidates[$0].score, $1)
    }
    var kept: [Int] = []
    for index in order {
      if kept.count == limit { break }
      try context.checkCancellation()
      let candidate = candidates[index]
      let isFree = kept.allSatisfy { other in
        let other = candidates[other]
        return (isPerClass && other.label != candidate.label)
          || (candidate.box.intersectionOverUnion(other.box) ?? 0) <= overlap
      }
      if isFree { kept.append(index) }
    }
    return kept
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let boxSuppression = ShapeRule.rule { facts in
    let limit = try facts.node.int("max_boxes", default: 1)
    let shapes = try Operators.suppressionShapes(facts.shape(0), facts.shape(1), limit: limit)
    let type = facts.elementType(0)
    return zip(shapes, [type, type, .int32, .int32]).map { InferredType($1, $0) }
  }
}
