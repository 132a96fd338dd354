import ApusKernelInterface

extension Float32Kernels {
  package static func resizeNearest(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, width: Int,
    rows: UnsafeBufferPointer<Int>, columns: UnsafeBufferPointer<Int>, isBlocked: Bool
  ) {
    var out = y
    for r in 0..<rows.count {
      let line = rows[r] &* width
      if isBlocked {
        for c in 0..<columns.count {
          let value: Lanes = load(x + (line &+ columns[c]) &* 16)
          store(value, out + c &* 16)
        }
        out += columns.count &* 16
      } else {
        for c in 0..<columns.count { out[c] = x[line &+ columns[c]] }
        out += columns.count
      }
    }
  }

  package static func resizeLinear(
    _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>, width: Int,
    rows: UnsafeBufferPointer<LinearTap>, columns: UnsafeBufferPointer<LinearTap>, isBlocked: Bool
  ) {
    var out = y
    for r in 0..<rows.count {
      let upper = rows[r].first &* width
      let lower = rows[r].second &* width
      let weight = rows[r].weight
      for c in 0..<columns.count {
        let (left, right) = (columns[c].first, columns[c].second)
        let (leftWeight, rightWeight) = (1 - columns[c].weight, columns[c].weight)
        if isBlocked {
          let (near, far) = (WideLanes(repeating: leftWeight), WideLanes(repeating: rightWeight))
          let above =
            widened(load(x + (upper &+ left) &* 16)) * near + widened(load(x + (upper &+ right) &* 16)) * far
          let below =
            widened(load(x + (lower &+ left) &* 16)) * near + widened(load(x + (lower &+ right) &* 16)) * far
          store(
            narrowed(above * WideLanes(repeating: 1 - weight) + below * WideLanes(repeating: weight)), out + c &* 16)
        } else {
          let above = Double(x[upper &+ left]) * leftWeight + Double(x[upper &+ right]) * rightWeight
          let below = Double(x[lower &+ left]) * leftWeight + Double(x[lower &+ right]) * rightWeight
          out[c] = Float(above * (1 - weight) + below * weight)
        }
      }
      out += columns.count &* (isBlocked ? 16 : 1)
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
