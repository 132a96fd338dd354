import Apus

extension GraphValue {
  /// A tensor of several samples as one tensor each, `count` rows of its first axis.
  ///
  /// - Throws: ``OperatorError`` where the rows cannot be divided, and for values that are no tensors.
  package func samples(of count: Int) throws -> [GraphValue] {
    guard let rows = shape?.first, count > 0, rows.isMultiple(of: count) else {
      throw OperatorError("\(type) cannot be divided into samples of \(count)")
    }
    return try stride(from: 0, to: rows, by: count).map { try Rows(start: $0, end: $0 + count).run(self) }
  }
}

/// Some rows of a tensor's first axis.
private struct Rows: Rearrangement {
  let start: Int
  let end: Int

  func moved<Scalar: TensorScalar>(_ x: Tensor<Scalar>) throws -> Tensor<Scalar> {
    try x.sliced(axis: 0, from: start, to: end)
  }
}
