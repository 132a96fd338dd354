import ApusPlatform
import Testing

@testable import Apus

/// The kernels of recurrent cells against one element at a time.
@Suite struct RecurrentKernelTests {
  /// A cell with the plainest possible meaning: gates of one element and its state to the next.
  typealias Cell = (_ x: [Double], _ h: [Double], _ state: Double, _ cell: Double) -> (state: Double, cell: Double)

  func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(-x)) }

  @Test(arguments: [1, 2, 3, 13], [1, 2, 3])
  func lstm(rows: Int, blocks: Int) throws {
    let cell: Cell = { x, h, _, cell in
      let next = sigmoid(x[1] + h[1]) * cell + sigmoid(x[0] + h[0]) * tanh(x[2] + h[2])
      return (sigmoid(x[3] + h[3]) * tanh(next), next)
    }
    try check(Float.self, gates: 4, rows: rows, blocks: blocks, within: 4e-7, cell) {
      Float.kernels.lstmStep($0, $1, state: $2, cells: $3, rows: rows, blocks: blocks)
    }
    try check(Double.self, gates: 4, rows: rows, blocks: blocks, within: 1e-15, cell) {
      Double.kernels.lstmStep($0, $1, state: $2, cells: $3, rows: rows, blocks: blocks)
    }
  }

  @Test(arguments: [1, 2, 3, 13], [1, 2, 3])
  func gru(rows: Int, blocks: Int) throws {
    let cell: Cell = { x, h, state, cell in
      let new = tanh(x[2] + sigmoid(x[0] + h[0]) * h[2])
      return (new + sigmoid(x[1] + h[1]) * (state - new), cell)
    }
    try check(Float.self, gates: 3, rows: rows, blocks: blocks, within: 4e-7, cell) { x, h, state, _ in
      Float.kernels.gruStep(x, h, state: state, rows: rows, blocks: blocks)
    }
    try check(Double.self, gates: 3, rows: rows, blocks: blocks, within: 1e-15, cell) { x, h, state, _ in
      Double.kernels.gruStep(x, h, state: state, rows: rows, blocks: blocks)
    }
  }

  @Test(arguments: [1, 3, 13], [true, false])
  func elman(rows: Int, isRectified: Bool) throws {
    let cell: Cell = { x, h, _, cell in (isRectified ? max(x[0] + h[0], 0) : tanh(x[0] + h[0]), cell) }
    try check(Float.self, gates: 1, rows: rows, blocks: 2, within: 4e-7, cell) { x, h, state, _ in
      Float.kernels.elmanStep(x, h, state: state, rows: rows, blocks: 2, isRectified: isRectified)
    }
    try check(Double.self, gates: 1, rows: rows, blocks: 2, within: 1e-15, cell) { x, h, state, _ in
      Double.kernels.elmanStep(x, h, state: state, rows: rows, blocks: 2, isRectified: isRectified)
    }
  }

  @Test(arguments: [1, 5, 16, 17, 45])
  func unpacking(count: Int) throws {
    try checkUnpacking(Float.self, count: count)
    try checkUnpacking(Double.self, count: count)
  }

  private func checkUnpacking<Scalar: FloatingPointScalar>(_: Scalar.Type, count: Int) throws {
    let (rows, rowStep) = (3, count + 2)
    let source: Tensor<Scalar> = try randomTensor([rows, count], seed: 5)
    for variant in Execution.availableVariants {
      let y = Execution.with(variant: variant) { () -> [Scalar] in
        let kernels = Scalar.kernels
        let vector = kernels.vectorWidth
        var panel = [Scalar](repeating: .nan, count: (count + vector - 1) / vector * vector * rows)
        var y = [Scalar](repeating: 7, count: rows * rowStep)
        kernels.packRows(
          source.pointer, rowStep: count, columnStep: 1, rows: rows, depth: count, scale: 1, &panel)
        kernels.unpackRows(panel, rows: rows, count: count, &y, rowStep: rowStep)
        return y
      }
      let elements = try source.elements
      for row in 0..<rows {
        #expect(Array(y[row * rowStep..<row * rowStep + count]) == Array(elements[row * count..<(row + 1) * count]))
        #expect(y[row * rowStep + count] == 7)
      }
    }
  }

  private func check<Scalar: FloatingPointScalar>(
    _: Scalar.Type, gates: Int, rows: Int, blocks: Int, within limit: Double, _ cell: Cell,
    _ kernel: (
      UnsafePointer<Scalar>, UnsafePointer<Scalar>, UnsafeMutablePointer<Scalar>, UnsafeMutablePointer<Scalar>
    ) -> Void
  ) throws {
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let vector = Scalar.kernels.vectorWidth
        let width = blocks * vector
        let x: [Scalar] = try randomTensor([rows, gates, width], seed: 1).elements
        let h: [Scalar] = try randomTensor([rows, gates, width], seed: 2).elements
        let state: [Scalar] = try randomTensor([blocks, rows, vector], seed: 3, in: -1...1).elements
        let cells: [Scalar] = try randomTensor([blocks, rows, vector], seed: 4).elements
        var (nextState, nextCells) = (state, cells)
        kernel(x, h, &nextState, &nextCells)
        for row in 0..<rows {
          for i in 0..<width {
            let at = (i / vector * rows + row) * vector + i % vector
            let gate = { (values: [Scalar]) in
              (0..<gates).map { Double(values[(row * gates + $0) * width + i]) }
            }
            let expected = cell(gate(x), gate(h), Double(state[at]), Double(cells[at]))
            #expect(abs(Double(nextState[at]) - expected.state) <= limit, "\(variant), row \(row), element \(i)")
            #expect(abs(Double(nextCells[at]) - expected.cell) <= limit, "\(variant), row \(row), element \(i)")
          }
        }
      }
    }
  }
}
