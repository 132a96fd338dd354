import Apus

/// Values that another runtime computed, under the names that they have in the model.
///
/// A value is read when it is needed and kept no longer, so that a file may be larger than memory.
public struct ReferenceValues {
  /// The names of all values that can be read.
  public let names: Set<String>
  /// The names among them that a value has for being like it alone, and not much.
  var guesses: Set<String> = []
  private let load: (String) throws -> GraphValue

  /// - Parameter load: reads the value of one of `names`.
  public init(names: some Sequence<String>, load: @escaping (String) throws -> GraphValue) {
    self.names = Set(names)
    self.load = load
  }

  /// Values that are in memory already, by name.
  public init(_ values: [String: GraphValue]) {
    self.init(names: values.keys) { name in
      guard let value = values[name] else { throw GraphError.noSuchValue(name: name, suggestion: nil) }
      return value
    }
  }

  /// The same, but for some names.
  func without(_ left: Set<String>) -> ReferenceValues {
    guard !left.isEmpty else { return self }
    var values = ReferenceValues(names: names.subtracting(left), load: load)
    values.guesses = guesses.subtracting(left)
    return values
  }

  /// The names of values that a model is given of which another one is known here, in the type that the model has.
  func namesThatDiffer(from given: [Graph.ValueID: GraphValue], in graph: Graph) throws -> [String] {
    try given.sorted { $0.key < $1.key }.compactMap { id, value in
      let name = graph.values[id].name
      guard let other = try self.value(named: name)?.given(as: value.elementType) else { return nil }
      let difference = try ValueDifference(value, other, tolerance: .exact, allowsLevels: false)
      return difference.isAcceptable ? nil : name
    }
  }

  /// The value called `name`; nil when it is not known.
  public func value(named name: String) throws -> GraphValue? {
    names.contains(name) ? try load(name) : nil
  }
}

extension GraphValue {
  /// The value in the type of floating-point numbers, or of integers, that a model computes it in, so that a node can be
  /// fed with it; as it is where integers do not fit.
  func narrowed(to type: ElementType?) throws -> GraphValue {
    guard case .tensor(let tensor) = self, let type, type != ElementType(tensor.dataType) else { return self }
    guard tensor.dataType.isFloatingPoint else {
      let other = try counted(as: type)
      return try other.counted(as: ElementType(tensor.dataType)).hasSameBytes(as: self) ? other : self
    }
    switch type {
    case .float: return GraphValue(try tensor.converted(to: Float.self))
    case .double: return GraphValue(try tensor.converted(to: Double.self))
    #if !(os(macOS) && arch(x86_64))
      case .float16: return GraphValue(try tensor.converted(to: Float16.self))
    #endif
    case .bfloat16: return GraphValue(try tensor.converted(to: BFloat16.self))
    default: return self
    }
  }

  /// The value in the type that the model's own has: that of a tensor, or of the elements of a sequence.
  func narrowed(as own: GraphValue?, otherwise type: ElementType?) throws -> GraphValue {
    guard case .sequence(let values, _) = self, case .sequence(_, let element)? = own else {
      return try narrowed(to: own?.elementType ?? type)
    }
    return .sequence(try values.map { try $0.narrowed(to: element.elementType) }, element: element)
  }

  /// Whether both are tensors of numbers with the same bytes.
  package func hasSameBytes(as other: GraphValue) throws -> Bool {
    guard case .tensor(let a) = self, case .tensor(let b) = other, a.dataType == b.dataType, a.shape == b.shape else {
      return false
    }
    return try a.withUnsafeBytes { x in try b.withUnsafeBytes { y in x.elementsEqual(y) } }
  }

  /// The largest finite magnitude among floating-point numbers; 0 when there is none.
  func largestMagnitude() throws -> Double {
    guard case .tensor(let any) = self, any.dataType.isFloatingPoint else { return 0 }
    if let tensor = any.tensor(of: Double.self) {
      return try tensor.withUnsafeBufferPointer { elements in
        var largest = 0.0
        for element in elements where element.isFinite { largest = max(largest, element.magnitude) }
        return largest
      }
    }
    let tensor = try any.tensor(of: Float.self) ?? any.converted(to: Float.self)
    return try tensor.withUnsafeBufferPointer { elements in
      var largest: Float = 0
      for element in elements where element.isFinite { largest = max(largest, element.magnitude) }
      return Double(largest)
    }
  }
}
