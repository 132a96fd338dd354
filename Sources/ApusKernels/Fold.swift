import ApusKernelInterface

extension Float32Kernels {
  package static func foldPlane(
    _ x: UnsafePointer<Float>, height: Int, width: Int, row: Int, column: Int, window: WindowWalk, rowStride: Int,
    bias: Float, _ y: UnsafeMutablePointer<Float>, outputHeight: Int, outputWidth: Int
  ) {
    fold(Lanes.self, x, height, width, row, column, window, rowStride, bias, y, outputHeight, outputWidth)
  }
}

extension Float64Kernels {
  package static func foldPlane(
    _ x: UnsafePointer<Double>, height: Int, width: Int, row: Int, column: Int, window: WindowWalk, rowStride: Int,
    bias: Double, _ y: UnsafeMutablePointer<Double>, outputHeight: Int, outputWidth: Int
  ) {
    fold(DoubleLanes.self, x, height, width, row, column, window, rowStride, bias, y, outputHeight, outputWidth)
  }
}

@inline(__always)
private func fold<L: SIMD>(
  _: L.Type, _ x: UnsafePointer<L.Scalar>, _ height: Int, _ width: Int, _ row: Int, _ column: Int,
  _ window: WindowWalk, _ rowStride: Int, _ bias: L.Scalar, _ y: UnsafeMutablePointer<L.Scalar>, _ outputHeight: Int,
  _ outputWidth: Int
) where L.Scalar: FloatingPoint {
  for i in 0..<outputHeight &* outputWidth { y[i] = bias }
  let stride = window.columnStride
  var source = x
  for kernelRow in 0..<window.rows {
    for kernelColumn in 0..<window.columns {
      // Input columns whose term lies inside the map: 0 <= first + p * stride < outputWidth.
      let first = column &+ kernelColumn &* window.columnDilation
      var begin = first >= 0 ? 0 : (stride &- 1 &- first) / stride
      var end = outputWidth > first ? (outputWidth &- 1 &- first) / stride &+ 1 : 0
      if begin > width { begin = width }
      if end > width { end = width }
      if end < begin { end = begin }
      for inputRow in 0..<height {
        let outputRow = row &+ kernelRow &* window.rowDilation &+ inputRow &* rowStride
        if outputRow >= 0, outputRow < outputHeight {
          let line = source + inputRow &* width
          let out = y + (outputRow &* outputWidth &+ first)
          if stride == 1 {
            var p = begin
            while p &+ L.scalarCount <= end {
              store(load(out + p) + load(line + p, as: L.self), out + p)
              p &+= L.scalarCount
            }
            while p < end {
              out[p] += line[p]
              p &+= 1
            }
          } else {
            for p in begin..<end { out[p &* stride] += line[p] }
          }
        }
      }
      source += height &* width
    }
  }
}
