import ApusKernelInterface

extension AnyPixelKernels {
  package static func pickColumns(
    _ x: UnsafeRawPointer, pixelSize: Int, columns: UnsafeBufferPointer<Int>, _ y: UnsafeMutableRawPointer
  ) {
    switch pixelSize {
    case 1: pick(x, UInt8.self, 1, columns, y)
    case 2: pick(x, UInt8.self, 2, columns, y)
    case 3: pick(x, UInt8.self, 3, columns, y)
    case 4: pick(x, UInt8.self, 4, columns, y)
    case 6: pick(x, UInt16.self, 3, columns, y)
    case 8: pick(x, UInt16.self, 4, columns, y)
    case 12: pick(x, UInt32.self, 3, columns, y)
    default: pick(x, UInt32.self, 4, columns, y)
    }
  }

  @inline(__always)
  private static func pick<Element: BitwiseCopyable>(
    _ x: UnsafeRawPointer, _ element: Element.Type, _ channels: Int, _ columns: UnsafeBufferPointer<Int>,
    _ y: UnsafeMutableRawPointer
  ) {
    let x = x.assumingMemoryBound(to: Element.self)
    var to = y.assumingMemoryBound(to: Element.self)
    for i in 0..<columns.count {
      let from = x + columns[i] &* channels
      for channel in 0..<channels { to[channel] = from[channel] }
      to += channels
    }
  }

  package static func premultiply(
    _ x: UnsafePointer<UInt8>, channels: Int, _ y: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    let colors = channels &- 1
    var place = 0
    for _ in 0..<count {
      let alpha = UInt32(truncatingIfNeeded: x[place &+ colors])
      for c in 0..<colors {
        // The nearest to the product over 255.
        let product = UInt32(truncatingIfNeeded: x[place &+ c]) &* alpha &+ 128
        y[place &+ c] = UInt8(truncatingIfNeeded: (product &+ (product &>> 8)) &>> 8)
      }
      y[place &+ colors] = x[place &+ colors]
      place &+= channels
    }
  }

  package static func unpremultiply(_ x: UnsafeMutablePointer<UInt8>, channels: Int, count: Int) {
    let colors = channels &- 1
    var place = 0
    for _ in 0..<count {
      let alpha = UInt32(truncatingIfNeeded: x[place &+ colors])
      if alpha != 0 && alpha != 255 {
        for c in 0..<colors {
          let value = UInt32(truncatingIfNeeded: x[place &+ c]) &* 255 / alpha
          x[place &+ c] = UInt8(truncatingIfNeeded: value > 255 ? 255 : value)
        }
      }
      place &+= channels
    }
  }
}
