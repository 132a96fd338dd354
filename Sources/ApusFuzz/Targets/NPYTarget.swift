import Apus

/// The `.npy` reader, and the writer on what it accepts.
struct NPYTarget: FuzzTarget {
  let name = "npy"
  let summary = ".npy files: header, data, byte order, order of axes, and writing them again"
  let dictionary = [
    "'descr'", "'fortran_order'", "'shape'", "True", "False", "'<f4'", "'>f8'", "'|b1'", "'<i2'", "'|O'", "(", ")",
    "()", "(1,)", ",", ":", "{", "}", "[", "'", "\"", "L",
  ]

  func seeds() throws -> [[UInt8]] {
    let matrix = AnyTensor(try Tensor<Float>(range: 6).reshaped([2, 3]))
    let plain = try NPYFile.bytes(of: matrix)
    func replacing(_ old: String, _ new: String) -> [UInt8] {
      let text = String(decoding: plain.prefix(128).dropFirst(10), as: UTF8.self)
      let header = text.replacing(old, with: new, maxReplacements: 1)
      return plain.prefix(10) + Array(header.utf8) + plain.dropFirst(128)
    }
    return [
      plain, replacing("False", "True "), replacing("<f4", ">f4"), replacing("<f4", "<i2").dropLast(12),
      try NPYFile.bytes(of: AnyTensor(Tensor<Bool>([true, false]))),
      try NPYFile.bytes(of: AnyTensor(Tensor<Double>([1.5], shape: []))),
      // Version 2, whose header has a length of four bytes.
      Array(plain.prefix(6)) + [2, 0] + Array(plain[8..<10]) + [0, 0] + Array(plain[10...]),
    ]
  }

  /// The length of the header: up to its last line end.
  func mend(_ input: inout [UInt8]) {
    guard input.count > 12, let end = input[12...].lastIndex(of: UInt8(ascii: "\n")) else { return }
    let start = input[6] == 1 ? 10 : 12
    let count = end + 1 - start
    guard count >= 0 else { return }
    for index in 8..<start { input[index] = UInt8(truncatingIfNeeded: count >> (8 * (index - 8))) }
  }

  /// A header anew, of parts that are right or nearly, before data of about the size that it says.
  func vary(_ input: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8]? {
    Self.array(using: &random)
  }

  static func array(using random: inout SplitMix64) -> [UInt8] {
    let kinds: [(name: String, width: Int)] = [
      ("<f4", 4), (">f4", 4), ("<f8", 8), (">f8", 8), ("<f2", 2), ("|b1", 1), ("|i1", 1), ("|u1", 1), ("<i2", 2),
      (">u2", 2), ("<i4", 4), ("<u8", 8), (">i8", 8), ("|S3", 3), ("<U2", 8), ("<c8", 8), ("<f16", 16), ("=f4", 4),
      ("f4", 4), ("|O", 8),
    ]
    let kind = random.once(in: 8) ? random.element(of: kinds) : kinds[random.below(13)]
    let shape = (0..<random.below(5)).map { _ in random.once(in: 12) ? 0 : 1 + random.below(6) }
    var count = kind.width * shape.reduce(1, *)
    if random.once(in: 8) { count += random.below(9) - 4 }
    var sizes = shape.map { "\($0)" }
    if !sizes.isEmpty, random.once(in: 12) {
      let extremes = ["-1", "4294967296", "9223372036854775807", "1.5", "0x2", "2L", ""]
      sizes[random.below(sizes.count)] = random.element(of: extremes)
    }
    let comma = sizes.count == 1 && !random.once(in: 8) ? "," : ""
    var entries = [
      "'descr': '\(kind.name)'", "'fortran_order': \(random.once(in: 2) ? "True" : "False")",
      "'shape': (\(sizes.joined(separator: ", "))\(comma))",
    ]
    if random.once(in: 4) { entries.shuffle(using: &random) }
    if random.once(in: 16) { entries.append(random.element(of: entries)) }
    if random.once(in: 16) { entries.removeLast() }
    var header = Array("{\(entries.joined(separator: ", ")), }".utf8)
    let version: UInt8 = random.once(in: 3) ? 2 + UInt8(random.below(2)) : 1
    let prefix = version == 1 ? 10 : 12
    let alignment = random.once(in: 8) ? 1 : 64
    while (prefix + header.count + 1) % alignment != 0 { header.append(0x20) }
    header.append(0x0A)
    let length = (0..<prefix - 8).map { UInt8(truncatingIfNeeded: header.count >> (8 * $0)) }
    let data = (0..<max(count, 0)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let start: [UInt8] = [0x93] + Array("NUMPY".utf8) + [version, 0]
    return start + length + header + data
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: NumPyError.self) {
      let tensor = try NPYFile.read(bytes: input, name: "input")
      let written = try NPYFile.bytes(of: tensor)
      let copy = try written.withUnsafeBytes { try NPYFile.read(bytes: $0, name: "copy") }
      guard copy.shape == tensor.shape, copy.dataType == tensor.dataType,
        try copy.withUnsafeBytes({ Array($0) }) == tensor.withUnsafeBytes({ Array($0) })
      else { throw FuzzFinding(message: "an array comes back different") }
    }
  }
}
