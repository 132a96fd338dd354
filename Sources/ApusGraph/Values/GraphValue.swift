import Apus

/// What an edge of a graph carries.
public indirect enum GraphValue: Sendable {
  /// Numbers and Booleans that operators compute in.
  case tensor(AnyTensor)
  /// Numbers of eight bits or fewer that are widened before anything is computed.
  case coded(CodedTensor)
  /// Texts, which only operators on texts take.
  case strings(StringTensor)
  /// Values of one type, `element`, in order. The type is kept for sequences that are empty.
  case sequence([GraphValue], element: GraphValueType)
  /// A value of type `element`, or none.
  case optional(GraphValue?, element: GraphValueType)
}

extension GraphValue {
  /// A tensor with its element type erased.
  public init<Scalar: TensorScalar>(_ tensor: Tensor<Scalar>) {
    self = .tensor(AnyTensor(tensor))
  }

  /// The element type and shape, or what the value is made of.
  public var type: GraphValueType {
    switch self {
    case .tensor(let tensor): .tensor(ElementType(tensor.dataType), tensor.shape.map(GraphDimension.size))
    case .coded(let tensor): .tensor(tensor.elementType, tensor.shape.map(GraphDimension.size))
    case .strings(let tensor): .tensor(.string, tensor.shape.map(GraphDimension.size))
    case .sequence(_, let element): .sequence(element)
    case .optional(_, let element): .optional(element)
    }
  }

  /// The one element of a floating-point tensor; nil for any other value.
  func floatingScalar() throws -> Double? {
    guard case .tensor(let tensor) = self, tensor.count == 1, tensor.dataType.isFloatingPoint else { return nil }
    return try tensor.converted(to: Double.self).scalar
  }

  /// The type of the first element, however deep, of a sequence or an optional that is not of the type which that says it
  /// is of; nil where all are.
  var foreignElement: GraphValueType? {
    func foreign(_ value: GraphValue, in element: GraphValueType) -> GraphValueType? {
      value.type.hasKind(of: element) ? value.foreignElement : value.type
    }
    switch self {
    case .tensor, .coded, .strings: return nil
    case .sequence(let values, let element): return values.lazy.compactMap { foreign($0, in: element) }.first
    case .optional(let value, let element): return value.flatMap { foreign($0, in: element) }
    }
  }

  /// What an optional holds; any other value as it is.
  var held: GraphValue {
    if case .optional(let value?, _) = self { value.held } else { self }
  }

  /// The element at a position, and within it at the next; nil where there is none.
  func element(at path: some Collection<Int>) -> GraphValue? {
    guard let index = path.first else { return self }
    guard case .sequence(let values, _) = held, values.indices.contains(index) else { return nil }
    return values[index].element(at: path.dropFirst())
  }

  /// The element type of a tensor; nil for a sequence or an optional.
  public var elementType: ElementType? {
    switch self {
    case .tensor(let tensor): ElementType(tensor.dataType)
    case .coded(let tensor): tensor.elementType
    case .strings: .string
    case .sequence, .optional: nil
    }
  }

  /// The extents of a tensor; nil for a sequence or an optional.
  public var shape: [Int]? {
    switch self {
    case .tensor(let tensor): tensor.shape
    case .coded(let tensor): tensor.shape
    case .strings(let tensor): tensor.shape
    case .sequence, .optional: nil
    }
  }
}

/// The type of a value: what a model declares, or what a value turned out to be.
public indirect enum GraphValueType: Sendable, Hashable {
  /// A tensor; `nil` where the element type or the rank is not declared.
  case tensor(ElementType?, [GraphDimension]?)
  /// Values of one type in order.
  case sequence(GraphValueType)
  /// A value of this type, or none.
  case optional(GraphValueType)
  /// Values of one type under keys. A sequence of such has rows of numbers in a graph; see ``ValueForm/dictionary(keys:)``.
  case map(ElementType, GraphValueType)
  /// A kind that Apus reads no values of (`sparse tensor`), named for messages.
  case unsupported(String)
}

/// An extent that a model declares.
public enum GraphDimension: Sendable, Hashable {
  /// Declared as a number.
  case size(Int)
  /// Known when the model runs, the same wherever the name stands.
  case symbol(String)
  /// Left open by the model.
  case unknown

  /// The size; nil where it is not known.
  package var extent: Int? { if case .size(let size) = self { size } else { nil } }
}

extension GraphValueType {
  /// The extents of a tensor when all of them are known.
  var extents: [Int]? {
    guard case .tensor(_, let dimensions?) = self else { return nil }
    let sizes = dimensions.compactMap(\.extent)
    return sizes.count == dimensions.count ? sizes : nil
  }

  /// Whether it is ``GraphValue/type`` of `value`, of which no list is made.
  func isType(of value: GraphValue) -> Bool {
    guard case .tensor(let elementType, let dimensions?) = self, let shape = value.shape else {
      return self == value.type
    }
    return elementType == value.elementType && dimensions.count == shape.count
      && zip(dimensions, shape).allSatisfy { $0 == .size($1) }
  }

  /// Whether both are tensors, sequences or optionals, of the same kind of elements.
  func hasKind(of other: GraphValueType) -> Bool {
    switch (self, other) {
    case (.tensor(let a, _), .tensor(let b, _)): a == nil || b == nil || a == b
    case (.sequence(let a), .sequence(let b)): a.hasKind(of: b)
    case (.optional(let a), .optional(let b)): a.hasKind(of: b)
    // A value that is there may be given for an optional one.
    case (let a, .optional(let b)): a.hasKind(of: b)
    default: false
    }
  }

  /// Whether a value is of this type: of its kind, and where they are declared of its elements and extents.
  package func admits(_ value: GraphValue) -> Bool {
    guard case .tensor(let elementType, _) = self else { return admitsKind(of: value) && value.foreignElement == nil }
    guard let shape = value.shape, elementType == nil || value.elementType == elementType else { return false }
    return admits(shape: shape)
  }

  /// Whether a value and all that it holds is of this kind, whatever type it says that its elements have.
  private func admitsKind(of value: GraphValue) -> Bool {
    switch (self, value) {
    case (.sequence(let element), .sequence(let values, let stated)):
      stated.hasKind(of: element) && values.allSatisfy(element.admitsKind)
    case (.optional(let element), .optional(let value, let stated)):
      stated.hasKind(of: element) && value.map(element.admitsKind) ?? true
    case (.optional(let element), let value): element.admitsKind(of: value)
    default: value.type.hasKind(of: self)
    }
  }

  /// Whether a tensor of this shape has the extents that are declared.
  func admits(shape: [Int]) -> Bool {
    guard case .tensor(_, let dimensions) = self else { return false }
    guard let dimensions else { return true }
    return dimensions.count == shape.count
      && zip(dimensions, shape).allSatisfy { dimension, size in
        if case .size(let expected) = dimension { expected == size } else { true }
      }
  }
}

extension GraphDimension: CustomStringConvertible {
  /// The size, the name, or `?`.
  public var description: String {
    switch self {
    case .size(let size): "\(size)"
    case .symbol(let name): name
    case .unknown: "?"
    }
  }
}

extension GraphValueType: CustomStringConvertible {
  /// `FLOAT[1, 3, height, ?]`, `sequence(INT64[?])`, `map(STRING, FLOAT)`.
  public var description: String {
    switch self {
    case .tensor(let elementType, let shape):
      (elementType?.description ?? "?") + (shape.map { "[\($0.map(\.description).joined(separator: ", "))]" } ?? "")
    case .sequence(let element): "sequence(\(element))"
    case .optional(let element): "optional(\(element))"
    case .map(let key, let element): "map(\(key), \(element))"
    case .unsupported(let name): name
    }
  }
}
