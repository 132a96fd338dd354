import Apus

extension Operators {
  /// Positions for GridSample: those of an evenly spaced grid from -1 to 1, moved by an affine map each.
  ///
  /// Inputs theta `[batch, r, r + 1]` and size `[batch, channels, d₁, …, dᵣ]` with r of 2 or 3. Output `[batch, d₁, …, dᵣ,
  /// r]`, coordinates of the last axis first.
  static func AffineGrid(_ node: NodeDescription) throws -> PreparedOperator {
    floating(try AffineGridOperator<Float>(node), try AffineGridOperator<Double>(node))
  }
}

private struct AffineGridOperator<Scalar: FloatingPointScalar>: FloatingOperator {
  let alignsCorners: Bool

  init(_ node: NodeDescription) throws { alignsCorners = try node.flag("align_corners") }

  /// Where place `index` of `size` lies between -1 and 1: the ends are the outer places, or half a step beyond them.
  private func coordinate(_ index: Int, _ size: Int) -> Double {
    if alignsCorners { return size == 1 ? 0 : 2 * Double(index) / Double(size - 1) - 1 }
    return (2 * Double(index) + 1) / Double(size) - 1
  }

  func callAsFunction(_ arguments: inout Arguments, type: ElementType) throws -> [GraphValue?] {
    let theta = try arguments.floating(0, as: Scalar.self)
    let sizes = Array(try arguments.integers(1).dropFirst(2))
    let rank = sizes.count
    guard rank == 2 || rank == 3, theta.rank == 3, theta.shape[1] == rank, theta.shape[2] == rank + 1,
      try arguments.integers(1)[0] == theta.shape[0]
    else {
      throw OperatorError(
        "theta of shape \(theta.shape) and size \(try arguments.integers(1)) are not [batch, r, r + 1] and "
          + "[batch, channels] with r extents")
    }
    let batch = theta.shape[0]
    let count = try Shape.elementCount(sizes, operation: "AffineGrid")
    let result = [batch] + sizes + [rank]
    _ = try Shape.elementCount(result, operation: "AffineGrid")
    let matrices = try theta.elements.map { Double($0) }
    let grid = try Tensor<Scalar>.filled(result) { destination in
      guard batch * count > 0 else { return }
      nonisolated(unsafe) let y = destination
      let width = sizes[rank - 1]
      let columns = (0..<width).map { coordinate($0, width) }
      let lines = count / width
      parallelRows(batch * lines, width: width * rank * rank) { first, rows in
        columns.withUnsafeBufferPointer { columns in
          for row in first..<(first + rows) {
            let (sample, line) = row.quotientAndRemainder(dividingBy: lines)
            let height = coordinate(line % sizes[rank - 2], sizes[rank - 2])
            let depth = rank == 3 ? coordinate(line / sizes[1], sizes[0]) : 0
            for output in 0..<rank {
              // Factors of the last axis, the one before, of the first of three; what is added.
              let matrix = (sample * rank + output) * (rank + 1)
              let factor = matrices[matrix]
              let ofDepth = rank == 3 ? matrices[matrix + 2] * depth : 0
              let ofLine = matrices[matrix + rank] + matrices[matrix + 1] * height + ofDepth
              var place = y + (row * width * rank + output)
              for column in columns {
                place.pointee = Scalar(factor * column + ofLine)
                place += rank
              }
            }
          }
        }
      }
    }
    return [try GraphValue(rounding: grid, to: type)]
  }
}

// MARK: - Shapes

extension ShapeRule {
  static let affineGrid = ShapeRule.rule { facts in
    let theta = try facts.input(0)
    guard theta.shape.count == 3, let size = try facts.integers(1), size.count == 4 || size.count == 5 else {
      throw ShapeFacts.Unknown()
    }
    return [InferredType(theta.elementType, [theta.shape[0]] + size.dropFirst(2) + [size.count - 2])]
  }
}
