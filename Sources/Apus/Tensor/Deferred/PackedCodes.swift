/// Whole numbers of 1 to 8 bits without a sign, lowest first through all bytes of a tensor.
package struct PackedCodes: DeferredSource {
  let bytes: Tensor<UInt8>
  package let bits: Int

  /// - Parameters:
  ///   - bytes: at least as many as the elements that are asked for take.
  ///   - bits: from 1 to 8.
  package init(_ bytes: Tensor<UInt8>, bits: Int) throws {
    self.bytes = try bytes.rowMajor
    self.bits = bits
  }

  package func write(_ range: Range<Int>, to destination: UnsafeMutablePointer<UInt8>) {
    withExtendedLifetime(bytes.storage) {
      let bytes = UnsafeBufferPointer(start: bytes.pointer, count: bytes.count)
      switch bits {
      case 8:
        for (place, index) in range.enumerated() { destination[place] = bytes[index] }
      case 4: writeHalves(range, bytes, destination)
      default:
        for (place, index) in range.enumerated() { destination[place] = code(index, bytes) }
      }
    }
  }

  package func identify(_ key: inout PackedKey) {
    key.add("codes", [bits])
    key.add(bytes)
  }

  /// One code; it may reach into the next byte.
  private func code(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> UInt8 {
    let (byte, shift) = ((index &* bits) >> 3, (index &* bits) & 7)
    let next: UInt16 = byte + 1 < bytes.count ? UInt16(bytes[byte + 1]) : 0
    let both: UInt16 = UInt16(bytes[byte]) | next << 8
    let mask = UInt8(truncatingIfNeeded: (1 << bits) - 1)
    return UInt8(truncatingIfNeeded: both &>> UInt16(shift)) & mask
  }

  /// Codes of four bits, both of a byte at a time.
  private func writeHalves(
    _ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>, _ destination: UnsafeMutablePointer<UInt8>
  ) {
    var (index, out) = (range.lowerBound, destination)
    if index < range.upperBound, !index.isMultiple(of: 2) {
      out[0] = bytes[index / 2] >> 4
      (index, out) = (index + 1, out + 1)
    }
    let whole = (range.upperBound - index) / 2
    for pair in 0..<whole {
      let byte = bytes[index / 2 + pair]
      out[2 * pair] = byte & 15
      out[2 * pair + 1] = byte >> 4
    }
    if index + 2 * whole < range.upperBound { out[2 * whole] = bytes[index / 2 + whole] & 15 }
  }
}
