import Testing

@testable import Apus

/// Maxima of bytes against a loop over every window.
@Suite struct ByteMaximaTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let size: Size2D
    let rows: PoolingAxis
    let columns: PoolingAxis

    var testDescription: String { "\(size.height)×\(size.width), \(rows), \(columns)" }
  }

  static let cases = [
    Case(
      size: Size2D(height: 9, width: 40), rows: PoolingAxis(kernel: 3, stride: 2, before: 1, after: 1, outputs: 5),
      columns: PoolingAxis(kernel: 3, stride: 2, before: 1, after: 1, outputs: 20)),
    Case(
      size: 5, rows: PoolingAxis(kernel: 5, before: 2, after: 2, outputs: 5),
      columns: PoolingAxis(kernel: 5, before: 2, after: 2, outputs: 5)),
    Case(
      size: Size2D(height: 7, width: 23), rows: PoolingAxis(kernel: 2, stride: 3, dilation: 2, outputs: 2),
      columns: PoolingAxis(kernel: 3, stride: 3, dilation: 2, before: 4, after: 3, outputs: 9)),
    // No window is whole.
    Case(
      size: Size2D(height: 1, width: 2), rows: .identity(1),
      columns: PoolingAxis(kernel: 4, before: 3, after: 3, outputs: 5)),
    // Some see nothing at all.
    Case(
      size: Size2D(height: 2, width: 3), rows: .identity(2),
      columns: PoolingAxis(kernel: 1, stride: 2, before: 2, after: 2, outputs: 4)),
  ]

  @Test(arguments: cases)
  func matchLoop(_ c: Case) throws {
    try check(c, UInt8.self)
    try check(c, Int8.self)
  }

  private func check<Scalar: ByteScalar>(_ c: Case, _: Scalar.Type) throws {
    let x = try randomIntegers([2, 3, c.size.height, c.size.width], seed: 1, as: Scalar.self)
    let values = try x.elements
    var expected: [Scalar] = []
    for plane in 0..<6 {
      for row in 0..<c.rows.outputs {
        for column in 0..<c.columns.outputs {
          var greatest = Scalar.min
          for i in 0..<c.rows.kernel {
            for j in 0..<c.columns.kernel {
              let y = row * c.rows.stride - c.rows.before + i * c.rows.dilation
              let x = column * c.columns.stride - c.columns.before + j * c.columns.dilation
              guard 0..<c.size.height ~= y, 0..<c.size.width ~= x else { continue }
              greatest = max(greatest, values[(plane * c.size.height + y) * c.size.width + x])
            }
          }
          expected.append(greatest)
        }
      }
    }
    for threads in [1, 3] {
      let found = try Execution.with(threads: threads) { try maxPool(x, rows: c.rows, columns: c.columns) }
      #expect(found.shape == [2, 3, c.rows.outputs, c.columns.outputs])
      #expect(try found.elements == expected)
    }
  }
}
