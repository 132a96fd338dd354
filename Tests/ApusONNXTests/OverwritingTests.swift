import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

@Suite struct OverwritingTests {
  private func address(_ value: GraphValue?) throws -> UnsafeRawPointer? {
    guard case .tensor(let tensor)? = value else { return nil }
    return try tensor.withUnsafeBytes { $0.baseAddress }
  }

  private func operation(_ type: String, inputs: Int) throws -> PreparedOperator {
    let definition = try #require(Operators.byName[OperatorName(type: type)])
    let node = Node(
      name: type, operatorName: OperatorName(type: type), opset: 21, inputs: Array(0..<inputs), outputs: [inputs])
    return try definition.prepare(NodeDescription(node: node))
  }

  private func values() throws -> [GraphValue] {
    [GraphValue(try Tensor<Float>(range: 5000) - 2500), GraphValue(try Tensor<Float>(repeating: 2, shape: [5000]))]
  }

  @Test(arguments: ["Relu", "Sigmoid", "Tanh", "Sqrt"])
  func aResultIsWrittenOverAnInputThatIsNotShared(type: String) throws {
    var arguments = Arguments([try values()[0]], context: RunContext())
    let before = try address(arguments[0])
    let result = try operation(type, inputs: 1)(&arguments)[0]
    #expect(try address(result) == before)
  }

  @Test(arguments: ["Relu", "Sigmoid", "Tanh", "Sqrt"])
  func aSharedInputIsLeftAlone(type: String) throws {
    let held = try values()[0]
    var arguments = Arguments([held], context: RunContext())
    let result = try operation(type, inputs: 1)(&arguments)[0]
    #expect(try address(result) != address(held))
    #expect(try held.hasSameBits(as: values()[0]))
  }

  @Test(arguments: ["Add", "Sub", "Mul", "Div"])
  func eitherOperandMayBeOverwritten(type: String) throws {
    let operation = try operation(type, inputs: 2)
    for held in 0..<2 {
      let kept = try values()[held]
      var inputs = try values()
      inputs[held] = kept
      var arguments = Arguments(inputs, context: RunContext())
      inputs = []
      let before = try address(arguments[1 - held])
      let result = try operation(&arguments)[0]
      #expect(try address(result) == before)
      #expect(try kept.hasSameBits(as: values()[held]))
    }
  }

  @Test func aTensorMeetsItselfUnchanged() throws {
    let x = try values()[1]
    var arguments = Arguments([x, x], context: RunContext())
    let result = try #require(try operation("Mul", inputs: 2)(&arguments)[0])
    #expect(try result.hasSameBits(as: GraphValue(Tensor<Float>(repeating: 4, shape: [5000]))))
    #expect(try x.hasSameBits(as: values()[1]))
  }

  @Test func whatIsFedToASessionStays() throws {
    var graph = SmallGraph()
    graph.input("x", [.size(5000)])
    try graph.constant("two", GraphValue(Tensor<Float>(repeating: 2, shape: [5000])))
    graph.node("Relu", ["x"], ["positive"])
    graph.node("Mul", ["positive", "two"], ["y"])
    let session = try InferenceSession(graph.model(outputs: ["y"]))
    let input = try values()[0]
    for _ in 0..<2 {
      let y = try #require(try session.run(["x": input])["y"])
      #expect(try y.hasSameBits(as: GraphValue(relu(Tensor<Float>(range: 5000) - 2500) * 2)))
    }
    #expect(try input.hasSameBits(as: values()[0]))
  }
}
