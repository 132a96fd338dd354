import ApusKernelInterface

// Loops that both floating-point types share. They are inlined into concrete functions and never called themselves:
// the plain loops over one exactly rounded operation are what the compiler vectorises best, and an element's result
// is the same in every lane.

/// The greater of two, NaN when either is.
@inline(__always)
func maximum<T: BinaryFloatingPoint>(_ a: T, _ b: T) -> T { a > b || a != a ? a : b }

/// The smaller of two, NaN when either is.
@inline(__always)
func minimum<T: BinaryFloatingPoint>(_ a: T, _ b: T) -> T { a < b || a != a ? a : b }

/// `y[i] = body(a[i * aStep], b[i * bStep])` with steps of 0 or 1, each combination a loop of its own.
@inline(__always)
func zipRow<T: BinaryFloatingPoint>(
  _ a: UnsafePointer<T>, _ aStep: Int, _ b: UnsafePointer<T>, _ bStep: Int, _ y: UnsafeMutablePointer<T>, _ count: Int,
  _ body: (T, T) -> T
) {
  if aStep == 0 {
    let value = a[0]
    if bStep == 0 {
      let result = body(value, b[0])
      for i in 0..<count { y[i] = result }
    } else {
      for i in 0..<count { y[i] = body(value, b[i]) }
    }
  } else if bStep == 0 {
    let value = b[0]
    for i in 0..<count { y[i] = body(a[i], value) }
  } else {
    for i in 0..<count { y[i] = body(a[i], b[i]) }
  }
}

/// Elements `start ..< start + count` of a broadcast result, row by row.
@inline(__always)
func zipAxes<T: BinaryFloatingPoint>(
  _ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ y: UnsafeMutablePointer<T>,
  _ axes: UnsafePointer<BroadcastAxis>, _ rank: Int, _ start: Int, _ count: Int, _ body: (T, T) -> T
) {
  forBroadcastRows(a, b, y, axes, rank, start, count) { zipRow($0, $1, $2, $3, $4, $5, body) }
}

/// Calls `row` as ``zipRow(_:_:_:_:_:_:_:)`` is called for each row of elements `start ..< start + count` of a broadcast
/// result.
@inline(__always)
func forBroadcastRows<T: BinaryFloatingPoint>(
  _ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ y: UnsafeMutablePointer<T>,
  _ axes: UnsafePointer<BroadcastAxis>, _ rank: Int, _ start: Int, _ count: Int,
  _ zipRow: (UnsafePointer<T>, Int, UnsafePointer<T>, Int, UnsafeMutablePointer<T>, Int) -> Void
) {
  let last = rank &- 1
  let width = axes[last].size
  var position = start
  let end = start &+ count
  while position < end {
    // The row's place on the outer axes, and from it where the operands' rows begin.
    var row = position / width
    let column = position &- row &* width
    var aOffset = column &* axes[last].aStride
    var bOffset = column &* axes[last].bStride
    var rowsLeft = 1
    var axis = last &- 1
    while axis >= 0 {
      let size = axes[axis].size
      let quotient = row / size
      let index = row &- quotient &* size
      if axis == last &- 1 { rowsLeft = size &- index }
      aOffset &+= index &* axes[axis].aStride
      bOffset &+= index &* axes[axis].bStride
      row = quotient
      axis &-= 1
    }
    // Rows of the second axis from the end follow each other without another division.
    let aNext = last > 0 ? axes[last &- 1].aStride : 0
    let bNext = last > 0 ? axes[last &- 1].bStride : 0
    var first = column
    while rowsLeft > 0 && position < end {
      let length = min(width &- first, end &- position)
      zipRow(a + aOffset, axes[last].aStride, b + bOffset, axes[last].bStride, y + position, length)
      aOffset &+= aNext &- first &* axes[last].aStride
      bOffset &+= bNext &- first &* axes[last].bStride
      first = 0
      position &+= length
      rowsLeft &-= 1
    }
  }
}

@inline(__always)
func compareRow<T: BinaryFloatingPoint>(
  _ test: ComparisonTest, _ a: UnsafePointer<T>, _ b: UnsafePointer<T>, _ y: UnsafeMutablePointer<Bool>, _ count: Int
) {
  switch test {
  case .equal: for i in 0..<count { y[i] = a[i] == b[i] }
  case .notEqual: for i in 0..<count { y[i] = a[i] != b[i] }
  case .less: for i in 0..<count { y[i] = a[i] < b[i] }
  case .lessOrEqual: for i in 0..<count { y[i] = a[i] <= b[i] }
  case .greater: for i in 0..<count { y[i] = a[i] > b[i] }
  case .greaterOrEqual: for i in 0..<count { y[i] = a[i] >= b[i] }
  }
}
