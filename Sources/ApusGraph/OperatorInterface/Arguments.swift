import Apus

/// What an operation gets when it runs.
package struct Arguments {
  /// The inputs in order; nil where one is omitted, or was taken when the node was prepared
  /// (``NodeDescription/absorb(_:)``).
  package var values: [GraphValue?]
  /// What the node's subgraphs read from around them, in the order of ``NodeDescription/captures``.
  package var captures: [GraphValue]
  /// Limits, cancellation, random numbers: what belongs to the run as a whole.
  package let context: RunContext
  /// What inputs were that have been given up, for messages: the first of them, which needs no list, and the others.
  private var firstFormer: (index: Int, operand: Operand)?
  private var otherFormers: [(index: Int, operand: Operand)] = []

  package init(_ values: [GraphValue?] = [], captures: [GraphValue] = [], context: RunContext) {
    self.values = values
    self.captures = captures
    self.context = context
  }

  /// Forgets what one node got, for what the next gets in the same list.
  mutating func removeAll() {
    while !values.isEmpty { values.removeLast() }
    if !captures.isEmpty { captures = [] }
    firstFormer = nil
    if !otherFormers.isEmpty { otherFormers = [] }
  }

  package var count: Int { values.count }

  /// Input `index`; nil when it is omitted.
  package subscript(index: Int) -> GraphValue? { values.indices.contains(index) ? values[index] : nil }

  /// Whether input `index` is given.
  package func has(_ index: Int) -> Bool { self[index] != nil }

  /// Input `index`, given up by the run if this was its last use: memory that nothing else holds may be written to.
  package mutating func take(_ index: Int) throws -> GraphValue {
    let value = try self.value(index)
    giveUp(index)
    return value
  }

  /// The same for an input that may be left out.
  package mutating func takeIfGiven(_ index: Int) -> GraphValue? {
    guard let value = self[index] else { return nil }
    giveUp(index)
    return value
  }

  /// Forgets input `index`: who holds what it was is perhaps the only one.
  mutating func giveUp(_ index: Int) {
    guard let value = self[index] else { return }
    let former = (index, Operand(value))
    if firstFormer == nil { firstFormer = former } else { otherFormers.append(former) }
    values[index] = nil
  }

  /// What input `index` is, or was; nil when it is omitted.
  func type(_ index: Int) -> GraphValueType? {
    if let value = self[index] { return value.type }
    if let firstFormer, firstFormer.index == index { return firstFormer.operand.type }
    return otherFormers.first { $0.index == index }?.operand.type
  }

  /// What a message says of an operand that is gone by then; noted of many, and so cheap.
  private enum Operand {
    case tensor(ElementType, [Int])
    case other(GraphValueType)

    init(_ value: GraphValue) {
      if let elementType = value.elementType, let shape = value.shape {
        self = .tensor(elementType, shape)
      } else {
        self = .other(value.type)
      }
    }

    var type: GraphValueType {
      switch self {
      case .tensor(let elementType, let shape): .tensor(elementType, shape.map(GraphDimension.size))
      case .other(let type): type
      }
    }
  }
}

// MARK: - Inputs by kind

extension Arguments {
  /// Input `index`, which must be given.
  package func value(_ index: Int) throws -> GraphValue {
    guard let value = self[index] else { throw OperatorError("input \(index) is missing") }
    return value
  }

  /// Input `index`, a tensor that can be computed in.
  package func tensor(_ index: Int) throws -> AnyTensor {
    guard case .tensor(let tensor) = try value(index) else {
      throw OperatorError("input \(index) is \(try value(index).type); a tensor of numbers is needed")
    }
    return tensor
  }

  /// The type of the elements of input `index`, a tensor that can be computed in.
  package func dataType(_ index: Int) throws -> DataType {
    guard values.indices.contains(index), case .tensor(let tensor)? = values[index] else {
      return try self.tensor(index).dataType
    }
    return tensor.dataType
  }

  /// Input `index` as a tensor, nil when it is omitted.
  package func optionalTensor(_ index: Int) throws -> AnyTensor? {
    has(index) ? try tensor(index) : nil
  }

  /// Input `index`, which must have elements of type `Scalar`.
  package func tensor<Scalar: TensorScalar>(_ index: Int, of type: Scalar.Type) throws -> Tensor<Scalar> {
    let any = try tensor(index)
    guard let tensor = any.tensor(of: type) else {
      throw OperatorError(
        "input \(index) is \(ElementType(any.dataType)); \(ElementType(Scalar.dataType)) is needed")
    }
    return tensor
  }

  /// Input `index`, a floating-point tensor, as `Scalar`: the sixteen-bit types are widened.
  package func floating<Scalar: FloatingPointScalar>(_ index: Int, as type: Scalar.Type) throws -> Tensor<Scalar> {
    let any = try tensor(index)
    guard any.dataType.isFloatingPoint else {
      throw OperatorError("input \(index) is \(ElementType(any.dataType)); a floating-point type is needed")
    }
    return try any.tensor(of: type) ?? any.converted(to: type)
  }

  /// Input `index` as floating-point numbers, nil when it is omitted.
  package func optionalFloating<Scalar: FloatingPointScalar>(
    _ index: Int, as type: Scalar.Type
  ) throws -> Tensor<Scalar>? {
    has(index) ? try floating(index, as: type) : nil
  }

  /// Input `index`, integers of any type, as a list: axes, sizes, repeats.
  package func integers(_ index: Int) throws -> [Int] { try wholeNumbers(index).elements.map(Int.init) }

  /// The same as a tensor, where there may be many.
  package func wholeNumbers(_ index: Int) throws -> Tensor<Int64> {
    let any = try tensor(index)
    guard !any.dataType.isFloatingPoint, any.dataType != .bool else {
      throw OperatorError("input \(index) is \(ElementType(any.dataType)); integers are needed")
    }
    // Nearly all are INT64, and a conversion finds out at run time that it has nothing to do.
    return if case .int64(let tensor) = any { tensor } else { try any.converted(to: Int64.self) }
  }

  /// Input `index` as a list of integers, nil when it is omitted.
  package func optionalIntegers(_ index: Int) throws -> [Int]? {
    has(index) ? try integers(index) : nil
  }

  /// Input `index`, a single integer.
  package func integer(_ index: Int) throws -> Int {
    let elements = try integers(index)
    guard elements.count == 1, let element = elements.first else {
      throw OperatorError("input \(index) has \(elements.count) elements; one is needed")
    }
    return element
  }

  /// Input `index`, texts.
  package func strings(_ index: Int) throws -> StringTensor {
    guard case .strings(let tensor) = try value(index) else {
      throw OperatorError("input \(index) is \(try value(index).type); a tensor of strings is needed")
    }
    return tensor
  }
}
