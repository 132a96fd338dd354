import ApusKernelInterface

extension AnyDataKernels {
  package static func gather(
    elementSize: Int, from source: UnsafeRawPointer, axisSize: Int, inner: Int,
    indices: UnsafePointer<Int64>, count: Int, to destination: UnsafeMutableRawPointer
  ) {
    if inner > 1 {
      let bytes = inner &* elementSize
      for i in 0..<count {
        copyBytes(source + place(indices[i], axisSize) &* bytes, destination + i &* bytes, bytes)
      }
      return
    }
    gatherElements(
      elementSize: elementSize, from: source, axisSize: axisSize, inner: 1, indices: indices, count: count,
      to: destination)
  }

  package static func gatherElements(
    elementSize: Int, from source: UnsafeRawPointer, axisSize: Int, inner: Int,
    indices: UnsafePointer<Int64>, count: Int, to destination: UnsafeMutableRawPointer
  ) {
    switch elementSize {
    case 1: pick(source, UInt8.self, axisSize, inner, indices, count, destination)
    case 2: pick(source, UInt16.self, axisSize, inner, indices, count, destination)
    case 4: pick(source, UInt32.self, axisSize, inner, indices, count, destination)
    default: pick(source, UInt64.self, axisSize, inner, indices, count, destination)
    }
  }

  package static func firstIndex(outside low: Int, _ high: Int, _ indices: UnsafePointer<Int64>, count: Int) -> Int {
    let low = Int64(truncatingIfNeeded: low)
    let high = Int64(truncatingIfNeeded: high)
    var i = 0
    while i &+ 64 <= count {
      // Negative for one outside, also where the difference wraps.
      var signs: Int64 = 0
      for j in i..<i &+ 64 { signs |= (indices[j] &- low) | (high &- 1 &- indices[j]) }
      if signs < 0 { break }
      i &+= 64
    }
    while i < count {
      if indices[i] < low || indices[i] >= high { return i }
      i &+= 1
    }
    return -1
  }
}

/// An index counted from the front.
@inline(__always)
private func place(_ index: Int64, _ size: Int) -> Int {
  let index = Int(truncatingIfNeeded: index)
  return index &+ (size & (index >> (Int.bitWidth - 1)))
}

/// `destination[i][j] = source[indices[i][j]][j]`.
@inline(__always)
private func pick<T: FixedWidthInteger & BitwiseCopyable>(
  _ source: UnsafeRawPointer, _ type: T.Type, _ axisSize: Int, _ inner: Int, _ indices: UnsafePointer<Int64>,
  _ count: Int, _ destination: UnsafeMutableRawPointer
) {
  let source = source.assumingMemoryBound(to: T.self)
  let destination = destination.assumingMemoryBound(to: T.self)
  if inner == 1 {
    for i in 0..<count { destination[i] = source[place(indices[i], axisSize)] }
    return
  }
  for i in 0..<count {
    for j in 0..<inner {
      let index = i &* inner &+ j
      destination[index] = source[place(indices[index], axisSize) &* inner &+ j]
    }
  }
}
