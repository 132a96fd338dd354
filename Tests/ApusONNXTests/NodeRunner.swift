import Apus
import ApusTestSupport
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// A node by itself, prepared and run.
///
/// - Parameters:
///   - inputs: nil where one is omitted.
///   - constants: the positions of inputs that are known when the node is prepared.
func runNode(
  _ type: String, domain: String = "", _ inputs: [GraphValue?], constants: Set<Int> = [], opset: Int = 21,
  outputs: Int = 1,
  activation: Activation = .identity, _ attributes: [String: AttributeValue] = [:]
) throws -> [GraphValue?] {
  var node = Node(
    name: type, operatorName: OperatorName(domain: domain, type: type), opset: opset,
    inputs: inputs.indices.map { inputs[$0] == nil ? nil : $0 },
    outputs: (0..<outputs).map { inputs.count + $0 }, attributes: attributes)
  node.activation = activation
  let definition = try #require(Operators.byName[node.operatorName])
  let positions = constants.filter(inputs.indices.contains)
  let known = Dictionary(uniqueKeysWithValues: positions.compactMap { index in inputs[index].map { (index, $0) } })
  let absorbed = NodeDescription.Absorbed()
  let description = NodeDescription(node: node, constants: known, absorbed: absorbed)
  let operation = try definition.prepare(description)
  var arguments = Arguments(
    inputs.enumerated().map { absorbed.indices.contains($0) ? nil : $1 }, context: RunContext())
  return try operation(&arguments)
}

extension GraphValue {
  /// Numbers from -2 to 2 that follow no rule, the same each time.
  static func noise<Scalar: FloatingPointScalar>(
    _ shape: [Int], seed: UInt64 = 1, as type: Scalar.Type = Float.self
  ) throws -> GraphValue {
    var generator = SplitMix64(seed: seed)
    let numbers = randomNumbers(try Shape.elementCount(shape), in: -2.0...2, using: &generator)
    return GraphValue(try Tensor<Double>(numbers, shape: shape).converted(to: Scalar.self))
  }

  /// Integers, as axes and sizes are given.
  static func whole(_ elements: [Int64]) throws -> GraphValue { GraphValue(try Tensor(elements)) }
}
