import ApusKernelInterface

/// Where sums of products go, and what becomes of them.
enum SumOutput: @unchecked Sendable {
  case integers(UnsafeMutablePointer<Int32>)
  case floats(UnsafeMutablePointer<Float>, SumScale, UnaryOperation?)
  case bytes(UnsafeMutablePointer<UInt8>, SumScale, QuantizedRange)
  /// As `floats`, and quantised then.
  case quantizedFloats(UnsafeMutablePointer<UInt8>, SumScale, UnaryOperation?, scale: Float, QuantizedRange)

  /// Whether numbers lie in between, for which ``write(_:sumStep:rows:count:correction:row:column:offset:step:numbers:kernels:)``
  /// is to be given room.
  var needsRoom: Bool { if case .quantizedFloats = self { true } else { false } }

  /// Writes corrected sums of `rows` × `count` to `offset`, rows `step` apart.
  ///
  /// - Parameters:
  ///   - row: which row of the scale's is the first, and `column` likewise.
  ///   - numbers: room for a row of numbers where ``needsRoom`` asks for it.
  func write(
    _ sums: UnsafePointer<Int32>, sumStep: Int, rows: Int, count: Int, correction: SumCorrection, row: Int, column: Int,
    offset: Int, step: Int, numbers: UnsafeMutablePointer<Float>? = nil, kernels: any QuantizedKernels.Type
  ) {
    switch self {
    case .integers(let y):
      kernels.correctSums(
        sums, sumStep: sumStep, rows: rows, count: count, correction: correction, y + offset, step: step)
    case .floats(let y, let scale, _):
      kernels.scaleSums(
        sums, sumStep: sumStep, rows: rows, count: count, correction: correction,
        scale: scale.advanced(row: row, column: column), y + offset, step: step)
    case .bytes(let y, let scale, let range):
      kernels.requantizeSums(
        sums, sumStep: sumStep, rows: rows, count: count, correction: correction,
        scale: scale.advanced(row: row, column: column), range: range, y + offset, step: step)
    case .quantizedFloats(let y, let scale, let activation, let outputScale, let range):
      if activation == nil, range.isOrdinary(outputScale) {
        kernels.quantizeSums(
          sums, sumStep: sumStep, rows: rows, count: count, correction: correction,
          scale: scale.advanced(row: row, column: column), outputScale: outputScale, range: range, y + offset,
          step: step)
        return
      }
      guard let numbers else { return }
      // A row at a time, which stays in the first-level cache.
      for index in 0..<rows {
        kernels.scaleSums(
          sums + index * sumStep, sumStep: sumStep, rows: 1, count: count, correction: correction.advanced(row: index),
          scale: scale.advanced(row: row + index, column: column), numbers, step: 0)
        if let activation { Float.kernels.unary(activation, numbers, numbers, count: count) }
        kernels.quantize(
          numbers, scale: outputScale, range: range, y + (offset + index * step), isWide: false, count: count)
      }
    }
  }

  /// Applies the activation, if there is one, to numbers that have been written.
  func activate(offset: Int, count: Int) {
    if case .floats(let y, _, let activation?) = self {
      Float.kernels.unary(activation, y + offset, y + offset, count: count)
    }
  }
}

extension SumCorrection {
  func advanced(row: Int, column: Int = 0) -> SumCorrection {
    SumCorrection(
      base: base + row, factors: factors + row, columns: columns.map { $0 + column }, otherFactors: otherFactors + row,
      otherColumns: otherColumns.map { $0 + column })
  }
}

extension SumScale {
  /// Calls `body` with a scale and perhaps a bias for each row or column.
  ///
  /// - Parameters:
  ///   - scale: one number, or `count`; `bias` likewise.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when there are neither one nor `count`.
  static func with<Result>(
    _ scale: Tensor<Float>, _ bias: Tensor<Float>? = nil, count: Int, isOfColumns: Bool, operation: String,
    _ body: (SumScale) throws -> Result
  ) throws -> Result {
    let scales = try scale.repeated(count, operation: operation, name: "scale")
    let biases = try bias?.repeated(count, operation: operation, name: "bias")
    return try withExtendedLifetime((scales, biases)) {
      try body(
        SumScale(
          scales: scales.base.assumingMemoryBound(to: Float.self),
          bias: biases.map { UnsafePointer($0.base.assumingMemoryBound(to: Float.self)) }, isOfColumns: isOfColumns))
    }
  }

  /// Whether the scales and biases of so many rows or columns are numbers, and with them all that is scaled, or infinite.
  func isFinite(count: Int) -> Bool {
    (0..<count).allSatisfy { scales[$0].isFinite && (bias?[$0].isFinite ?? true) }
  }

  func advanced(row: Int, column: Int) -> SumScale {
    let offset = isOfColumns ? column : row
    return SumScale(scales: scales + offset, bias: bias.map { $0 + offset }, isOfColumns: isOfColumns)
  }
}

extension Tensor<Float> {
  /// `count` numbers, or one number so many times, filled up with zeros to whole panels.
  /// - Throws: ``TensorError/shape(operation:reason:)`` when there is neither one nor `count`.
  fileprivate func repeated(_ count: Int, operation: String, name: String) throws -> TensorStorage {
    guard self.count == 1 || self.count == count else {
      throw TensorError.shape(
        operation: operation, reason: "\(name) has shape \(shape), expected one number or [\(count)]")
    }
    let source = try rowMajor
    let storage = try TensorStorage(byteCount: Shape.byteCount([count + 64], of: Float.self))
    let values = storage.base.assumingMemoryBound(to: Float.self)
    withExtendedLifetime(source.storage) {
      if self.count == count {
        values.update(from: source.pointer, count: count)
      } else {
        values.update(repeating: source.pointer[0], count: count)
      }
      (values + count).update(repeating: 0, count: 64)
    }
    return storage
  }
}

extension QuantizedRange {
  /// The range in which numbers are quantised as if an activation that does nothing but limit them had come before: both
  /// keep their order, so that it ends where the limits lie. Nil for another activation.
  func limited(by activation: UnaryOperation, scale: Float) -> QuantizedRange? {
    let limits: [Float]
    switch activation {
    case .relu: limits = [0, .infinity]
    case .clamp(let minimum, let maximum): limits = [Float(minimum), Float(maximum)]
    default: return nil
    }
    guard isOrdinary(scale), !limits.contains(where: \.isNaN) else { return nil }
    let ends = limits.map { limit in
      let steps = (limit / scale).rounded(.toNearestOrEven)
      return zeroPoint + Int32(min(max(steps, Float(least - zeroPoint)), Float(greatest - zeroPoint)))
    }
    // The upper limit is the last word, should they be the wrong way round.
    return QuantizedRange(least: min(ends[0], ends[1]), greatest: ends[1], zeroPoint: zeroPoint)
  }
}
