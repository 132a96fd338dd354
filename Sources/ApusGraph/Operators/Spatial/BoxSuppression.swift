import Apus

extension Operators {
  /// Boxes in the order of their scores without those that overlap a better one.
  ///
  /// Inputs boxes `[batch, B, 4]` (centre x, centre y, width, height), scores `[batch, B, classes]`, and two numbers that
  /// may be left out, `iou_threshold` (0) and `score_threshold` (−∞). Outputs: the first `max_boxes` boxes `[batch, max_boxes, 4]`, their scores `[batch, max_boxes, classes]`, their numbers INT32
  /// `[batch, max_boxes]`, and how many there are, INT32 `[batch]`. What is missing is 0, and −1 as a number.
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
      let (batch, count, classes) = (boxes.shape[0], boxes.shape[1], scores.shape[2])
      for shape in shapes { _ = try Shape.elementCount(shape, operation: "BoxSuppression") }
      var chosenBoxes = try Tensor<Double>(zeros: shapes[0])
      var chosenScores = try Tensor<Double>(zeros: shapes[1])
      var indices = try Tensor<Int32>(repeating: -1, shape: shapes[2])
      var counts = [Int32](repeating: 0, count: batch)
      try boxes.withUnsafeBufferPointer { boxes in
        try scores.withUnsafeBufferPointer { scores in
          try chosenBoxes.withUnsafeMutableBufferPointer { boxRows in
            try chosenScores.withUnsafeMutableBufferPointer { scoreRows in
              try indices.withUnsafeMutableBufferPointer { places in
                for sample in 0..<batch {
                  let own = UnsafeBufferPointer(rebasing: boxes[(sample * count * 4)..<((sample + 1) * count * 4)])
                  let rows = UnsafeBufferPointer(
                    rebasing: scores[(sample * count * classes)..<((sample + 1) * count * classes)])
                  let kept = try suppressed(
                    own, rows, count: count, classes: classes, overlap: overlap, threshold: threshold, limit: limit,
                    isPerClass: isPerClass, arguments.context)
                  counts[sample] = Int32(kept.count)
                  for (rank, box) in kept.enumerated() {
                    let row = sample * limit + rank
                    places[row] = Int32(box)
                    for index in 0..<4 { boxRows[row * 4 + index] = own[box * 4 + index] }
                    for index in 0..<classes { scoreRows[row * classes + index] = rows[box * classes + index] }
                  }
                }
              }
            }
          }
        }
      }
      let dataType = type.dataType ?? .float32
      return [
        .tensor(try AnyTensor(chosenBoxes).converted(to: dataType)),
        .tensor(try AnyTensor(chosenScores).converted(to: dataType)), GraphValue(indices),
        GraphValue(try Tensor(counts, shape: [batch])),
      ]
    }
  }

  private static func threshold(_ name: String, _ given: AnyTensor?, default value: Double) throws -> Double {
    guard let given else { return value }
    guard given.count == 1 else { throw OperatorError("\(name) is of shape \(given.shape); one number is needed") }
    return try given.converted(to: Double.self).elements[0]
  }

  /// The numbers of the boxes that are left, the best first.
  private static func suppressed(
    _ boxes: UnsafeBufferPointer<Double>, _ scores: UnsafeBufferPointer<Double>, count: Int, classes: Int,
    overlap: Double, threshold: Double, limit: Int, isPerClass: Bool, _ context: RunContext
  ) throws -> [Int] {
    let best = (0..<count).map { box -> (score: Double, label: Int) in
      let row = scores[(box * classes)..<((box + 1) * classes)]
      let label = row.indices.max { row[$0] < row[$1] || row[$0].isNaN } ?? row.startIndex
      return (classes == 0 ? -.infinity : row[label], label - row.startIndex)
    }
    // Of equal scores the first comes first.
    let order = (0..<count).filter { best[$0].score >= threshold }.sorted {
      (best[$1].score, $0) < (best[$0].score, $1)
    }
    var kept: [Int] = []
    for box in order {
      if kept.count == limit { break }
      try context.checkCancellation()
      let isFree = kept.allSatisfy { other in
        (isPerClass && best[other].label != best[box].label)
          || intersectionOverUnion(boxes, box * 4, other * 4) <= overlap
      }
      if isFree { kept.append(box) }
    }
    return kept
  }

  private static func intersectionOverUnion(_ boxes: UnsafeBufferPointer<Double>, _ a: Int, _ b: Int) -> Double {
    func shared(_ axis: Int) -> Double {
      let low = max(boxes[a + axis] - boxes[a + axis + 2] / 2, boxes[b + axis] - boxes[b + axis + 2] / 2)
      let high = min(boxes[a + axis] + boxes[a + axis + 2] / 2, boxes[b + axis] + boxes[b + axis + 2] / 2)
      return max(0, high - low)
    }
    let intersection = shared(0) * shared(1)
    let union = boxes[a + 2] * boxes[a + 3] + boxes[b + 2] * boxes[b + 3] - intersection
    return union > 0 ? intersection / union : 0
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

// MARK: - Shapes

extension ShapeRule {
  static let boxSuppression = ShapeRule.rule { facts in
    let limit = try facts.node.int("max_boxes", default: 1)
    let shapes = try Operators.suppressionShapes(facts.shape(0), facts.shape(1), limit: limit)
    let type = facts.elementType(0)
    return zip(shapes, [type, type, .int32, .int32]).map { InferredType($1, $0) }
  }
}
