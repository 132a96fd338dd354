import ApusKernelInterface

extension Float32Kernels {
  package static func widenRows(
    _ x: UnsafeRawPointer, _ type: StoredType, scale: UnsafePointer<Float>?, _ y: UnsafeMutablePointer<Float>,
    rows: Int
  ) {
    let lanes = Lanes.scalarCount
    var factor = all(1)
    if let scale { factor = load(scale) }
    inChunks(x, type.byteCount &* lanes, rows) { source, row, count in
      let target = y + row &* lanes
      if type == .int8 {
        let bytes = source.assumingMemoryBound(to: UInt8.self)
        for i in 0..<count { store(floats(signExtended(load(bytes + i &* lanes))) * factor, target + i &* lanes) }
      } else if type == .float16, scale == nil {
        let halves = source.assumingMemoryBound(to: UInt16.self)
        for i in 0..<count { store(widened(half: load(halves + i &* lanes)), target + i &* lanes) }
      } else {
        AnyDataKernels.convert(source, type, target, .float32, count: count &* lanes)
        if scale != nil { scaleRows(target, factor, count) }
      }
    }
  }
}

extension Float64Kernels {
  package static func widenRows(
    _ x: UnsafeRawPointer, _ type: StoredType, scale: UnsafePointer<Double>?, _ y: UnsafeMutablePointer<Double>,
    rows: Int
  ) {
    let lanes = DoubleLanes.scalarCount
    inChunks(x, type.byteCount &* lanes, rows) { source, row, count in
      let target = y + row &* lanes
      AnyDataKernels.convert(source, type, target, .float64, count: count &* lanes)
      if let scale { scaleRows(target, load(scale, as: DoubleLanes.self), count) }
    }
  }
}

/// Calls `body` with sixteen rows at a time, and fetches what lies a few thousand bytes ahead into the cache meanwhile:
/// a matrix is read from memory in pieces too short for the processor to notice.
@inline(__always)
private func inChunks(
  _ x: UnsafeRawPointer, _ rowSize: Int, _ rows: Int, _ body: (UnsafeRawPointer, Int, Int) -> Void
) {
  var row = 0
  while row < rows {
    let count = rows &- row < 16 ? rows &- row : 16
    let source = x + row &* rowSize
    prefetch((source + 8192).assumingMemoryBound(to: UInt8.self), (count &* rowSize) / 64, SIMD64<UInt8>.self)
    body(source, row, count)
    row &+= count
  }
}

@inline(__always)
private func scaleRows<L: SIMD>(
  _ y: UnsafeMutablePointer<L.Scalar>, _ factor: L, _ rows: Int
) where L.Scalar: FloatingPoint {
  for row in 0..<rows {
    let place = y + row &* L.scalarCount
    store(load(place, as: L.self) * factor, place)
  }
}
