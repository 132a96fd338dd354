import Apus

extension Graph {
  /// What only moves numbers, between DequantizeLinear and a QuantizeLinear of the same levels, moves bytes.
  ///
  /// A byte that is dequantised and quantised again is the same byte, and of two the greater stays the greater.
  func movingBytes() -> Graph {
    guard hasNode("DequantizeLinear"), hasNode("QuantizeLinear") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "QuantizeLinear") { rewriter.moveBytes(index) }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  /// The inputs whose elements node `index` gives as they are, bytes as well as numbers; none for all other nodes.
  func movedInputs(of index: Int) -> [Graph.ValueID] {
    guard let node = nodes[index], node.operatorName.domain.isEmpty, node.subgraphs.isEmpty,
      let first = node.inputs.first ?? nil, constant(first) == nil
    else { return [] }
    switch node.operatorName.type {
    case "Concat":
      let inputs = node.inputs.compactMap { $0 }
      return inputs.allSatisfy { constant($0) == nil } ? inputs : []
    case "MaxPool":
      return node.opset >= 12 && node.outputs.count == 1 ? [first] : []
    case "Resize":
      guard node.opset >= 11, (try? description(of: node).string("mode", default: "nearest")) == "nearest",
        (try? description(of: node).string("coordinate_transformation_mode", default: "half_pixel"))
          != "tf_crop_and_resize"
      else { return [] }
      return [first]
    case "Split", "Slice", "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "DepthToSpace",
      "SpaceToDepth":
      return node.opset >= 9 ? [first] : []
    default:
      return []
    }
  }

  fileprivate mutating func moveBytes(_ index: Int) {
    guard let quantization = nodes[index], let levels = description(of: quantization).quantizedLevels,
      let x = quantization.inputs[0], let y = quantization.outputs[0]
    else { return }
    if let bytes = bytes(of: x, levels) {
      guard !isOutput(y) else { return }
      redirect(y, to: bytes)
      remove(index)
      return
    }
    guard let mover = soleProducer(of: x), var node = nodes[mover], node.outputs.count == 1 else { return }
    let moved = movedInputs(of: mover)
    let sources = moved.map { bytes(of: $0, levels) }
    guard !moved.isEmpty, sources.allSatisfy({ $0 != nil }) else { return }
    node.inputs = node.inputs.map { input in
      input.flatMap { input in moved.firstIndex(of: input).flatMap { sources[$0] } } ?? input
    }
    node.outputs = [y]
    remove(index)
    replace(mover, by: node)
  }

  /// The bytes that `value` is made of with these levels.
  private func bytes(of value: Graph.ValueID, _ levels: QuantizedLevels) -> Graph.ValueID? {
    guard let source = producer(of: value), isNode(source, "DequantizeLinear"), let node = nodes[source],
      description(of: node).quantizedLevels == levels
    else { return nil }
    return node.inputs[0]
  }
}
