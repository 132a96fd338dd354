import ApusKernelInterface

extension IntegerKernels {
  package static func lookUp(
    _ x: UnsafePointer<UInt8>, table: UnsafeRawPointer, _ y: UnsafeMutableRawPointer, isWide: Bool, count: Int
  ) {
    if isWide {
      lookUp(x, table.assumingMemoryBound(to: UInt32.self), y.assumingMemoryBound(to: UInt32.self), from: 0, count)
      return
    }
    let (table, y) = (table.assumingMemoryBound(to: UInt8.self), y.assumingMemoryBound(to: UInt8.self))
    #if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
      let done = lookUpVectors(x, table, y, count)
    #else
      let done = 0
    #endif
    lookUp(x, table, y, from: done, count)
  }

  /// Eight at a time: no element waits for another, and the loop itself would take as long as they do.
  @inline(__always)
  private static func lookUp<Element>(
    _ x: UnsafePointer<UInt8>, _ table: UnsafePointer<Element>, _ y: UnsafeMutablePointer<Element>, from start: Int,
    _ count: Int
  ) {
    var i = start
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

#if (APUS_AVX512 || APUS_AVX2) && APUS_X86_INTRINSICS
  /// Looks whole vectors up, if there are enough of them, and says how many bytes they hold.
  ///
  /// An instruction finds elements of sixteen, and 0 at places from 128 on. So a byte is counted down by sixteen, from the first
  /// elements of the table to the last: until it is below 0, exclusive or with what turns elements into those that are sixteen
  /// further leads to its own. Bytes from 128 on are counted down by themselves.
  @inline(never)
  private func lookUpVectors(
    _ x: UnsafePointer<UInt8>, _ table: UnsafePointer<UInt8>, _ y: UnsafeMutablePointer<UInt8>, _ count: Int
  ) -> Int {
    let size = MemoryLayout<WordLanes>.size
    guard count >= 4 &* size else { return 0 }
    let changes: InlineArray<16, WordLanes> = [
      change(0, table), change(1, table), change(2, table), change(3, table), change(4, table), change(5, table),
      change(6, table), change(7, table), change(8, table), change(9, table), change(10, table), change(11, table),
      change(12, table), change(13, table), change(14, table), change(15, table),
    ]
    var done = 0
    while done &+ size <= count {
      let places = UnsafeRawPointer(x + done).loadUnaligned(as: WordLanes.self)
      let high = places ^ WordLanes(repeating: Int32(bitPattern: 0x8080_8080))
      let found = elements(places, changes, from: 0) ^ elements(high, changes, from: 8)
      UnsafeMutableRawPointer(y + done).storeBytes(of: found, as: WordLanes.self)
      done &+= size
    }
    return done
  }

  /// What turns elements into those that are sixteen further: into the first sixteen of a half from nothing.
  @inline(__always)
  private func change(_ part: Int, _ table: UnsafePointer<UInt8>) -> WordLanes {
    let elements = everySixteen(load(table + 16 &* part))
    return part & 7 == 0 ? elements : elements ^ everySixteen(load(table + 16 &* (part &- 1)))
  }

  /// The elements of half a table at places below 128, and 0 at others.
  @inline(__always)
  private func elements(_ places: WordLanes, _ changes: InlineArray<16, WordLanes>, from first: Int) -> WordLanes {
    // 0x70 is added to those from 128 on, which stay there when they are counted down. No byte borrows from the next.
    let highest = places & WordLanes(repeating: Int32(bitPattern: 0x8080_8080))
    let sixteenth = (highest &>> WordLanes(repeating: 3)) & WordLanes(repeating: 0x1010_1010)
    var places = places | (highest &- sixteenth)
    var found = spread(changes[first], places)
    unrolled(7) { part in
      places = minusSixteen(places)
      found ^= spread(changes[first &+ 1 &+ part], places)
    }
    return found
  }
#endif
