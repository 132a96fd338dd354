import ApusKernelInterface
import ApusPlatform

extension Float64Kernels {
  package static func softmaxRows(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int, logarithm: Bool
  ) {
    for row in 0..<rows { softmax(x + row &* columns, y + row &* columns, columns, 1, logarithm) }
  }

  package static func softmaxColumns(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int, first: Int, count: Int,
    logarithm: Bool
  ) {
    for column in first..<(first &+ count) { softmax(x + column, y + column, rows, columns, logarithm) }
  }

  /// Softmax of `count` elements, `step` apart.
  private static func softmax(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, _ count: Int, _ step: Int, _ logarithm: Bool
  ) {
    let peak = greatest(x, count, step)
    if logarithm {
      let offset = log(total(count) { exp(x[$0 &* step] - peak) })
      for i in 0..<count { y[i &* step] = x[i &* step] - peak - offset }
    } else {
      for i in 0..<count { y[i &* step] = exp(x[i &* step] - peak) }
      let sum = total(count) { y[$0 &* step] }
      for i in 0..<count { y[i &* step] /= sum }
    }
  }

  package static func layerNormRows(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int,
    weight: UnsafePointer<Double>?, bias: UnsafePointer<Double>?, epsilon: Double
  ) {
    for row in 0..<rows {
      groupNorm(
        x + row &* columns, y + row &* columns, channels: columns, positions: 1, weight: weight, bias: bias,
        epsilon: epsilon)
    }
  }

  package static func rmsNormRows(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int,
    weight: UnsafePointer<Double>?, epsilon: Double
  ) {
    for row in 0..<rows {
      let x = x + row &* columns
      let y = y + row &* columns
      let squares = total(columns) { x[$0] * x[$0] }
      let scale = 1 / (squares / Double(columns) + epsilon).squareRoot()
      for i in 0..<columns { y[i] = x[i] * (scale * (weight?[i] ?? 1)) }
    }
  }

  package static func groupNorm(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, channels: Int, positions: Int,
    weight: UnsafePointer<Double>?, bias: UnsafePointer<Double>?, epsilon: Double
  ) {
    let count = channels &* positions
    let (mean, squares) = moments(x, count)
    let scale = 1 / (squares / Double(count) + epsilon).squareRoot()
    for channel in 0..<channels {
      let factor = scale * (weight?[channel] ?? 1)
      let shift = bias?[channel] ?? 0
      for i in (channel &* positions)..<((channel &+ 1) &* positions) { y[i] = (x[i] - mean) * factor + shift }
    }
  }

  package static func batchNormScale(
    variance: UnsafePointer<Double>, weight: UnsafePointer<Double>?, epsilon: Double,
    scale: UnsafeMutablePointer<Double>, count: Int
  ) {
    for i in 0..<count { scale[i] = (weight?[i] ?? 1) / (variance[i] + epsilon).squareRoot() }
  }

  package static func affine(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, count: Int, mean: Double, scale: Double,
    shift: Double
  ) {
    for i in 0..<count { y[i] = (x[i] - mean) * scale + shift }
  }

  package static func affineRows(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, rows: Int, columns: Int,
    mean: UnsafePointer<Double>, scale: UnsafePointer<Double>, shift: UnsafePointer<Double>
  ) {
    for row in 0..<rows {
      let x = x + row &* columns
      let y = y + row &* columns
      for i in 0..<columns { y[i] = (x[i] - mean[i]) * scale[i] + shift[i] }
    }
  }
}
