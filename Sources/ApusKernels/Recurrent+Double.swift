import ApusKernelInterface
import ApusPlatform

extension Float64Kernels {
  package static func elmanStep(
    _ x: UnsafePointer<Double>, _ h: UnsafePointer<Double>,
    state: UnsafeMutablePointer<Double>, rows: Int, blocks: Int, isRectified: Bool
  ) {
    let width = blocks &* vectorWidth
    for row in 0..<rows {
      for i in 0..<width {
        let sum = x[row &* width &+ i] + h[row &* width &+ i]
        state[place(row, i, rows)] = isRectified ? (sum < 0 ? 0 : sum) : tanh(sum)
      }
    }
  }

  package static func lstmStep(
    _ x: UnsafePointer<Double>, _ h: UnsafePointer<Double>,
    state: UnsafeMutablePointer<Double>, cells: UnsafeMutablePointer<Double>, rows: Int, blocks: Int
  ) {
    let width = blocks &* vectorWidth
    for row in 0..<rows {
      let x = x + row &* 4 &* width
      let h = h + row &* 4 &* width
      for i in 0..<width {
        let at = place(row, i, rows)
        let input = sigmoid(x[i] + h[i])
        let forget = sigmoid(x[i &+ width] + h[i &+ width])
        let candidate = tanh(x[i &+ 2 &* width] + h[i &+ 2 &* width])
        let output = sigmoid(x[i &+ 3 &* width] + h[i &+ 3 &* width])
        let cell = forget * cells[at] + input * candidate
        cells[at] = cell
        state[at] = output * tanh(cell)
      }
    }
  }

  package static func gruStep(
    _ x: UnsafePointer<Double>, _ h: UnsafePointer<Double>,
    state: UnsafeMutablePointer<Double>, rows: Int, blocks: Int
  ) {
    let width = blocks &* vectorWidth
    for row in 0..<rows {
      let x = x + row &* 3 &* width
      let h = h + row &* 3 &* width
      for i in 0..<width {
        let at = place(row, i, rows)
        let reset = sigmoid(x[i] + h[i])
        let update = sigmoid(x[i &+ width] + h[i &+ width])
        let new = tanh(x[i &+ 2 &* width] + reset * h[i &+ 2 &* width])
        state[at] = new + update * (state[at] - new)
      }
    }
  }

  package static func unpackRows(
    _ panel: UnsafePointer<Double>, rows: Int, count: Int, _ y: UnsafeMutablePointer<Double>, rowStep: Int
  ) {
    for row in 0..<rows {
      for i in 0..<count { y[row &* rowStep &+ i] = panel[place(row, i, rows)] }
    }
  }

  /// Where element `i` of a row lies in a blocked panel.
  @inline(__always)
  private static func place(_ row: Int, _ i: Int, _ rows: Int) -> Int {
    (i / vectorWidth &* rows &+ row) &* vectorWidth &+ i % vectorWidth
  }

  @inline(__always)
  private static func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(-x)) }
}
