import Apus

/// Writes PNG files of grey and RGB pictures, with or without opacity, of 8 and 16 bits.
///
/// Every row has the filter after which it looks smallest. Pictures are not interlaced, and have no chunks but those
/// that they need.
public enum PNGEncoder {
  /// The bytes of a PNG file with 8 bits per channel.
  public static func encode(_ image: Image<UInt8>) -> [UInt8] {
    file(of: image, depth: 8) { source, target in
      for index in source.indices { target[index] = source[index] }
    }
  }

  /// The bytes of a PNG file with 16 bits per channel.
  public static func encode(_ image: Image<UInt16>) -> [UInt8] {
    file(of: image, depth: 16) { source, target in
      for index in source.indices {
        target[2 * index] = UInt8(truncatingIfNeeded: source[index] >> 8)
        target[2 * index + 1] = UInt8(truncatingIfNeeded: source[index])
      }
    }
  }

  /// - Parameter store: writes a row of samples as bytes.
  @inline(__always)
  private static func file<Sample: ImageSample>(
    of image: Image<Sample>, depth: Int,
    store: (UnsafeBufferPointer<Sample>, UnsafeMutablePointer<UInt8>) -> Void
  ) -> [UInt8] {
    let count = image.rowCount * depth / 8
    let filtered = [UInt8](unsafeUninitializedCapacity: image.height * (count + 1)) { output, filled in
      let writer = PNGRowFilter(count: count, distance: image.color.channels * depth / 8)
      defer { writer.deallocate() }
      image.samples.withUnsafeBufferPointer { samples in
        for y in 0..<image.height {
          let row = UnsafeBufferPointer(rebasing: samples[y * image.rowCount..<(y + 1) * image.rowCount])
          store(row, writer.next(y))
          writer.write(y, to: UnsafeMutableBufferPointer(rebasing: output[y * (count + 1)..<(y + 1) * (count + 1)]))
        }
      }
      filled = image.height * (count + 1)
    }
    let compressed = filtered.withUnsafeBytes { Deflate.zlib($0) }
    var file = PNGChunks.signature
    file.reserveCapacity(compressed.count + 1024)
    let kind: PNGHeader.Kind =
      switch image.color {
      case .gray: .gray
      case .grayAlpha: .grayAlpha
      case .rgb: .rgb
      case .rgba: .rgba
      }
    let sides = [image.width, image.height].flatMap { bigEndian(UInt32(truncatingIfNeeded: $0)) }
    append("IHDR", (sides + [UInt8(depth), kind.rawValue, 0, 0, 0])[...], to: &file)
    for start in stride(from: 0, to: compressed.count, by: longestChunk) {
      append("IDAT", compressed[start..<min(start + longestChunk, compressed.count)], to: &file)
    }
    append("IEND", [], to: &file)
    return file
  }

  private static let longestChunk = 1 << 30

  private static func append(_ name: String, _ contents: ArraySlice<UInt8>, to file: inout [UInt8]) {
    file += bigEndian(UInt32(truncatingIfNeeded: contents.count))
    var checksum = CRC32()
    for part in [Array(name.utf8)[...], contents] {
      part.withUnsafeBytes { checksum.update($0) }
      file += part
    }
    file += bigEndian(checksum.value)
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}

/// Chooses the filter of each row: the one whose bytes, taken as signed numbers, have the least sum of absolute values.
private struct PNGRowFilter {
  private let count: Int
  private let distance: Int
  /// The row and the one above it, by turns, each after `distance` zeros; and the filtered row for each filter.
  private let rows: [UnsafeMutablePointer<UInt8>]
  private let candidates: [UnsafeMutablePointer<UInt8>]

  init(count: Int, distance: Int) {
    self.count = count
    self.distance = distance
    func zeros() -> UnsafeMutablePointer<UInt8> {
      let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: distance + count)
      memory.initialize(repeating: 0, count: distance + count)
      return memory
    }
    rows = [zeros(), zeros()]
    candidates = PNGFilter.allCases.map { _ in zeros() }
  }

  func deallocate() {
    for memory in rows + candidates { memory.deallocate() }
  }

  /// Where row `y` goes.
  func next(_ y: Int) -> UnsafeMutablePointer<UInt8> { rows[y & 1] + distance }

  /// Writes row `y` after its filter.
  func write(_ y: Int, to output: UnsafeMutableBufferPointer<UInt8>) {
    let row = UnsafePointer(rows[y & 1])
    let above = UnsafePointer(rows[1 - y & 1])
    var best = PNGFilter.none
    var least = Int.max
    for filter in PNGFilter.allCases {
      let candidate = candidates[Int(filter.rawValue)]
      let cost = filter.apply(to: row, above: above, count: count, distance: distance, into: candidate)
      if cost < least { (least, best) = (cost, filter) }
    }
    output[0] = best.rawValue
    let chosen = UnsafeBufferPointer(start: candidates[Int(best.rawValue)], count: count)
    _ = UnsafeMutableBufferPointer(rebasing: output[1...]).update(from: chosen)
  }
}

extension PNGFilter {
  /// Filters a row of `count` bytes; the row and the one above it begin with `distance` zeros that do not count.
  ///
  /// - Returns: the sum of the absolute values of the differences, as numbers from −128 to 127.
  fileprivate func apply(
    to row: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, count: Int, distance: Int,
    into output: UnsafeMutablePointer<UInt8>
  ) -> Int {
    let (x, a, b, c) = (row + distance, row, above + distance, above)
    switch self {
    case .none: for index in 0..<count { output[index] = x[index] }
    case .sub: for index in 0..<count { output[index] = x[index] &- a[index] }
    case .up: for index in 0..<count { output[index] = x[index] &- b[index] }
    case .average:
      for index in 0..<count {
        output[index] = x[index] &- UInt8(truncatingIfNeeded: (UInt16(a[index]) &+ UInt16(b[index])) >> 1)
      }
    case .paeth: for index in 0..<count { output[index] = x[index] &- Self.paeth(a[index], b[index], c[index]) }
    }
    var sum: UInt64 = 0
    for index in 0..<count { sum &+= UInt64(min(output[index], 0 &- output[index])) }
    return Int(truncatingIfNeeded: sum)
  }
}
