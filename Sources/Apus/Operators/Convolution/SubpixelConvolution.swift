/// A transposed convolution as ordinary ones of step 1.
///
/// Along an axis an output `s·q + a`, of stride s, is reached by every s-th place of the window alone, and from input
/// positions side by side: for each phase `a` that is a convolution with so many weights, the last first. Phases of as many
/// places and the same inputs are made by one convolution, with an output channel for each pair of a phase and a channel;
/// where windows lie side by side, as in networks that double a map, all are. What is left is to put vectors of channels
/// where they belong. Maps stay channel-blocked.
struct SubpixelConvolution<Scalar: FloatingPointScalar>: Sendable {
  private let kernel: Size2D
  private let stride: Size2D
  private let outputs: Int
  private let parts: [Part]

  /// Phases that one convolution makes.
  private struct Part: Sendable {
    let rows: PhaseRun
    let columns: PhaseRun
    let convolution: Convolution<Scalar>
  }

  /// nil where windows leave gaps or skip places, and where maps would not be channel-blocked.
  ///
  /// - Parameters:
  ///   - weight: `[inputs, outputs, height, width]`, row-major.
  ///   - bias: `[outputs]`.
  init?(
    weight: Tensor<Scalar>, bias: Tensor<Scalar>, parameters: ConvolutionParameters, outputPadding: Size2D
  ) throws {
    let (inputs, outputs) = (weight.shape[0], weight.shape[1])
    let (kernel, stride, padding) = (parameters.kernel, parameters.stride, parameters.padding)
    guard Scalar.dataType == .float32, parameters.dilation == 1, parameters.groups == 1,
      outputs.isMultiple(of: TensorLayout.block), TensorLayout.isHalfFilled(by: inputs),
      kernel.height >= stride.height, kernel.width >= stride.width, outputPadding.height < stride.height,
      outputPadding.width < stride.width
    else { return nil }
    (self.kernel, self.stride, self.outputs) = (kernel, stride, outputs)
    let rows = PhaseRun.all(
      kernel: kernel.height, stride: stride.height, before: padding.top, after: padding.bottom,
      outputPadding: outputPadding.height)
    let columns = PhaseRun.all(
      kernel: kernel.width, stride: stride.width, before: padding.left, after: padding.right,
      outputPadding: outputPadding.width)
    var parts: [Part] = []
    for rows in rows {
      for columns in columns {
        let phases = rows.phases.count * columns.phases.count
        let convolution = try Convolution(
          weight: Self.weights(weight, rows, columns, stride),
          bias: bias.reshaped([1, outputs]).expanded(to: [phases, outputs]).reshaped([phases * outputs]),
          parameters: ConvolutionParameters(
            operation: parameters.operation, kernel: Size2D(height: rows.taps, width: columns.taps), stride: 1,
            padding: Padding2D(top: rows.before, left: columns.before, bottom: rows.after, right: columns.after),
            dilation: 1, groups: 1))
        parts.append(Part(rows: rows, columns: columns, convolution: convolution))
      }
    }
    self.parts = parts
  }

  /// `[phases · outputs, inputs, rows.taps, columns.taps]` of `weight`, `[inputs, outputs, height, width]`.
  private static func weights(
    _ weight: Tensor<Scalar>, _ rows: PhaseRun, _ columns: PhaseRun, _ stride: Size2D
  ) throws -> Tensor<Scalar> {
    let (inputs, outputs) = (weight.shape[0], weight.shape[1])
    let (height, width) = (weight.shape[2], weight.shape[3])
    let shape = [rows.phases.count * columns.phases.count * outputs, inputs, rows.taps, columns.taps]
    return try withExtendedLifetime(weight.storage) {
      try Tensor.filled(shape) { y in
        var place = 0
        for row in rows.firstTaps {
          for column in columns.firstTaps {
            for output in 0..<outputs {
              for input in 0..<inputs {
                let window = weight.pointer + (input * outputs + output) * height * width
                for i in (0..<rows.taps).reversed() {
                  for j in (0..<columns.taps).reversed() {
                    y[place] = window[(row + i * stride.height) * width + column + j * stride.width]
                    place += 1
                  }
                }
              }
            }
          }
        }
      }
    }
  }

  /// Whether that multiplies no more than half again as much as making every window would. Where a window is larger than
  /// the map, most of what ordinary convolutions read is padding.
  func isWorth(_ map: Size2D) -> Bool {
    var products = 0.0
    for part in parts {
      products += part.rows.products(over: map.height) * part.columns.products(over: map.width)
    }
    let windows = Double(map.height) * Double(kernel.height) * Double(map.width) * Double(kernel.width)
    return products <= 1.5 * windows
  }

  /// - Parameters:
  ///   - input: `[batch, inputs, height, width]`.
  ///   - size: the extents of the result.
  /// - Returns: `[batch, outputs, size.height, size.width]`.
  func callAsFunction(_ input: Tensor<Scalar>, size: Size2D) throws -> Tensor<Scalar> {
    let (batch, blocks, lanes) = (input.shape[0], TensorLayout.blocks(outputs), TensorLayout.block)
    let shape = [batch, outputs, size.height, size.width]
    return try Tensor.filled(shape, layout: .channelBlocked) { destination in
      let to = Shape.strides([batch, blocks, size.height, size.width, lanes])
      for part in parts {
        let values = try part.convolution(input).channelBlocked
        let (height, width) = (values.shape[2], values.shape[3])
        let phases = part.rows.phases.count * part.columns.phases.count
        let from = Shape.strides([batch, phases, blocks, height, width, lanes])
        var phase = part.rows.skipped * from[3] + part.columns.skipped * from[4]
        for row in part.rows.phases {
          for column in part.columns.phases {
            let sizes = [
              batch, blocks, (size.height - row + stride.height - 1) / stride.height,
              (size.width - column + stride.width - 1) / stride.width, lanes,
            ]
            defer { phase += from[1] }
            guard sizes[2] > 0, sizes[3] > 0 else { continue }
            withExtendedLifetime(values.storage) {
              StridedCopy(
                sizes: sizes, sourceStrides: [from[0], from[2], from[3], from[4], from[5]],
                destinationStrides: [to[0], to[1], to[2] * stride.height, to[3] * stride.width, to[4]]
              ).run(
                elementSize: MemoryLayout<Scalar>.stride, from: values.pointer + phase,
                to: destination + row * to[2] + column * to[3])
            }
          }
        }
      }
    }
  }
}

/// Phases, places of outputs between two steps along an axis, that are reached from the same input positions.
private struct PhaseRun: Sendable {
  private(set) var phases: Range<Int>
  /// The first place of the window that reaches each phase; the others follow a stride apart.
  private(set) var firstTaps: [Int]
  /// How many places of the window reach a phase.
  let taps: Int
  /// The zeros before and after the inputs.
  let before: Int
  let after: Int
  /// The results of the convolution before the first that is wanted.
  let skipped: Int

  /// - Parameter before: what is cut off the result, as `after`.
  static func all(kernel: Int, stride: Int, before: Int, after: Int, outputPadding: Int) -> [PhaseRun] {
    var runs: [PhaseRun] = []
    var last: (taps: Int, offset: Int)?
    for phase in 0..<stride {
      let first = (phase + before) % stride
      let taps = (kernel - first + stride - 1) / stride
      // Output `stride · q + phase` is reached from input `q + offset` and those before it.
      let offset = (phase + before) / stride
      if let last, last == (taps, offset), let run = runs.indices.last {
        runs[run].phases = runs[run].phases.lowerBound..<phase + 1
        runs[run].firstTaps.append(first)
        continue
      }
      last = (taps, offset)
      let zeros = max(0, taps - 1 - offset)
      // So many more outputs of the phase than inputs, where there are as many.
      let reach = kernel + outputPadding - before - after - phase
      let more = reach >= 0 ? (reach + stride - 1) / stride - 1 : -(-reach / stride) - 1
      let skipped = max(0, offset - taps + 1)
      runs.append(
        PhaseRun(
          phases: phase..<phase + 1, firstTaps: [first], taps: taps, before: zeros,
          after: max(0, more + skipped - zeros + taps - 1), skipped: skipped))
    }
    return runs
  }

  /// The products along an axis of `extent` inputs, of all phases.
  func products(over extent: Int) -> Double {
    Double(extent + before + after - taps + 1) * Double(taps) * Double(phases.count)
  }
}
