/// An affine map of the last axis: PyTorch's `torch.nn.Linear`.
///
/// The weight is laid out for the kernels when the layer is made, and the layer keeps nothing but that copy. Where the
/// original lies in a mapped file, its memory goes back to the system, to be read again if it is needed.
///
/// A weight that is stored in fewer bits than `Scalar` has stays in them, and is widened a tile at a time. Results have
/// the bits they would have if it had been widened beforehand.
public struct Linear<Scalar: FloatingPointScalar>: Sendable {
  /// Features that go in.
  public let inputs: Int
  /// Features that come out.
  public let outputs: Int
  let product: PackedLinear<Scalar>

  /// Inputs and outputs of which no sum overflows; an axis beyond belongs to an empty matrix.
  private static var sizeLimit: Int { 1 << 40 }

  /// - Parameters:
  ///   - weight: `[outputs, inputs]`.
  ///   - bias: `[outputs]`; 0 when absent.
  /// - Throws: ``TensorError`` when weight and bias do not fit each other, or memory is short.
  public init(weight: Tensor<Scalar>, bias: Tensor<Scalar>? = nil) throws {
    try self.init(stacking: [.outputsFirst(weight)], bias: bias)
  }

  /// A map whose inputs are divided among several matrices: `y = x₀ · W₀ + x₁ · W₁ + … + bias`, where the inputs
  /// x₀, x₁ … of the pieces follow each other in the last axis. The pieces are never joined in memory but in the layout
  /// of the kernels.
  ///
  /// ```swift
  /// // Logits from an embedding table [vocabulary, 128] and a matrix [384, vocabulary] beside it.
  /// let decoder = try Linear(stacking: [.outputsFirst(table), .inputsFirst(dense)], bias: bias)
  /// ```
  ///
  /// - Parameters:
  ///   - pieces: at least one, all of the same number of outputs.
  ///   - bias: `[outputs]`; 0 when absent.
  /// - Throws: ``TensorError`` when pieces and bias do not fit each other, or memory is short.
  public init(stacking pieces: [LinearWeight<Scalar>], bias: Tensor<Scalar>? = nil) throws {
    let outputs = pieces.first?.sizes?.outputs ?? 0
    let limit = Self.sizeLimit
    guard !pieces.isEmpty,
      pieces.allSatisfy({ piece in piece.sizes.map { $0.outputs == outputs && $0.inputs <= limit } ?? false }),
      outputs <= limit, bias.map({ $0.shape == [outputs] }) ?? true
    else {
      let shapes = pieces.map { $0.tensor.shape }
      let weight = shapes.count == 1 ? "weight \(shapes[0])" : "weights \(shapes)"
      let expected = pieces.allSatisfy(\.isOutputsFirst) ? "[outputs, inputs]" : "matrices of one number of outputs"
      throw TensorError.shape(
        operation: "Linear",
        reason: "\(weight)\(bias.map { " and bias \($0.shape)" } ?? "") are not \(expected) and [outputs]")
    }
    if pieces.count == 1, let matrix = try BlockQuantizedMatrix(pieces[0]) {
      try self.init(matrix, bias: bias)
    } else if let stored = try Self.stored(pieces) {
      try self.init(stacking: stored, bias: bias)
    } else {
      let rowMajor = try pieces.map { try $0.rowMajor }
      let bias = try bias?.rowMajor
      self.init(
        try withExtendedLifetime((rowMajor, bias)) {
          try PackedLinear(stacking: rowMajor.map { $0.panelPiece }, outputs: outputs, bias: bias?.pointer)
        })
    }
    for piece in pieces { piece.tensor.storage.discardFilePages() }
  }

  /// The pieces as they are stored, where all are stored in fewer bits.
  private static func stored(_ pieces: [LinearWeight<Scalar>]) throws -> [StoredLinearWeight]? {
    let stored = try pieces.compactMap { try $0.stored }
    return stored.count == pieces.count ? stored : nil
  }

  /// A map whose matrices are kept as they are stored.
  /// - Parameters:
  ///   - pieces: at least one, all of the same number of outputs; their inputs follow each other.
  ///   - bias: `[outputs]`; 0 when absent.
  /// - Throws: ``TensorError`` when pieces and bias do not fit each other, or memory is short.
  package init(stacking pieces: [StoredLinearWeight], bias: Tensor<Scalar>? = nil) throws {
    let outputs = pieces.first?.outputs ?? 0
    let limit = Self.sizeLimit
    let isNarrow =
      outputs <= limit && bias.map { $0.shape == [outputs] } ?? true
      && pieces.contains { $0.matrix.isNarrower(than: Scalar.self) }
      && pieces.allSatisfy { $0.outputs == outputs && $0.inputs <= limit && $0.isScaledByOutput }
    guard isNarrow else {
      try self.init(stacking: pieces.map { try $0.widened(to: Scalar.self) }, bias: bias)
      return
    }
    let bias = try bias?.rowMajor
    self.init(
      try withExtendedLifetime((pieces, bias)) {
        try PackedLinear(
          narrow: NarrowPanel(stacking: pieces.map(\.narrowPart), columns: outputs), bias: bias?.pointer)
      })
  }

  /// A map whose matrix is kept as codes of few bits.
  /// - Parameter bias: `[outputs]`; 0 when absent.
  /// - Throws: ``TensorError`` when matrix and bias do not fit each other, or memory is short.
  package init(_ matrix: BlockQuantizedMatrix<Scalar>, bias: Tensor<Scalar>? = nil) throws {
    guard bias.map({ $0.shape == [matrix.outputs] }) ?? true else {
      throw TensorError.shape(
        operation: "Linear", reason: "bias \(bias?.shape ?? []) is not [\(matrix.outputs)]")
    }
    let bias = try bias?.rowMajor
    self.init(
      try withExtendedLifetime(bias) { try PackedLinear(BlockQuantizedPanel(matrix), bias: bias?.pointer) })
  }

  /// A map that is used once: laid out like any other, for the same bits, but not to be kept.
  /// - Parameter weight: the elements of a matrix `[inputs, outputs]`.
  /// - Throws: ``TensorError`` when memory is short.
  package init(forOneProduct weight: Tensor<Scalar>, inputs: Int, outputs: Int) throws {
    guard inputs <= Self.sizeLimit, outputs <= Self.sizeLimit else {
      throw TensorError.shape(
        operation: "Linear", reason: "a matrix of shape \([inputs, outputs]) is beyond \(Self.sizeLimit)")
    }
    let weight = try weight.rowMajor
    self.init(
      try withExtendedLifetime(weight.storage) {
        try PackedLinear(
          forOneProduct: MatrixOperand(weight.pointer, leading: outputs), inputs: inputs, outputs: outputs)
      })
  }

  private init(_ product: PackedLinear<Scalar>) {
    (self.inputs, self.outputs, self.product) = (product.inputs, product.outputs, product)
  }

  /// Reads `weight`, with `weight_scale` where it is of 8-bit integers, and, when there is one, `bias`.
  public init(_ weights: Weights, inputs: Int, outputs: Int) throws {
    try self.init(
      stacking: [.outputsFirst(StoredMatrix(weights, shape: [outputs, inputs]))],
      bias: weights.optionalTensor("bias", shape: [outputs]))
  }

  /// - Parameters:
  ///   - input: `[…, inputs]`.
  ///   - activation: applied to the result, as if afterwards but while it is in the cache.
  /// - Returns: `[…, outputs]`.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  public func callAsFunction(_ input: Tensor<Scalar>, activation: Activation = .identity) throws -> Tensor<Scalar> {
    try self(input, adding: nil, activation: activation)
  }

  /// The same with `shift`, `[outputs]`, added to each row of the rounded result: bit for bit what a node for the
  /// product and another for the sum give, where ``init(weight:bias:)`` has the bias within the sums.
  @_specialize(where Scalar == Float)
  package func callAsFunction(
    _ input: Tensor<Scalar>, adding shift: Tensor<Scalar>?, activation: Activation = .identity
  ) throws -> Tensor<Scalar> {
    if let shift, shift.shape != [outputs] {
      throw TensorError.shape(operation: "Linear", reason: "shift has shape \(shift.shape), expected [\(outputs)]")
    }
    guard let features = input.shape.last, features == inputs else {
      throw TensorError.shape(
        operation: "Linear", reason: "input has shape \(input.shape), expected […, \(inputs)]")
    }
    guard input.layout == .rowMajor else { return try self(input.rowMajor, adding: shift, activation: activation) }
    let rows =
      try inputs > 0 ? input.count / inputs : Shape.elementCount(input.shape.dropLast(), operation: "Linear")
    var shape = input.shape
    if outputs != inputs { shape[shape.count - 1] = outputs }
    let result = try Tensor.filled(shape) { y in
      try product(input.pointer, rows: rows, into: y, adding: shift?.pointer, activation: activation.operation)
    }
    withExtendedLifetime(input) {}
    withExtendedLifetime(shift) {}
    return result
  }
}
