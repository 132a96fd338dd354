import ApusKernelInterface
import ApusPlatform

extension Float32Kernels {
  package static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, count: Int
  ) {
    zip(operation, a, 1, b, 1, y, count)
  }

  package static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Float>, scalar b: Float, _ y: UnsafeMutablePointer<Float>,
    count: Int
  ) {
    withUnsafePointer(to: b) { zip(operation, a, 1, $0, 0, y, count) }
  }

  package static func binary(
    _ operation: BinaryOperation, scalar a: Float, _ b: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>,
    count: Int
  ) {
    withUnsafePointer(to: a) { zip(operation, $0, 0, b, 1, y, count) }
  }

  package static func binary(
    _ operation: BinaryOperation, _ a: UnsafePointer<Float>, row b: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int
  ) {
    if columns == 16, zipBlocks(operation, a, 16, b, 0, y, rows) { return }
    for row in 0..<rows { zip(operation, a + row &* columns, 1, b, 1, y + row &* columns, columns) }
  }

  package static func binary(
    _ operation: BinaryOperation, row a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int
  ) {
    if columns == 16, zipBlocks(operation, a, 0, b, 16, y, rows) { return }
    for row in 0..<rows { zip(operation, a, 1, b + row &* columns, 1, y + row &* columns, columns) }
  }

  /// Rows of sixteen, with the same bits as ``zipElements(_:_:_:_:_:_:_:)``. False for an operation that has no vector.
  @inline(never)
  private static func zipBlocks(
    _ operation: BinaryOperation, _ a: UnsafePointer<Float>, _ aStep: Int, _ b: UnsafePointer<Float>, _ bStep: Int,
    _ y: UnsafeMutablePointer<Float>, _ rows: Int
  ) -> Bool {
    switch operation {
    case .add: zipLanes(a, aStep, b, bStep, y, rows) { $0 + $1 }
    case .subtract: zipLanes(a, aStep, b, bStep, y, rows) { $0 - $1 }
    case .multiply: zipLanes(a, aStep, b, bStep, y, rows) { $0 * $1 }
    case .divide: zipLanes(a, aStep, b, bStep, y, rows) { $0 / $1 }
    case .maximum: zipLanes(a, aStep, b, bStep, y, rows) { choose($0 .> $1, $0, choose(isNaN($0), $0, $1)) }
    case .minimum: zipLanes(a, aStep, b, bStep, y, rows) { choose($0 .< $1, $0, choose(isNaN($0), $0, $1)) }
    case .scaleNegative: zipLanes(a, aStep, b, bStep, y, rows) { choose($0 .< all(0), $0 * $1, $0) }
    case .power: return false
    }
    return true
  }

  // Once for all ways to walk over the operands: a call a row.
  @inline(never)
  private static func zip(
    _ operation: BinaryOperation, _ a: UnsafePointer<Float>, _ aStep: Int, _ b: UnsafePointer<Float>, _ bStep: Int,
    _ y: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    // As vectors, for the compiler makes none of a loop whose result lies where an operand does.
    var done = count & ~15
    let hasVectors =
      done > 0
      && withLanes(a, aStep) { first in
        withLanes(b, bStep) { zipBlocks(operation, first, aStep &* 16, $0, bStep &* 16, y, done / 16) }
      }
    if !hasVectors { done = 0 }
    if done < count {
      zipElements(operation, a + done &* aStep, aStep, b + done &* bStep, bStep, y + done, count &- done)
    }
  }

  /// Calls `body` with an operand, and with sixteen of one that is a single number.
  @inline(__always)
  private static func withLanes(_ x: UnsafePointer<Float>, _ step: Int, _ body: (UnsafePointer<Float>) -> Bool) -> Bool
  {
    if step != 0 { return body(x) }
    return withUnsafePointer(to: all(x[0])) { lanes in
      body(UnsafeRawPointer(lanes).assumingMemoryBound(to: Float.self))
    }
  }

  @inline(never)
  private static func zipElements(
    _ operation: BinaryOperation, _ a: UnsafePointer<Float>, _ aStep: Int, _ b: UnsafePointer<Float>, _ bStep: Int,
    _ y: UnsafeMutablePointer<Float>, _ count: Int
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
    _ operation: BinaryOperation, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, over axes: UnsafePointer<BroadcastAxis>, rank: Int, from start: Int, count: Int
  ) {
    // Of short rows a call would take longer than the row.
    if axes[rank &- 1].size >= 32 {
      forBroadcastRows(a, b, y, axes, rank, start, count) { zip(operation, $0, $1, $2, $3, $4, $5) }
      return
    }
    switch operation {
    case .add: zipAxes(a, b, y, axes, rank, start, count) { $0 + $1 }
    case .subtract: zipAxes(a, b, y, axes, rank, start, count) { $0 - $1 }
    case .multiply: zipAxes(a, b, y, axes, rank, start, count) { $0 * $1 }
    case .divide: zipAxes(a, b, y, axes, rank, start, count) { $0 / $1 }
    case .maximum: zipAxes(a, b, y, axes, rank, start, count) { maximum($0, $1) }
    case .minimum: zipAxes(a, b, y, axes, rank, start, count) { minimum($0, $1) }
    case .power: zipAxes(a, b, y, axes, rank, start, count) { pow($0, $1) }
    case .scaleNegative: zipAxes(a, b, y, axes, rank, start, count) { $0 < 0 ? $0 * $1 : $0 }
    }
  }

  package static func compare(
    _ test: ComparisonTest, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Bool>,
    count: Int
  ) {
    compareRow(test, a, b, y, count)
  }

  package static func scaleAndShiftRows(
    _ x: UnsafePointer<Float>, residual: UnsafePointer<Float>?, weight: UnsafePointer<Float>,
    bias: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int
  ) {
    for row in 0..<rows {
      let x = x + row &* columns
      let y = y + row &* columns
      if let residual {
        let residual = residual + row &* columns
        forLanes(columns) { i, width in
          let sum = load(x + i, upTo: width) + load(residual + i, upTo: width)
          store(sum * load(weight + i, upTo: width) + load(bias + i, upTo: width), y + i, upTo: width)
        }
      } else {
        forLanes(columns) { i, width in
          let product = load(x + i, upTo: width) * load(weight + i, upTo: width)
          store(product + load(bias + i, upTo: width), y + i, upTo: width)
        }
      }
    }
  }
}
