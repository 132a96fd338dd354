import Apus

// Lists that grow: sequences of tensors that are written to at any place.

extension Operators {
  static let lists: [OperatorDefinition] = [
    OperatorDefinition(
      "ListMake", domain: "apus", .plain(.unknown("it gives a sequence"), float64: .typeAttribute("dtype")), ListMake),
    OperatorDefinition("ListWrite", domain: "apus", .plain(.unknown("it gives a sequence")), ListWrite),
    OperatorDefinition(
      "ListGather", domain: "apus", .plain(.unknown("it depends on the tensors of a sequence")), ListGather),
  ]

  /// Elements that a list has before anything is written: more would be no list but an attempt to fill memory.
  private static let listLimit = 1 << 20

  /// As many tensors of zeros as input 0 says, of `shape` and `dtype`; an extent below 0 is not known before something
  /// is written, and counts as 0.
  static func ListMake(_ node: NodeDescription) throws -> PreparedOperator {
    let elementType = try node.optionalElementType("dtype") ?? .float
    let shape = try node.ints("shape", default: []).map { max(0, $0) }
    return { arguments in
      let count = try arguments.integer(0)
      guard 0...listLimit ~= count else { throw OperatorError("a list of \(count) elements is asked for") }
      let zero = try GraphValue(zeros: elementType, shape: shape)
      return [.sequence([GraphValue](repeating: zero, count: count), element: .tensor(elementType, nil))]
    }
  }

  /// The list with the slices of input 2 along its first axis at the places of input 1; a place behind the end makes the
  /// list longer, with zeros between.
  static func ListWrite(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let places = try arguments.integers(1)
      let values = try arguments.value(2)
      var (list, element) = try arguments.sequence(0)
      let shape = try values.extents
      guard shape.first == places.count else {
        throw OperatorError("values of shape \(shape) are written to \(places.count) places")
      }
      guard GraphValueType.tensor(values.elementType, nil).hasKind(of: element) else {
        throw OperatorError("\(values.type) does not fit a list of \(element)")
      }
      for (index, place) in places.enumerated() {
        guard place >= 0, place < listLimit else { throw OperatorError("place \(place) is outside of any list") }
        let value = try Selection(axis: 0, indices: Tensor([Int64(index)], shape: [])).run(values)
        if place >= list.count {
          let zero = try GraphValue(zeros: values.elementType ?? .float, shape: Array(shape.dropFirst()))
          list += [GraphValue](repeating: zero, count: place - list.count + 1)
        }
        list[place] = value
      }
      return [.sequence(list, element: .tensor(values.elementType, nil))]
    }
  }

  /// The tensors at the places of input 1, along a new first axis.
  static func ListGather(_ node: NodeDescription) throws -> PreparedOperator {
    { arguments in
      let places = try arguments.integers(1)
      let list = try arguments.sequence(0).values
      let chosen = try places.map { place -> GraphValue in
        let resolved = place < 0 ? place &+ list.count : place
        guard list.indices.contains(resolved) else {
          throw OperatorError("place \(place) is outside a list of \(list.count)")
        }
        return list[resolved]
      }
      guard !chosen.isEmpty else { throw OperatorError("no places are asked for") }
      return [try Stacking(axis: 0).single(chosen)]
    }
  }
}
