import ApusKernelInterface

extension Float32Kernels {
  package static func resizeNearest(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, width: Int,
    rows: UnsafeBufferPointer<Int>, columns: UnsafeBufferPointer<Int>, isBlocked: Bool
  ) {
    var out = y
    let isDoubled = !isBlocked && columns.indices.allSatisfy { columns[$0] == $0 >> 1 }
    for r in 0..<rows.count {
      let line = rows[r] &* width
      if isBlocked {
        for c in 0..<columns.count {
          let value: Lanes = load(x + (line &+ columns[c]) &* 16)
          store(value, out + c &* 16)
        }
        out += columns.count &* 16
      } else {
        if r > 0, rows[r] == rows[r &- 1] {
          out.update(from: out - columns.count, count: columns.count)
        } else {
          var first = 0
          while isDoubled, first &+ 16 <= columns.count {
            let eight: SIMD8<Float> = load(x + (line &+ first >> 1))
            var twice = Lanes(lowHalf: eight, highHalf: eight)
            (twice.evenHalf, twice.oddHalf) = (eight, eight)
            store(twice, out + first)
            first &+= 16
          }
          for c in first..<columns.count { out[c] = x[line &+ columns[c]] }
        }
        out += columns.count
      }
    }
  }

  package static func resizeLinear(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, width: Int,
    rows: UnsafeBufferPointer<LinearTap>, columns: UnsafeBufferPointer<LinearTap>, isBlocked: Bool
  ) {
    if isBlocked {
      resizeBlocksLinear(x, y, width, rows, columns)
    } else {
      withUnsafeTemporaryAllocation(of: Double.self, capacity: 2 &* columns.count) { room in
        if let base = room.baseAddress { resizePlaneLinear(x, y, width, rows, columns, base, base + columns.count) }
      }
    }
  }

  private static func resizeBlocksLinear(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ width: Int,
    _ rows: UnsafeBufferPointer<LinearTap>, _ columns: UnsafeBufferPointer<LinearTap>
  ) {
    var out = y
    for r in 0..<rows.count {
      let upper = rows[r].first &* width
      let lower = rows[r].second &* width
      let weight = rows[r].weight
      for c in 0..<columns.count {
        let (left, right) = (columns[c].first, columns[c].second)
        let (near, far) = (WideLanes(repeating: 1 - columns[c].weight), WideLanes(repeating: columns[c].weight))
        let above = widened(load(x + (upper &+ left) &* 16)) * near + widened(load(x + (upper &+ right) &* 16)) * far
        let below = widened(load(x + (lower &+ left) &* 16)) * near + widened(load(x + (lower &+ right) &* 16)) * far
        store(narrowed(above * WideLanes(repeating: 1 - weight) + below * WideLanes(repeating: weight)), out + c &* 16)
      }
      out += columns.count &* 16
    }
  }

  /// Lines of the input that are as wide as the output are kept, in `upper` and `lower`: neighbouring rows are made of the
  /// same ones.
  private static func resizePlaneLinear(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, _ width: Int,
    _ rows: UnsafeBufferPointer<LinearTap>, _ columns: UnsafeBufferPointer<LinearTap>,
    _ upper: UnsafeMutablePointer<Double>, _ lower: UnsafeMutablePointer<Double>
  ) {
    var (above, below) = (upper, lower)
    var (rowAbove, rowBelow) = (-1, -1)
    var out = y
    let isHalved = columns.indices.allSatisfy { c in
      let tap = columns[c]
      return tap.first == 2 &* c && tap.second == 2 &* c &+ 1 && tap.weight == columns[0].weight
    }
    for r in 0..<rows.count {
      if rows[r].first == rowBelow {
        (above, below) = (below, above)
        (rowAbove, rowBelow) = (rowBelow, rowAbove)
      }
      if rows[r].first != rowAbove {
        rowAbove = rows[r].first
        resizeLine(x + rowAbove &* width, columns, above, isHalved)
      }
      if rows[r].second != rowBelow {
        rowBelow = rows[r].second
        resizeLine(x + rowBelow &* width, columns, below, isHalved)
      }
      let (near, far) = (1 - rows[r].weight, rows[r].weight)
      for c in 0..<columns.count { out[c] = Float(above[c] * near + below[c] * far) }
      out += columns.count
    }
  }

  /// - Parameter isHalved: whether each two columns become one, all with the same weights, which are vectors then.
  @inline(never)
  private static func resizeLine(
    _ x: UnsafePointer<Float>, _ columns: UnsafeBufferPointer<LinearTap>, _ y: UnsafeMutablePointer<Double>,
    _ isHalved: Bool
  ) {
    if isHalved, columns.count > 0 {
      let (near, far) = (1 - columns[0].weight, columns[0].weight)
      for c in 0..<columns.count { y[c] = Double(x[2 &* c]) * near + Double(x[2 &* c &+ 1]) * far }
      return
    }
    for c in 0..<columns.count {
      let tap = columns[c]
      y[c] = Double(x[tap.first]) * (1 - tap.weight) + Double(x[tap.second]) * tap.weight
    }
  }
}

extension Float64Kernels {
  package static func resizeNearest(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, width: Int,
    rows: UnsafeBufferPointer<Int>, columns: UnsafeBufferPointer<Int>, isBlocked: Bool
  ) {
    var out = y
    for r in 0..<rows.count {
      let line = x + rows[r] &* width
      for c in 0..<columns.count { out[c] = line[columns[c]] }
      out += columns.count
    }
  }

  package static func resizeLinear(
    _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>, width: Int,
    rows: UnsafeBufferPointer<LinearTap>, columns: UnsafeBufferPointer<LinearTap>, isBlocked: Bool
  ) {
    var out = y
    for r in 0..<rows.count {
      let upper = x + rows[r].first &* width
      let lower = x + rows[r].second &* width
      let weight = rows[r].weight
      for c in 0..<columns.count {
        let tap = columns[c]
        let above = upper[tap.first] * (1 - tap.weight) + upper[tap.second] * tap.weight
        let below = lower[tap.first] * (1 - tap.weight) + lower[tap.second] * tap.weight
        out[c] = above * (1 - weight) + below * weight
      }
      out += columns.count
    }
  }
}
