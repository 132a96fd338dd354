import ApusKernelInterface

extension AnyDataKernels {
  package static func select(
    elementSize: Int, _ mask: UnsafePointer<UInt8>, _ a: UnsafeRawPointer, aStep: Int, _ b: UnsafeRawPointer,
    bStep: Int, _ y: UnsafeMutableRawPointer, count: Int
  ) {
    switch elementSize {
    case 1: choose(mask, a, aStep, b, bStep, y, count, UInt8.self)
    case 2: choose(mask, a, aStep, b, bStep, y, count, UInt16.self)
    case 4: choose(mask, a, aStep, b, bStep, y, count, UInt32.self)
    default: choose(mask, a, aStep, b, bStep, y, count, UInt64.self)
    }
  }

  package static func logic(
    _ operation: LogicOperation, _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, bStep: Int,
    _ y: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    switch operation {
    case .and: combine(a, b, bStep, y, count) { $0 & $1 }
    case .or: combine(a, b, bStep, y, count) { $0 | $1 }
    case .exclusiveOr: combine(a, b, bStep, y, count) { $0 ^ $1 }
    }
  }

  package static func firstBeyond(_ x: UnsafePointer<Float>, _ limit: Float, isLess: Bool, count: Int) -> Int {
    let limits = all(limit)
    var i = 0
    while i &+ 16 <= count {
      let value: Lanes = load(x + i)
      if isAny(isLess ? isLessOrNaN(value, limits) : isLessOrNaN(limits, value)) { break }
      i &+= 16
    }
    while i < count, isLess ? x[i] >= limit : x[i] <= limit { i &+= 1 }
    return i
  }
}

/// Each combination of steps a loop of its own.
@inline(__always)
private func choose<Bits: FixedWidthInteger & BitwiseCopyable>(
  _ mask: UnsafePointer<UInt8>, _ a: UnsafeRawPointer, _ aStep: Int, _ b: UnsafeRawPointer, _ bStep: Int,
  _ y: UnsafeMutableRawPointer, _ count: Int, _ type: Bits.Type
) {
  let a = a.assumingMemoryBound(to: type)
  let b = b.assumingMemoryBound(to: type)
  let y = y.assumingMemoryBound(to: type)
  if aStep == 0 {
    let value = a[0]
    if bStep == 0 {
      let other = b[0]
      for i in 0..<count { y[i] = chosen(mask[i], value, other) }
    } else {
      for i in 0..<count { y[i] = chosen(mask[i], value, b[i]) }
    }
  } else if bStep == 0 {
    let other = b[0]
    for i in 0..<count { y[i] = chosen(mask[i], a[i], other) }
  } else {
    for i in 0..<count { y[i] = chosen(mask[i], a[i], b[i]) }
  }
}

/// By bits, without a branch that could be guessed wrong.
@inline(__always)
private func chosen<Bits: FixedWidthInteger>(_ mask: UInt8, _ a: Bits, _ b: Bits) -> Bits {
  let all = 0 &- Bits(truncatingIfNeeded: mask)
  return (a & all) | (b & ~all)
}

@inline(__always)
private func combine(
  _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ bStep: Int, _ y: UnsafeMutablePointer<UInt8>, _ count: Int,
  _ body: (UInt8, UInt8) -> UInt8
) {
  if bStep == 0 {
    let value = b[0]
    for i in 0..<count { y[i] = body(a[i], value) }
  } else {
    for i in 0..<count { y[i] = body(a[i], b[i]) }
  }
}
