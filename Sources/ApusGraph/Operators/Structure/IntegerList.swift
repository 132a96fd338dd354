import Apus

/// A list of integers that was an attribute in old versions of an operator and is an input now.
struct IntegerList: Sendable {
  private let known: [Int]?
  private let input: Int?

  /// The numbers; nil when they are omitted.
  func callAsFunction(_ arguments: Arguments) throws -> [Int]? {
    if let known { return known }
    return try input.flatMap { try arguments.optionalIntegers($0) }
  }

  fileprivate init(known: [Int]?, input: Int?) {
    self.known = known
    self.input = input
  }
}

extension NodeDescription {
  /// Attribute `name` before version `version`, input `index` since. A constant input is read once.
  func integers(_ index: Int, attribute name: String, inputSince version: Int) throws -> IntegerList {
    if opset < version { return IntegerList(known: try optionalInts(name), input: nil) }
    return try integers(index)
  }

  /// Attribute `name` where it is given, input `index` elsewhere.
  func integers(_ index: Int, orAttribute name: String) throws -> IntegerList {
    if let list = try optionalInts(name) { return IntegerList(known: list, input: nil) }
    return try integers(index)
  }

  /// Input `index`, read once when it is constant.
  func integers(_ index: Int) throws -> IntegerList {
    guard let value = constant(index) else { return IntegerList(known: nil, input: index) }
    let arguments = Arguments([value], context: RunContext())
    let list = try arguments.integers(0)
    absorb(index)
    return IntegerList(known: list, input: nil)
  }
}
