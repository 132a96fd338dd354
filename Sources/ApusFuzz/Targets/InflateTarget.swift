import Apus

/// The decoder of deflate data, bare and in the zlib format.
struct InflateTarget: FuzzTarget {
  let name = "inflate"
  let summary = "deflate and zlib data: blocks of every kind, limits, checksums"

  /// The most output that is asked for.
  private static let limit = 1 << 18

  func seeds() -> [[UInt8]] {
    [
      Self.fixed, Self.dynamic, Self.repetition, Self.zlib,
      // A stored block that is not the last, and one that is.
      [0x00, 0x02, 0x00, 0xFD, 0xFF, 7, 8, 0x01, 0x01, 0x00, 0xFE, 0xFF, 9],
    ]
  }

  /// The bytes 1, 2, 3 with fixed codes.
  static let fixed: [UInt8] = [0x63, 0x64, 0x62, 0x06, 0x00]
  /// 300 times the letter a, with fixed codes.
  private static let repetition: [UInt8] = [0x4B, 0x4C, 0x1C, 0x05, 0xC4, 0x02, 0x00]
  /// 35 letters with codes of their own.
  private static let dynamic: [UInt8] = [
    0x1D, 0xC6, 0x49, 0x01, 0x00, 0x00, 0x10, 0x40, 0xC0, 0xAC, 0xA3, 0x7F, 0x88, 0x3D, 0x3C, 0x20, 0x2A, 0x97, 0x9D,
    0x37, 0x5E, 0x1D, 0x0C,
  ]
  /// ``fixed`` in the zlib format.
  private static let zlib: [UInt8] = [0x78, 0x9C, 0x63, 0x64, 0x62, 0x06, 0x00, 0x00, 0x0D, 0x00, 0x07]

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: InflateError.self) {
      // Data in the zlib format hardly ever makes sense without its header, nor bare data with one.
      if (try? Inflate.zlib(input, limit: Self.limit)) != nil { return }
      let (output, consumed) = try Inflate.raw(input, limit: Self.limit)
      guard output.count <= Self.limit, consumed <= input.count else {
        throw FuzzFinding(message: "more output than allowed, or more input than there is")
      }
      try compare(output, consumed, input)
    }
  }

  /// Memory of just the right size, and not a byte of input too many, give the same.
  private func compare(_ output: [UInt8], _ consumed: Int, _ input: UnsafeRawBufferPointer) throws {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: output.count, alignment: 1)
    defer { memory.deallocate() }
    let used = UnsafeRawBufferPointer(rebasing: input[..<consumed])
    let again: (produced: Int, consumed: Int)
    do {
      again = try Inflate.raw(used, into: memory)
    } catch {
      throw FuzzFinding(message: "decoding into memory of the right size fails: \(error)")
    }
    guard again == (output.count, consumed), memory.elementsEqual(output) else {
      throw FuzzFinding(message: "decoding into memory of the right size gives something else")
    }
    let short = UnsafeRawBufferPointer(rebasing: input[..<max(0, consumed - 1)])
    if (try? Inflate.raw(short, limit: Self.limit)) != nil {
      throw FuzzFinding(message: "data cut short is accepted")
    }
  }
}
