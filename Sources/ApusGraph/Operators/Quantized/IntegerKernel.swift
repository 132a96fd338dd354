import Apus

/// The weight of an integer convolution: laid out once where it is known before anything runs.
struct IntegerKernel: Sendable {
  private let weight: Int
  private let zeroPoint: Int
  private let bias: Int?
  private let windows: WindowAttributes
  private let groups: Int
  private let known: PreparedIntegerConvolution?

  /// Takes the indices of the inputs.
  init(_ node: NodeDescription, weight: Int, zeroPoint: Int, bias: Int?) throws {
    (self.weight, self.zeroPoint, self.bias) = (weight, zeroPoint, bias)
    windows = try WindowAttributes(node)
    groups = try node.int("group", default: 1)
    let indices = [weight, zeroPoint] + (bias.map { [$0] } ?? [])
    let given = indices.map { node.constant($0) }
    guard case .tensor(let tensor)? = given[0], zip(indices, given).allSatisfy({ !node.has($0) || $1 != nil }) else {
      known = nil
      return
    }
    var tensors: [AnyTensor?] = try zip(indices, given).map { index, constant in
      guard let constant else { return nil }
      guard case .tensor(let tensor) = constant else {
        throw OperatorError("input \(index) is \(constant.type); a tensor of integers is needed")
      }
      return tensor
    }
    tensors += [nil]
    known = try PreparedIntegerConvolution(
      weight: tensor, zeroPoint: tensors[1], bias: tensors[2], windows: windows, groups: groups)
    for index in indices where node.has(index) { node.absorb(index) }
  }

  func prepared(_ arguments: Arguments) throws -> PreparedIntegerConvolution {
    try known
      ?? PreparedIntegerConvolution(
        weight: arguments.tensor(weight), zeroPoint: arguments.optionalTensor(zeroPoint),
        bias: bias.flatMap { try arguments.optionalTensor($0) }, windows: windows, groups: groups)
  }
}

/// A convolution of 8-bit integers over any number of axes with its weight laid out.
struct PreparedIntegerConvolution: Sendable {
  /// Channels of the result.
  let outputs: Int
  private let convolution: IntegerConvolution
  private let windows: PlanarWindows

  init(weight: AnyTensor, zeroPoint: AnyTensor?, bias: AnyTensor?, windows: WindowAttributes, groups: Int) throws {
    outputs = weight.shape.first ?? 0
    var biases: Tensor<Int32>?
    if let bias {
      guard case .int32(let tensor) = bias else {
        throw OperatorError("the bias is \(ElementType(bias.dataType)); INT32 is needed")
      }
      biases = tensor
    }
    guard weight.rank >= 3 else {
      throw OperatorError(
        "the weight has shape \(weight.shape); [outputs, channels, …] with axes to move along is needed")
    }
    let planes = try PlanarWindows(windows, kernel: Array(weight.shape[2...]))
    func laidOut<Element: ByteScalar>(_ weight: Tensor<Element>) throws -> IntegerConvolution {
      let (rows, columns) = planes.rowsAndColumns
      return try IntegerConvolution(
        weight: weight.reshaped(planes.weightShape(weight.shape)),
        zeroPoint: zeroPoint.map { try $0.bytes(like: weight, "the weight") }, bias: biases,
        stride: Size2D(height: rows.stride, width: columns.stride),
        dilation: Size2D(height: rows.dilation, width: columns.dilation), groups: groups)
    }
    self.windows = planes
    switch weight {
    case .int8(let weight): convolution = try laidOut(weight)
    case .uint8(let weight): convolution = try laidOut(weight)
    default: throw OperatorError("the weight is \(ElementType(weight.dataType)); INT8 or UINT8 is needed")
    }
  }

  /// What `convolve` makes of maps of one or two axes, for `x`, whatever axes it has.
  private func applied<Element: ByteScalar, Result: TensorScalar>(
    to x: Tensor<Element>, _ zeroPoint: AnyTensor?,
    _ convolve: (IntegerConvolution, _ maps: Tensor<Element>, _ zeroPoint: Element) throws -> Tensor<Result>
  ) throws -> Tensor<Result> {
    let point = try zeroPoint?.bytes(like: x, "x").reshaped([]).scalar ?? 0
    return try windows(x, filler: point) { try convolve(convolution.padded(by: $1), $0, point) }
  }

  func sums(_ x: AnyTensor, zeroPoint: AnyTensor?) throws -> Tensor<Int32> {
    func sums<Element: ByteScalar>(_ x: Tensor<Element>) throws -> Tensor<Int32> {
      try applied(to: x, zeroPoint) { try $0($1, zeroPoint: $2) }
    }
    switch x {
    case .int8(let x): return try sums(x)
    case .uint8(let x): return try sums(x)
    default: throw OperatorError("x is \(ElementType(x.dataType)); INT8 or UINT8 is needed")
    }
  }

  /// `activation(Float(sums) · scale + bias)`, perhaps quantised.
  ///
  /// - Parameters:
  ///   - scale: one number, or one for each output.
  ///   - bias: one number for each output, or none.
  func scaled(
    _ x: AnyTensor, zeroPoint: AnyTensor?, scale: Tensor<Float>, bias: Tensor<Float>?, activation: Activation,
    levels: ResultLevels
  ) throws -> GraphValue {
    func scaled<Element: ByteScalar>(_ x: Tensor<Element>) throws -> GraphValue {
      func quantized<Result: ByteScalar>(_ outputScale: Float, _ outputZeroPoint: Result) throws -> GraphValue {
        GraphValue(
          try applied(to: x, zeroPoint) {
            try $0.scaled(
              $1, zeroPoint: $2, scale: scale, bias: bias, activation: activation, outputScale: outputScale,
              outputZeroPoint: outputZeroPoint)
          })
      }
      switch levels {
      case .none:
        return GraphValue(
          try applied(to: x, zeroPoint) {
            try $0.scaled($1, zeroPoint: $2, scale: scale, bias: bias, activation: activation)
          })
      case .uint8(let scale, let zeroPoint): return try quantized(scale, zeroPoint)
      case .int8(let scale, let zeroPoint): return try quantized(scale, zeroPoint)
      }
    }
    switch x {
    case .int8(let x): return try scaled(x)
    case .uint8(let x): return try scaled(x)
    default: throw OperatorError("x is \(ElementType(x.dataType)); INT8 or UINT8 is needed")
    }
  }

  /// - Parameter scale: one number, or one for each output.
  func requantized(
    _ x: AnyTensor, zeroPoint: AnyTensor?, scale: Tensor<Float>, outputZeroPoint: AnyTensor
  ) throws -> GraphValue {
    func requantized<X: ByteScalar, Y: ByteScalar>(_ x: Tensor<X>, _ target: Tensor<Y>) throws -> GraphValue {
      let target = try target.reshaped([]).scalar
      return GraphValue(
        try applied(to: x, zeroPoint) {
          try $0.requantized($1, zeroPoint: $2, scale: scale, outputZeroPoint: target)
        })
    }
    switch (x, outputZeroPoint) {
    case (.int8(let x), .int8(let y)): return try requantized(x, y)
    case (.int8(let x), .uint8(let y)): return try requantized(x, y)
    case (.uint8(let x), .int8(let y)): return try requantized(x, y)
    case (.uint8(let x), .uint8(let y)): return try requantized(x, y)
    default:
      throw OperatorError(
        "x of \(ElementType(x.dataType)) and y of \(ElementType(outputZeroPoint.dataType)) are not of 8-bit integers")
    }
  }
}
