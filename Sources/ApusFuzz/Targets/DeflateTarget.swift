import Apus

/// The compressor: whatever it is given comes back.
struct DeflateTarget: FuzzTarget {
  let name = "deflate"
  let summary = "compressing anything, and decompressing it again"
  let dictionary = ["aaaaaaaaaaaaaaaa", "abcdefghijklmnop"]

  func seeds() throws -> [[UInt8]] {
    let text = Array("she sells sea shells by the sea shore, and the shells she sells are sea shells; ".utf8)
    let mixed = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 >> 5) }
    return [[], [0], text + text, mixed, [UInt8](repeating: 7, count: 5000) + mixed + text]
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    // Eight times, so that there are repetitions far back and several blocks.
    let long = Array(repeating: Array(input), count: input.count.isMultiple(of: 5) ? 8 : 1).flatMap { $0 }
    let compressed = long.withUnsafeBytes { Deflate.zlib($0) }
    return try outcome(allowing: InflateError.self) {
      let (output, consumed) = try compressed.withUnsafeBytes { try Inflate.zlib($0, limit: long.count) }
      guard output == long, consumed == compressed.count else {
        throw FuzzFinding(message: "the data comes back different")
      }
    }
  }
}
