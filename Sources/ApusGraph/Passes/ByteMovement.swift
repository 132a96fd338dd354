import Apus

extension Graph {
  /// What only moves numbers, between DequantizeLinear and QuantizeLinear, moves bytes.
  ///
  /// A byte that is dequantised and quantised again at the same levels is the same byte, and of two the greater stays the
  /// greater. At other levels it becomes another one, whatever is beside it: after the movement, or before it where
  /// inputs differ in their levels.
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
      let first = node.input(0), constant(first) == nil
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
    case "DepthToSpace":
      // ONNX Runtime has the one before for floats alone.
      return node.opset >= 11 ? [first] : []
    case "Split", "Slice", "Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "SpaceToDepth":
      return node.opset >= 9 ? [first] : []
    default:
      return []
    }
  }

  fileprivate mutating func moveBytes(_ index: Int) {
    guard let quantization = nodes[index], let levels = description(of: quantization).quantizedLevels,
      let x = quantization.input(0), let y = quantization.output(0)
    else { return }
    if let source = dequantization(of: x), source.levels == levels {
      guard !isOutput(y) else { return }
      redirect(y, to: source.bytes)
      remove(index)
      return
    }
    guard let mover = soleProducer(of: x), var node = nodes[mover], node.outputs.count == 1 else { return }
    let isPad = movesBytes(ofPad: node)
    let moved = isPad ? node.inputs.prefix(1).compactMap { $0 } : movedInputs(of: mover)
    let sources = moved.compactMap { dequantization(of: $0) }
    guard let first = sources.first, sources.count == moved.count, let zero = try? first.levels.zero else { return }
    var bytes: [Graph.ValueID]
    if sources.allSatisfy({ $0.levels == first.levels }) {
      bytes = sources.map(\.bytes)
      node.outputs = [y]
      if first.levels != levels {
        // Other levels come after it, in a pass from bytes to bytes.
        let moved = addValue(named: name(of: x) + "_bytes")
        node.outputs = [moved]
        insert(first.node.replacing(input: moved, output: x), before: index)
      } else {
        remove(index)
      }
    } else {
      bytes = sources.map { source in
        if source.levels == levels { return source.bytes }
        let numbers = addValue(named: name(of: source.bytes) + "_numbers")
        let result = addValue(named: name(of: source.bytes) + "_bytes")
        insert(source.node.replacing(input: source.bytes, output: numbers), before: mover)
        insert(quantization.replacing(input: numbers, output: result), before: mover)
        return result
      }
      node.outputs = [y]
      remove(index)
    }
    node.inputs = node.inputs.map { input in
      input.flatMap { input in moved.firstIndex(of: input).map { bytes[$0] } } ?? input
    }
    if isPad {
      // Zeros are what the zero point stands for.
      let value = addConstant(zero, named: node.name + "_zero_point")
      node.inputs = node.inputs.prefix(2) + [value] + node.inputs.dropFirst(3)
    }
    replace(mover, by: node)
  }

  /// Whether `node` puts zeros around numbers, and could put bytes around bytes.
  private func movesBytes(ofPad node: Node) -> Bool {
    node.operatorName == OperatorName(type: "Pad") && node.opset >= 13 && node.inputs.count >= 2
      && (try? puts(0, aroundInputOf: description(of: node))) == true
  }

  private func name(of value: Graph.ValueID) -> String { graph.values[value].name }

  /// The node that makes `value` of bytes, and of which it does, at which levels.
  private func dequantization(
    of value: Graph.ValueID
  ) -> (node: Node, bytes: Graph.ValueID, levels: QuantizedLevels)? {
    guard let source = producer(of: value), isNode(source, "DequantizeLinear"), let node = nodes[source],
      let bytes = node.input(0), let levels = description(of: node).quantizedLevels
    else { return nil }
    return (node, bytes, levels)
  }
}

extension QuantizedLevels {
  /// The byte that stands for zero.
  fileprivate var zero: GraphValue {
    get throws {
      isSigned
        ? GraphValue(try Tensor([Int8(truncatingIfNeeded: zeroPoint)], shape: []))
        : GraphValue(try Tensor([UInt8(truncatingIfNeeded: zeroPoint)], shape: []))
    }
  }
}

extension Node {
  /// The same of another value, giving another one.
  fileprivate func replacing(input: Graph.ValueID, output: Graph.ValueID) -> Node {
    var node = self
    node.inputs[0] = input
    node.outputs = [output]
    return node
  }
}
