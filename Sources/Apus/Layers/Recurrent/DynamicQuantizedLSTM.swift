import ApusKernelInterface

/// One direction of an ``LSTM`` over matrices of 8-bit integers, whose input and states are quantised as they come: the
/// input over all steps, a state over all rows of the batch, each as ``dynamicQuantizeLinear(_:)`` does.
package struct DynamicQuantizedLSTM: Sendable {
  /// What the input contributes to the gates, and what the last state does.
  package let input: QuantizedGates
  package let state: QuantizedGates
  private let bias: Tensor<Float>?

  /// - Parameter bias: `[4 · hidden]`, of input and state together.
  /// - Throws: ``TensorError/shape(operation:reason:)`` for matrices that do not fit each other.
  package init(input: QuantizedGates, state: QuantizedGates, bias: Tensor<Float>?) throws {
    guard input.hidden == state.hidden, state.depth == state.hidden else {
      throw TensorError.shape(
        operation: "DynamicQuantizeLSTM",
        reason: "matrices of \([input.depth, 4 * input.hidden]) and \([state.depth, 4 * state.hidden]) do not fit")
    }
    (self.input, self.state) = (input, state)
    self.bias = try bias.map { try pad(QuantizedGates.laidOut($0, hidden: state.hidden), [0, QuantizedGates.panel]) }
  }

  /// - Parameters:
  ///   - x: `[time, batch, inputs]`.
  ///   - state: `[batch, hidden]`, likewise `cell`.
  ///   - isReversed: whether the last step comes first.
  /// - Returns: what is said at every step, `[time, batch, hidden]`, and what is said and remembered in the end.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  package func callAsFunction(
    _ x: Tensor<Float>, state firstState: Tensor<Float>, cell firstCell: Tensor<Float>, isReversed: Bool
  ) throws -> (output: Tensor<Float>, state: Tensor<Float>, cell: Tensor<Float>) {
    let hidden = state.hidden
    guard x.rank == 3, x.shape[2] == input.depth, firstState.shape == [x.shape[1], hidden],
      firstCell.shape == firstState.shape
    else {
      throw TensorError.shape(
        operation: "DynamicQuantizeLSTM",
        reason: "input \(x.shape), state \(firstState.shape) and cell \(firstCell.shape) do not fit"
          + " \(input.depth) inputs and \(hidden) hidden values")
    }
    let (time, rows) = (x.shape[0], x.shape[1])
    guard time > 0, rows > 0, hidden > 0 else {
      return (try Tensor(zeros: [time, rows, hidden]), firstState, firstCell)
    }
    let (kernels, columns, stop) = (Float.kernels, state.columns, Execution.current.stop)
    let blocks = columns / 4 / kernels.vectorWidth
    // As many steps' inputs are multiplied together as the second-level cache holds the results of.
    let together = max(1, min(time, 65_536 / (rows * columns)))
    let quantized = try dynamicQuantizeLinear(x)
    let bytes = try Tensor<UInt8>(uninitialized: [rows, hidden])
    let fromInput = try Tensor<Float>(uninitialized: [together * rows, columns])
    let fromState = try Tensor<Float>(uninitialized: [rows, columns])
    let scales = try Tensor<Float>(uninitialized: [columns + QuantizedGates.panel])
    let h = try Tensor<Float>(zeros: [blocks, rows, kernels.vectorWidth])
    let c = try Tensor<Float>(zeros: [blocks, rows, kernels.vectorWidth])
    let cell = try Tensor<Float>(uninitialized: [rows, hidden])
    let start = (state: try firstState.rowMajor, cell: try firstCell.rowMajor)
    kernels.packRows(
      start.cell.pointer, rowStep: hidden, columnStep: 1, rows: rows, depth: hidden, scale: 1, c.mutablePointer)
    let output = try Tensor<Float>.filled([time, rows, hidden]) { y in
      var last = start.state.pointer
      for first in stride(from: 0, to: time, by: together) {
        let steps = min(together, time - first)
        let earliest = isReversed ? time - first - steps : first
        try input.multiply(
          quantized.values.pointer + earliest * rows * input.depth, rows: steps * rows, levels: quantized.levels,
          bias: bias, scales: scales.mutablePointer, into: fromInput.mutablePointer)
        for step in 0..<steps {
          if let stop, stop.check() { return }
          let index = isReversed ? steps - 1 - step : step
          let levels = state.quantize(last, count: rows * hidden, into: bytes.mutablePointer)
          try state.multiply(
            bytes.pointer, rows: rows, levels: levels, bias: nil, scales: scales.mutablePointer,
            into: fromState.mutablePointer)
          kernels.lstmStep(
            fromInput.pointer + index * rows * columns, fromState.pointer, state: h.mutablePointer,
            cells: c.mutablePointer, rows: rows, blocks: blocks)
          let said = y + (earliest + index) * rows * hidden
          kernels.unpackRows(h.pointer, rows: rows, count: hidden, said, rowStep: hidden)
          last = UnsafePointer(said)
        }
      }
    }
    kernels.unpackRows(c.pointer, rows: rows, count: hidden, cell.mutablePointer, rowStep: hidden)
    withExtendedLifetime((quantized, bytes, fromInput, fromState, scales, h, c, start)) {}
    return (output, try output.selected(axis: 0, index: isReversed ? 0 : time - 1), cell)
  }
}

/// A matrix of 8-bit integers that makes the gates of an LSTM out of what is quantised as it comes.
///
/// Its columns are in the order of the cell's gates, input, forget, cell, output, each filled up to whole vectors of every
/// variant.
package struct QuantizedGates: Sendable {
  package let hidden: Int
  private let matrix: PackedIntegerMatrix
  /// `[columns + panel]`
  private let scales: Tensor<Float>

  /// Scales and biases are read to the end of a panel.
  static let panel = 64

  var depth: Int { matrix.depth }
  var columns: Int { matrix.columns }

  /// - Parameters:
  ///   - weight: `[depth, 4 · hidden]`, gates in ONNX' order: input, output, forget, cell.
  ///   - zeroPoint: one, or one per column of it; zero when absent.
  ///   - scale: likewise.
  /// - Throws: ``TensorError/shape(operation:reason:)``.
  package init<Element: ByteScalar>(
    _ weight: Tensor<Element>, zeroPoint: Tensor<Element>?, scale: Tensor<Float>
  ) throws {
    guard weight.rank == 2, weight.shape[1].isMultiple(of: 4) else {
      throw TensorError.shape(
        operation: "DynamicQuantizeLSTM", reason: "a matrix has shape \(weight.shape), which is not that of four gates")
    }
    let columns = weight.shape[1]
    let hidden = columns / 4
    self.hidden = hidden
    let scales = try scale.count == 1 ? scale.reshaped([1]).expanded(to: [columns]) : scale
    self.scales = try pad(Self.laidOut(scales, hidden: hidden), [0, Self.panel])
    matrix = try PackedIntegerMatrix(
      Self.laidOut(weight, hidden: hidden),
      zeroPoint: zeroPoint.map { $0.count == 1 ? try $0.reshaped([1]) : try Self.laidOut($0, hidden: hidden) })
  }

  /// A tensor whose last axis holds four gates in ONNX' order, with that axis as the columns are.
  static func laidOut<Element: TensorScalar>(_ tensor: Tensor<Element>, hidden: Int) throws -> Tensor<Element> {
    let gates = try tensor.split(sizes: Array(repeating: hidden, count: 4), axis: -1)
    return try concatenate([0, 2, 3, 1].map { try pad(gates[$0], [0, (hidden + 15) / 16 * 16 - hidden]) }, axis: -1)
  }

  /// What rows of numbers contribute, gates in ONNX' order: `[…, depth]` becomes `[…, 4 · hidden]`.
  package func callAsFunction(_ x: Tensor<Float>) throws -> Tensor<Float> {
    let quantized = try dynamicQuantizeLinear(x)
    let room = try Tensor<Float>(uninitialized: [columns + Self.panel])
    let sums = try Tensor<Float>.filled(x.shape.dropLast() + [columns]) {
      try multiply(
        quantized.values.pointer, rows: x.shape.dropLast().reduce(1, *), levels: quantized.levels, bias: nil,
        scales: room.mutablePointer, into: $0)
    }
    withExtendedLifetime((quantized, room)) {}
    let gates = try sums.chunked(4, axis: -1).map { try $0.sliced(axis: -1, to: hidden) }
    return try concatenate([0, 3, 1, 2].map { gates[$0] }, axis: -1)
  }

  /// Numbers as unsigned bytes, and the levels that were found for them.
  func quantize(
    _ x: UnsafePointer<Float>, count: Int, into bytes: UnsafeMutablePointer<UInt8>
  ) -> DynamicLevels {
    let kernels = Execution.current.kernels.quantized
    let range = kernels.rangeWithZero(x, count: count)
    let levels = DynamicLevels(least: range.least, greatest: range.greatest)
    kernels.quantize(
      x, scale: levels.scale, range: UInt8.range(zeroPoint: levels.zeroPoint), bytes, isWide: false, count: count)
    return levels
  }

  /// - Parameters:
  ///   - bytes: `[rows, depth]`.
  ///   - bias: `[columns + panel]`.
  ///   - scales: room for `columns + panel` numbers.
  ///   - y: `[rows, columns]`.
  func multiply(
    _ bytes: UnsafePointer<UInt8>, rows: Int, levels: DynamicLevels, bias: Tensor<Float>?,
    scales: UnsafeMutablePointer<Float>, into y: UnsafeMutablePointer<Float>
  ) throws {
    try withExtendedLifetime((self.scales, bias)) {
      let own = self.scales.pointer
      for column in 0..<self.scales.count { scales[column] = own[column] * levels.scale }
      try matrix.multiply(
        bytes, rows: rows, flip: UInt8.signedFlip, zeroPoints: [levels.zeroPoint.movedToSigned],
        into: .floats(y, SumScale(scales: scales, bias: bias?.pointer, isOfColumns: true), nil))
    }
  }
}
