/// How the bytes of a row are written: as differences from bytes to the left (a), above (b), and above to the left (c).
enum PNGFilter: UInt8, CaseIterable {
  /// x
  case none
  /// x − a
  case sub
  /// x − b
  case up
  /// x − ⌊(a + b) / 2⌋
  case average
  /// x − whichever of a, b and c is nearest to a + b − c
  case paeth
}

// MARK: - Reading

extension PNGFilter {
  /// Makes a row of `count` bytes what it was before it was filtered.
  ///
  /// - Parameters:
  ///   - above: the row before it, without its filter; `nil` before the first row, and then all bytes of it are 0.
  ///   - distance: how far left the byte a is: 1, 2, 3, 4, 6 or 8.
  func remove(
    from row: UnsafeMutablePointer<UInt8>, above: UnsafePointer<UInt8>?, count: Int, distance: Int
  ) {
    switch (self, above) {
    case (.none, _), (.up, nil): break
    // Without a row above, a is the nearest of the three.
    case (.sub, _), (.paeth, nil): Self.removeSub(row, count, distance)
    case (.up, let above?): for index in 0..<count { row[index] &+= above[index] }
    case (.average, nil): for index in distance..<max(distance, count) { row[index] &+= row[index - distance] / 2 }
    case (.average, let above?): Self.removeAverage(row, above, count, distance)
    case (.paeth, let above?):
      switch distance {
      case 3: Self.removePaeth3(row, above, count)
      case 4: Self.removePaeth4(row, above, count)
      default: Self.removePaeth(row, above, count, distance)
      }
    }
  }

  private static func removeSub(_ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ distance: Int) {
    for index in distance..<max(distance, count) { row[index] &+= row[index - distance] }
  }

  private static func removeAverage(
    _ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int, _ distance: Int
  ) {
    for index in 0..<min(distance, count) { row[index] &+= above[index] / 2 }
    for index in distance..<max(distance, count) {
      row[index] &+= UInt8(truncatingIfNeeded: (Int32(row[index - distance]) + Int32(above[index])) >> 1)
    }
  }

  private static func removePaeth(
    _ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int, _ distance: Int
  ) {
    for index in 0..<min(distance, count) { row[index] &+= above[index] }
    for index in distance..<max(distance, count) {
      row[index] &+= paeth(row[index - distance], above[index], above[index - distance])
    }
  }

  /// Pixels of three bytes, and a lane of no meaning: the first byte of the next pixel.
  private static func removePaeth3(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var a = SIMD4<Int16>.zero
    var c = a
    for index in stride(from: 0, to: count - 3, by: 3) {
      let b = load(above, index)
      a = (load(row, index) &+ paeth(a, b, c)) & 255
      let word = word(a)
      UnsafeMutableRawPointer(row).storeBytes(
        of: UInt16(truncatingIfNeeded: word), toByteOffset: index, as: UInt16.self)
      row[index + 2] = UInt8(truncatingIfNeeded: word >> 16)
      c = b
    }
    // The last pixel has none after it.
    for lane in 0..<3 {
      let index = count - 3 + lane
      row[index] &+= paeth(UInt8(truncatingIfNeeded: a[lane]), above[index], UInt8(truncatingIfNeeded: c[lane]))
    }
  }

  private static func removePaeth4(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var a = SIMD4<Int16>.zero
    var c = a
    for index in stride(from: 0, to: count, by: 4) {
      let b = load(above, index)
      a = (load(row, index) &+ paeth(a, b, c)) & 255
      UnsafeMutableRawPointer(row).storeBytes(of: word(a), toByteOffset: index, as: UInt32.self)
      c = b
    }
  }

  @inline(__always)
  private static func load(_ bytes: UnsafePointer<UInt8>, _ index: Int) -> SIMD4<Int16> {
    let word = UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt32.self)
    return SIMD4<Int16>(truncatingIfNeeded: unsafeBitCast(word, to: SIMD4<UInt8>.self))
  }

  /// Four numbers from 0 to 255 as they are in memory.
  @inline(__always)
  private static func word(_ numbers: SIMD4<Int16>) -> UInt32 {
    unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: numbers), to: UInt32.self)
  }

  @inline(__always)
  private static func paeth(_ a: SIMD4<Int16>, _ b: SIMD4<Int16>, _ c: SIMD4<Int16>) -> SIMD4<Int16> {
    let (up, left) = (b &- c, a &- c)
    let toLeft = pointwiseMax(up, 0 &- up)
    let toAbove = pointwiseMax(left, 0 &- left)
    let both = up &+ left
    let toCorner = pointwiseMax(both, 0 &- both)
    let straight = b.replacing(with: a, where: toLeft .<= toAbove)
    return c.replacing(with: straight, where: pointwiseMin(toLeft, toAbove) .<= toCorner)
  }

  /// Whichever of `a`, `b` and `c` is nearest to a + b − c; of equally near ones the first.
  @inline(__always)
  static func paeth(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> UInt8 {
    let (left, above, corner) = (Int32(a), Int32(b), Int32(c))
    let toLeft = abs(above &- corner)
    let toAbove = abs(left &- corner)
    let toCorner = abs(left &+ above &- 2 &* corner)
    let nearerStraight = toLeft <= toAbove ? a : b
    return min(toLeft, toAbove) <= toCorner ? nearerStraight : c
  }
}
