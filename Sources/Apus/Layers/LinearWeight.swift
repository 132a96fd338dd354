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

  /// As a right operand, `[inputs, outputs]`; the tensor is row-major and alive.
  var operand: MatrixOperand<Scalar> {
    switch self {
    case .outputsFirst(let tensor): MatrixOperand(tensor.pointer, leading: tensor.shape[1], isTransposed: true)
    case .inputsFirst(let tensor): MatrixOperand(tensor.pointer, leading: tensor.shape[1])
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
