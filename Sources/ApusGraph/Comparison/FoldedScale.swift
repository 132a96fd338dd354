import Apus

/// The scale of a normalisation, a number for each output, that one of two exporters folded into a weight.
enum FoldedScale {
  /// Whether the rows of `weight` are those of `other` times a number each, as near as FLOAT's rounding comes.
  ///
  /// Rows are those of the first axis, outputs in a convolution and in PyTorch's linear layers, or of the last, outputs in
  /// a matrix that is multiplied from the right.
  static func relates(_ weight: Tensor<Double>, _ other: Tensor<Double>) throws -> Bool {
    guard weight.rank > 1, weight.shape == other.shape else { return false }
    let axes = weight.rank == 2 ? [0, 1] : [0]
    return try weight.withUnsafeBufferPointer { a in
      try other.withUnsafeBufferPointer { b in
        axes.contains { axis in
          let outputs = weight.shape[axis]
          return (0..<outputs).allSatisfy { isMultiple(a, b, row: $0, of: outputs, isFirst: axis == 0) }
        }
      }
    }
  }

  /// Whether one row is a multiple of the other; rows of a single element always are, and say nothing.
  private static func isMultiple(
    _ a: UnsafeBufferPointer<Double>, _ b: UnsafeBufferPointer<Double>, row: Int, of rows: Int, isFirst: Bool
  ) -> Bool {
    let count = rows > 0 ? a.count / rows : 0
    guard count > 1 else { return false }
    func place(_ index: Int) -> Int { isFirst ? row * count + index : index * rows + row }
    var (product, squares, power) = (0.0, 0.0, 0.0)
    for index in 0..<count {
      let (x, y) = (a[place(index)], b[place(index)])
      product += x * y
      squares += y * y
      power += x * x
    }
    guard squares > 0 else { return power == 0 }
    let factor = product / squares
    var left = 0.0
    for index in 0..<count {
      let difference = a[place(index)] - factor * b[place(index)]
      left += difference * difference
    }
    // Each element was rounded to FLOAT once or twice.
    return left <= power * 0x1p-42
  }
}
