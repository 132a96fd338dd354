import Apus
import ApusGraph

// How codes of fewer than eight bits share bytes in a file: as one stream of bits, the lowest of each byte first. So
// two codes of four bits fill a byte, four of two bits do, and four of six bits fill three bytes.

extension CodedTensor {
  /// Codes that lie as a file packs them in `packed`, which `file` keeps valid. There are as many bytes as `count`
  /// codes take; unused bits of the last may be anything.
  init(
    elementType: ElementType, shape: [Int], count: Int, packed: UnsafeRawBufferPointer, file: MappedFile
  ) throws {
    let codes: Tensor<UInt8>
    switch elementType.bitCount {
    case 8:
      let stored = StoredTensor(dataType: .uint8, shape: shape, count: count, bytes: packed, file: file)
      codes = try stored.anyTensor().converted(to: UInt8.self)
    case let bits?:
      codes = try Tensor<UInt8>.filled(shape) { destination in
        let mask = UInt32(1) << UInt32(bits) - 1
        var (held, heldBits, position) = (UInt32(0), 0, 0)
        for index in 0..<count {
          if heldBits < bits {
            held |= UInt32(packed[position]) << UInt32(heldBits)
            heldBits += 8
            position += 1
          }
          (destination + index).initialize(to: UInt8(truncatingIfNeeded: held & mask))
          held >>= UInt32(bits)
          heldBits -= bits
        }
      }
    case nil: throw ONNXFileError.TensorReason.unsupportedElementType(elementType)
    }
    self.init(elementType: elementType, codes: codes)
  }

  /// The codes as a file packs them, unused bits zero.
  func packedBytes() throws -> [UInt8] {
    guard let bits = elementType.bitCount, bits < 8 else { return try codes.elements }
    let mask = UInt32(1) << UInt32(bits) - 1
    return try codes.withUnsafeBufferPointer { codes in
      var result: [UInt8] = []
      result.reserveCapacity((codes.count / 8 + 1) * bits)
      var (held, heldBits) = (UInt32(0), 0)
      for code in codes {
        held |= (UInt32(code) & mask) << UInt32(heldBits)
        heldBits += bits
        if heldBits >= 8 {
          result.append(UInt8(truncatingIfNeeded: held))
          held >>= 8
          heldBits -= 8
        }
      }
      if heldBits > 0 { result.append(UInt8(truncatingIfNeeded: held)) }
      return result
    }
  }
}
