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
  fileprivate mutating func moveBytes(_ index: Int) {
    guard let quantization = nodes[index], let levels = levels(of: quantization), let x = quantization.inputs[0],
      let y = quantization.outputs[0]
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
  private func bytes(of value: Graph.ValueID, _ levels: Levels) -> Graph.ValueID? {
    guard let source = producer(of: value), isNode(source, "DequantizeLinear"), let node = nodes[source],
      self.levels(of: node) == levels
    else { return nil }
    return node.inputs[0]
  }

  /// One scale and one zero point, both known.
  private struct Levels: Equatable {
    let scale: Double
    let zeroPoint: AnyTensor.Byte
  }

  private func levels(of node: Node) -> Levels? {
    guard node.inputs.count == 3, node.outputs.count == 1,
      ["block_size", "output_dtype", "precision"].allSatisfy({ node.attributes[$0] == nil }),
      case .tensor(.float32(let scales))? = constant(node.inputs[1]), scales.count == 1, let scale = scalar(node.inputs[1]),
      case .tensor(let points)? = constant(node.inputs[2]), let zeroPoint = points.singleByte,
      // A product with the scale, and the quotient, lose no more than a rounding.
      scale > 1e-30, scale < 1e30
    else { return nil }
    return Levels(scale: scale, zeroPoint: zeroPoint)
  }
}

extension AnyTensor {
  /// A byte with its type.
  fileprivate enum Byte: Equatable {
    case int8(Int8)
    case uint8(UInt8)
  }

  /// The only element of a tensor of bytes.
  fileprivate var singleByte: Byte? {
    guard count == 1 else { return nil }
    return switch self {
    case .int8(let tensor): (try? tensor.reshaped([]).scalar).map(Byte.int8)
    case .uint8(let tensor): (try? tensor.reshaped([]).scalar).map(Byte.uint8)
    default: nil
    }
  }
}
