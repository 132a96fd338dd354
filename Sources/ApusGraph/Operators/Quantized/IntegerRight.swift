import Apus

/// The right matrix of a product of 8-bit integers: packed once where it is known before anything runs.
struct IntegerRight: Sendable {
  private let matrix: Int
  private let zeroPoint: Int
  private let isTransposed: Bool
  let packed: PackedIntegers?

  /// Products of two differences of bytes that 32 bits have room for.
  static let mostTerms = Int(Int32.max) / (255 * 255)

  /// - Parameters:
  ///   - matrix: the index of the input, `zeroPoint` likewise.
  ///   - isTransposed: whether the matrix is `[n, k]`.
  init(_ node: NodeDescription, matrix: Int, zeroPoint: Int, isTransposed: Bool = false) throws {
    (self.matrix, self.zeroPoint, self.isTransposed) = (matrix, zeroPoint, isTransposed)
    guard case .tensor(let tensor)? = node.constant(matrix), tensor.rank == 2,
      !node.has(zeroPoint) || node.constant(zeroPoint) != nil
    else {
      packed = nil
      return
    }
    var point: AnyTensor?
    if let constant = node.constant(zeroPoint) {
      guard case .tensor(let tensor) = constant else {
        throw OperatorError("input \(zeroPoint) is \(constant.type); a tensor of integers is needed")
      }
      point = tensor
    }
    packed = try PackedIntegers(isTransposed ? tensor.transposedMatrix() : tensor, zeroPoint: point)
    node.absorb(matrix)
    if node.has(zeroPoint) { node.absorb(zeroPoint) }
  }

  /// The product with `left`, whose zero points are one, or one per row.
  func product(_ arguments: Arguments, left: AnyTensor, zeroPoint leftPoint: AnyTensor?) throws -> Tensor<Int32> {
    if let packed, left.rank >= 2, leftPoint?.count ?? 1 == 1 { return try packed.product(left, zeroPoint: leftPoint) }
    let (matrices, shape) = try operands(arguments, left, leftPoint)
    return try matrices.product().reshaped(shape)
  }

  /// The stacks of matrices to multiply where the right one is computed; nil where it is packed, or for vectors.
  func matrices(
    _ arguments: Arguments, left: AnyTensor, zeroPoint leftPoint: AnyTensor?
  ) throws -> IntegerMatrices? {
    guard packed == nil, left.rank >= 2, try arguments.tensor(matrix).rank >= 2 else { return nil }
    return try operands(arguments, left, leftPoint).matrices
  }

  /// The product in DOUBLE, where more terms are exact than 32 bits have room for.
  func wideProduct(
    _ arguments: Arguments, left: AnyTensor, zeroPoint leftPoint: AnyTensor?
  ) throws -> Tensor<Double> {
    func numbers(_ bytes: AnyTensor, less point: AnyTensor?) throws -> Tensor<Double> {
      let values = try bytes.converted(to: Double.self)
      return try point.map { try values - $0.converted(to: Double.self) } ?? values
    }
    let (right, point) = try given(arguments)
    return try matrixProduct(numbers(left, less: leftPoint), numbers(right, less: point), activation: .identity)
  }

  /// The right operand and its zero point, from wherever they are known.
  private func given(_ arguments: Arguments) throws -> (matrix: AnyTensor, zeroPoint: AnyTensor?) {
    if let packed { return (packed.matrix, packed.zeroPoint) }
    let given = try arguments.tensor(matrix)
    return (try isTransposed ? given.transposedMatrix() : given, try arguments.optionalTensor(zeroPoint))
  }

  /// Both operands as matrices, vectors being those of one row or column, and the shape of the node's result.
  private func operands(
    _ arguments: Arguments, _ left: AnyTensor, _ leftPoint: AnyTensor?
  ) throws -> (matrices: IntegerMatrices, result: [Int]) {
    let (right, point) = try given(arguments)
    let shapes = try MatMulShapes(left.shape, right.shape)
    func matrices<A: ByteScalar, B: ByteScalar>(_ a: Tensor<A>, _ b: Tensor<B>) throws -> IntegerMatrices {
      try IntegerMatrices(
        a.reshaped(shapes.left), b.reshaped(shapes.right), aZeroPoint: leftPoint.map { try $0.bytes(like: a, "a") },
        bZeroPoint: point.map { try $0.bytes(like: b, "b") })
    }
    switch (left, right) {
    case (.int8(let a), .int8(let b)): return (try matrices(a, b), shapes.result)
    case (.int8(let a), .uint8(let b)): return (try matrices(a, b), shapes.result)
    case (.uint8(let a), .int8(let b)): return (try matrices(a, b), shapes.result)
    case (.uint8(let a), .uint8(let b)): return (try matrices(a, b), shapes.result)
    default:
      throw OperatorError(
        "matrices of \(ElementType(left.dataType)) and \(ElementType(right.dataType)) are not of 8-bit integers")
    }
  }
}

/// A matrix of 8-bit integers, `[depth, columns]`, laid out for products.
struct PackedIntegers: Sendable {
  /// As it was.
  let matrix: AnyTensor
  let zeroPoint: AnyTensor?
  private let packed: PackedIntegerMatrix

  var columns: Int { packed.columns }

  init(_ matrix: AnyTensor, zeroPoint: AnyTensor?) throws {
    self.matrix = matrix
    self.zeroPoint = zeroPoint
    func pack<Element: ByteScalar>(_ matrix: Tensor<Element>) throws -> PackedIntegerMatrix {
      try PackedIntegerMatrix(matrix, zeroPoint: zeroPoint.map { try $0.bytes(like: matrix, "the matrix") })
    }
    switch matrix {
    case .int8(let matrix): packed = try pack(matrix)
    case .uint8(let matrix): packed = try pack(matrix)
    default: throw OperatorError("a matrix of \(ElementType(matrix.dataType)) is not of 8-bit integers")
    }
  }

  func product(_ a: AnyTensor, zeroPoint: AnyTensor?) throws -> Tensor<Int32> {
    switch a {
    case .int8(let a): return try packed.product(a, zeroPoint: zeroPoint.map { try $0.bytes(like: a, "a") })
    case .uint8(let a): return try packed.product(a, zeroPoint: zeroPoint.map { try $0.bytes(like: a, "a") })
    default: throw OperatorError("a matrix of \(ElementType(a.dataType)) is not of 8-bit integers")
    }
  }

  /// `product · scale + bias`, with one scale, or one per column.
  func scaled(_ a: AnyTensor, zeroPoint: AnyTensor?, scale: Tensor<Float>, bias: Tensor<Float>?) throws -> Tensor<Float>
  {
    func scaled<A: ByteScalar>(_ a: Tensor<A>) throws -> Tensor<Float> {
      try packed.scaledProduct(
        a, zeroPoint: zeroPoint.map { try $0.bytes(like: a, "a") }, scale: scale, bias: bias)
    }
    switch a {
    case .int8(let a): return try scaled(a)
    case .uint8(let a): return try scaled(a)
    default: throw OperatorError("a matrix of \(ElementType(a.dataType)) is not of 8-bit integers")
    }
  }

  /// The same, quantised; nil where numbers have to lie in memory.
  func quantized(
    _ a: AnyTensor, zeroPoint: AnyTensor?, scale: Tensor<Float>, bias: Tensor<Float>?, levels: ResultLevels
  ) throws -> GraphValue? {
    func quantized<A: ByteScalar, Y: ByteScalar>(_ a: Tensor<A>, _ outputScale: Float, _ y: Y) throws -> GraphValue? {
      try packed.quantizedProduct(
        a, zeroPoint: zeroPoint.map { try $0.bytes(like: a, "a") }, scale: scale, bias: bias, outputScale: outputScale,
        outputZeroPoint: y
      ).map(GraphValue.init)
    }
    switch (a, levels) {
    case (.int8(let a), .int8(let scale, let point)): return try quantized(a, scale, point)
    case (.int8(let a), .uint8(let scale, let point)): return try quantized(a, scale, point)
    case (.uint8(let a), .int8(let scale, let point)): return try quantized(a, scale, point)
    case (.uint8(let a), .uint8(let scale, let point)): return try quantized(a, scale, point)
    default: return nil
    }
  }

  /// `saturate(round((product + bias) · scale) + zero point)`, with one scale, or one per column.
  func requantized(
    _ a: AnyTensor, zeroPoint: AnyTensor?, bias: Tensor<Int32>? = nil, scale: Tensor<Float>, outputZeroPoint: AnyTensor
  ) throws -> GraphValue {
    func requantized<A: ByteScalar, Y: ByteScalar>(_ a: Tensor<A>, _ y: Tensor<Y>) throws -> GraphValue {
      GraphValue(
        try packed.requantizedProduct(
          a, zeroPoint: zeroPoint.map { try $0.bytes(like: a, "a") }, bias: bias, scale: scale,
          outputZeroPoint: y.reshaped([]).scalar))
    }
    switch (a, outputZeroPoint) {
    case (.int8(let a), .int8(let y)): return try requantized(a, y)
    case (.int8(let a), .uint8(let y)): return try requantized(a, y)
    case (.uint8(let a), .int8(let y)): return try requantized(a, y)
    case (.uint8(let a), .uint8(let y)): return try requantized(a, y)
    default:
      throw OperatorError(
        "a of \(ElementType(a.dataType)) and y of \(ElementType(outputZeroPoint.dataType)) are not of 8-bit integers")
    }
  }
}

extension AnyTensor {
  /// A zero point of the type of what it belongs to.
  func bytes<Element: TensorScalar>(like tensor: Tensor<Element>, _ name: String) throws -> Tensor<Element> {
    guard let same = self.tensor(of: Element.self) else {
      throw OperatorError(
        "the zero point of \(name) is \(ElementType(dataType)); \(ElementType(Element.dataType)) is needed")
    }
    return same
  }

  /// A matrix of 8-bit integers with its axes exchanged.
  func transposedMatrix() throws -> AnyTensor {
    switch self {
    case .int8(let matrix): .int8(try matrix.transposed())
    case .uint8(let matrix): .uint8(try matrix.transposed())
    default: throw OperatorError("a matrix of \(ElementType(dataType)) is not of 8-bit integers")
    }
  }
}

extension Arguments {
  /// Input `index`, scales, as FLOAT.
  func scale(_ index: Int) throws -> Tensor<Float> { try floating(index, as: Float.self) }
}

extension Tensor where Scalar: FloatingPointScalar {
  /// Scales of the rows of a matrix of `shape`, in a shape that broadcasts against the product.
  func asRows(of shape: [Int]) throws -> Tensor {
    if count == 1 { return try reshaped([]) }
    return try rank == 1 && shape.count > 1 ? reshaped([count, 1]) : self
  }

  /// Scales of the columns of a matrix.
  var asColumns: Tensor {
    get throws { try count == 1 ? reshaped([]) : self }
  }
}

extension Tensor<Int32> {
  /// The sum with what broadcasts to this shape; it wraps around.
  func adding(_ other: Tensor<Int32>) throws -> Tensor<Int32> {
    let other = try other.expanded(to: shape)
    var result = self
    try result.withUnsafeMutableBufferPointer { result in
      try other.withUnsafeBufferPointer { other in
        for index in result.indices { result[index] &+= other[index] }
      }
    }
    return result
  }
}

extension GraphValue {
  /// `saturate(round(x) + zero point)`, ties to even, of the type of the zero point, which is one.
  ///
  /// - Parameter roundsSum: `saturate(round(x + zero point))`, which ends other ties where the zero point is odd.
  init<Scalar: FloatingPointScalar>(
    requantizing x: Tensor<Scalar>, zeroPoint: AnyTensor, roundsSum: Bool = false
  ) throws {
    guard zeroPoint.count == 1 else {
      throw OperatorError("the zero point of y has shape \(zeroPoint.shape); one value is needed")
    }
    let point = try zeroPoint.converted(to: Scalar.self).reshaped([]).scalar
    func rounded(_ least: Scalar, _ greatest: Scalar) throws -> Tensor<Scalar> {
      try (roundsSum ? (x + point).round() : x.round() + point).clamp(min: least, max: greatest)
    }
    switch zeroPoint {
    case .int8: self.init(try rounded(-128, 127).converted(to: Int8.self))
    case .uint8: self.init(try rounded(0, 255).converted(to: UInt8.self))
    case .int16: self.init(try rounded(-32768, 32767).converted(to: Int16.self))
    case .uint16: self.init(try rounded(0, 65535).converted(to: UInt16.self))
    default:
      throw OperatorError("the zero point of y is \(ElementType(zeroPoint.dataType)), which nothing is quantised to")
    }
  }
}
