/// Numbers that codes name in tables: one table for all, or one for each of as many parts of the codes.
///
///     element[i] = tables[i / (count / tables.count)][code[i]]
package struct TableEntries: DeferredSource {
  private let codes: Tensor<UInt8>
  /// The bytes of the codes, where they are of four bits and nobody has made others of them.
  private let halves: Tensor<UInt8>?
  private let tables: Tensor<Float>
  private let entries: Int
  /// Elements for each table.
  private let part: Int
  /// For each table, what both codes of a byte name: 256 pairs. Empty where codes have another width.
  private let pairs: [Float]

  /// - Parameters:
  ///   - codes: each less than `entries`, which the caller has seen to.
  ///   - tables: `entries` numbers each, as many as divide the codes evenly.
  package init(codes: Tensor<UInt8>, tables: Tensor<Float>, entries: Int) throws {
    self.codes = try codes.rowMajor
    self.tables = try tables.rowMajor
    self.entries = entries
    let count = tables.count / max(1, entries)
    part = codes.count / max(1, count)
    let packed = codes.deferredSource as? PackedCodes
    // Tables of pairs are repaid by parts that are several times as large.
    guard let packed, packed.bits == 4, entries == 16, part >= 4096, part.isMultiple(of: 2) else {
      (halves, pairs) = (nil, [])
      return
    }
    halves = packed.bytes
    pairs = try tables.withUnsafeBufferPointer { tables in
      var pairs: [Float] = []
      pairs.reserveCapacity(512 * count)
      for table in 0..<count {
        for byte in 0..<256 {
          let (low, high) = (byte & 15, byte >> 4)
          pairs.append(tables[table * 16 + low])
          pairs.append(tables[table * 16 + high])
        }
      }
      return pairs
    }
  }

  package func write(_ range: Range<Int>, to destination: UnsafeMutablePointer<Float>) {
    var (start, out) = (range.lowerBound, destination)
    while start < range.upperBound {
      let table = start / part
      let end = min(range.upperBound, (table + 1) * part)
      if let halves {
        writePairs(start..<end, halves, table, out)
      } else {
        write(start..<end, table, out)
      }
      (start, out) = (end, out + (end - start))
    }
  }

  package func identify(_ key: inout PackedKey) {
    key.add("tables", [entries, part])
    key.add(codes)
    key.add(tables)
  }

  /// What lies in one table, from codes that are unpacked a piece at a time.
  private func write(_ range: Range<Int>, _ table: Int, _ destination: UnsafeMutablePointer<Float>) {
    withExtendedLifetime((tables.storage, codes.storage)) {
      let table = tables.pointer + table * entries
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1024) { room in
        guard let room = room.baseAddress else { return }
        for first in stride(from: range.lowerBound, to: range.upperBound, by: 1024) {
          let count = min(1024, range.upperBound - first)
          let out = destination + (first - range.lowerBound)
          codes.write(first..<(first + count), to: room)
          for index in 0..<count { out[index] = table[Int(room[index])] }
        }
      }
    }
  }

  /// What lies in one table, two codes at a time.
  private func writePairs(
    _ range: Range<Int>, _ halves: Tensor<UInt8>, _ table: Int, _ destination: UnsafeMutablePointer<Float>
  ) {
    withExtendedLifetime(halves.storage) {
      pairs.withUnsafeBufferPointer { pairs in
        guard let base = pairs.baseAddress else { return }
        let pairs = base + table * 512
        let bytes = halves.pointer
        var (index, out) = (range.lowerBound, destination)
        if index < range.upperBound, !index.isMultiple(of: 2) {
          out[0] = pairs[2 * Int(bytes[index / 2]) + 1]
          (index, out) = (index + 1, out + 1)
        }
        let whole = (range.upperBound - index) / 2
        let source = bytes + index / 2
        // Both numbers as one of eight bytes.
        let (from, to) = (UnsafeRawPointer(pairs), UnsafeMutableRawPointer(out))
        for pair in 0..<whole {
          let both = from.loadUnaligned(fromByteOffset: Int(source[pair]) &* 8, as: UInt64.self)
          to.storeBytes(of: both, toByteOffset: pair &* 8, as: UInt64.self)
        }
        if index + 2 * whole < range.upperBound { out[2 * whole] = pairs[2 * Int(source[whole])] }
      }
    }
  }
}
