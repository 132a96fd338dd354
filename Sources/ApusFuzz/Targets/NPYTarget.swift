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
      guard let range = text.firstRange(of: old) else { return plain }
      let header = text[..<range.lowerBound] + new + text[range.upperBound...]
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
