import ApusKernelInterface

/// What a recurrent layer does at a step, given what its input and its last state contribute to the gates.
enum RecurrentCell: Sendable {
  /// `h' = f(x + h)`: one gate.
  case elman(UnaryOperation)
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
}

/// One step of one direction: pointers to `[batch, …]` rows, contiguous.
struct RecurrentStep<Scalar: FloatingPointScalar> {
  let batch: Int
  let hidden: Int
  /// What the input contributes, `[batch, gates · hidden]`.
  let fromInput: UnsafePointer<Scalar>
  /// What the state contributes, likewise; used up.
  let fromState: UnsafeMutablePointer<Scalar>
  /// `[batch, hidden]`, read and replaced.
  let state: UnsafeMutablePointer<Scalar>
  /// The LSTM's cells, `[batch, hidden]`, read and replaced.
  let cells: UnsafeMutablePointer<Scalar>

  func callAsFunction(_ cell: RecurrentCell, _ kernels: any FloatingKernels<Scalar>.Type) {
    switch cell {
    case .elman(let function):
      kernels.binary(.add, fromInput, fromState, fromState, count: batch * hidden)
      kernels.unary(function, fromState, state, count: batch * hidden)
    case .lstm:
      kernels.binary(.add, fromInput, fromState, fromState, count: batch * 4 * hidden)
      for row in 0..<batch {
        let input = fromState + row * 4 * hidden
        let (forget, candidate, output) = (input + hidden, input + 2 * hidden, input + 3 * hidden)
        let (c, h) = (cells + row * hidden, state + row * hidden)
        kernels.unary(.sigmoid, input, input, count: 2 * hidden)
        kernels.unary(.tanh, candidate, candidate, count: hidden)
        kernels.unary(.sigmoid, output, output, count: hidden)
        kernels.binary(.multiply, forget, c, c, count: hidden)
        kernels.binary(.multiply, input, candidate, input, count: hidden)
        kernels.binary(.add, c, input, c, count: hidden)
        kernels.unary(.tanh, c, candidate, count: hidden)
        kernels.binary(.multiply, output, candidate, h, count: hidden)
      }
    case .gru:
      for row in 0..<batch {
        let x = fromInput + row * 3 * hidden
        let reset = fromState + row * 3 * hidden
        let (update, candidate) = (reset + hidden, reset + 2 * hidden)
        let h = state + row * hidden
        kernels.binary(.add, x, reset, reset, count: 2 * hidden)
        kernels.unary(.sigmoid, reset, reset, count: 2 * hidden)
        kernels.binary(.multiply, reset, candidate, candidate, count: hidden)
        kernels.binary(.add, x + 2 * hidden, candidate, candidate, count: hidden)
        kernels.unary(.tanh, candidate, candidate, count: hidden)
        kernels.binary(.subtract, h, candidate, h, count: hidden)
        kernels.binary(.multiply, update, h, h, count: hidden)
        kernels.binary(.add, h, candidate, h, count: hidden)
      }
    }
  }
}
