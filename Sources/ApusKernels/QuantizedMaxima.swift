import ApusKernelInterface

// Maxima of unsigned bytes, as loops that the compiler makes vectors of.

extension IntegerKernels {
  package static func maximumRows(
    _ x: UnsafePointer<UInt8>, rowStep: Int, rows: Int, flip: UInt8, _ y: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    for i in 0..<count { y[i] = rows > 0 ? x[i] ^ flip : 0 }
    var row = 1
    while row < rows {
      // Two at a time, so that what was found before is read half as often.
      let (a, b) = (x + row &* rowStep, x + min(row &+ 1, rows &- 1) &* rowStep)
      for i in 0..<count { y[i] = max(y[i], max(a[i] ^ flip, b[i] ^ flip)) }
      row &+= 2
    }
  }

  package static func maximumWindows(
    _ x: UnsafePointer<UInt8>, taps: Int, tapStep: Int, stride: Int, flip: UInt8, _ y: UnsafeMutablePointer<UInt8>,
    count: Int
  ) {
    switch stride {
    case 1: windows(x, taps, tapStep, 1, flip, y, count)
    case 2: windows(x, taps, tapStep, 2, flip, y, count)
    default: windows(x, taps, tapStep, stride, flip, y, count)
    }
  }
}

/// For a stride that is known, in the first two cases of above.
@inline(__always)
private func windows(
  _ x: UnsafePointer<UInt8>, _ taps: Int, _ tapStep: Int, _ stride: Int, _ flip: UInt8,
  _ y: UnsafeMutablePointer<UInt8>, _ count: Int
) {
  if taps == 3 {
    let (second, third) = (x + tapStep, x + 2 &* tapStep)
    for i in 0..<count { y[i] = max(max(x[i &* stride], second[i &* stride]), third[i &* stride]) ^ flip }
    return
  }
  for i in 0..<count { y[i] = x[i &* stride] }
  for tap in 1..<taps {
    let other = x + tap &* tapStep
    for i in 0..<count { y[i] = max(y[i], other[i &* stride]) }
  }
  for i in 0..<count { y[i] ^= flip }
}
