import ApusKernelInterface
import ApusPlatform

extension Float32Kernels {
  package static func layerNormRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int,
    weight: UnsafePointer<Float>?, bias: UnsafePointer<Float>?, epsilon: Double
  ) {
    for row in 0..<rows {
      let offset = row &* columns
      let (mean, squares) = moments(x + offset, columns)
      let scale = 1 / (squares / Double(columns) + epsilon).squareRoot()
      normalizeRow(x + offset, y + offset, columns, Float(mean), Float(scale), weight, bias)
    }
  }

  package static func rmsNormRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int,
    weight: UnsafePointer<Float>?, epsilon: Double
  ) {
    for row in 0..<rows {
      let offset = row &* columns
      let scale = 1 / (sumOfSquares(x + offset, columns) / Double(columns) + epsilon).squareRoot()
      normalizeRow(x + offset, y + offset, columns, 0, Float(scale), weight, nil)
    }
  }

  package static func groupNorm(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, channels: Int, positions: Int,
    weight: UnsafePointer<Float>?, bias: UnsafePointer<Float>?, epsilon: Double
  ) {
    let count = channels &* positions
    let (mean, squares) = moments(x, count)
    let scale = 1 / (squares / Double(count) + epsilon).squareRoot()
    if positions == 1 {
      normalizeRow(x, y, channels, Float(mean), Float(scale), weight, bias)
      return
    }
    // Elements near the mean lose nothing when it is subtracted; what rounding took from it, the shift takes up.
    let nearMean = Float(mean)
    for channel in 0..<channels {
      let factor = scale * Double(weight?[channel] ?? 1)
      affine(
        x + channel &* positions, y + channel &* positions, count: positions, mean: nearMean, scale: Float(factor),
        shift: Float(Double(bias?[channel] ?? 0) - (mean - Double(nearMean)) * factor))
    }
  }

  package static func batchNormScale(
    variance: UnsafePointer<Float>, weight: UnsafePointer<Float>?, epsilon: Double,
    scale: UnsafeMutablePointer<Float>, count: Int
  ) {
    for i in 0..<count {
      scale[i] = Float(Double(weight?[i] ?? 1) / (Double(variance[i]) + epsilon).squareRoot())
    }
  }

  package static func affine(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, count: Int, mean: Float, scale: Float, shift: Float
  ) {
    let mean = all(mean)
    let scale = all(scale)
    let shift = all(shift)
    mapLanes(x, y, count) { affineLanes($0, mean, scale, shift) }
  }

  package static func affineRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int,
    mean: UnsafePointer<Float>, scale: UnsafePointer<Float>, shift: UnsafePointer<Float>
  ) {
    if columns == 16 {
      affineBlock(x, y, rows, mean, scale, shift)
      return
    }
    for row in 0..<rows {
      let x = x + row &* columns
      let y = y + row &* columns
      forLanes(columns) { i, width in
        let result = affineLanes(
          load(x + i, upTo: width), load(mean + i, upTo: width), load(scale + i, upTo: width),
          load(shift + i, upTo: width))
        store(result, y + i, upTo: width)
      }
    }
  }

  /// Rows of a block of channels, whose numbers stay in registers.
  @inline(__always)
  private static func affineBlock(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ rows: Int, _ mean: UnsafePointer<Float>,
    _ scale: UnsafePointer<Float>, _ shift: UnsafePointer<Float>
  ) {
    let (mean, scale, shift): (Lanes, Lanes, Lanes) = (load(mean), load(scale), load(shift))
    for row in 0..<rows { store(affineLanes(load(x + row &* 16), mean, scale, shift), y + row &* 16) }
  }

  /// `y = (x - mean) * scale * weight + bias`.
  @inline(__always)
  private static func normalizeRow(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ count: Int, _ mean: Float, _ scale: Float,
    _ weight: UnsafePointer<Float>?, _ bias: UnsafePointer<Float>?
  ) {
    let mean = all(mean)
    let scale = all(scale)
    switch (weight, bias) {
    case (let weight?, let bias?):
      forLanes(count) { i, width in
        let factor = scale * load(weight + i, upTo: width)
        store(multiplyAdd(load(bias + i, upTo: width), load(x + i, upTo: width) - mean, factor), y + i, upTo: width)
      }
    case (let weight?, nil):
      forLanes(count) { i, width in
        store((load(x + i, upTo: width) - mean) * (scale * load(weight + i, upTo: width)), y + i, upTo: width)
      }
    case (nil, let bias?):
      forLanes(count) { i, width in
        store(multiplyAdd(load(bias + i, upTo: width), load(x + i, upTo: width) - mean, scale), y + i, upTo: width)
      }
    case (nil, nil):
      mapLanes(x, y, count) { ($0 - mean) * scale }
    }
  }
}

/// `(x - mean) * scale + shift`. Where product and sum round separately, their errors add up to three times those of a
/// fused operation where the terms cancel: there in double precision.
@inline(__always)
private func affineLanes(_ x: Lanes, _ mean: Lanes, _ scale: Lanes, _ shift: Lanes) -> Lanes {
  #if APUS_FMA
    return multiplyAdd(shift, x - mean, scale)
  #else
    return narrowed(widened(shift) + (widened(x) - widened(mean)) * widened(scale))
  #endif
}
