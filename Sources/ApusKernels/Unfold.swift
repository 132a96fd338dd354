import ApusKernelInterface

extension Float32Kernels {
  package static func unfoldRow(
    _ x: UnsafePointer<Float>, channels: Int, height: Int, width: Int, row: Int, column: Int,
    window: WindowWalk, outputWidth: Int, _ y: UnsafeMutablePointer<Float>, blockStep: Int
  ) {
    unfold(16, x, channels, height, width, row, column, window, outputWidth, y, blockStep)
  }
}

extension Float64Kernels {
  package static func unfoldRow(
    _ x: UnsafePointer<Double>, channels: Int, height: Int, width: Int, row: Int, column: Int,
    window: WindowWalk, outputWidth: Int, _ y: UnsafeMutablePointer<Double>, blockStep: Int
  ) {
    unfold(8, x, channels, height, width, row, column, window, outputWidth, y, blockStep)
  }
}

@inline(__always)
private func unfold<Scalar: FloatingPoint>(
  _ vector: Int, _ x: UnsafePointer<Scalar>, _ channels: Int, _ height: Int, _ width: Int, _ row: Int, _ column: Int,
  _ window: WindowWalk, _ outputWidth: Int, _ y: UnsafeMutablePointer<Scalar>, _ blockStep: Int
) {
  @inline(__always)
  func termOffset(_ term: Int) -> Int {
    let block: Int = term / vector
    let lane: Int = term % vector
    return block &* blockStep &+ lane
  }

  var term = 0
  for channel in 0..<channels {
    for kernelRow in 0..<window.rows {
      let sourceRow = row &+ kernelRow &* window.rowDilation
      let isInside = sourceRow >= 0 && sourceRow < height
      let lineOffset: Int = isInside ? (channel &* height &+ sourceRow) &* width : 0
      let line = x + lineOffset
      for kernelColumn in 0..<window.columns {
        let out = y + termOffset(term)
        term &+= 1
        let first = column &+ kernelColumn &* window.columnDilation
        // Outputs whose term lies inside the map: 0 <= first + p * stride < width.
        var begin = 0
        var end = 0
        if isInside {
          begin = first >= 0 ? 0 : (window.columnStride &- 1 &- first) / window.columnStride
          end = width > first ? (width &- 1 &- first) / window.columnStride &+ 1 : 0
          if begin > outputWidth { begin = outputWidth }
          if end > outputWidth { end = outputWidth }
          if end < begin { end = begin }
        }
        for p in 0..<begin { out[p &* vector] = 0 }
        for p in begin..<end { out[p &* vector] = line[first &+ p &* window.columnStride] }
        for p in end..<outputWidth { out[p &* vector] = 0 }
      }
    }
  }
  while term % vector != 0 {
    let out = y + termOffset(term)
    for p in 0..<outputWidth { out[p &* vector] = 0 }
    term &+= 1
  }
}
