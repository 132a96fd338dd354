import ApusKernelInterface
import ApusPlatform

extension Float64Kernels {
  package static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>,
    _ y: UnsafeMutablePointer<Double>, count: Int
  ) {
    zip(operation, a, 1, b, 1, y, count)
  }

  package static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Double>, scalar b: Double, _ y: UnsafeMutablePointer<Double>,
    count: Int
  ) {
    withUnsafePointer(to: b) { zip(operation, a, 1, $0, 0, y, count) }
  }

  package static func binary(
    _ operation: BinaryOperation, scalar a: Double, _ b: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>,
    count: Int
  ) {
    withUnsafePointer(to: a) { zip(operation, $0, 0, b, 1, y, count) }
  }

  package static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Double>, row b: UnsafePointer<Double>,
    _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int
  ) {
    for row in 0..<rows { zip(operation, a + row &* columns, 1, b, 1, y + row &* columns, columns) }
  }

  package static func binary(
    _ operation: BinaryOperation, row a: UnsafePointer<Double>, _ b: UnsafePointer<Double>,
    _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int
  ) {
    for row in 0..<rows { zip(operation, a, 1, b + row &* columns, 1, y + row &* columns, columns) }
  }

  // Once for all ways to walk over the operands: a call a row, where they are broadcast too. Float64 is for references.
  @inline(never)
  private static func zip(
    _ operation: BinaryOperation, _ a: UnsafePointer<Double>, _ aStep: Int, _ b: UnsafePointer<Double>, _ bStep: Int,
    _ y: UnsafeMutablePointer<Double>, _ count: Int
  ) {
    switch operation {
    case .add: zipRow(a, aStep, b, bStep, y, count) { $0 + $1 }
    case .subtract: zipRow(a, aStep, b, bStep, y, count) { $0 - $1 }
    case .multiply: zipRow(a, aStep, b, bStep, y, count) { $0 * $1 }
    case .divide: zipRow(a, aStep, b, bStep, y, count) { $0 / $1 }
    case .maximum: zipRow(a, aStep, b, bStep, y, count) { maximum($0, $1) }
    case .minimum: zipRow(a, aStep, b, bStep, y, count) { minimum($0, $1) }
    case .power: zipRow(a, aStep, b, bStep, y, count) { pow($0, $1) }
    case .scaleNegative: zipRow(a, aStep, b, bStep, y, count) { $0 < 0 ? $0 * $1 : $0 }
    }
  }

  package static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>,
    _ y: UnsafeMutablePointer<Double>, over axes: UnsafePointer<BroadcastAxis>, rank: Int, from start: Int, count: Int
  ) {
    forBroadcastRows(a, b, y, axes, rank, start, count) { zip(operation, $0, $1, $2, $3, $4, $5) }
  }

  package static func compare(
    _ test: ComparisonTest, _ a: UnsafePointer<Double>, _ b: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Bool>,
    count: Int
  ) {
    compareRow(test, a, b, y, count)
  }

  package static func scaleAndShiftRows(
    _ x: UnsafePointer<Double>, residual: UnsafePointer<Double>?, weight: UnsafePointer<Double>,
    bias: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int
  ) {
    for row in 0..<rows {
      let x = x + row &* columns
      let y = y + row &* columns
      if let residual {
        let residual = residual + row &* columns
        for i in 0..<columns { y[i] = (x[i] + residual[i]) * weight[i] + bias[i] }
      } else {
        for i in 0..<columns { y[i] = x[i] * weight[i] + bias[i] }
      }
    }
  }
}
