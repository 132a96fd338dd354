import Apus

// Matrix products. A right matrix that stands alone, without a batch, is laid out for the kernels first: once, when it is
// known as the node is prepared, and at every run when it is not, so that both give the same bits.

extension Operators {
  static let matrixProducts: [OperatorDefinition] = [
    OperatorDefinition(
      "MatMul",
      .product(
        .matMul, work: .matrixProduct, accuracy: .sumOfProducts(.columns), fusion: .appliesActivation),
      MatMul),
    OperatorDefinition(
      "Gemm",
      .product(
        .gemm, work: .matrixProduct, accuracy: .sumOfProducts(.columnsOrRows), fusion: .appliesActivation),
      Gemm),
    OperatorDefinition("Einsum", .product(.einsum, work: .einsum, accuracy: .sumOfProducts(.contraction)), Einsum),
  ]

  /// `a · b` over the last two axes, broadcast over the others, as NumPy has it: a single axis is a row on the left and a
  /// column on the right.
  static func MatMul(_ node: NodeDescription) throws -> PreparedOperator {
    let (float, double) = (try MatrixProduct<Float>(node), try MatrixProduct<Double>(node))
    let activation = node.activation
    return { arguments in
      // Integers have no layout: their products are taken as they come.
      let type = try arguments.dataType(0)
      if type.isFloatingPoint { return try evaluate(float, double, on: &arguments, type: ElementType(type)) }
      let a = try arguments.tensor(0)
      let product = WholeNumberProduct(a: a, b: try arguments.tensor(1), activation: activation)
      guard let result = try a.dataType.visitWholeNumber(product) else {
        throw OperatorError("there are no products of \(ElementType(a.dataType))")
      }
      return [result]
    }
  }
}

/// MatMul in one working type.
private struct MatrixProduct<Scalar: FloatingPointScalar>: FloatingOperator {
  private let activation: Activation
  private let right: RightMatrix<Scalar>?

  init(_ node: NodeDescription) throws {
    activation = node.activation
    guard let b = try node.ownConstant(1, as: Scalar.self), RightMatrix<Scalar>.accepts(b.shape) else {
      right = nil
      return
    }
    right = try RightMatrix(b)
    node.absorb(1)
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let a = try arguments.floating(0, as: Scalar.self)
    if let right { return [try GraphValue(ending: activation, type) { try right(a, activation: $0) }] }
    let b = try arguments.floating(1, as: Scalar.self)
    return [try GraphValue(ending: activation, type) { try matrixProduct(a, b, activation: $0) }]
  }
}

/// `activation(a · b)` of operands that are known only when a node runs.
func matrixProduct<Scalar: FloatingPointScalar>(
  _ a: Tensor<Scalar>, _ b: Tensor<Scalar>, activation: Activation
) throws -> Tensor<Scalar> {
  if RightMatrix<Scalar>.accepts(b.shape) { return try RightMatrix(forOneProduct: b)(a, activation: activation) }
  let shapes = try MatMulShapes(a.shape, b.shape)
  let product = try matmul(a.reshaped(shapes.left), b.reshaped(shapes.right)).reshaped(shapes.result)
  return try Apus.activation(product, activation)
}

/// The right operand of a matrix product, laid out: `[k, n]` with axes of extent 1 in front, or a single axis `[k]`.
struct RightMatrix<Scalar: FloatingPointScalar>: Sendable {
  private let linear: Linear<Scalar>
  private let shape: [Int]

  static func accepts(_ shape: [Int]) -> Bool { shape.count >= 1 && shape.dropLast(2).allSatisfy { $0 == 1 } }

  /// - Parameter b: of a shape that ``accepts(_:)`` takes.
  init(_ b: Tensor<Scalar>) throws {
    let (rows, columns) = Self.size(b.shape)
    try self.init(b.shape, Linear(stacking: [.inputsFirst(b.reshaped([rows, columns]))]))
  }

  /// The same for a single product, which gives the same bits.
  init(forOneProduct b: Tensor<Scalar>) throws {
    let (rows, columns) = Self.size(b.shape)
    try self.init(b.shape, Linear(forOneProduct: b, inputs: rows, outputs: columns))
  }

  private init(_ shape: [Int], _ linear: Linear<Scalar>) {
    (self.shape, self.linear) = (shape, linear)
  }

  private static func size(_ shape: [Int]) -> (rows: Int, columns: Int) {
    shape.count == 1 ? (shape[0], 1) : (shape[shape.count - 2], shape[shape.count - 1])
  }

  /// `activation(a · b)`
  func callAsFunction(_ a: Tensor<Scalar>, activation: Activation) throws -> Tensor<Scalar> {
    // Most products are of rows and a matrix, whose shapes are those of a linear layer.
    if a.rank >= 2, shape.count == 2, a.shape.last == linear.inputs { return try linear(a, activation: activation) }
    let shapes = try MatMulShapes(a.shape, shape)
    return try linear(a.reshaped(shapes.left), activation: activation).reshaped(shapes.result)
  }
}

/// The shapes of a matrix product: operands with the axes that a vector lacks, and the result without them.
struct MatMulShapes {
  let left: [Int]
  let right: [Int]
  let result: [Int]

  /// - Throws: ``OperatorError`` for shapes that cannot be multiplied.
  init(_ a: [Int], _ b: [Int]) throws {
    guard !a.isEmpty, !b.isEmpty else { throw OperatorError("a single value has no axis to multiply along") }
    left = a.count == 1 ? [1] + a : a
    right = b.count == 1 ? b + [1] : b
    guard left[left.count - 1] == right[right.count - 2] else {
      throw OperatorError(
        "\(a) cannot be multiplied by \(b): \(left[left.count - 1]) columns meet \(right[right.count - 2]) rows")
    }
    if a.count >= 2, b.count == 2 {
      var shape = a
      shape[shape.count - 1] = b[1]
      result = shape
      return
    }
    let batch = try Shape.broadcast(Array(left.dropLast(2)), Array(right.dropLast(2)), operation: "MatMul")
    result =
      batch + (a.count == 1 ? [] : [left[left.count - 2]]) + (b.count == 1 ? [] : [right[right.count - 1]])
  }
}

/// Products of integers, which keep their low bits.
struct WholeNumberProduct: WholeNumberVisitor {
  let a: AnyTensor
  let b: AnyTensor
  let activation: Activation

  func callAsFunction<Scalar: WholeNumber>(_ type: Scalar.Type) throws -> GraphValue {
    guard let a = a.tensor(of: type), let b = b.tensor(of: type) else {
      throw OperatorError("\(ElementType(a.dataType)) cannot be multiplied by \(ElementType(b.dataType))")
    }
    return GraphValue(try Self.product(a, b).bounded(by: activation))
  }

  static func product<Scalar: WholeNumber>(_ a: Tensor<Scalar>, _ b: Tensor<Scalar>) throws -> Tensor<Scalar> {
    let shapes = try MatMulShapes(a.shape, b.shape)
    let (left, right) = (shapes.left, shapes.right)
    let (m, k, n) = (left[left.count - 2], left[left.count - 1], right[right.count - 1])
    let batch = try Shape.broadcast(Array(left.dropLast(2)), Array(right.dropLast(2)), operation: "MatMul")
    let a = try a.expanded(to: left, batch: batch)
    let b = try b.expanded(to: right, batch: batch)
    _ = try Shape.elementCount(batch + [m, n], operation: "MatMul")
    let rows = try Shape.elementCount(batch + [m], operation: "MatMul")
    if rows == 0 || n == 0 { return try Tensor(zeros: shapes.result) }
    return try withExtendedLifetime((a, b)) {
      nonisolated(unsafe) let x = a.pointer
      nonisolated(unsafe) let w = b.pointer
      return try Tensor.filled(shapes.result) { destination in
        nonisolated(unsafe) let y = destination
        parallelRows(rows, width: n * max(k, 1)) { first, count in
          for row in first..<(first + count) {
            let out = y + row * n
            let matrix = w + row / m * k * n
            out.initialize(repeating: 0, count: n)
            for depth in 0..<k {
              let factor = x[row * k + depth]
              let line = matrix + depth * n
              for column in 0..<n { out[column] &+= factor &* line[column] }
            }
          }
        }
      }
    }
  }
}

extension Tensor {
  /// A matrix, or many of them, repeated for `batch`.
  fileprivate func expanded(to shape: [Int], batch: [Int]) throws -> Tensor {
    try reshaped(shape).expanded(to: batch + shape.suffix(2))
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let matMul = ShapeRule.rule { facts in
    [InferredType(facts.elementType(0), try MatMulShapes(facts.shape(0), facts.shape(1)).result)]
  }
}
