import ApusKernelInterface

/// Convolution of every channel by itself over three axes, float32: the sum of what ``DepthwiseConvolution`` makes of the
/// planes under a window, one for each place along the depth.
package struct DepthwiseVolumes: Sendable {
  /// How a window moves along the depth, and the planes of zeros before the first and after the last.
  package struct Depth: Sendable {
    let stride: Int
    let dilation: Int
    let before: Int
    let after: Int

    package init(stride: Int, dilation: Int, before: Int, after: Int) {
      (self.stride, self.dilation, self.before, self.after) = (stride, dilation, before, after)
    }
  }

  /// One for each plane of a window, with the bias.
  private var planes: [DepthwiseConvolution]
  private var depth: Depth
  private let outputs: Int
  private let epilogue: ConvolutionEpilogue

  /// - Parameters:
  ///   - weight: `[outputs, 1, depth, height, width]`.
  ///   - bias: `[outputs]`, or none.
  ///   - normalization: of the result, before its activation; bit for bit as applied afterwards.
  ///   - parameters: how windows move over a plane, and the number of channels.
  /// - Throws: ``TensorError``.
  package init(
    weight: Tensor<Float>, bias: Tensor<Float>?, normalization: BatchNormalization<Float>? = nil, depth: Depth,
    parameters: ConvolutionParameters
  ) throws {
    let outputs = weight.shape[0]
    guard weight.rank == 5, weight.shape[1] == 1, outputs > 0, outputs.isMultiple(of: parameters.groups),
      bias == nil || bias?.shape == [outputs], normalization == nil || normalization?.mean.shape == [outputs]
    else {
      throw TensorError.shape(
        operation: parameters.operation,
        reason:
          "a weight of shape \(weight.shape), its bias and normalisation are not those of \(parameters.groups) channels"
      )
    }
    self.outputs = outputs
    self.depth = depth
    epilogue = try ConvolutionEpilogue(normalization, outputs: outputs, multiplier: outputs / parameters.groups)
    let bias = try bias?.rowMajor ?? Tensor(zeros: [outputs])
    let area = [outputs, 1] + weight.shape[3...]
    planes = try (0..<weight.shape[2]).map { place in
      let plane = try weight.sliced(axis: 2, from: place, to: place + 1).reshaped(area).rowMajor
      return try DepthwiseConvolution(weight: plane, bias: bias, normalization: nil, parameters: parameters)
    }
  }

  /// The same with other zeros around, for sizes whose padding depends on the input.
  package func padded(by padding: Padding2D, depth: Depth) throws -> DepthwiseVolumes {
    var result = self
    result.depth = depth
    for index in planes.indices { result.planes[index].parameters = try planes[index].parameters.padded(by: padding) }
    return result
  }

  /// - Parameters:
  ///   - input: `[batch, channels, depth, height, width]`.
  ///   - activation: applied to each part of the output while it is in the cache.
  /// - Returns: `[batch, outputs, depth, height, width]`.
  /// - Throws: ``TensorError`` for a shape that does not fit, and when memory is short.
  package func callAsFunction(_ input: Tensor<Float>, activation: Activation = .identity) throws -> Tensor<Float> {
    let parameters = planes[0].parameters
    guard input.rank == 5, input.shape[1] == parameters.groups else {
      throw TensorError.shape(
        operation: parameters.operation,
        reason: "input has shape \(input.shape), expected [batch, \(parameters.groups), depth, height, width]")
    }
    let source = try input.rowMajor
    let size = Size2D(height: input.shape[3], width: input.shape[4])
    let output = try parameters.outputSize(size)
    let depths = try outputDepth(of: input.shape[2])
    let shape = [input.shape[0], outputs, depths, output.height, output.width]
    if try Shape.elementCount(shape, operation: parameters.operation) == 0 { return try Tensor(zeros: shape) }
    // The planes of a channel below each other are one map.
    let result = try ConvolutionOutput.tensor(
      [shape[0], outputs, depths * output.height, output.width], layout: .rowMajor, multiplier: planes[0].multiplier
    ) { y in
      try run(Volume(source: source, size: size), into: y, depths: depths, output, activation.operation)
    }
    return try result.reshaped(shape)
  }

  private func outputDepth(of input: Int) throws -> Int {
    let extent = depth.dilation * (planes.count - 1) + 1
    guard input + depth.before + depth.after >= extent else {
      throw TensorError.shape(
        operation: planes[0].parameters.operation,
        reason: "a window of \(extent) planes does not fit into \(input), padded by \(depth.before + depth.after)")
    }
    return (input + depth.before + depth.after - extent) / depth.stride + 1
  }
}

extension DepthwiseVolumes {
  /// What is convolved, row-major, and the size of its planes.
  private struct Volume: Sendable {
    let source: Tensor<Float>
    let size: Size2D

    var depth: Int { source.shape[2] }
    var positions: Int { size.height * size.width }
    /// Floats of a plane of one block of channels.
    var planeCount: Int { positions * TensorLayout.block }

    /// Lays a plane of one block of channels out.
    func stage(_ plane: Int, sample: Int, block index: Int, _ y: UnsafeMutablePointer<Float>, _ kernels: KernelSet) {
      let (block, channels) = (TensorLayout.block, source.shape[1])
      let first = sample * channels + index * block
      kernels.convolution.stageBlock(
        source.pointer + (first * depth + plane) * positions, channels: min(block, channels - index * block),
        channelStep: depth * positions, height: 1, width: positions, top: 0, left: 0, y, rows: 1, columns: positions)
    }
  }

  /// The plane at which the window at an output's depth begins, which may lie above the map, and its places in the map.
  private func window(_ output: Int, of size: Int) -> (top: Int, places: Range<Int>) {
    let top = output * depth.stride - depth.before
    return (top, tapsInside(size, from: top, count: planes.count, dilation: depth.dilation))
  }

  /// Each task takes some neighbouring planes of one block of channels. The planes under a window are laid out in a ring: each
  /// once, while those before it are still in a cache.
  private func run(
    _ volume: Volume, into y: ConvolutionOutput, depths: Int, _ output: Size2D, _ activation: UnaryOperation?
  ) throws {
    let (kernels, stop) = (Execution.current.kernels, Execution.current.stop)
    let blocks = TensorLayout.blocks(volume.source.shape[1])
    let maps = volume.source.shape[0] * blocks
    let pieces = min(depths, (2 * Execution.current.threads + maps - 1) / maps)
    let ringPlanes = min(volume.depth, depth.dilation * (planes.count - 1) + 1)
    let ringCount = ringPlanes * volume.planeCount
    // Sums of some planes, to which those of the next are added.
    let sumCount = max(DepthwiseConvolution.pieceCount, output.width * TensorLayout.block)
    let room = y.roomCount(blocks: 1, positions: output.height * output.width)
    try parallelWithScratch(maps * pieces, of: Float.self, count: ringCount + 2 * sumCount + room) { task, ring in
      let (sample, index) = (task / pieces / blocks, task / pieces % blocks)
      let sums = ring + ringCount
      func plane(_ number: Int) -> UnsafeMutablePointer<Float> { ring + number % ringPlanes * volume.planeCount }
      var staged = 0
      for z in evenPart(task % pieces, of: pieces, in: depths) {
        if let stop, stop.check() { return }
        let (top, places) = window(z, of: volume.depth)
        let bottom = top + (places.upperBound - 1) * depth.dilation
        // Those between the planes of a dilated window are for the windows after it.
        for number in stride(from: max(staged, top), through: bottom, by: 1) where !places.isEmpty {
          volume.stage(number, sample: sample, block: index, plane(number), kernels)
          staged = number + 1
        }
        for copy in 0..<planes[0].multiplier {
          let part = ConvolutionOutput.Part(
            sample: sample, blocks: index..<index + 1, copy: copy,
            positions: z * output.height * output.width..<(z + 1) * output.height * output.width)
          let base = y.place(of: part, room: sums + 2 * sumCount).base
          for rows in planes[0].pieces(of: 0..<output.height, width: output.width) {
            let out = base + rows.lowerBound * output.width * TensorLayout.block
            let count = rows.count * output.width
            if places.isEmpty { planes[0].fill(out, positions: count, block: index, copy: copy) }
            var addend: UnsafePointer<Float>?
            for (number, place) in places.enumerated() {
              let target = number == places.count - 1 ? out : sums + number % 2 * sumCount
              planes[place].accumulate(
                kernels, plane(top + place * depth.dilation), volume.size, target, output, block: index, copy: copy,
                rows: rows, addend: addend)
              addend = UnsafePointer(target)
            }
            epilogue(
              out, positions: count, panel: planes[0].panel(block: index, copy: copy), activation, kernels)
          }
          y.finish(part, room: sums + 2 * sumCount, kernels)
        }
      }
    }
    withExtendedLifetime(volume.source.storage) {}
  }
}
