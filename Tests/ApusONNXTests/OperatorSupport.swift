import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// A node that must be refused, when it is prepared or when it runs.
struct Refusal: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let run: @Sendable () throws -> Void

  init(
    _ name: String, _ type: String, _ inputs: [GraphValue?], opset: Int = 21, domain: String = "",
    _ attributes: [String: AttributeValue] = [:]
  ) {
    testDescription = name
    run = { _ = try outputs(of: type, inputs, opset: opset, domain: domain, attributes) }
  }
}

/// What an operator gives for inputs, none of which it knows before.
func outputs(
  of type: String, _ inputs: [GraphValue?], opset: Int = 21, domain: String = "",
  _ attributes: [String: AttributeValue] = [:], context: RunContext = RunContext()
) throws -> [GraphValue?] {
  let node = Node(
    name: type, operatorName: OperatorName(domain: domain, type: type), opset: opset,
    inputs: inputs.indices.map { inputs[$0] == nil ? nil : $0 }, outputs: [inputs.count, inputs.count + 1],
    attributes: attributes)
  let definition = try #require(Operators.byName[node.operatorName])
  var arguments = Arguments(inputs, context: context)
  return try definition.prepare(NodeDescription(node: node))(&arguments)
}

/// Ones of a shape.
func floats(_ shape: [Int]) throws -> GraphValue { GraphValue(try Tensor<Float>(repeating: 1, shape: shape)) }

/// INT64 numbers, a single one without an axis.
func whole(_ elements: [Int64]) throws -> GraphValue {
  GraphValue(try Tensor(elements, shape: elements.count == 1 ? [] : [elements.count]))
}
