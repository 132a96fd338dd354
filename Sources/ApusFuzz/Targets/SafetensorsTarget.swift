import Apus

/// The safetensors reader, and the writer on what it accepts.
struct SafetensorsTarget: FuzzTarget {
  let name = "safetensors"
  let summary = "safetensors files: header, every tensor, and writing them again"
  let dictionary = [
    "\"dtype\"", "\"shape\"", "\"data_offsets\"", "\"__metadata__\"", "\"F32\"", "\"F64\"", "\"F16\"", "\"BF16\"",
    "\"BOOL\"", "\"I8\"", "\"U64\"", "\"F8_E4M3\"", "{", "}", "[", "]", ",", ":", "\"", "\\u0061", "\\ud800", "null",
    "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}",
  ]

  func seeds() throws -> [[UInt8]] {
    var all = SafetensorsWriter(metadata: ["made by": "apus-fuzz", "note": "\u{1}é😀"])
    try all.add(Tensor<Float>(range: 6).reshaped([2, 3]), named: "layer.0.weight")
    try all.add(Tensor<Double>([1, 2]), named: "double")
    try all.add(Tensor<BFloat16>([BFloat16(1)]), named: "bfloat16")
    try all.add(Tensor<Int64>([1, -1]), named: "int64")
    try all.add(Tensor<UInt16>([1, 2, 3]), named: "uint16")
    try all.add(Tensor<Bool>([true, false, true]), named: "bool")
    try all.add(Tensor<Int8>(zeros: [0, 4]), named: "empty")
    var one = SafetensorsWriter()
    try one.add(Tensor<Float>([1], shape: []), named: "x")
    return [try all.bytes(), try one.bytes(), try SafetensorsWriter().bytes()]
  }

  /// The length of the header: up to its last brace.
  func mend(_ input: inout [UInt8]) {
    guard input.count > 8, let brace = input[8...].lastIndex(of: UInt8(ascii: "}")) else { return }
    let count = UInt64(brace - 7)
    for index in 0..<8 { input[index] = UInt8(truncatingIfNeeded: count >> UInt64(8 * index)) }
  }

  /// The header is JSON, and gets the length that it has.
  func vary(_ input: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8]? {
    guard let (header, data) = Self.parts(of: input), let (donor, _) = Self.parts(of: other),
      let varied = JSONSpans.mutated(header, with: donor, using: &random)
    else { return nil }
    let length = Swift.withUnsafeBytes(of: UInt64(varied.count).littleEndian) { Array($0) }
    return length + varied + data
  }

  private static func parts(of input: [UInt8]) -> (header: [UInt8], data: [UInt8])? {
    guard input.count > 8 else { return nil }
    let length = (0..<8).reduce(UInt64(0)) { $0 | UInt64(input[$1]) << UInt64(8 * $1) }
    guard length <= UInt64(input.count - 8) else { return nil }
    return (Array(input[8..<8 + Int(length)]), Array(input[(8 + Int(length))...]))
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    try outcome(allowing: SafetensorsError.self) {
      let file = try SafetensorsFile(bytes: input, name: "input")
      var writer = SafetensorsWriter(metadata: file.metadata)
      var isWhole = true
      for name in file.tensorNames {
        let info = try file.info(name)
        do {
          let tensor = try file.anyTensor(named: name)
          guard tensor.shape == info.shape, tensor.dataType == info.dataType else {
            throw FuzzFinding(message: "tensor \(name) is not what its header says")
          }
          _ = try? file.tensor(named: name, as: Float.self, converting: true)
          try writer.add(tensor, named: name)
        } catch is SafetensorsError {
          isWhole = false
        } catch is SafetensorsWriterError {
          isWhole = false
        }
      }
      if isWhole { try compare(file, writer) }
    }
  }

  /// What is written is what was read.
  private func compare(_ file: SafetensorsFile, _ writer: SafetensorsWriter) throws {
    guard let bytes = try? writer.bytes() else { return }
    let copy: SafetensorsFile
    do {
      copy = try bytes.withUnsafeBytes { try SafetensorsFile(bytes: $0, name: "copy") }
    } catch {
      throw FuzzFinding(message: "a written file is refused: \(error)")
    }
    guard copy.metadata == file.metadata, copy.tensorNames.count == file.tensorNames.count else {
      throw FuzzFinding(message: "a written file has other names or metadata")
    }
    for name in file.tensorNames {
      let (a, b) = (try file.anyTensor(named: name), try copy.anyTensor(named: name))
      guard a.shape == b.shape, try elements(of: a) == elements(of: b) else {
        throw FuzzFinding(message: "tensor \(name) comes back different")
      }
    }
  }

  private func elements(of tensor: AnyTensor) throws -> [UInt8] {
    try tensor.withUnsafeBytes { Array($0) }
  }
}
