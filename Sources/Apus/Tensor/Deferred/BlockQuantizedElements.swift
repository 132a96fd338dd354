/// The numbers that codes of eight bits and fewer stand for, quantised in blocks along both axes of a matrix:
///
///     element[row, column] = (code[row, column] - zeroPoint[row / size.0, column / size.1]) * scale[the same]
package struct BlockQuantizedElements<Scalar: FloatingPointScalar>: DeferredSource {
  /// `[rows, columns]`, a byte each.
  let codes: Tensor<UInt8>
  /// The bits of a byte that make it a number without a sign: the highest one of codes with a sign, or none.
  let signBit: UInt8
  /// `[groups of rows, groups of columns]`.
  let scales: Tensor<Scalar>
  /// The same, as numbers without a sign; nil where the code 0 stands for zero.
  let zeroPoints: Tensor<UInt8>?
  /// Rows and columns of a block; the last ones may be cut off.
  let blockShape: (rows: Int, columns: Int)

  /// - Parameters:
  ///   - codes: `[rows, columns]`, a byte each.
  ///   - signBit: the highest bit of codes with a sign, or 0.
  ///   - scales: of as many blocks as there are.
  ///   - zeroPoints: of the shape of the scales, coded as `codes` are.
  ///   - blockShape: rows and columns of a block, both above 0.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  package init(
    codes: Tensor<UInt8>, signBit: UInt8, scales: Tensor<Scalar>, zeroPoints: Tensor<UInt8>?,
    blockShape: (rows: Int, columns: Int)
  ) throws {
    func groups(_ count: Int, _ size: Int) -> Int { count / size + (count % size == 0 ? 0 : 1) }
    let shape = codes.shape
    guard shape.count == 2, blockShape.rows > 0, blockShape.columns > 0,
      scales.shape == [groups(shape[0], blockShape.rows), groups(shape[1], blockShape.columns)],
      zeroPoints.map({ $0.shape == scales.shape }) ?? true
    else {
      throw TensorError.shape(
        operation: "BlockQuantizedElements",
        reason: "scales \(scales.shape) are not of blocks \(blockShape) of codes \(shape)")
    }
    self.codes = try codes.rowMajor
    self.scales = try scales.rowMajor
    self.zeroPoints = try zeroPoints.map { try Tensor($0.elements.map { $0 ^ signBit }, shape: $0.shape) }
    (self.signBit, self.blockShape) = (signBit, blockShape)
  }

  @_specialize(where Scalar == Float)
  @_specialize(where Scalar == Double)
  package func write(_ range: Range<Int>, to destination: UnsafeMutablePointer<Scalar>) {
    let columns = codes.shape[1]
    let groups = scales.shape[1]
    withExtendedLifetime((codes.storage, scales.storage, zeroPoints?.storage)) {
      let (codes, scales, zeroPoints) = (codes.pointer, scales.pointer, zeroPoints?.pointer)
      var index = range.lowerBound
      while index < range.upperBound {
        let (row, column) = (index / columns, index % columns)
        // To the end of the block's row, or of the matrix's where each column has a block of its own.
        let isSingle = blockShape.columns == 1
        let rowEnd = isSingle ? columns : min(columns, (column / blockShape.columns + 1) * blockShape.columns)
        let end = min(range.upperBound, index + rowEnd - column)
        let group = row / blockShape.rows * groups + column / blockShape.columns
        let (from, to) = (codes + index, destination + (index - range.lowerBound))
        if isSingle {
          for place in 0..<(end - index) {
            let block = group &+ place
            let number = Scalar(from[place] ^ signBit) - Scalar(zeroPoints?[block] ?? signBit)
            to[place] = number * scales[block]
          }
        } else {
          let (zeroPoint, scale) = (Scalar(zeroPoints?[group] ?? signBit), scales[group])
          for place in 0..<(end - index) { to[place] = (Scalar(from[place] ^ signBit) - zeroPoint) * scale }
        }
        index = end
      }
    }
  }

  package func identify(_ key: inout PackedKey) {
    key.add("blocks", [Int(signBit), blockShape.rows, blockShape.columns])
    key.add(codes)
    key.add(scales)
    if let zeroPoints { key.add(zeroPoints) }
  }
}
