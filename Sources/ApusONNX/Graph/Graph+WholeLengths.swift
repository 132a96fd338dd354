import Apus
import ApusGraph

extension Graph {
  /// The nodes that stand for a Resize of PyTorch which aligns corners and is given scales: the lengths that these come
  /// to, and a Resize to them. Nil for all others.
  ///
  /// Nine elements scaled by 1.7 are fifteen. The standard's reference evaluator divides by 15.3 − 1 where corners are
  /// aligned, and its tests want that; its text, PyTorch, whose exporters write scales, and ONNX Runtime divide by 14.
  mutating func withWholeLengths(_ node: Node) -> [Node]? {
    guard node.operatorName == OperatorName(type: "Resize"), node.opset >= 11, let x = node.input(0),
      let scales = node.input(2), node.input(3) == nil, node.attributes["axes"] == nil,
      case .string(let mode)? = node.attributes["coordinate_transformation_mode"],
      mode.elementsEqual("align_corners".utf8), !hasWholeNumbers(scales)
    else { return nil }
    var nodes: [Node] = []
    func added(_ type: String, _ inputs: [ValueID], _ graph: inout Graph, to element: ElementType? = nil) -> ValueID {
      let name = "\(node.name)/\(type)" + (element.map { "_\($0)" } ?? "")
      let result = graph.addValue(named: name)
      nodes.append(
        Node(
          name: name, operatorName: OperatorName(type: type), opset: node.opset, inputs: inputs, outputs: [result],
          attributes: element.map { ["to": .int(Int64($0.rawValue))] } ?? [:]))
      return result
    }
    let lengths = added("Cast", [added("Shape", [x], &self)], &self, to: .float)
    let scaled = added("Floor", [added("Mul", [lengths, scales], &self)], &self)
    let sizes = added("Cast", [scaled], &self, to: .int64)
    var resize = node
    resize.inputs = [x, node.input(1), noScales(for: node), sizes]
    return nodes + [resize]
  }

  /// What a Resize to sizes has in place of scales: version 11 cannot leave them out, and takes a list of none.
  private mutating func noScales(for node: Node) -> ValueID? {
    guard node.opset < 13, let none = try? GraphValue(Tensor([Float](), shape: [0])) else { return nil }
    let id = addValue(named: "\(node.name)/scales", type: none.type)
    constants[id] = none
    return id
  }

  /// Whether a value is known to be numbers without a fraction.
  private func hasWholeNumbers(_ id: ValueID) -> Bool {
    guard case .tensor(.float32(let numbers))? = constants[id], let elements = try? numbers.elements else {
      return false
    }
    return elements.allSatisfy { $0.rounded() == $0 }
  }
}
