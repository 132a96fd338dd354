import Apus
import ApusKernelInterface

extension Graph {
  /// Neighbouring functions of single elements become one node, which takes them in one pass over memory.
  func fusingElementwise() -> Graph {
    var rewriter = GraphRewriter(self)
    // From the back: a group grows from its last node towards the inputs.
    for index in rewriter.nodes.indices.reversed() {
      guard let last = rewriter.nodes[index], rewriter.isStep(last) || rewriter.quantizes(last) else { continue }
      if rewriter.dequantizes(last), rewriter.feedsNobody(index) {
        // Every group that read its numbers makes them itself.
        rewriter.remove(index)
        continue
      }
      let group = rewriter.elementwiseGroup(endingWith: index)
      guard group.count > 1 else { continue }
      let parts = group.sorted().compactMap { rewriter.nodes[$0] }
      let inner = Set(parts.flatMap { $0.outputs.compactMap { $0 } })
      var inputs: [ValueID] = []
      for case let input? in parts.flatMap(\.inputs) where !inner.contains(input) && !inputs.contains(input) {
        inputs.append(input)
      }
      var fused = Node(
        name: last.name, operatorName: OperatorName(domain: "apus", type: "Elementwise"), opset: 1, inputs: inputs,
        outputs: last.outputs)
      fused.parts = parts
      rewriter.replace(index, by: fused)
      for other in group.sorted(by: >) where other != index && rewriter.feedsNobody(other) { rewriter.remove(other) }
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// The nodes whose only purpose is to feed node `last`, as far as they can be steps of one program, and those that make
  /// numbers for others as well, of bytes that another program can then end with.
  fileprivate func elementwiseGroup(endingWith last: Int) -> Set<Int> {
    // Long enough for every activation that exporters write out.
    let limit = 24
    var group: Set<Int> = [last]
    func inputs() -> Set<Graph.ValueID> { Set(group.flatMap { nodes[$0]?.inputs.compactMap { $0 } ?? [] }) }
    var hasGrown = true
    while hasGrown {
      hasGrown = false
      for input in inputs().sorted() {
        guard group.count < limit, !isOutput(input), let source = producer(of: input), !group.contains(source),
          let node = nodes[source], isStep(node) || quantizes(node), readerCount(of: input) <= 2 * group.count,
          readers(of: input).allSatisfy(group.contains)
        else { continue }
        group.insert(source)
        hasGrown = true
      }
    }
    for input in inputs().sorted() {
      guard let source = producer(of: input), let node = nodes[source], dequantizes(node),
        let maker = producer(of: node.input(0)), let quantization = nodes[maker], quantizes(quantization)
      else { continue }
      group.insert(source)
    }
    return group
  }

  /// Whether `node` makes bytes of numbers: the end, or what another step makes numbers of again.
  fileprivate func quantizes(_ node: Node) -> Bool {
    node.operatorName == OperatorName(type: "QuantizeLinear") && description(of: node).quantizedLevels != nil
  }

  /// Whether `node` makes numbers of bytes that are not known before anything runs.
  fileprivate func dequantizes(_ node: Node) -> Bool {
    node.operatorName == OperatorName(type: "DequantizeLinear") && constant(node.input(0)) == nil
      && description(of: node).quantizedLevels != nil
  }

  fileprivate func feedsNobody(_ index: Int) -> Bool {
    nodes[index]?.outputs.allSatisfy { $0.map(isUnused) ?? true } ?? true
  }

  /// Whether `node` can be a step, given tensors of a floating-point type and one shape.
  fileprivate func isStep(_ node: Node) -> Bool {
    if dequantizes(node) { return true }
    guard node.outputs.count == 1, node.activation == .identity, let fusion = node.facts?.fusion else { return false }
    // Before version 7 the second operand was stretched by rules of its own.
    if fusion.binaryStep != nil { return node.inputs.count == 2 && node.opset >= 7 }
    return fusion.unaryStep(of: description(of: node)) != nil
  }
}
