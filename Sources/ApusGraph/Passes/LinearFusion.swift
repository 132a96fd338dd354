import Apus

extension Graph {
  /// MatMul with a known matrix, and the Add of a known bias after it, become one node, which packs the matrix once; so does
  /// MatMul with a known matrix that is transposed and whose elements are not made yet.
  ///
  /// A matrix that is a Concat of known pieces, some of them transposed, is packed from its pieces: a tied embedding with
  /// columns beside it (MobileBERT's decoder) is never joined in memory. Results stay the same, bit for bit, with `exact`.
  func fusingLinear(_ precision: Execution.Precision) -> Graph {
    guard hasNode("MatMul") else { return self }
    var rewriter = GraphRewriter(self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "MatMul") {
      rewriter.fuseLinear(index, precision)
    }
    return rewriter.finished()
  }
}

extension GraphRewriter {
  private typealias Piece = (value: Graph.ValueID, isTransposed: Bool)

  fileprivate mutating func fuseLinear(_ index: Int, _ precision: Execution.Precision) {
    guard let product = nodes[index], product.inputs.count == 2, let x = product.input(0),
      let matrix = product.input(1), let output = product.output(0), let pieces = pieces(of: matrix),
      let type = commonType(pieces)
    else { return }
    let columns = size(pieces[0], 1)
    guard pieces.allSatisfy({ size($0, 1) == columns }) else { return }
    var bias: Graph.ValueID?
    var last = index
    if let reader = only("Add", reading: output), let addend = other(than: output, of: reader),
      case .tensor(let tensor)? = constant(addend), tensor.shape == [columns], ElementType(tensor.dataType) == type
    {
      bias = addend
      last = reader
    }
    // A product alone is what MatMul does itself. But a matrix that nobody has made yet would be made to be transposed.
    guard let end = nodes[last], last != index || pieces.count > 1 || pieces[0].isTransposed && isDeferred(pieces[0])
    else { return }
    var fused = Node(
      name: product.name, operatorName: OperatorName(domain: "apus", type: "Linear"), opset: 1,
      inputs: [x, bias] + pieces.map(\.value), outputs: end.outputs)
    fused.attributes["transposed"] = .ints(pieces.map { $0.isTransposed ? 1 : 0 })
    fused.attributes["exact"] = .int(precision == .exact ? 1 : 0)
    if last != index { remove(last) }
    replace(index, by: fused)
  }

  /// The known matrices that follow each other along the rows of `value`.
  private func pieces(of value: Graph.ValueID) -> [Piece]? {
    if let piece = piece(value) { return [piece] }
    guard let source = soleProducer(of: value), isNode(source, "Concat"),
      let node = nodes[source], case .int(let axis)? = node.attributes["axis"], axis == 0 || axis == -2
    else { return nil }
    let pieces = node.inputs.compactMap { $0.flatMap(piece) }
    return pieces.count == node.inputs.count && !pieces.isEmpty ? pieces : nil
  }

  /// A known matrix, or one that is transposed on its way.
  private func piece(_ value: Graph.ValueID) -> Piece? {
    func isMatrix(_ value: Graph.ValueID?) -> Bool {
      guard case .tensor(let tensor)? = constant(value) else { return false }
      return tensor.rank == 2 && (tensor.dataType == .float32 || tensor.dataType == .float64)
    }
    if isMatrix(value) { return (value, false) }
    guard let source = producer(of: value), isNode(source, "Transpose"), let input = nodes[source]?.input(0),
      isMatrix(input)
    else { return nil }
    if case .ints(let order)? = nodes[source]?.attributes["perm"], order != [1, 0] { return nil }
    return (input, true)
  }

  private func isDeferred(_ piece: Piece) -> Bool {
    switch constant(piece.value) {
    case .tensor(.float32(let tensor))?: tensor.deferredSource != nil
    case .tensor(.float64(let tensor))?: tensor.deferredSource != nil
    default: false
    }
  }

  /// The extent of a piece along `axis` of `[inputs, outputs]`.
  private func size(_ piece: Piece, _ axis: Int) -> Int {
    constant(piece.value)?.shape?[piece.isTransposed ? 1 - axis : axis] ?? 0
  }

  private func commonType(_ pieces: [Piece]) -> ElementType? {
    let types = Set(pieces.map { constant($0.value)?.elementType })
    return types.count == 1 ? types.first ?? nil : nil
  }
}
