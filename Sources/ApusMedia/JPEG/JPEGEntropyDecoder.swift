/// Reads the coefficients of a scan, block after block.
struct JPEGEntropyDecoder {
  enum Failure {
    /// The bits do not suffice.
    case ended
    /// Bits that are not a code word.
    case unknownCode
  }

  /// A block of the unit that a scan repeats.
  struct Slot {
    let firstTable: JPEGHuffmanView
    let othersTable: JPEGHuffmanView
    /// The place in the scan of the component that it belongs to.
    let member: Int
    /// That component's place in the file.
    let component: Int
    /// Coefficients before the block in a row of units.
    let offset: Int
    /// Coefficients from one unit to the next.
    let step: Int
    /// Where the next block goes.
    var block: UnsafeMutablePointer<Int16>
  }

  let header: JPEGScanHeader
  let data: JPEGScanData
  let copy: UnsafePointer<UInt8>
  /// Units between restart markers; no restarts when zero.
  let restartInterval: Int
  let isProgressive: Bool
  /// Holds the memory of the tables.
  let tables: [JPEGHuffmanDecoder]

  private var bits: JPEGBits
  private var piece = 0
  private var unitsLeft: Int
  private var predictions = InlineArray<4, Int>(repeating: 0)
  /// Blocks to come whose coefficients of this scan are all zero, or need no new ones.
  private var emptyBlocks = 0
  private(set) var failure: Failure?

  init(
    _ header: JPEGScanHeader, _ data: JPEGScanData, copy: UnsafePointer<UInt8>, restartInterval: Int,
    isProgressive: Bool, tables: [JPEGHuffmanDecoder]
  ) {
    (self.header, self.data, self.copy) = (header, data, copy)
    (self.restartInterval, self.isProgressive, self.tables) = (restartInterval, isProgressive, tables)
    unitsLeft = restartInterval > 0 ? restartInterval : Int.max
    bits = Self.bits(of: data.pieces[0], copy)
  }

  /// The byte of the copy at which reading stopped.
  var place: Int { bits.next - copy }

  private static func bits(of piece: JPEGScanData.Piece, _ copy: UnsafePointer<UInt8>) -> JPEGBits {
    JPEGBits(copy + piece.bytes.lowerBound, copy + piece.bytes.upperBound)
  }

  /// Goes on behind the next restart marker.
  private mutating func restart() -> Bool {
    piece += 1
    guard piece < data.pieces.count else {
      failure = .ended
      return false
    }
    bits = Self.bits(of: data.pieces[piece], copy)
    unitsLeft = restartInterval
    predictions = InlineArray(repeating: 0)
    emptyBlocks = 0
    return true
  }

  /// Reads `units` units; the blocks of `slots` are those of the first one.
  ///
  /// Memory for all of them must be there; that of a sequential scan need not be cleared.
  /// - Returns: whether all went well, or else ``failure`` says what did not.
  mutating func decode(units: Int, _ slots: UnsafeMutableBufferPointer<Slot>) -> Bool {
    var left = units
    while left > 0 {
      if unitsLeft == 0, !restart() { return false }
      let count = min(left, unitsLeft)
      unitsLeft -= count
      left -= count
      let isSound =
        if !isProgressive {
          decodeSequential(count, slots)
        } else if header.coefficients.lowerBound == 0 {
          header.before == 0 ? decodeFirst(count, slots) : refineFirst(count, slots)
        } else {
          header.before == 0 ? decodeOthers(count, slots) : refineOthers(count, slots)
        }
      guard isSound else {
        failure = failure ?? .unknownCode
        return false
      }
      guard !bits.isBehindEnd else {
        failure = .ended
        return false
      }
    }
    return true
  }
}

// MARK: - All coefficients of a block

extension JPEGEntropyDecoder {
  private mutating func decodeSequential(_ units: Int, _ slots: UnsafeMutableBufferPointer<Slot>) -> Bool {
    guard let slot = slots.baseAddress else { return true }
    // Local, so that it is kept in registers.
    var bits = bits
    defer { self.bits = bits }
    return JPEGOrder.memory.withUnsafeBufferPointer { order in
      guard let order = order.baseAddress else { return false }
      for _ in 0..<units {
        for index in 0..<slots.count {
          let block = slot[index].block
          slot[index].block = block + slot[index].step
          UnsafeMutableRawPointer(block).storeBytes(of: SIMD32<Int16>(repeating: 0), as: SIMD32<Int16>.self)
          UnsafeMutableRawPointer(block + 32).storeBytes(of: SIMD32<Int16>(repeating: 0), as: SIMD32<Int16>.self)
          bits.fill()
          let entry = slot[index].firstTable.entries[Int(truncatingIfNeeded: bits.view)]
          let difference: Int
          if entry & 0xFF != 0 {
            bits.drop(UInt64(entry & 0xFF))
            difference = Int(Int32(bitPattern: entry) &>> 16)
          } else {
            guard let size = bits.symbol(slot[index].firstTable), size <= 16 else { return false }
            difference = bits.takeSigned(size)
          }
          predictions[slot[index].member] &+= difference
          block[0] = Int16(truncatingIfNeeded: predictions[slot[index].member])
          guard Self.decodeRest(&bits, slot[index].othersTable, order, block) else { return false }
          if bits.isBehindEnd { return true }
        }
      }
      return true
    }
  }

  @inline(__always)
  private static func decodeRest(
    _ bits: inout JPEGBits, _ table: JPEGHuffmanView, _ order: UnsafePointer<UInt8>,
    _ block: UnsafeMutablePointer<Int16>
  ) -> Bool {
    let entries = table.entries
    var place = 1
    while place < 64 {
      bits.fill()
      let entry = entries[Int(truncatingIfNeeded: bits.view)]
      if entry & 0xFF != 0 {
        // At most 63 + 64.
        place &+= Int(truncatingIfNeeded: (entry &>> 8) & 0xFF)
        block[Int(order[place])] = Int16(truncatingIfNeeded: entry &>> 16)
        bits.drop(UInt64(entry & 0xFF))
      } else {
        guard let symbol = bits.symbol(table) else { return false }
        if symbol & 15 == 0 {
          guard symbol == 0xF0 else { break }
          place &+= 15
        } else {
          place &+= symbol &>> 4
          block[Int(order[place])] = Int16(truncatingIfNeeded: bits.takeSigned(symbol & 15))
        }
      }
      place &+= 1
    }
    return true
  }
}

// MARK: - Progressive scans

extension JPEGEntropyDecoder {
  private mutating func decodeFirst(_ units: Int, _ slots: UnsafeMutableBufferPointer<Slot>) -> Bool {
    for _ in 0..<units {
      for index in 0..<slots.count {
        bits.fill()
        guard let size = bits.symbol(slots[index].firstTable), size <= 16 else { return false }
        predictions[slots[index].member] &+= bits.takeSigned(size)
        slots[index].block[0] = Int16(truncatingIfNeeded: predictions[slots[index].member] &<< header.after)
        slots[index].block += slots[index].step
      }
      if bits.isBehindEnd { return true }
    }
    return true
  }

  private mutating func refineFirst(_ units: Int, _ slots: UnsafeMutableBufferPointer<Slot>) -> Bool {
    let bit = Int16(truncatingIfNeeded: 1 << header.after)
    for _ in 0..<units {
      for index in 0..<slots.count {
        bits.fill()
        if bits.take(1) != 0 { slots[index].block[0] |= bit }
        slots[index].block += slots[index].step
      }
      if bits.isBehindEnd { return true }
    }
    return true
  }

  private mutating func decodeOthers(_ units: Int, _ slots: UnsafeMutableBufferPointer<Slot>) -> Bool {
    guard let slot = slots.baseAddress else { return true }
    let table = slot[0].othersTable
    let (first, last) = (header.coefficients.lowerBound, header.coefficients.upperBound)
    let shift = header.after
    var (bits, emptyBlocks) = (bits, emptyBlocks)
    defer { (self.bits, self.emptyBlocks) = (bits, emptyBlocks) }
    return JPEGOrder.memory.withUnsafeBufferPointer { order in
      guard let order = order.baseAddress else { return false }
      var left = units
      while left > 0 {
        if emptyBlocks > 0 {
          let count = min(left, emptyBlocks)
          emptyBlocks -= count
          left -= count
          slot[0].block += count * slot[0].step
          continue
        }
        let block = slot[0].block
        slot[0].block += slot[0].step
        left -= 1
        var place = first
        while place <= last {
          bits.fill()
          let entry = table.entries[Int(truncatingIfNeeded: bits.view)]
          if entry & 0xFF != 0 {
            place &+= Int(truncatingIfNeeded: (entry &>> 8) & 0xFF)
            block[Int(order[place])] = Int16(truncatingIfNeeded: Int32(bitPattern: entry) &>> 16) &<< Int16(shift)
            bits.drop(UInt64(entry & 0xFF))
          } else {
            guard let symbol = bits.symbol(table) else { return false }
            if symbol & 15 == 0 {
              if symbol != 0xF0 {
                emptyBlocks = bits.takeBlockCount(symbol &>> 4) &- 1
                break
              }
              place &+= 15
            } else {
              place &+= symbol &>> 4
              block[Int(order[place])] = Int16(truncatingIfNeeded: bits.takeSigned(symbol & 15) &<< shift)
            }
          }
          place &+= 1
        }
        if bits.isBehindEnd { return true }
      }
      return true
    }
  }

  private mutating func refineOthers(_ units: Int, _ slots: UnsafeMutableBufferPointer<Slot>) -> Bool {
    guard let slot = slots.baseAddress else { return true }
    let table = slot[0].othersTable
    let range = (header.coefficients.lowerBound, header.coefficients.upperBound)
    let bit = Int16(truncatingIfNeeded: 1 << header.after)
    var (bits, emptyBlocks) = (bits, emptyBlocks)
    defer { (self.bits, self.emptyBlocks) = (bits, emptyBlocks) }
    return JPEGOrder.memory.withUnsafeBufferPointer { order in
      guard let order = order.baseAddress else { return false }
      for _ in 0..<units {
        let block = slot[0].block
        slot[0].block += slot[0].step
        guard Self.refine(&bits, &emptyBlocks, block, table, order, range, bit) else { return false }
        if bits.isBehindEnd { return true }
      }
      return true
    }
  }

  /// One more bit of the coefficients of a block that are not zero, and new ones between them.
  @inline(__always)
  private static func refine(
    _ bits: inout JPEGBits, _ emptyBlocks: inout Int, _ block: UnsafeMutablePointer<Int16>, _ table: JPEGHuffmanView,
    _ order: UnsafePointer<UInt8>, _ range: (first: Int, last: Int), _ bit: Int16
  ) -> Bool {
    var place = range.first
    if emptyBlocks == 0 {
      while place <= range.last {
        bits.fill()
        guard let symbol = bits.symbol(table) else { return false }
        var run = symbol &>> 4
        var value: Int16 = 0
        if symbol & 15 == 0 {
          if run < 15 {
            emptyBlocks = bits.takeBlockCount(run)
            break
          }
        } else {
          // A new coefficient has one bit, that of its sign.
          value = bits.take(1) != 0 ? bit : 0 &- bit
        }
        while place <= range.last {
          let index = Int(order[place])
          if block[index] != 0 {
            improve(&bits, &block[index], bit)
          } else {
            if run == 0 {
              block[index] = value
              break
            }
            run &-= 1
          }
          place &+= 1
        }
        place &+= 1
      }
    }
    if emptyBlocks > 0 {
      while place <= range.last {
        let index = Int(order[place])
        if block[index] != 0 { improve(&bits, &block[index], bit) }
        place &+= 1
      }
      emptyBlocks &-= 1
    }
    return true
  }

  @inline(__always)
  private static func improve(_ bits: inout JPEGBits, _ coefficient: inout Int16, _ bit: Int16) {
    if bits.count < 8 { bits.fill() }
    guard bits.take(1) != 0, coefficient & bit == 0 else { return }
    coefficient = coefficient > 0 ? coefficient &+ bit : coefficient &- bit
  }
}
