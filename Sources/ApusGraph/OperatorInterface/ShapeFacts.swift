import Apus

/// What a rule knows of a node: attributes, the types of inputs, and their values as far as these are known.
struct ShapeFacts {
  let node: NodeDescription
  let inputs: [InferredType?]

  /// Thrown where something is not known that a shape depends on.
  struct Unknown: Error {}

  var opset: Int { node.opset }

  /// Whether input `index` is given.
  func has(_ index: Int) -> Bool { node.has(index) }

  /// What is known of input `index`.
  func input(_ index: Int) throws -> InferredType {
    guard inputs.indices.contains(index), let type = inputs[index] else { throw Unknown() }
    return type
  }

  func shape(_ index: Int) throws -> [Int] { try input(index).shape }

  func elementType(_ index: Int) -> ElementType? { inputs.indices.contains(index) ? inputs[index]?.elementType : nil }

  /// The element type of several inputs, when all have the same.
  func commonElementType(_ indices: some Sequence<Int>) -> ElementType? {
    var types = indices.lazy.map { elementType($0) }.makeIterator()
    guard let first = types.next() ?? nil else { return nil }
    while let type = types.next() { if type != first { return nil } }
    return first
  }

  /// The integers of input `index`; nil when it is omitted.
  func integers(_ index: Int) throws -> [Int]? { try list(index) { try $0.integers(0) } }

  /// The single integer of input `index`; nil when it is omitted.
  func integer(_ index: Int) throws -> Int? {
    guard let numbers = try integers(index) else { return nil }
    guard numbers.count == 1 else { throw Unknown() }
    return numbers[0]
  }

  /// The integers of an attribute before version `version`, of input `index` since; nil when they are omitted.
  func integers(_ index: Int, attribute name: String, inputSince version: Int) throws -> [Int]? {
    opset < version ? try node.optionalInts(name) : try integers(index)
  }

  /// The numbers of input `index`; nil when it is omitted or empty.
  func numbers(_ index: Int) throws -> [Float]? {
    let numbers = try list(index) { try $0.floating(0, as: Float.self).elements }
    return numbers?.isEmpty == true ? nil : numbers
  }

  private func list<Element>(_ index: Int, _ elements: (Arguments) throws -> [Element]) throws -> [Element]? {
    guard has(index) else { return nil }
    guard let value = node.constant(index) else { throw Unknown() }
    return try elements(Arguments([value], context: RunContext()))
  }
}

extension [Int] {
  /// The shape with axis `axis` of another extent.
  func replacing(_ axis: Int, with size: Int) -> [Int] {
    var shape = self
    shape[axis] = size
    return shape
  }
}

/// The sum or product of extents, which must be one that a tensor may have.
enum Extent {
  static func sum(_ sizes: [Int]) throws -> Int {
    try sizes.reduce(0) { sum, size in
      let (next, overflow) = sum.addingReportingOverflow(size)
      guard !overflow else { throw ShapeFacts.Unknown() }
      return next
    }
  }

  static func product(_ a: Int, _ b: Int) throws -> Int {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    guard !overflow else { throw ShapeFacts.Unknown() }
    return product
  }
}
