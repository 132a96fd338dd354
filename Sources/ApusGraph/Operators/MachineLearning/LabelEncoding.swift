import Apus

// Labels and categories of `ai.onnx.ml` as other labels, as numbers, or as columns of zeros and ones.

extension Operators {
  static let labels: [OperatorDefinition] = [
    OperatorDefinition(ml: "LabelEncoder", .plain(.labelEncoder), LabelEncoder),
    OperatorDefinition(ml: "CategoryMapper", .plain(.categoryMapper), CategoryMapper),
    OperatorDefinition(ml: "OneHotEncoder", .plain(.oneHotEncoder), OneHotEncoder),
    OperatorDefinition(ml: "ZipMap", .plain(.zipMap), ZipMap),
  ]

  /// For each element the value that stands where the element stands among the keys; a default for all others. In
  /// version 1 `classes_strings` are keys with their places as values, or the other way round.
  static func LabelEncoder(_ node: NodeDescription) throws -> PreparedOperator {
    if node.opset < 2 {
      let classes = try node.optionalStrings("classes_strings") ?? []
      return try mapping(node, texts: classes, numbers: classes.indices.map { Int64($0) }, unused: "_Unused")
    }
    guard let keys = try node.list("keys") else { throw OperatorError("the keys are missing") }
    guard let values = try node.list("values") else { throw OperatorError("the values are missing") }
    guard try keys.extents == values.extents else {
      throw OperatorError("keys of type \(keys.type) and values of type \(values.type) do not go together")
    }
    let table = try LabelTable(keys: keys, values: values, missing: missingLabel(node, like: values))
    return { arguments in [try table.values(for: arguments.value(0))] }
  }

  /// What becomes of elements that are not keys.
  private static func missingLabel(_ node: NodeDescription, like values: GraphValue) throws -> GraphValue {
    if let value = try node.optionalTensor("default_tensor") { return try value.reshaped([1]) }
    switch values.elementType {
    case .string: return .strings(try StringTensor([node.string("default_string", default: "_Unused")], shape: [1]))
    case .float: return GraphValue(try Tensor([node.float("default_float", default: -0.0)]))
    case .double: return GraphValue(try Tensor([Double(node.float("default_float", default: -0.0))]))
    case .int64: return GraphValue(try Tensor([Int64(node.int("default_int64", default: -1))]))
    case .int32: return GraphValue(try Tensor([Int32(-1)]))
    case .int16: return GraphValue(try Tensor([Int16(-1)]))
    default: throw OperatorError("values of type \(values.type) have no default")
    }
  }

  /// Strings as integers or integers as strings, whichever comes in.
  static func CategoryMapper(_ node: NodeDescription) throws -> PreparedOperator {
    let texts = try node.optionalStrings("cats_strings") ?? []
    let numbers = try node.optionalInts("cats_int64s")?.map { Int64($0) } ?? []
    guard texts.count == numbers.count else {
      throw OperatorError("\(texts.count) strings and \(numbers.count) numbers do not go together")
    }
    return try mapping(node, texts: texts, numbers: numbers, unused: "_Unused")
  }

  private static func mapping(
    _ node: NodeDescription, texts: [String], numbers: [Int64], unused: String
  ) throws -> PreparedOperator {
    let names = GraphValue.strings(try StringTensor(texts, shape: [texts.count]))
    let places = GraphValue(try Tensor(numbers))
    let noName = GraphValue.strings(try StringTensor([node.string("default_string", default: unused)], shape: [1]))
    let noPlace = GraphValue(try Tensor([Int64(node.int("default_int64", default: -1))]))
    let placeOfName = try LabelTable(keys: names, values: places, missing: noPlace)
    let nameOfPlace = try LabelTable(keys: places, values: names, missing: noName)
    return { arguments in
      let x = try arguments.value(0)
      return [try (x.elementType == .string ? placeOfName : nameOfPlace).values(for: x)]
    }
  }

  /// A column for each category along a new last axis, 1 in that of the element and 0 in all others. An element that is
  /// no category has zeros everywhere, or is refused where `zeros` is 0. Gives FLOAT.
  static func OneHotEncoder(_ node: NodeDescription) throws -> PreparedOperator {
    let texts = try node.optionalStrings("cats_strings") ?? []
    let numbers = try node.optionalInts("cats_int64s") ?? []
    let allowsOthers = try node.flag("zeros", default: true)
    guard texts.isEmpty != numbers.isEmpty else { throw OperatorError("one of cats_strings and cats_int64s is needed") }
    let categories =
      texts.isEmpty
      ? GraphValue(try Tensor(numbers.map { Int64($0) }))
      : GraphValue.strings(try StringTensor(texts, shape: [texts.count]))
    let places = try LabelPlaces(categories)
    return { arguments in
      let x = try arguments.value(0)
      let found = try places.wholePlaces(of: x)
      var result = try Tensor<Float>(zeros: x.extents + [places.count])
      try result.withUnsafeMutableBufferPointer { result in
        try found.withUnsafeBufferPointer { found in
          for (row, place) in found.enumerated() {
            guard place < places.count else {
              if allowsOthers { continue }
              throw OperatorError("element \(row) is not one of the \(places.count) categories")
            }
            result[row * places.count + Int(place)] = 1
          }
        }
      }
      return [GraphValue(result)]
    }
  }
}

extension NodeDescription {
  /// Keys or values of a label encoder: one of four attributes.
  fileprivate func list(_ name: String) throws -> GraphValue? {
    if let texts = try optionalStrings("\(name)_strings") {
      return .strings(try StringTensor(texts, shape: [texts.count]))
    }
    if let numbers = try optionalInts("\(name)_int64s") { return GraphValue(try Tensor(numbers.map { Int64($0) })) }
    if let numbers = try optionalFloats("\(name)_floats") { return GraphValue(try Tensor(numbers)) }
    guard let value = try optionalTensor("\(name)_tensor") else { return nil }
    return try value.reshaped([Shape.elementCount(value.extents)])
  }
}

/// Where labels stand in a list: of equal ones the last. NaNs are equal.
private struct LabelPlaces {
  private enum Key: Hashable {
    case text(UTF8Key)
    case whole(Int64)
    case real(Double)
    case notANumber
  }

  private let places: [Key: Int]
  let count: Int

  init(_ labels: GraphValue) throws {
    var (places, count): ([Key: Int], Int) = ([:], 0)
    try Self.forEachKey(labels) { index, key in
      places[key] = index
      count += 1
    }
    (self.places, self.count) = (places, count)
  }

  private static func forEachKey(_ value: GraphValue, _ body: (_ index: Int, Key) -> Void) throws {
    switch value {
    case .strings(let texts):
      for (index, text) in texts.elements.enumerated() { body(index, .text(UTF8Key(text))) }
    case .tensor(let tensor) where tensor.dataType.isFloatingPoint:
      try tensor.converted(to: Double.self).withUnsafeBufferPointer { numbers in
        for (index, number) in numbers.enumerated() { body(index, number.isNaN ? .notANumber : .real(number)) }
      }
    case .tensor(let tensor):
      try tensor.converted(to: Int64.self).withUnsafeBufferPointer { numbers in
        for (index, number) in numbers.enumerated() { body(index, .whole(number)) }
      }
    default: throw OperatorError("\(value.type) is given; numbers or strings are needed")
    }
  }

  /// For each element its place; ``count`` for what is not in the list.
  func places(of value: GraphValue) throws -> Tensor<Int64> {
    try Tensor<Int64>.filled(value.extents) { result in
      try Self.forEachKey(value) { index, key in result[index] = Int64(places[key] ?? count) }
    }
  }

  /// The same among whole numbers: those of other types become such, but for NaN, which is none.
  func wholePlaces(of value: GraphValue) throws -> Tensor<Int64> {
    guard case .tensor(let tensor) = value else { return try places(of: value) }
    var found = try places(of: GraphValue(tensor.converted(to: Int64.self)))
    guard tensor.dataType.isFloatingPoint else { return found }
    let numbers = try tensor.converted(to: Double.self)
    try found.withUnsafeMutableBufferPointer { found in
      try numbers.withUnsafeBufferPointer { numbers in
        for (index, number) in numbers.enumerated() where number.isNaN { found[index] = Int64(count) }
      }
    }
    return found
  }
}

/// Labels and what stands for each.
private struct LabelTable {
  private let places: LabelPlaces
  private let keyType: ElementType?
  /// The values, and at the end the one for all others.
  private let values: GraphValue

  init(keys: GraphValue, values: GraphValue, missing: GraphValue) throws {
    places = try LabelPlaces(keys)
    keyType = keys.elementType
    self.values = try Concatenation(axis: 0).single([values, missing])
  }

  func values(for x: GraphValue) throws -> GraphValue {
    guard (x.elementType == .string) == (keyType == .string) else {
      throw OperatorError("input 0 is \(x.type); the keys are \(keyType?.description ?? "")")
    }
    return try Selection(axis: 0, indices: places.places(of: x)).run(values)
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let labelEncoder = ShapeRule.rule { facts in
    if facts.opset < 2 { return [try categories(facts)] }
    return [InferredType(try facts.node.list("values")?.elementType, try facts.shape(0))]
  }

  static let categoryMapper = ShapeRule.rule { [try categories($0)] }

  /// Numbers for strings, strings for numbers.
  private static func categories(_ facts: ShapeFacts) throws -> InferredType {
    InferredType(facts.elementType(0).map { $0 == .string ? .int64 : .string }, try facts.shape(0))
  }

  static let oneHotEncoder = ShapeRule.rule { facts in
    let counts = try [facts.node.optionalStrings("cats_strings")?.count, facts.node.optionalInts("cats_int64s")?.count]
    // One of them is empty.
    return [InferredType(.float, try facts.shape(0) + [counts.reduce(0) { $0 + ($1 ?? 0) }])]
  }
}
