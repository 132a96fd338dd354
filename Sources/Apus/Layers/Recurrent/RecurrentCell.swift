import ApusKernelInterface

/// What a recurrent layer does at a step, given what its input and its last state contribute to the gates.
enum RecurrentCell: Sendable {
  /// `h' = f(x + h)`: one gate.
  case elman(RNNNonlinearity)
  /// Gates in the order input, forget, cell, output: `c' = f · c + i · g`, `h' = o · tanh(c')`.
  case lstm
  /// Gates in the order reset, update, new: `n = tanh(x + r · h)`, `h' = n + z · (h - n)`.
  case gru

  /// Runs of hidden values that input and state contribute.
  var gates: Int {
    switch self {
    case .elman: 1
    case .lstm: 4
    case .gru: 3
    }
  }

  /// One step of `rows` rows; what the pointers lead to is ``RecurrentKernels``' affair.
  @inline(__always)
  func step<Scalar: FloatingPointScalar>(
    _ kernels: any FloatingKernels<Scalar>.Type, fromInput: UnsafePointer<Scalar>, fromState: UnsafePointer<Scalar>,
    state: UnsafeMutablePointer<Scalar>, cells: UnsafeMutablePointer<Scalar>, rows: Int, blocks: Int
  ) {
    switch self {
    case .elman(let function):
      kernels.elmanStep(
        fromInput, fromState, state: state, rows: rows, blocks: blocks, isRectified: function == .relu)
    case .lstm:
      kernels.lstmStep(fromInput, fromState, state: state, cells: cells, rows: rows, blocks: blocks)
    case .gru: kernels.gruStep(fromInput, fromState, state: state, rows: rows, blocks: blocks)
    }
  }
}
