import Apus
import ApusGraph
import ApusONNX

/// Files of one ONNX value: a tensor, a sequence and an optional, whichever the bytes turn out to be.
struct ONNXTensorTarget: ProtobufFuzzTarget {
  let name = "onnx-tensor"
  let summary = "ONNX values: tensors of every element type, sequences, optionals, and writing them again"
  let dictionary = [
    "\u{8}\u{3}", "\u{10}\u{1}", "\u{10}\u{8}", "\u{10}\u{16}", "\u{10}\u{1B}", "J\u{4}", "*\u{2}", "2\u{1}a",
  ]

  func seeds() throws -> [[UInt8]] {
    let codes = try Tensor<UInt8>([1, 2, 3, 0, 1])
    let values = [
      GraphValue(try Tensor<Float>(range: 6).reshaped([2, 3])), GraphValue(try Tensor<Bool>([true, false])),
      GraphValue(try Tensor<Int64>([1, -1])), GraphValue(try Tensor<BFloat16>([BFloat16(1)])),
      .coded(CodedTensor(elementType: .int4, codes: codes)), .coded(CodedTensor(elementType: .int2, codes: codes)),
      .coded(CodedTensor(elementType: .float6e2m3, codes: codes)),
      .strings(try StringTensor(["one", "two"], shape: [2])),
    ]
    // Numbers in a list: int32_data of type INT8, float_data, and int64_data one by one.
    let lists: [[UInt8]] = [
      [0x0A, 2, 1, 3, 0x10, 3, 0x2A, 3, 1, 2, 0x7F], [0x08, 1, 0x10, 1, 0x22, 4, 0, 0, 0x80, 0x3F],
      [0x08, 2, 0x10, 7, 0x38, 5, 0x38, 6],
    ]
    let tensors = try values.map { try ValueFile.bytes(of: $0) }
    let element = GraphValueType.tensor(.float, nil)
    return tensors + lists + [
      try ValueFile.bytes(of: .sequence(Array(values.prefix(2)), element: element)),
      try ValueFile.bytes(of: .optional(values[0], element: element)),
    ]
  }

  func run(_ input: UnsafeRawBufferPointer) throws(FuzzFinding) -> FuzzOutcome {
    // A few bytes can say that a sparse tensor has any number of zeros.
    let tensor = GraphValueType.tensor(nil, nil)
    var outcomes: [FuzzOutcome] = []
    for type in [tensor, .sequence(.sequence(tensor)), .optional(.sequence(tensor))] {
      outcomes.append(
        try outcome(memory: 64 << 20, allowing: ONNXFileError.self) {
          let value = try ValueFile.read(bytes: input, name: "input", as: type).value
          let bytes = try ValueFile.bytes(of: value)
          let again = try bytes.withUnsafeBytes { try ValueFile.read(bytes: $0, name: "again", as: type).value }
          guard try ValueFile.bytes(of: again) == bytes else {
            throw FuzzFinding(message: "a value of type \(value.type) comes back different")
          }
        })
    }
    return outcomes.contains(.accepted) ? .accepted : .refused
  }
}
