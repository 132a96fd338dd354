import ApusKernelInterface

extension IntegerKernels {
  package static func lookUp(
    _ x: UnsafePointer<UInt8>, table: UnsafeRawPointer, _ y: UnsafeMutableRawPointer, isWide: Bool, count: Int
  ) {
    if isWide {
      lookUp(x, table.assumingMemoryBound(to: UInt32.self), y.assumingMemoryBound(to: UInt32.self), count)
    } else {
      lookUp(x, table.assumingMemoryBound(to: UInt8.self), y.assumingMemoryBound(to: UInt8.self), count)
    }
  }

  /// Eight at a time: no element waits for another, and the loop itself would take as long as they do.
  @inline(__always)
  private static func lookUp<Element>(
    _ x: UnsafePointer<UInt8>, _ table: UnsafePointer<Element>, _ y: UnsafeMutablePointer<Element>, _ count: Int
  ) {
    var i = 0
    while i &+ 8 <= count {
      let (x, y) = (x + i, y + i)
      let (a, b, c, d) = (table[Int(x[0])], table[Int(x[1])], table[Int(x[2])], table[Int(x[3])])
      let (e, f, g, h) = (table[Int(x[4])], table[Int(x[5])], table[Int(x[6])], table[Int(x[7])])
      (y[0], y[1], y[2], y[3]) = (a, b, c, d)
      (y[4], y[5], y[6], y[7]) = (e, f, g, h)
      i &+= 8
    }
    while i < count {
      y[i] = table[Int(x[i])]
      i &+= 1
    }
  }
}
