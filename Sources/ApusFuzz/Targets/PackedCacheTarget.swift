import Apus
import ApusPlatform

/// Files of weights that were laid out, as a session finds them: whatever is in one, what is computed with it must end.
struct PackedCacheTarget: FuzzTarget {
  let name = "packed-cache"
  let summary = "files of packed weights: the table, and layers that are made of what is found"
  let dictionary = ["APUSBLK1"]
  /// Each input is a file.
  let longRun: UInt64 = 100_000

  private static let label: UInt64 = 1

  func seeds() throws -> [[UInt8]] {
    let path = "\(ScratchFolder.path)/\(name)/kept"
    // What an input has left there is no seed.
    unlink(path)
    let cache = PackedCache(path: path, label: Self.label)
    _ = try Self.compute(cache)
    cache.save()
    let whole = try MappedFile(path: cache.path).withUnsafeBytes { Array($0) }
    return [whole]
  }

  /// All checksums, as far as the table says where they belong.
  func mend(_ input: inout [UInt8]) {
    let (header, entry) = (32, 40)
    guard input.count >= header else { return }
    func number(_ place: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(input[place + $1]) << UInt64(8 * $1) } }
    func hash(_ range: Range<Int>, seed: UInt64 = 0) -> UInt64 {
      input.withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[range]), seed: seed) }
    }
    func put(_ value: UInt64, _ place: Int) {
      for index in 0..<8 { input[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }
    let count = Int(min(number(16), UInt64((input.count - header) / entry)))
    for place in stride(from: header, to: header + count * entry, by: entry) {
      guard let offset = Int(exactly: number(place + 16)), let size = Int(exactly: number(place + 24)),
        offset <= input.count, size <= input.count - offset
      else { continue }
      put(hash(offset..<offset + size), place + 32)
    }
    put(hash(header..<header + count * entry, seed: hash(0..<24)), 24)
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try ScratchFolder.write(Array(input), to: "\(name)/kept")
    let cache = PackedCache(path: "\(ScratchFolder.path)/\(name)/kept", label: Self.label)
    return try outcome(allowing: BlockFile.Refusal.self, FileError.self) {
      let result = try Self.compute(cache)
      // What is not found is made anew.
      guard cache.use.found + cache.use.made == 3 else { throw FuzzFinding(message: "\(cache.use) of 3 weights") }
      if cache.use.found == 0, result != Self.expected {
        throw FuzzFinding(message: "without anything found the results are others")
      }
      let file = try BlockFile(path: cache.path, label: Self.label)
      for key in file.keys { _ = file.block(key)?.reduce(0) { $0 ^ $1 } }
    }
  }

  private static let expected = try? compute(nil)

  /// What layers of every kind give that are made with `cache`.
  private static func compute(_ cache: PackedCache?) throws -> [UInt32] {
    func numbers(_ shape: [Int]) throws -> Tensor<Float> {
      try Tensor((0..<shape.reduce(1, *)).map { Float($0 % 5) - 2 }, shape: shape)
    }
    // Of the least size that is kept, so that inputs are small.
    let (direct, depthwise, linear) = try PackedCache.$current.withValue(cache) {
      (
        try Conv2d(weight: numbers([16, 16, 1, 1])), try Conv2d(weight: numbers([16, 1, 4, 4]), groups: 16),
        try Linear(weight: numbers([16, 16]))
      )
    }
    let x = try numbers([1, 16, 5, 5])
    let y = try linear(depthwise(direct(x)).rowMajor.reshaped([4, 16]))
    return try (y.elements + direct(x).elements).map(\.bitPattern)
  }
}
