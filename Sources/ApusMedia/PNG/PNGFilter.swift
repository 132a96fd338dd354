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

  /// Pixels of three bytes, each with its own chain of dependencies.
  private static func removePaeth3(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var a = (UInt8(0), UInt8(0), UInt8(0))
    var c = a
    for index in stride(from: 0, to: count - 2, by: 3) {
      let b = (above[index], above[index + 1], above[index + 2])
      a.0 = row[index] &+ paeth(a.0, b.0, c.0)
      a.1 = row[index + 1] &+ paeth(a.1, b.1, c.1)
      a.2 = row[index + 2] &+ paeth(a.2, b.2, c.2)
      (row[index], row[index + 1], row[index + 2]) = a
      c = b
    }
  }

  private static func removePaeth4(_ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int) {
    var a = (UInt8(0), UInt8(0), UInt8(0), UInt8(0))
    var c = a
    for index in stride(from: 0, to: count - 3, by: 4) {
      let b = (above[index], above[index + 1], above[index + 2], above[index + 3])
      a.0 = row[index] &+ paeth(a.0, b.0, c.0)
      a.1 = row[index + 1] &+ paeth(a.1, b.1, c.1)
      a.2 = row[index + 2] &+ paeth(a.2, b.2, c.2)
      a.3 = row[index + 3] &+ paeth(a.3, b.3, c.3)
      (row[index], row[index + 1], row[index + 2], row[index + 3]) = a
      c = b
    }
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
