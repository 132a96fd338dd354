import Apus

extension Graph {
  /// What scales and shifts the channels of a convolution's result becomes part of its weight and bias: a batch
  /// normalisation, a product with known numbers, their sum.
  ///
  ///     y = (weight * x + bias) · scale + shift        weight' = weight · scale        bias' = bias · scale + shift
  ///
  /// With `exact` only where no bit of a sum within 2^±90 can change: scales that are powers of two, weights that stay exact
  /// and nothing to add. With `fast` wherever nothing overflows; products are computed in float64 and rounded once.
  func foldingScales(_ precision: Execution.Precision) throws -> Graph {
    guard hasNode("Conv") else { return self }
    var rewriter = GraphRewriter(self)
    var names = NewNames(besidesValuesOf: self)
    for index in rewriter.nodes.indices where rewriter.isNode(index, "Conv") {
      while let convolution = rewriter.nodes[index], let output = convolution.output(0),
        let weight = rewriter.weight(of: convolution), let reader = rewriter.soleReader(of: output),
        let last = rewriter.nodes[reader], last.outputs.count == 1,
        let line = try rewriter.line(of: reader, applyingTo: output, weight),
        let folded = try rewriter.folded(convolution, weight, line, giving: last.outputs, precision, &names)
      {
        rewriter.remove(reader)
        rewriter.replace(index, by: folded)
      }
    }
    return rewriter.finished()
  }
}

/// `x · scale + shift`, a number of each for each channel.
private typealias ChannelLine = (scale: Tensor<Double>, shift: Tensor<Double>)

extension GraphRewriter {
  private typealias ValueID = Graph.ValueID

  /// The weight of a convolution, when it is known.
  fileprivate func weight(of convolution: Node) -> AnyTensor? {
    guard case .tensor(let weight)? = constant(convolution.input(1)),
      weight.dataType == .float32 || weight.dataType == .float64, weight.rank >= 3, weight.shape[0] > 0
    else { return nil }
    return weight
  }

  /// What node `reader` makes of `value`, the result of a convolution with this weight; nil where that is no line for
  /// each channel, or not known.
  fileprivate func line(of reader: Int, applyingTo value: Graph.ValueID, _ weight: AnyTensor) throws -> ChannelLine? {
    guard let node = nodes[reader] else { return nil }
    if isNode(reader, "BatchNormalization") {
      return node.inputs.first == value ? try normalization(node, weight) : nil
    }
    guard node.opset >= 7, node.inputs.count == 2, let side = node.inputs.firstIndex(where: { $0 != value }),
      let numbers = try channelNumbers(node.input(side), weight)
    else { return nil }
    let none = try Tensor<Double>(zeros: numbers.shape)
    let isFirst = side == 1
    switch node.operatorName {
    case OperatorName(type: "Add"): return (try none + 1, numbers)
    case OperatorName(type: "Sub"): return try isFirst ? (none + 1, none - numbers) : (none - 1, numbers)
    case OperatorName(type: "Mul"): return (numbers, none)
    case OperatorName(type: "Div"): return isFirst ? try (1 / numbers, none) : nil
    default: return nil
    }
  }

  private func normalization(_ node: Node, _ weight: AnyTensor) throws -> ChannelLine? {
    guard node.inputs.count == 5, node.attributes["training_mode"] == nil,
      let gamma = try parameter(node.input(1), weight), let beta = try parameter(node.input(2), weight),
      let mean = try parameter(node.input(3), weight), let variance = try parameter(node.input(4), weight)
    else { return nil }
    var epsilon = Double(Float(1e-5))
    if case .float(let number)? = node.attributes["epsilon"] { epsilon = Double(number) }
    let scale = try gamma / (variance + epsilon).sqrt()
    return (scale, try beta - mean * scale)
  }

  /// A known list with a number for each channel that the weight gives.
  private func parameter(_ value: Graph.ValueID?, _ weight: AnyTensor) throws -> Tensor<Double>? {
    guard case .tensor(let tensor)? = constant(value), tensor.shape == [weight.shape[0]],
      tensor.dataType == weight.dataType
    else { return nil }
    return try tensor.converted(to: Double.self)
  }

  /// Known numbers that broadcasting stretches over the channels: one for all of them, or one for each.
  private func channelNumbers(_ value: Graph.ValueID?, _ weight: AnyTensor) throws -> Tensor<Double>? {
    guard case .tensor(let tensor)? = constant(value), tensor.dataType == weight.dataType, tensor.rank <= weight.rank
    else { return nil }
    let channels = weight.shape[0]
    let axes = [Int](repeating: 1, count: weight.rank - tensor.rank) + tensor.shape
    guard axes.indices.allSatisfy({ axes[$0] == 1 || $0 == 1 && axes[$0] == channels }) else { return nil }
    return try Tensor<Double>(zeros: [channels]) + tensor.converted(to: Double.self).reshaped([tensor.count])
  }

  /// The convolution that does the work of both; nil where a bit could change with `exact`.
  fileprivate mutating func folded(
    _ convolution: Node, _ weight: AnyTensor, _ line: ChannelLine, giving outputs: [Graph.ValueID?],
    _ precision: Execution.Precision, _ names: inout NewNames
  ) throws -> Node? {
    let channels = weight.shape[0]
    var bias = try Tensor<Double>(zeros: [channels])
    if let input = convolution.input(2) {
      guard let known = try parameter(input, weight) else { return nil }
      bias = known
    }
    let (scale, shift) = (line.scale, try bias * line.scale + line.shift)
    if precision == .exact {
      // A negative one would turn the sign of zeros.
      let isPowerOfTwo = try scale.elements.allSatisfy {
        $0 > 0 && $0.isNormal && $0.significand == 1 && abs($0.exponent) < 32
      }
      guard try isPowerOfTwo && shift.elements.allSatisfy({ $0 == 0 }) && bias.elements.allSatisfy({ $0 == 0 }) else {
        return nil
      }
    }
    let factors = try scale.reshaped([channels] + [Int](repeating: 1, count: weight.rank - 1))
    let scaled = try weight.converted(to: Double.self) * factors
    let isFloat = weight.dataType == .float32
    func rounded(_ x: Double) -> Double { isFloat ? Double(Float(x)) : x }
    guard try scaled.elements.allSatisfy({ rounded($0).isFinite && (precision == .fast || rounded($0) == $0) }),
      try (scale.elements + shift.elements).allSatisfy({ rounded($0).isFinite })
    else { return nil }
    var folded = convolution
    folded.inputs = [
      convolution.input(0), try add(scaled, like: weight, named: names.next(convolution.name + ".weight")),
      try add(shift, like: weight, named: names.next(convolution.name + ".bias")),
    ]
    folded.outputs = outputs
    return folded
  }

  /// A new constant of the element type of `original`.
  private mutating func add(_ tensor: Tensor<Double>, like original: AnyTensor, named name: String) throws -> ValueID {
    let value: GraphValue =
      original.dataType == .float64 ? GraphValue(tensor) : GraphValue(try tensor.converted(to: Float.self))
    return addConstant(value, named: name)
  }
}
