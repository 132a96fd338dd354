import Apus

extension Graph {
  /// The graph with some layers in integers of eight bits, in operators of the standard.
  ///
  ///     y = Float(ConvInteger(QuantizeLinear(x), weight)) · scale + bias
  ///
  /// Sums are exact, and the scale is that of `x` times that of the output's weights. What only moves numbers between
  /// such layers (Concat, Split, MaxPool, …) moves bytes, so all that such a node joins has one scale.
  ///
  /// - Parameter range: what a value's levels have to cover.
  func quantizing(_ layers: [QuantizableLayer], range: (ValueID) throws -> ClosedRange<Double>) throws -> Graph {
    var quantizer = GraphQuantizer(self, layers)
    quantizer.chooseMovements()
    try quantizer.quantizeValues(range: range)
    quantizer.moveBytes()
    for layer in layers { try quantizer.compute(layer) }
    return quantizer.rewriter.finished()
  }

  /// The values that ``quantizing(_:range:)`` may ask for, whichever of these layers it is given.
  func valuesToQuantize(for layers: [QuantizableLayer]) -> [ValueID] {
    let rewriter = GraphRewriter(self)
    var found: Set<ValueID> = []
    var open = layers.map(\.input)
    while let value = open.popLast() {
      guard found.insert(value).inserted, let producer = rewriter.producer(of: value) else { continue }
      open += rewriter.movedInputs(of: producer)
    }
    return found.sorted()
  }
}

/// A graph while some of its values become bytes.
private struct GraphQuantizer {
  var rewriter: GraphRewriter
  private let layers: [Int: QuantizableLayer]
  /// The nodes that move bytes.
  private var movements: Set<Int> = []
  private var bytes: [Graph.ValueID: ByteValue] = [:]
  // A model that was quantised before, in part, has such names already.
  private var valueNames: NewNames
  private var nodeNames: NewNames

  /// A value in bytes, and its levels.
  private struct ByteValue {
    var value: Graph.ValueID
    var levels: ByteLevels
    var scale: Graph.ValueID
    var zeroPoint: Graph.ValueID
  }

  init(_ graph: Graph, _ layers: [QuantizableLayer]) {
    rewriter = GraphRewriter(graph)
    valueNames = NewNames(besidesValuesOf: graph)
    nodeNames = NewNames(besides: graph.nodes.map(\.name))
    self.layers = Dictionary(layers.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Nodes whose every result is read as bytes alone can move bytes themselves. Readers come later, so from the end.
  mutating func chooseMovements() {
    for index in rewriter.nodes.indices.reversed() where !rewriter.movedInputs(of: index).isEmpty {
      let outputs = rewriter.nodes[index]?.outputs.compactMap { $0 } ?? []
      if !outputs.isEmpty, outputs.allSatisfy(isReadAsBytesAlone) { movements.insert(index) }
    }
  }

  private func isReadAsBytesAlone(_ value: Graph.ValueID) -> Bool {
    !rewriter.isOutput(value) && rewriter.readerCount(of: value) > 0
      && rewriter.readers(of: value).allSatisfy { reads(asBytes: value, $0) }
  }

  /// Whether node `reader` takes `value` in bytes.
  private func reads(asBytes value: Graph.ValueID, _ reader: Int) -> Bool {
    layers[reader]?.input == value || movements.contains(reader) && rewriter.movedInputs(of: reader).contains(value)
  }

  /// Puts a QuantizeLinear behind every value of numbers that is read as bytes.
  mutating func quantizeValues(range: (Graph.ValueID) throws -> ClosedRange<Double>) throws {
    var groups = Groups()
    var wanted = Set(layers.values.map(\.input))
    for index in movements.sorted() {
      let values = rewriter.movedInputs(of: index) + (rewriter.nodes[index]?.outputs.compactMap { $0 } ?? [])
      for value in values { groups.join(values[0], value) }
      wanted.formUnion(rewriter.movedInputs(of: index))
    }
    let sources = wanted.filter { value in !(rewriter.producer(of: value).map(movements.contains) ?? false) }.sorted()
    var ranges: [Graph.ValueID: ClosedRange<Double>] = [:]
    for source in sources {
      let (group, own) = (groups.root(source), try range(source))
      ranges[group] =
        ranges[group].map {
          min($0.lowerBound, own.lowerBound)...max($0.upperBound, own.upperBound)
        } ?? own
    }
    var shared: [Graph.ValueID: ByteValue] = [:]
    for source in sources {
      let group = groups.root(source)
      let first = rewriter.readers(of: source).first { reads(asBytes: source, $0) }
      guard let range = ranges[group], let first, let opset = rewriter.nodes[first]?.opset else { continue }
      let name = rewriter.graph.values[source].name
      var byteValue: ByteValue
      if let known = shared[group] {
        byteValue = known
      } else {
        let levels = ByteLevels(covering: range)
        byteValue = ByteValue(
          value: source, levels: levels,
          scale: rewriter.addConstant(
            GraphValue(try Tensor([levels.scale], shape: [])), named: valueNames.next(name + "_scale")),
          zeroPoint: rewriter.addConstant(
            GraphValue(try Tensor([levels.zeroPoint], shape: [])), named: valueNames.next(name + "_zero_point")))
        shared[group] = byteValue
      }
      let quantization = Node(
        name: nodeNames.next(name + "_QuantizeLinear"), operatorName: OperatorName(type: "QuantizeLinear"),
        opset: opset, inputs: [source, byteValue.scale, byteValue.zeroPoint], outputs: [])
      byteValue.value = rewriter.insert(quantization, before: first, giving: valueNames.next(name + "_quantized"))
      bytes[source] = byteValue
    }
    // What is moved has the levels of what it is made of.
    for index in movements.sorted() {
      for case let output? in rewriter.nodes[index]?.outputs ?? [] {
        guard var moved = shared[groups.root(output)] else { continue }
        moved.value = rewriter.addValue(named: valueNames.next(rewriter.graph.values[output].name + "_quantized"))
        bytes[output] = moved
      }
    }
  }

  /// Makes the nodes that move numbers move bytes.
  mutating func moveBytes() {
    for index in movements.sorted() {
      guard var node = rewriter.nodes[index] else { continue }
      let moved = Set(rewriter.movedInputs(of: index))
      node.inputs = node.inputs.map { input in input.flatMap { moved.contains($0) ? bytes[$0]?.value : nil } ?? input }
      node.outputs = node.outputs.map { output in output.flatMap { bytes[$0]?.value } ?? output }
      rewriter.replace(index, by: node)
    }
  }

  /// Computes a layer in integers.
  mutating func compute(_ layer: QuantizableLayer) throws {
    guard let node = rewriter.nodes[layer.index], let x = bytes[layer.input] else { return }
    let isConvolution = layer.kind == .convolution
    let name = node.name
    // One number for each channel of a map, or for each column.
    func eachOutput(_ numbers: [Float], _ suffix: String) throws -> Graph.ValueID {
      let spatial = isConvolution ? layer.weight.bytes.rank - 2 : 0
      let shape = [numbers.count] + [Int](repeating: 1, count: spatial)
      return rewriter.addConstant(
        GraphValue(try Tensor(numbers, shape: shape)), named: valueNames.next(name + suffix))
    }
    let weight = rewriter.addConstant(
      GraphValue(layer.weight.bytes), named: valueNames.next(name + "_weight_quantized"))
    func insert(_ type: String, _ inputs: [Graph.ValueID?], _ attributes: [String: AttributeValue] = [:]) -> Int {
      let new = Node(
        name: nodeNames.next("\(name)_\(type)"), operatorName: OperatorName(type: type), opset: node.opset,
        inputs: inputs, outputs: [], attributes: attributes)
      return rewriter.insert(new, before: layer.index, giving: valueNames.next("\(name)_\(type)_output"))
    }
    let sums = insert(
      isConvolution ? "ConvInteger" : "MatMulInteger", [x.value, weight, x.zeroPoint],
      isConvolution ? node.attributes : [:])
    let numbers = insert("Cast", [sums], ["to": .int(Int64(ElementType.float.rawValue))])
    let scale = try eachOutput(layer.weight.scales.map { $0 * x.levels.scale }, "_scale")
    var last = node
    last.attributes = [:]
    if let bias = layer.bias {
      last.operatorName = OperatorName(type: "Add")
      last.inputs = [insert("Mul", [numbers, scale]), try eachOutput(bias, "_bias")]
    } else {
      last.operatorName = OperatorName(type: "Mul")
      last.inputs = [numbers, scale]
    }
    rewriter.replace(layer.index, by: last)
  }
}

/// Sets of values that have one scale, found by any of them.
private struct Groups {
  private var parents: [Graph.ValueID: Graph.ValueID] = [:]

  mutating func root(_ value: Graph.ValueID) -> Graph.ValueID {
    var root = value
    while let parent = parents[root] { root = parent }
    if root != value { parents[value] = root }
    return root
  }

  mutating func join(_ a: Graph.ValueID, _ b: Graph.ValueID) {
    let (first, second) = (root(a), root(b))
    if first != second { parents[second] = first }
  }
}
