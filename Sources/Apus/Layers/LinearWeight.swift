/// The matrix of an affine map, in either of the ways in which files store it.
public enum LinearWeight<Scalar: FloatingPointScalar>: Sendable {
  /// `[outputs, inputs]`: PyTorch's `torch.nn.Linear`, ONNX's `Gemm` with `transB`.
  case outputsFirst(Tensor<Scalar>)
  /// `[inputs, outputs]`: ONNX's `MatMul`.
  case inputsFirst(Tensor<Scalar>)

  var tensor: Tensor<Scalar> {
    switch self {
    case .outputsFirst(let tensor), .inputsFirst(let tensor): tensor
    }
  }

  var isOutputsFirst: Bool {
    if case .outputsFirst = self { true } else { false }
  }

  /// `inputs` and `outputs`; nil for anything but a matrix.
  var sizes: (inputs: Int, outputs: Int)? {
    let shape = tensor.shape
    guard shape.count == 2 else { return nil }
    return switch self {
    case .outputsFirst: (shape[1], shape[0])
    case .inputsFirst: (shape[0], shape[1])
    }
  }

  /// As a part of a right operand, `[inputs, outputs]`; the tensor is row-major and alive.
  var panelPiece: PanelPiece<Scalar> {
    let (leading, inputs) = (tensor.shape[1], sizes?.inputs ?? 0)
    if tensor.count > 0, let deferred = tensor.storage.deferred {
      return PanelPiece(DeferredMatrix(deferred, leading: leading, isTransposed: isOutputsFirst), depth: inputs)
    }
    return PanelPiece(
      matrix: MatrixOperand(tensor.pointer, leading: leading, isTransposed: isOutputsFirst), depth: inputs,
      storage: tensor.storage)
  }

  /// The elements from which on a matrix stays as it is stored: in `Float` no second-level cache would hold it. To widen tiles
  /// takes a tenth longer where many rows are multiplied, and to read half as much half as long where it is one.
  private static var leastStoredCount: Int { 1 << 20 }

  /// The matrix as it is stored, where it is large and its elements are numbers of fewer bits that nobody has widened yet.
  var stored: StoredLinearWeight? {
    get throws {
      guard tensor.count >= Self.leastStoredCount else { return nil }
      guard let source = tensor.deferredSource as? any ConvertingSource else { return nil }
      let elements = try source.stored(tensor.shape)
      guard elements.dataType.isFloatingPoint else { return nil }
      let matrix = try StoredMatrix(elements)
      guard matrix.isNarrower(than: Scalar.self) else { return nil }
      return isOutputsFirst ? .outputsFirst(matrix) : .inputsFirst(matrix)
    }
  }

  /// The same matrix with its elements in row-major order.
  var rowMajor: LinearWeight {
    get throws {
      switch self {
      case .outputsFirst(let tensor): .outputsFirst(try tensor.rowMajor)
      case .inputsFirst(let tensor): .inputsFirst(try tensor.rowMajor)
      }
    }
  }
}

/// The matrix of an affine map as a file stores it, in either of two ways.
package enum StoredLinearWeight: Sendable {
  /// `[outputs, inputs]`; the scale of 8-bit elements is of rows.
  case outputsFirst(StoredMatrix)
  /// `[inputs, outputs]`; the scale of 8-bit elements is of columns.
  case inputsFirst(StoredMatrix)

  var matrix: StoredMatrix {
    switch self {
    case .outputsFirst(let matrix), .inputsFirst(let matrix): matrix
    }
  }

  var isOutputsFirst: Bool {
    if case .outputsFirst = self { true } else { false }
  }

  var inputs: Int { matrix.shape[isOutputsFirst ? 1 : 0] }
  var outputs: Int { matrix.shape[isOutputsFirst ? 0 : 1] }

  /// Whether there is one scale for each output, or none.
  var isScaledByOutput: Bool {
    guard let scale = matrix.scale else { return true }
    return scale.shape == (isOutputsFirst ? [outputs, 1] : [1, outputs])
  }

  /// As a part of a right operand.
  var narrowPart: NarrowPart {
    NarrowPart(elements: matrix.elements, scale: matrix.scale, isOutputsFirst: isOutputsFirst)
  }

  /// The same matrix, its values widened.
  func widened<Scalar: FloatingPointScalar>(to type: Scalar.Type) throws -> LinearWeight<Scalar> {
    switch self {
    case .outputsFirst(let matrix): .outputsFirst(try matrix.values())
    case .inputsFirst(let matrix): .inputsFirst(try matrix.values())
    }
  }
}
