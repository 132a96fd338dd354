import Apus

// Lists of tensors. Sequences of sequences are refused.

extension Operators {
  static let sequences: [OperatorDefinition] = [
    OperatorDefinition(
      "SequenceEmpty", .plain(.unknown("it gives a sequence"), float64: .typeAttribute("dtype")), SequenceEmpty),
    OperatorDefinition("SequenceConstruct", .plain(.unknown("it gives a sequence")), SequenceConstruct),
    OperatorDefinition("SequenceAt", .plain(.unknown("each tensor of a sequence may have another shape")), SequenceAt),
    OperatorDefinition("SequenceInsert", .plain(.unknown("it gives a sequence")), SequenceInsert),
    OperatorDefinition("SequenceErase", .plain(.unknown("it gives a sequence")), SequenceErase),
    OperatorDefinition("SequenceLength", .plain(.sequenceLength), SequenceLength),
    OperatorDefinition("SplitToSequence", .plain(.unknown("it gives a sequence")), SplitToSequence),
    OperatorDefinition(
      "ConcatFromSequence", .plain(.unknown("it depends on the tensors of a sequence")), ConcatFromSequence),
  ]

  /// No tensors, of element type `dtype`.
  static func SequenceEmpty(_ node: NodeDescription) throws -> PreparedOperator {
    let elementType = try node.optionalElementType("dtype") ?? .float
    return { _ in [.sequence([], element: .tensor(elementType, nil))] }
  }

  /// The inputs.
  static func SequenceConstruct(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in [try .sequence((0..<arguments.count).map { try arguments.value($0) }, declared: nil)] }
  }

  /// The tensor at a position, which counts from the end where it is negative.
  static func SequenceAt(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let values = try arguments.sequence(0).values
      return [values[try position(arguments, 1, count: values.count)]]
    }
  }

  /// With input 1 put in before a position; at the end without one.
  static func SequenceInsert(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      // Its memory is written to when nobody else holds it, so that a loop that adds to a sequence copies nothing.
      var (values, element) = try arguments.takeSequence(0)
      let place = try arguments.has(2) ? position(arguments, 2, count: values.count, allowsEnd: true) : values.count
      let value = try arguments.value(1)
      guard value.shape != nil, GraphValueType.tensor(value.elementType, nil).hasKind(of: element) else {
        throw OperatorError("\(value.type) does not fit a sequence of \(element)")
      }
      values.insert(value, at: place)
      return [.sequence(values, element: element)]
    }
  }

  /// Without the tensor at a position; without the last, when there is none.
  static func SequenceErase(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      var (values, element) = try arguments.takeSequence(0)
      guard !values.isEmpty else { throw OperatorError("nothing can be erased from an empty sequence") }
      let place = try arguments.has(1) ? position(arguments, 1, count: values.count) : values.count - 1
      values.remove(at: place)
      return [.sequence(values, element: element)]
    }
  }

  /// The number of tensors.
  static func SequenceLength(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in [GraphValue(try Tensor([Int64(arguments.sequence(0).values.count)], shape: []))] }
  }

  private static func position(
    _ arguments: Arguments, _ index: Int, count: Int, allowsEnd: Bool = false
  ) throws -> Int {
    let position = try arguments.integer(index)
    let resolved = position < 0 ? position + count : position
    guard resolved >= 0, resolved < count || (allowsEnd && resolved == count) else {
      throw OperatorError("position \(position) is outside a sequence of \(count)")
    }
    return resolved
  }

  /// A tensor in parts along `axis`: of the sizes in input 1, of one size, the last perhaps smaller, where that is a
  /// single number, or of size 1; then, where `keepdims` is 0, without that axis.
  static func SplitToSequence(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis", default: 0)
    let keepsAxis = try node.flag("keepdims", default: true)
    return { arguments in
      let x = try arguments.value(0)
      let shape = try x.extents
      let axis = try Axes.resolve(axis, rank: shape.count)
      var sizes: [Int]
      if arguments.has(1), try !arguments.value(1).extents.isEmpty {
        sizes = try arguments.integers(1)
      } else {
        let size = try arguments.has(1) ? arguments.integer(1) : 1
        guard size > 0 else { throw OperatorError("parts of size \(size) are asked for") }
        let count = shape[axis] / size + (shape[axis].isMultiple(of: size) ? 0 : 1)
        // A tensor of one element takes some hundred bytes.
        try Shape.checkMemory([count, 256], of: UInt8.self, operation: "SplitToSequence")
        sizes = [Int](repeating: size, count: count)
        if count > 0 { sizes[count - 1] = shape[axis] - (count - 1) * size }
      }
      var parts = try Division(sizes: sizes, axis: axis).run([x])
      if !keepsAxis, !arguments.has(1) {
        var rest = shape
        rest.remove(at: axis)
        parts = try parts.map { try $0.reshaped(rest) }
      }
      return [.sequence(parts, element: .tensor(x.elementType, nil))]
    }
  }

  /// The tensors one after the other along `axis`, a new one where `new_axis` is 1.
  static func ConcatFromSequence(_ node: NodeDescription) throws -> PreparedOperator {
    let axis = try node.int("axis")
    let stacks = try node.flag("new_axis")
    return { arguments in
      let values = try arguments.sequence(0).values
      guard let first = values.first else { throw OperatorError("the sequence is empty") }
      return try arguments.context.growing {
        if stacks {
          return [try Stacking(axis: Axes.resolve(axis, rank: first.extents.count + 1)).single(values)]
        }
        return [try Concatenation(axis: axis).single(values)]
      }
    }
  }
}

extension Arguments {
  /// Input `index`, a sequence.
  func sequence(_ index: Int) throws -> (values: [GraphValue], element: GraphValueType) {
    guard case .sequence(let values, let element) = try value(index) else {
      throw OperatorError("input \(index) is \(try value(index).type); a sequence is needed")
    }
    return (values, element)
  }

  /// The same, given up by the run if this was its last use.
  mutating func takeSequence(_ index: Int) throws -> (values: [GraphValue], element: GraphValueType) {
    let taken = try sequence(index)
    giveUp(index)
    return taken
  }
}

extension GraphValue {
  /// A sequence of tensors of one element type; of `declared`, when it is empty.
  static func sequence(_ values: [GraphValue], declared: GraphValueType?) throws -> GraphValue {
    guard let first = values.first else { return .sequence([], element: declared ?? .tensor(nil, nil)) }
    guard values.allSatisfy({ $0.shape != nil && $0.elementType == first.elementType }) else {
      throw OperatorError("\(values.map { "\($0.type)" }.joined(separator: ", ")) are not tensors of one element type")
    }
    return .sequence(values, element: .tensor(first.elementType, nil))
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let sequenceLength = ShapeRule.rule { _ in [InferredType(.int64, [])] }
}
