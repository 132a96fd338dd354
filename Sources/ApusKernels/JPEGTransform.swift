import ApusKernelInterface

// The inverse cosine transform of 8 × 8 coefficients: along the columns, and then along the rows of what that gives.
//
// Both ways it is the sum of eight products for each number, with constants of 13 bits; a number is rounded after the
// first way to two bits after the point, after the second to a whole one. The usual way to write it, with eleven
// products for eight numbers and additions between, gives just the same, for nothing is rounded before the end.

extension AnyPixelKernels {
  package static func inverseDCT(
    _ coefficients: UnsafePointer<Int16>, quantization: UnsafePointer<Int16>, blocks: Int,
    _ y: UnsafeMutablePointer<UInt8>, stride: Int
  ) {
    let steps0 = load(quantization, as: SIMD16<Int16>.self)
    let steps1 = load(quantization + 16, as: SIMD16<Int16>.self)
    let steps2 = load(quantization + 32, as: SIMD16<Int16>.self)
    let steps3 = load(quantization + 48, as: SIMD16<Int16>.self)
    var workspace = InlineArray<32, Int32>(repeating: 0)
    let constants = RowConstants()
    var withoutFirst = SIMD16<Int16>(repeating: -1)
    withoutFirst[0] = 0
    for block in 0..<blocks {
      let x = coefficients + block &* 64
      let out = y + block &* 8
      let x0 = load(x, as: SIMD16<Int16>.self)
      let x1 = load(x + 16, as: SIMD16<Int16>.self)
      let x2 = load(x + 32, as: SIMD16<Int16>.self)
      let x3 = load(x + 48, as: SIMD16<Int16>.self)
      let others = unsafeBitCast((x0 & withoutFirst) | x1 | x2 | x3, to: SIMD4<UInt64>.self)
      if (others[0] | others[1]) | (others[2] | others[3]) == 0 {
        // One colour.
        let first = Int32(x[0] &* quantization[0])
        let value = (first &* 4 &+ 16) &>> 5 &+ 128
        let byte = UInt64(truncatingIfNeeded: value < 0 ? 0 : value > 255 ? 255 : value)
        let row = byte &* 0x0101_0101_0101_0101
        for line in 0..<8 { store(row, out + line &* stride) }
        continue
      }
      withUnsafeMutableBytes(of: &workspace) { bytes in
        let memory = bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Int32.self)
        transformColumns(
          unsafeBitCast(x0 &* steps0, to: BlockLanes.self), unsafeBitCast(x1 &* steps1, to: BlockLanes.self),
          unsafeBitCast(x2 &* steps2, to: BlockLanes.self), unsafeBitCast(x3 &* steps3, to: BlockLanes.self), memory)
        let upper = samples(
          packed(transformRow(memory, constants), transformRow(memory + 2, constants)),
          packed(transformRow(memory + 8, constants), transformRow(memory + 10, constants)))
        store(upper[0], out)
        store(upper[1], out + stride)
        store(upper[2], out + 2 &* stride)
        store(upper[3], out + 3 &* stride)
        let lower = samples(
          packed(transformRow(memory + 16, constants), transformRow(memory + 18, constants)),
          packed(transformRow(memory + 24, constants), transformRow(memory + 26, constants)))
        store(lower[0], out + 4 &* stride)
        store(lower[1], out + 5 &* stride)
        store(lower[2], out + 6 &* stride)
        store(lower[3], out + 7 &* stride)
      }
    }
  }

  /// Columns of the rows 0 and 4, 2 and 6, 1 and 3, 5 and 7 to eight rows in the order of ``packed(_:_:)``.
  @inline(__always)
  private static func transformColumns(
    _ x04: BlockLanes, _ x26: BlockLanes, _ x13: BlockLanes, _ x57: BlockLanes,
    _ workspace: UnsafeMutablePointer<Int32>
  ) {
    let rounding = BlockLanes(repeating: 1 &<< 10)
    let zero = BlockLanes(repeating: 0)
    let sum = addPairProducts(rounding, x04, pairs(8192, 8192))
    let difference = addPairProducts(rounding, x04, pairs(8192, -8192))
    let turned3 = addPairProducts(zero, x26, pairs(10_703, 4433))
    let turned2 = addPairProducts(zero, x26, pairs(4433, -10_704))
    let even0 = sum &+ turned3
    let even3 = sum &- turned3
    let even1 = difference &+ turned2
    let even2 = difference &- turned2
    let odd0 = addPairProducts(addPairProducts(zero, x13, pairs(11_363, 9633)), x57, pairs(6437, 2260))
    let odd1 = addPairProducts(addPairProducts(zero, x13, pairs(9633, -2259)), x57, pairs(-11_362, -6436))
    let odd2 = addPairProducts(addPairProducts(zero, x13, pairs(6437, -11_362)), x57, pairs(2261, 9633))
    let odd3 = addPairProducts(addPairProducts(zero, x13, pairs(2260, -6436)), x57, pairs(9633, -11_363))
    let shift = BlockLanes(repeating: 11)
    store(words(packed((even0 &+ odd0) &>> shift, (even1 &+ odd1) &>> shift)), workspace)
    store(words(packed((even2 &+ odd2) &>> shift, (even3 &+ odd3) &>> shift)), workspace + 8)
    store(words(packed((even3 &- odd3) &>> shift, (even2 &- odd2) &>> shift)), workspace + 16)
    store(words(packed((even1 &- odd1) &>> shift, (even0 &- odd0) &>> shift)), workspace + 24)
  }

  @inline(__always)
  private static func words(_ x: SIMD16<Int16>) -> BlockLanes { unsafeBitCast(x, to: BlockLanes.self) }

  /// A row, whose numbers are two and two in the words 0, 1, 4 and 5.
  @inline(__always)
  private static func transformRow(_ row: UnsafeMutablePointer<Int32>, _ constants: RowConstants) -> BlockLanes {
    var sum = addPairProducts(constants.rounding, BlockLanes(repeating: row[0]), constants.from01)
    sum = addPairProducts(sum, BlockLanes(repeating: row[1]), constants.from23)
    sum = addPairProducts(sum, BlockLanes(repeating: row[4]), constants.from45)
    sum = addPairProducts(sum, BlockLanes(repeating: row[5]), constants.from67)
    return sum &>> BlockLanes(repeating: 18)
  }
}

/// What two inputs of a row give to its eight outputs.
private struct RowConstants {
  let rounding = BlockLanes(repeating: 1 &<< 17)
  let from01 = RowConstants.lanes(
    even: (8192, 8192, 8192, 8192), odd: (11_363, 9633, 6437, 2260))
  let from23 = RowConstants.lanes(
    even: (10_703, 4433, -4433, -10_703), odd: (9633, -2259, -11_362, -6436))
  let from45 = RowConstants.lanes(
    even: (8192, -8192, -8192, 8192), odd: (6437, -11_362, 2261, 9633))
  let from67 = RowConstants.lanes(
    even: (4433, -10_704, 10_704, -4433), odd: (2260, -6436, 9633, -11_363))

  /// The outputs 4 to 7 are 3 to 0 with the other sign of the odd inputs.
  @inline(__always)
  private static func lanes(
    even: (Int32, Int32, Int32, Int32), odd: (Int32, Int32, Int32, Int32)
  ) -> BlockLanes {
    BlockLanes(
      pair(even.0, odd.0), pair(even.1, odd.1), pair(even.2, odd.2), pair(even.3, odd.3),
      pair(even.3, -odd.3), pair(even.2, -odd.2), pair(even.1, -odd.1), pair(even.0, -odd.0))
  }

  @inline(__always)
  private static func pair(_ low: Int32, _ high: Int32) -> Int32 { (low & 0xFFFF) | (high &<< 16) }
}

/// Eight bytes at any address.
@inline(__always)
private func store(_ value: UInt64, _ pointer: UnsafeMutablePointer<UInt8>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: UInt64.self)
}
