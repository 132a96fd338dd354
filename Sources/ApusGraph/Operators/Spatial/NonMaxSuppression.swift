import Apus

extension Operators {
  static let boxSelections: [OperatorDefinition] = [
    OperatorDefinition(
      "NonMaxSuppression", .plain(.unknown("it depends on how many boxes are chosen")), NonMaxSuppression)
  ]

  /// For each sample and class the boxes of the highest scores that do not overlap one that was chosen before by more
  /// than a threshold.
  ///
  /// Inputs boxes `[batch, boxes, 4]`, scores `[batch, classes, boxes]`, and single values: the most boxes a class
  /// (none by default), the threshold on intersection over union (0 by default), the threshold on scores. Output
  /// `[chosen, 3]`: sample, class, box. Boxes are y₁, x₁, y₂, x₂ of opposite corners, or with `center_point_box` x, y,
  /// width, height.
  static func NonMaxSuppression(_ node: NodeDescription) throws -> PreparedOperator {
    let isCentered = try node.flag("center_point_box")
    return floating(BoxSelection<Float>(isCentered: isCentered), BoxSelection<Double>(isCentered: isCentered))
  }
}

private struct BoxSelection<Scalar: FloatingPointScalar>: FloatingOperator {
  let isCentered: Bool

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let boxes = try arguments.floating(0, as: Scalar.self)
    let scores = try arguments.floating(1, as: Scalar.self)
    guard boxes.rank == 3, scores.rank == 3, boxes.shape[2] == 4, boxes.shape[0] == scores.shape[0],
      boxes.shape[1] == scores.shape[2]
    else {
      throw OperatorError(
        "boxes of shape \(boxes.shape) and scores of shape \(scores.shape) are not [batch, boxes, 4] and "
          + "[batch, classes, boxes]")
    }
    let most = try arguments.optionalTensor(2).flatMap { $0.count == 0 ? nil : try arguments.integer(2) } ?? 0
    let threshold = try arguments.single(3, as: Scalar.self) ?? 0
    let least = try arguments.single(4, as: Scalar.self)
    let (batch, count, classes) = (boxes.shape[0], boxes.shape[1], scores.shape[1])
    let keys = try GraphValue(scores).orderKeys
    let memory = try reservation(boxes: boxes.shape, most: most)
    let corners = try boxes.elements
    var result = CountedList<Int64>()
    try scores.withUnsafeBufferPointer { points in
      try keys.withUnsafeBufferPointer { keys in
        for sample in 0..<batch where most > 0 {
          let list = (0..<count).map { Box(corners, at: (sample * count + $0) * 4, isCentered: isCentered) }
          for kind in 0..<classes {
            try arguments.context.checkCancellation()
            let first = (sample * classes + kind) * count
            // The highest score first, the first of equals; NaN comes last.
            var candidates = KeyHeap(
              Array(unsafeUninitializedCapacity: count) { entries, used in
                for index in 0..<count where least == nil || points[first + index] > least ?? 0 {
                  let key = keys[first + index]
                  entries.initializeElement(at: used, to: (key == .max ? .min : key, ~index))
                  used += 1
                }
              })
            let chosen = try choose(most, of: list, &candidates, beyond: threshold, arguments.context)
            for box in chosen {
              try result.append(Int64(sample))
              try result.append(Int64(kind))
              try result.append(Int64(box))
            }
          }
        }
      }
    }
    withExtendedLifetime(memory) {}
    return [GraphValue(try Tensor(result.elements, shape: [result.elements.count / 3, 3]))]
  }

  /// The boxes of a class that are chosen, as they are found.
  private func choose(
    _ most: Int, of list: [Box<Scalar>], _ candidates: inout KeyHeap, beyond threshold: Scalar, _ context: RunContext
  ) throws -> [Int] {
    var (chosen, indices) = (ChosenBoxes<Scalar>(), [Int]())
    var turn = 0
    while chosen.count < most, let candidate = candidates.popFirst() {
      if turn.isMultiple(of: 256) { try context.checkCancellation() }
      turn += 1
      // With tens of thousands of boxes every one meets every other.
      let box = list[~candidate.index]
      if chosen.contain(overlapping: box, beyond: threshold) { continue }
      chosen.append(box)
      indices.append(~candidate.index)
    }
    return indices
  }

  /// What is held beside tensors: the corners, the boxes and the candidates of a class, and those that are chosen, whose
  /// lists grow to twice as much at most.
  private func reservation(boxes shape: [Int], most: Int) throws -> MemoryReservation {
    let memory = try MemoryReservation(shape, of: Scalar.self, operation: "NonMaxSuppression")
    typealias Candidate = (box: Box<Scalar>, entry: KeyHeap.Entry)
    try memory.grow(by: Shape.byteCount([shape[1]], of: Candidate.self))
    typealias Chosen = (box: Box<Scalar>, sides: (Scalar, Scalar, Scalar, Scalar), index: Int)
    try memory.grow(by: Shape.byteCount([2, max(0, min(most, shape[1]))], of: Chosen.self))
    return memory
  }
}

extension Arguments {
  /// Input `index`, a single number; nil when it is omitted or empty.
  fileprivate func single<Scalar: FloatingPointScalar>(_ index: Int, as type: Scalar.Type) throws -> Scalar? {
    guard let tensor = try optionalFloating(index, as: type), tensor.count > 0 else { return nil }
    guard tensor.count == 1 else { throw OperatorError("input \(index) has \(tensor.count) elements; one is needed") }
    return try tensor.elements[0]
  }
}

/// Boxes that were chosen. Most lie beside another one: eight at a time are looked at for any that does not.
private struct ChosenBoxes<Scalar: FloatingPointScalar> {
  private static var step: Int { 8 }
  private var boxes: [Box<Scalar>] = []
  /// Filled up with what meets nothing.
  private var left: [Scalar] = []
  private var right: [Scalar] = []
  private var top: [Scalar] = []
  private var bottom: [Scalar] = []

  var count: Int { boxes.count }

  mutating func append(_ box: Box<Scalar>) {
    if count == left.count {
      let filling = repeatElement(Scalar.nan, count: Self.step)
      left += filling
      right += filling
      top += filling
      bottom += filling
    }
    (left[count], right[count], top[count], bottom[count]) = (box.left, box.right, box.top, box.bottom)
    boxes.append(box)
  }

  /// Whether the intersection of `box` with one of them is more than `threshold` of their union.
  func contain(overlapping box: Box<Scalar>, beyond threshold: Scalar) -> Bool {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        top.withUnsafeBufferPointer { top in
          bottom.withUnsafeBufferPointer { bottom in
            stride(from: 0, to: count, by: Self.step).contains { first in
              var meets: Int32 = 0
              for index in first..<first &+ Self.step {
                let isWithin: Int32 = (right[index] > box.left ? 1 : 0) & (left[index] < box.right ? 1 : 0)
                meets |= isWithin & (bottom[index] > box.top ? 1 : 0) & (top[index] < box.bottom ? 1 : 0)
              }
              return meets != 0
                && boxes[first..<min(first + Self.step, count)].contains {
                  box.intersectionOverUnion($0).map { $0 > threshold } ?? false
                }
            }
          }
        }
      }
    }
  }
}
