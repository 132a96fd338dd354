import ApusKernelInterface

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Float32Kernels {
  public static func softmaxRows(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int, logarithm: Bool
  ) {
    for row in 0..<rows {
      let x = x + row &* columns
      let y = y + row &* columns
      let peak = greatest(x, columns)
      let peaks = all(peak)
      var sums = WideLanes(repeating: 0)
      if logarithm {
        forLanes(columns) { i, width in
          let values = width >= 16 ? load(x + i) : load(x + i, first: width, otherwise: -.infinity)
          sums += widened(exponential(values - peaks))
        }
        // The whole offset in two parts, so that large values are rounded once.
        let offset = Double(peak) + log(laneSum(sums))
        let high = Float(offset)
        let low = all(Float(offset - Double(high)))
        mapLanes(x, y, columns) { $0 - all(high) - low }
      } else {
        forLanes(columns) { i, width in
          let values = width >= 16 ? load(x + i) : load(x + i, first: width, otherwise: -.infinity)
          let e = exponential(values - peaks)
          sums += widened(e)
          store(e, y + i, upTo: width)
        }
        let total = all(Float(laneSum(sums)))
        mapLanes(y, y, columns) { $0 / total }
      }
    }
  }

  public static func softmaxColumns(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, rows: Int, columns: Int, first: Int, count: Int,
    logarithm: Bool
  ) {
    forLanes(count) { i, width in
      let x = x + (first &+ i)
      let y = y + (first &+ i)
      var peaks = all(-.infinity)
      for row in 0..<rows { peaks = greaterOrNaN(peaks, load(x + row &* columns, upTo: width)) }
      var sums = WideLanes(repeating: 0)
      for row in 0..<rows {
        let e = exponential(load(x + row &* columns, upTo: width) - peaks)
        sums += widened(e)
        if !logarithm { store(e, y + row &* columns, upTo: width) }
      }
      if logarithm {
        var offset = widened(peaks)
        for lane in 0..<16 { offset[lane] += log(sums[lane]) }
        let high = narrowed(offset)
        let low = narrowed(offset - widened(high))
        for row in 0..<rows {
          store(load(x + row &* columns, upTo: width) - high - low, y + row &* columns, upTo: width)
        }
      } else {
        let totals = narrowed(sums)
        for row in 0..<rows {
          store(load(y + row &* columns, upTo: width) / totals, y + row &* columns, upTo: width)
        }
      }
    }
  }
}
