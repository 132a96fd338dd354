import Apus

/// The reader of ZIP archives of arrays.
struct NPZTarget: FuzzTarget {
  let name = "npz"
  let summary = ".npz files: ZIP directory, stored and deflated arrays"
  let dictionary = ["PK\u{1}\u{2}", "PK\u{3}\u{4}", "PK\u{5}\u{6}", "PK\u{6}\u{6}", "PK\u{6}\u{7}", ".npy", "a.npy"]

  func seeds() throws -> [[UInt8]] {
    let array = try NPYFile.bytes(of: AnyTensor(Tensor<Float>(range: 3)))
    let flags = try NPYFile.bytes(of: AnyTensor(Tensor<Bool>([true])))
    return [
      archive([("a.npy", array, array, 0), ("b.npy", flags, flags, 0)]),
      archive([("a.npy", array, stored(array), 8), ("b", [1, 2, 3], InflateTarget.fixed, 8)]),
      archive([]),
      archive([("a.npy", array, array, 0)], wide: true),
    ]
  }

  /// An archive anew, of arrays that are sound or nearly.
  func vary(_ input: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8]? {
    let names = ["a.npy", "b.npy", "folder/c.npy", "a", "", "../a.npy", "é.npy", "a.npy.npy"]
    let entries = (0..<random.below(5)).map { _ in
      let contents = NPYTarget.array(using: &random)
      let name = random.once(in: 3) ? random.element(of: names) : names[random.below(3)]
      switch random.below(4) {
      case 0: return (name, contents, stored(contents), 8)
      case 1: return (name, contents, contents.withUnsafeBytes { Array(Deflate.zlib($0).dropFirst(2).dropLast(4)) }, 8)
      case 2 where random.once(in: 4): return (name, contents, stored(contents), random.below(16))
      default: return (name, contents, contents, 0)
      }
    }
    return archive(entries, wide: random.once(in: 4))
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: NumPyError.self, FileError.self) {
      let file = try NPZFile(bytes: input, name: "input")
      for name in file.arrayNames {
        guard file.contains(name) else { throw FuzzFinding(message: "the array \(name) is listed but not there") }
        _ = try file.anyTensor(named: name)
      }
    }
  }

  /// Puts the right checksums into the directory, wherever its entries lead to whole data.
  func mend(_ input: inout [UInt8]) {
    var offset = 0
    while let record = input[offset...].firstIndex(of: 0x50) {
      offset = record + 1
      guard record + 46 <= input.count, number(input, record, 4) == 0x0201_4B50, number(input, record + 10, 2) == 0
      else { continue }
      let local = number(input, record + 42, 4)
      guard local + 30 <= input.count else { continue }
      let start = local + 30 + number(input, local + 26, 2) + number(input, local + 28, 2)
      let size = number(input, record + 20, 4)
      guard size <= input.count, start + size <= input.count else { continue }
      let checksum = input.withUnsafeBytes {
        CRC32.checksum(UnsafeRawBufferPointer(rebasing: $0[start..<start + size]))
      }
      for index in 0..<4 { input[record + 16 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
    }
  }

  private func number(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> Int {
    (0..<width).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }
}

// MARK: - Archives

extension NPZTarget {
  /// Deflate data of one stored block.
  func stored(_ data: [UInt8]) -> [UInt8] {
    [1] + little(data.count, 2) + little(~data.count, 2) + data
  }

  static func archive(_ files: [(name: String, contents: [UInt8])]) -> [UInt8] {
    NPZTarget().archive(files.map { ($0.name, $0.contents, $0.contents, 0) })
  }

  /// An archive of entries: name, contents, contents as they are stored, and by which method.
  func archive(
    _ entries: [(name: String, contents: [UInt8], data: [UInt8], method: Int)], wide: Bool = false
  ) -> [UInt8] {
    var file: [UInt8] = []
    var directory: [UInt8] = []
    for entry in entries {
      let checksum = entry.contents.withUnsafeBytes { CRC32.checksum($0) }
      let name = Array(entry.name.utf8)
      let sizes = little(Int(checksum), 4) + little(entry.data.count, 4) + little(entry.contents.count, 4)
      let common = little(0, 2) + little(entry.method, 2) + little(0, 4) + sizes + little(name.count, 2) + little(0, 2)
      directory += little(0x0201_4B50, 4) + little(20, 2) + little(20, 2) + common + little(0, 10)
      directory += little(file.count, 4) + name
      file += little(0x0403_4B50, 4) + little(20, 2) + common + name + entry.data
    }
    let start = file.count
    file += directory
    let end = file.count
    if wide {
      file += little(0x0606_4B50, 4) + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8)
      file += little(entries.count, 8) + little(entries.count, 8) + little(directory.count, 8) + little(start, 8)
      file += little(0x0706_4B50, 4) + little(0, 4) + little(end, 8) + little(1, 4)
    }
    file += little(0x0605_4B50, 4) + little(0, 4) + little(entries.count, 2) + little(entries.count, 2)
    return file + little(directory.count, 4) + little(start, 4) + little(0, 2)
  }

  private func little(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
  }
}
