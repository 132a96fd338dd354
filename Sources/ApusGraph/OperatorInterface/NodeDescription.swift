import Apus

/// A node as an operator sees it when it is prepared: attributes with their defaults, what is known of the inputs, and
/// its subgraphs, ready to run.
package struct NodeDescription: Sendable {
  package let node: Node
  /// The values of inputs that are known before anything runs.
  let constants: [Int: GraphValue]
  let subgraphs: [String: any PreparedSubgraph]
  /// Whether the first output is a result of the graph, which is read row by row.
  let isResult: Bool
  /// Where the operation says what it has taken over; nil where nobody asks.
  let absorbed: Absorbed?

  /// The inputs that the operation has taken over.
  final class Absorbed: @unchecked Sendable {
    // Written while one node is prepared, by one thread; read afterwards.
    var indices: Set<Int> = []
  }

  init(
    node: Node, constants: [Int: GraphValue] = [:], subgraphs: [String: any PreparedSubgraph] = [:],
    isResult: Bool = false, absorbed: Absorbed? = nil
  ) {
    self.node = node
    self.constants = constants
    self.subgraphs = subgraphs
    self.isResult = isResult
    self.absorbed = absorbed
  }

  /// The epilogue applied to the first output; only operators that declare it are given one.
  package var activation: Activation { node.activation }

  /// The version of the operator set.
  package var opset: Int { node.opset }
  /// The number of inputs in the file, those omitted in the middle included.
  package var inputCount: Int { node.inputs.count }
  /// The number of outputs in the file, those not wanted in the middle included.
  package var outputCount: Int { node.outputs.count }

  /// Whether output `index` is wanted.
  package func wants(_ index: Int) -> Bool { node.output(index) != nil }

  /// Whether input `index` is given.
  package func has(_ index: Int) -> Bool { node.input(index) != nil }

  /// Input `index`, when it is known already.
  package func constant(_ index: Int) -> GraphValue? { constants[index] }

  /// Input `index` as floating-point numbers, when it is known already.
  /// - Throws: ``OperatorError`` for a constant of another type: it is not as if there were none.
  package func constantFloating<Scalar: FloatingPointScalar>(
    _ index: Int, as type: Scalar.Type
  ) throws -> Tensor<Scalar>? {
    guard let constant = constants[index] else { return nil }
    guard case .tensor(let any) = constant, any.dataType.isFloatingPoint else {
      throw OperatorError("input \(index) is \(constant.type); a floating-point type is needed")
    }
    return try any.tensor(of: type) ?? any.deferringConversion(to: type) ?? any.converted(to: type)
  }

  /// Input `index`, when it is a single floating-point number that is known already.
  func constantScalar(_ index: Int) throws -> Double? { try constants[index]?.floatingScalar() }

  /// Says that the operation keeps what it needs of input `index`, a constant: it will be nil when the node runs.
  package func absorb(_ index: Int) { absorbed?.indices.insert(index) }

  /// The subgraph that is attribute `name`.
  package func subgraph(_ name: String) throws -> any PreparedSubgraph {
    guard let graph = subgraphs[name] else { throw OperatorError("attribute '\(name)', a graph, is missing") }
    return graph
  }
}

// MARK: - Attributes

extension NodeDescription {
  private func mismatch(_ name: String, _ expected: String) -> OperatorError {
    OperatorError("attribute '\(name)' is not \(expected)")
  }

  private func missing(_ name: String) -> OperatorError {
    OperatorError("attribute '\(name)' is missing")
  }

  package func has(attribute name: String) -> Bool { node.attributes[name] != nil }

  package func optionalInt(_ name: String) throws -> Int? {
    switch node.attributes[name] {
    case nil: nil
    case .int(let value): Int(value)
    default: throw mismatch(name, "an integer")
    }
  }

  package func int(_ name: String, default value: Int) throws -> Int { try optionalInt(name) ?? value }

  package func int(_ name: String) throws -> Int {
    guard let value = try optionalInt(name) else { throw missing(name) }
    return value
  }

  /// An integer that stands for a Boolean: 0 or 1, as the standard has it of all of them. What another number means,
  /// runtimes disagree about.
  package func flag(_ name: String, default value: Bool = false) throws -> Bool {
    guard let number = try optionalInt(name) else { return value }
    guard 0...1 ~= number else { throw OperatorError("attribute '\(name)' is \(number); 0 or 1 is expected") }
    return number == 1
  }

  package func optionalFloat(_ name: String) throws -> Float? {
    switch node.attributes[name] {
    case nil: nil
    case .float(let value): value
    default: throw mismatch(name, "a number")
    }
  }

  package func float(_ name: String, default value: Float) throws -> Float { try optionalFloat(name) ?? value }

  package func optionalInts(_ name: String) throws -> [Int]? {
    switch node.attributes[name] {
    case nil: nil
    case .ints(let values): values.map { Int($0) }
    // A list without elements has no type of its own in old files.
    case .undefined: []
    default: throw mismatch(name, "a list of integers")
    }
  }

  package func ints(_ name: String, default value: [Int]) throws -> [Int] { try optionalInts(name) ?? value }

  package func optionalFloats(_ name: String) throws -> [Float]? {
    switch node.attributes[name] {
    case nil: nil
    case .floats(let values): values
    case .undefined: []
    default: throw mismatch(name, "a list of numbers")
    }
  }

  package func optionalString(_ name: String) throws -> String? {
    switch node.attributes[name] {
    case nil: nil
    case .string(let bytes): try text(bytes, name)
    default: throw mismatch(name, "a string")
    }
  }

  package func string(_ name: String, default value: String) throws -> String { try optionalString(name) ?? value }

  package func optionalStrings(_ name: String) throws -> [String]? {
    switch node.attributes[name] {
    case nil: nil
    case .strings(let values): try values.map { try text($0, name) }
    case .undefined: []
    default: throw mismatch(name, "a list of strings")
    }
  }

  package func optionalTensor(_ name: String) throws -> GraphValue? {
    switch node.attributes[name] {
    case nil: nil
    case .tensor(let value): value
    case .unreadable(_, let reason): throw OperatorError(reason)
    default: throw mismatch(name, "a tensor")
    }
  }

  /// An attribute that numbers an element type, such as Cast's `to`.
  package func optionalElementType(_ name: String) throws -> ElementType? {
    guard let number = try optionalInt(name), number != 0 else { return nil }
    guard let type = Int32(exactly: number).flatMap(ElementType.init(rawValue:)) else {
      throw OperatorError("attribute '\(name)' is \(number), which is not an element type of the standard")
    }
    return type
  }

  private func text(_ bytes: [UInt8], _ name: String) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw mismatch(name, "valid UTF-8") }
    return text
  }
}
