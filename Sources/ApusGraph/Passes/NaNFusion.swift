import Apus

extension Graph {
  /// Where(IsNaN(x), number, x), which exporters put after a softmax for rows that are masked as a whole, becomes one
  /// function of single elements.
  func fusingNaNReplacement() -> Graph {
    guard hasNode("IsNaN") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices {
      guard let node = rewriter.nodes[index], rewriter.isNode(index, "Where"), node.inputs.count == 3,
        let test = rewriter.soleProducer(of: node.input(0)), rewriter.isNode(test, "IsNaN"),
        let x = node.input(2), rewriter.nodes[test]?.inputs == [x],
        let number = rewriter.float(node.input(1))
      else { continue }
      var replacement = Node(
        name: node.name, operatorName: OperatorName(domain: "apus", type: "NanToNum"), opset: 1, inputs: [x],
        outputs: node.outputs)
      replacement.attributes["nan"] = .float(Float(number))
      rewriter.remove(test)
      rewriter.replace(index, by: replacement)
    }
    return rewriter.finished()
  }
}
