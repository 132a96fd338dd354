import Apus
import ApusGraph

/// One call of an operator being turned into nodes: its arguments by name, with the defaults of PyTorch's schema where
/// the program leaves one out.
struct Call {
  let node: TorchNode
  let graph: TorchGraph
  let emitter: Emitter
}

// MARK: - Values

extension Call {
  /// The argument called `name`, or the first where no name is asked for; nil when it is left out.
  func argument(_ name: String? = nil) -> TorchArgument? {
    let found = name.map { name in node.inputs.first { $0.name == name }?.argument } ?? node.inputs.first?.argument
    if case .none? = found { return nil }
    return found
  }

  func has(_ name: String) -> Bool { argument(name) != nil }

  private func missing(_ name: String?) -> OperatorError {
    OperatorError(name.map { "argument '\($0)' is missing" } ?? "it has no arguments")
  }

  private func unfit(_ name: String?, _ wanted: String) -> OperatorError {
    OperatorError("argument '\(name ?? node.inputs.first?.name ?? "")' is not \(wanted)")
  }

  /// The value that a name of the program stands for.
  func resolve(_ name: String) throws -> Graph.ValueID {
    guard let id = emitter.names[name] else { throw OperatorError("'\(name)' is given by nothing before it") }
    return id
  }

  /// The first argument, a tensor.
  var x: Graph.ValueID { get throws { try value() } }

  /// A tensor, or a number as one of shape [] and of the given type.
  func value(_ name: String? = nil, as type: ElementType? = nil) throws -> Graph.ValueID {
    guard let value = try optional(name, as: type) else { throw missing(name) }
    return value
  }

  /// A tensor or a number, if it is given.
  func optional(_ name: String?, as type: ElementType? = nil) throws -> Graph.ValueID? {
    let e = emitter
    switch argument(name) {
    case nil, .none?: return nil
    case .tensor(let name)?, .symbol(let name)?:
      let id = try resolve(name)
      return try type.map { try e.cast(id, to: $0) } ?? id
    case .int(let value)?: return try e.number(value, as: type ?? .int64)
    case .float(let value)?: return try e.numbers(value, as: type ?? .float)
    case .bool(let value)?: return try e.number(value ? 1 : 0, as: type ?? .bool)
    default: throw unfit(name, "a tensor or a number")
    }
  }

  /// Tensors in a list.
  func tensors(_ name: String? = nil) throws -> [Graph.ValueID] {
    switch argument(name) {
    case .tensors(let names)?: return try names.map(resolve)
    case .tensor(let name)?: return [try resolve(name)]
    case .integers(let list)? where list.isEmpty: return []
    case nil: throw missing(name)
    default: throw unfit(name, "a list of tensors")
    }
  }

  /// Tensors in a list, nil where one is left out.
  func optionalTensors(_ name: String) throws -> [Graph.ValueID?] {
    guard case .optionalTensors(let names)? = argument(name) else { return try tensors(name) }
    return try names.map { try $0.map(resolve) }
  }
}

// MARK: - Numbers that are known

extension Call {
  /// An integer that must be known before the program runs.
  func optionalInt(_ name: String) throws -> Int? {
    switch argument(name) {
    case nil: nil
    case .int(let value)?: value.bounded
    case .bool(let value)?: value ? 1 : 0
    case .float(let value)?: Int(exactly: value)?.bounded ?? 0
    case .symbol?: throw unfit(name, "known before the program runs")
    case .integers(let list)? where list.count == 1:
      if case .known(let value) = list[0] { value.bounded } else { throw unfit(name, "known before the program runs") }
    default: throw unfit(name, "an integer")
    }
  }

  func int(_ name: String, default value: Int? = nil) throws -> Int {
    guard let value = try optionalInt(name) ?? value else { throw missing(name) }
    return value
  }

  func bool(_ name: String, default value: Bool = false) throws -> Bool {
    try int(name, default: value ? 1 : 0) != 0
  }

  /// Integers that must be known before the program runs.
  func optionalInts(_ name: String) throws -> [Int]? {
    switch argument(name) {
    case nil: return nil
    case .int(let value)?: return [value.bounded]
    case .integers(let list)?:
      return try list.map { item in
        guard case .known(let value) = item else { throw unfit(name, "known before the program runs") }
        return value.bounded
      }
    case .tensors(let list)? where list.isEmpty: return []
    case .symbol?: throw unfit(name, "known before the program runs")
    default: throw unfit(name, "a list of integers")
    }
  }

  func ints(_ name: String) throws -> [Int] {
    guard let list = try optionalInts(name) else { throw missing(name) }
    return list
  }

  /// Integers, one for each of `count` axes: a single one stands for all, none for the default.
  func ints(_ name: String, count: Int, default value: Int) throws -> [Int] {
    let list = try optionalInts(name) ?? []
    if list.count <= 1 { return [Int](repeating: list.first ?? value, count: count) }
    guard list.count == count else {
      throw OperatorError("argument '\(name)' has \(list.count) integers; \(count) are needed")
    }
    return list
  }

  func optionalDouble(_ name: String) throws -> Double? {
    switch argument(name) {
    case nil: nil
    case .float(let value)?: value
    case .int(let value)?: Double(value)
    case .bool(let value)?: value ? 1 : 0
    default: throw unfit(name, "a number that is known before the program runs")
    }
  }

  func double(_ name: String, default value: Double) throws -> Double { try optionalDouble(name) ?? value }

  func doubles(_ name: String) throws -> [Double]? {
    switch argument(name) {
    case nil: return nil
    case .floats(let list)?: return list
    case .float(let value)?: return [value]
    case .integers?: return try optionalInts(name)?.map(Double.init)
    default: throw unfit(name, "a list of numbers")
    }
  }

  func string(_ name: String, default value: String = "") throws -> String {
    switch argument(name) {
    case nil: return value
    case .string(let text)?: return text
    default: throw unfit(name, "a text")
    }
  }
}

// MARK: - Numbers that may be known only when the program runs

extension Call {
  func optionalExtent(_ name: String) throws -> GraphExtent? {
    switch argument(name) {
    case nil: nil
    case .int(let value)?: .known(value.bounded)
    case .symbol(let symbol)?: .value(try emitter.unsqueeze(resolve(symbol), [0]))
    case .tensor(let tensor)?: .value(try emitter.reshape(resolve(tensor), [1]))
    default: throw unfit(name, "an integer")
    }
  }

  func extent(_ name: String) throws -> GraphExtent {
    guard let extent = try optionalExtent(name) else { throw missing(name) }
    return extent
  }

  func optionalExtents(_ name: String) throws -> [GraphExtent]? {
    switch argument(name) {
    case nil: return nil
    case .integers(let list)?:
      return try list.map { item in
        switch item {
        case .known(let value): .known(value.bounded)
        case .symbol(let symbol): .value(try emitter.unsqueeze(resolve(symbol), [0]))
        }
      }
    case .tensors(let list)? where list.isEmpty: return []
    default: return [try extent(name)]
    }
  }

  func extents(_ name: String) throws -> [GraphExtent] {
    guard let extents = try optionalExtents(name) else { throw missing(name) }
    return extents
  }
}

// MARK: - Types

extension Call {
  /// What the program says of output `index`.
  func output(_ index: Int = 0) throws -> TorchTensorType {
    let names = node.outputs.flatMap(\.names)
    guard names.indices.contains(index), let type = graph.tensors[names[index]] else {
      throw OperatorError("the program does not say of what type output \(index) is")
    }
    return type
  }

  /// The element type of the first output.
  var outputType: ElementType {
    get throws {
      let type = try output()
      guard let elementType = type.elementType else { throw OperatorError("elements of type \(type.scalar)") }
      return elementType
    }
  }

  /// The element type that two operands are brought to: what is written over may have a narrower one, to which the
  /// result is brought then.
  var operandType: ElementType {
    get throws { try OperatorTarget(node.target).isInPlace ? promoted("self", "other") : outputType }
  }

  /// The extents of the first output, nil within where one is known only when the program runs.
  var outputShape: [Int?] { get throws { try output().extents } }

  /// The extents of the first output, all of which must be known.
  var knownOutputShape: [Int] {
    get throws {
      let shape = try outputShape
      let known = shape.compactMap { $0 }
      guard known.count == shape.count else {
        throw OperatorError("the shape of what it gives must be known before the program runs")
      }
      return known
    }
  }

  func elementType(of id: Graph.ValueID) throws -> ElementType {
    guard let type = emitter.elementType(id) else {
      throw OperatorError("the element type of '\(emitter.graph.values[id].name)' is not known")
    }
    return type
  }

  /// The extents of a value, all of which must be known.
  func knownShape(_ id: Graph.ValueID) throws -> [Int] {
    guard let shape = emitter.knownShape(id) else {
      throw OperatorError("the shape of '\(emitter.graph.values[id].name)' must be known before the program runs")
    }
    return shape
  }

  /// The extent of an axis, which a single value has none of, and which must be known.
  func knownExtent(_ id: Graph.ValueID, _ axis: Int) throws -> Int {
    let shape = try emitter.shape(id)
    guard shape.indices.contains(axis) else { throw OperatorError("axis \(axis) of a value with \(shape.count) axes") }
    guard let extent = shape[axis] else {
      throw OperatorError(
        "the extent of axis \(axis) of '\(emitter.graph.values[id].name)' must be known before the program runs")
    }
    return extent
  }

  /// The axis that an argument names, counted from the front of `x`.
  func axis(_ name: String = "dim", default value: Int? = nil, of x: Graph.ValueID) throws -> Int {
    try emitter.axis(int(name, default: value), rank: emitter.rank(x))
  }

  /// The type that PyTorch computes several operands in: the widest kind of Boolean, integer and floating-point; within
  /// a kind, tensors with axes go before those without, and these before numbers.
  func promoted(_ names: String...) throws -> ElementType {
    try promoted(
      names.compactMap { name -> (ElementType, Int)? in
        switch argument(name) {
        case nil, .none?: nil
        // Numbers that are known only when the program runs count as those that are known.
        case .symbol(let symbol)?:
          switch emitter.elementType(try resolve(symbol)) {
          case .bool?: (.bool, 0)
          case let type?: (type.isFloatingPoint ? .float : .int64, 0)
          case nil: (.int64, 0)
          }
        case .tensor(let tensor)?:
          try { (try elementType(of: $0), try emitter.rank($0) > 0 ? 2 : 1) }(try resolve(tensor))
        case .float?: (.float, 0)
        case .bool?: (.bool, 0)
        default: (.int64, 0)
        }
      })
  }

  func promoted(_ operands: [(type: ElementType, priority: Int)]) throws -> ElementType {
    func kind(_ type: ElementType) -> Int { type.isFloatingPoint ? 2 : type == .bool ? 0 : 1 }
    let most = operands.map { kind($0.type) }.max() ?? 2
    let ofKind = operands.filter { kind($0.type) == most }
    let priority = ofKind.map(\.priority).max() ?? 0
    let types = ofKind.filter { $0.priority == priority }.map(\.type)
    guard let first = types.first else { throw OperatorError("it has no operands") }
    return types.dropFirst().reduce(first) { Self.wider($0, $1) }
  }

  /// The type that holds the numbers of both, as PyTorch chooses it.
  private static func wider(_ a: ElementType, _ b: ElementType) -> ElementType {
    if a == b { return a }
    if a.isFloatingPoint {
      return (a.bitCount ?? 0) == (b.bitCount ?? 0) ? .float : (a.bitCount ?? 0) > (b.bitCount ?? 0) ? a : b
    }
    // An unsigned type and a signed one of no more bits need the next signed one.
    let unsigned: [ElementType: ElementType] = [.uint8: .int16, .uint16: .int32, .uint32: .int64]
    let (wide, narrow) = (a.bitCount ?? 0) >= (b.bitCount ?? 0) ? (a, b) : (b, a)
    if let next = unsigned[wide], unsigned[narrow] == nil { return next }
    return wide
  }
}

// MARK: - Attributes

extension AttributeValue {
  static func list(_ values: [Int]) -> AttributeValue { .ints(values.map(Int64.init)) }
  static func int(_ value: Int) -> AttributeValue { .int(Int64(value)) }
  static func flag(_ value: Bool) -> AttributeValue { .int(Int64(value ? 1 : 0)) }
  static func number(_ value: Double) -> AttributeValue { .float(Float(value)) }
  static func text(_ value: String) -> AttributeValue { .string(Array(value.utf8)) }
}
