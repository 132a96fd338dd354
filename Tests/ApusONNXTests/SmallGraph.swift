import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// A graph made by hand.
struct SmallGraph {
  private(set) var proto = GraphProto(name: "small")

  mutating func input(_ name: String, _ dimensions: [GraphDimension], _ elementType: ElementType = .float) {
    proto.inputs.append(ValueInfoProto(name: name, type: .tensor(elementType, dimensions)))
  }

  mutating func input(_ name: String, _ type: GraphValueType) {
    proto.inputs.append(ValueInfoProto(name: name, type: type))
  }

  mutating func constant(_ name: String, _ value: GraphValue) throws {
    proto.initializers.append(try TensorProto(name: name, value: value))
  }

  mutating func node(
    _ type: String, _ inputs: [String], _ outputs: [String], _ attributes: [String: AttributeProto.Content] = [:]
  ) {
    proto.nodes.append(
      NodeProto(
        name: outputs.last ?? "", opType: type, inputs: inputs, outputs: outputs,
        attributes: attributes.sorted { $0.key < $1.key }.map { AttributeProto(name: $0.key, value: $0.value) }))
  }

  func model(outputs: [String], version: Int = 21, producer: String = "") throws -> ONNXModel {
    var proto = proto
    proto.outputs = outputs.map { ValueInfoProto(name: $0) }
    return try ONNXModel(
      ModelProto(producerName: producer, opsetImports: [OperatorSetID(version: Int64(version))], graph: proto))
  }
}

/// A small graph that passes rewrite.
struct RewritingCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The operators that are left, in order.
  let left: [String]
  let outputs: [String]
  /// Adds nodes that read "x" and give the outputs.
  let nodes: @Sendable (inout SmallGraph) throws -> Void

  init(
    _ name: String, _ left: [String], outputs: [String] = ["y"],
    _ nodes: @escaping @Sendable (inout SmallGraph) throws -> Void
  ) {
    (testDescription, self.left, self.outputs, self.nodes) = (name, left, outputs, nodes)
  }
}

/// The names under which the optimised model shows other values than the plain one does; of values that several turns
/// give, the last are compared.
func valuesShownOtherwise(_ model: ONNXModel, _ inputs: [String: GraphValue]) throws -> [String] {
  func shown(_ options: InferenceSession.Options) throws -> [String: GraphValue] {
    var values: [String: GraphValue] = [:]
    _ = try InferenceSession(model, options: options).run(inputs) { values[$0] = $1 }
    return values
  }
  let (plain, optimized) = (try shown(.init(optimizes: false)), try shown(.init()))
  return try optimized.keys.filter { name in
    guard let value = plain[name], let other = optimized[name] else { return false }
    return try !other.hasSameBits(as: value)
  }
}
