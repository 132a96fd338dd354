extension Tensor where Scalar: ByteScalar {
  /// What windows along the third axis see as channels, and the windows as samples: `[batch, channels, size, …]` becomes
  /// `[batch · places, channels · taps, …]`.
  ///
  /// - Parameters:
  ///   - before: positions of padding in front of the first; beyond the last there are as many as it takes.
  ///   - filler: what padding is.
  /// - Throws: ``TensorError`` when the shape has fewer than three axes, or too little memory is left.
  package func foldingWindows(
    taps: Int, stride: Int, dilation: Int, before: Int, places: Int, filler: Scalar
  ) throws -> Tensor {
    guard rank >= 3 else {
      throw TensorError.shape(operation: "convInteger", reason: "shape \(shape) has no axis to move along")
    }
    let (batch, channels, size) = (shape[0], shape[1], shape[2])
    let source = try rowMajor
    let area = try Shape.elementCount(Array(shape[3...]))
    let samples = try Shape.elementCount([batch, places])
    let folded = try Shape.elementCount([channels, taps])
    return try Tensor.filled([samples, folded] + shape[3...]) { destination in
      let (from, to) = (Unchecked(source.pointer), Unchecked(destination))
      parallelRanges(samples, grain: max(1, 65_536 / max(1, folded * area))) { start, count in
        for sample in start..<(start + count) {
          let first = sample % places * stride - before
          var out = to.value + sample * folded * area
          for channel in 0..<channels {
            let planes = from.value + (sample / places * channels + channel) * size * area
            for tap in 0..<taps {
              let place = first + tap * dilation
              if 0..<size ~= place {
                out.update(from: planes + place * area, count: area)
              } else {
                out.update(repeating: filler, count: area)
              }
              out += area
            }
          }
        }
      }
      withExtendedLifetime(source) {}
    }
  }
}
