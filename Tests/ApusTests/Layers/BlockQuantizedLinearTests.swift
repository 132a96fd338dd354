import ApusTestSupport
import Testing

@testable import Apus

/// Matrices of four and eight bits in blocks, against the same matrices as numbers: bit for bit.
@Suite struct BlockQuantizedLinearTests {
  struct Form: Sendable, CustomTestStringConvertible {
    let bits: Int
    let blockSize: Int
    let hasZeroPoints: Bool

    var testDescription: String { "\(bits) bits, \(blockSize)\(hasZeroPoints ? ", zero points" : "")" }

    static let all = [4, 8].flatMap { bits in
      [16, 32, 128, 512].flatMap { blockSize in
        [true, false].map { Form(bits: bits, blockSize: blockSize, hasZeroPoints: $0) }
      }
    }
  }

  /// A matrix and, by its definition, its values `[outputs, inputs]`.
  private func matrix<Scalar: FloatingPointScalar & BinaryFloatingPoint>(
    _ form: Form, inputs: Int, outputs: Int, as type: Scalar.Type
  ) throws -> (stored: BlockQuantizedMatrix<Scalar>, values: Tensor<Scalar>) {
    var random = SplitMix64(seed: UInt64(inputs * 100 + outputs))
    let blocks = (inputs + form.blockSize - 1) / form.blockSize
    let greatest: UInt8 = form.bits == 4 ? 15 : 255
    let codes = randomIntegers(outputs * blocks * form.blockSize, in: 0...greatest, using: &random)
    let points = randomIntegers(outputs * blocks, in: 0...greatest, using: &random)
    let scales = randomNumbers(outputs * blocks, in: Float(-0.1)...0.1, using: &random).map { Scalar($0) }
    let bytes =
      form.bits == 8
      ? codes : stride(from: 0, to: codes.count, by: 2).map { codes[$0] | codes[$0 + 1] << 4 }
    var values: [Scalar] = []
    for output in 0..<outputs {
      for input in 0..<inputs {
        let block = output * blocks + input / form.blockSize
        let zero = form.hasZeroPoints ? Scalar(points[block]) : form.bits == 4 ? 8 : 128
        values.append((Scalar(codes[output * blocks * form.blockSize + input]) - zero) * scales[block])
      }
    }
    let shape = [outputs, blocks]
    let stored = try BlockQuantizedMatrix<Scalar>(
      codes: Tensor(bytes, shape: [outputs, bytes.count / outputs]), bits: form.bits, blockSize: form.blockSize,
      scales: Tensor(scales, shape: shape), zeroPoints: form.hasZeroPoints ? Tensor(points, shape: shape) : nil,
      inputs: inputs)
    return (stored, try Tensor(values, shape: [outputs, inputs]))
  }

  private func check<Scalar: FloatingPointScalar & BinaryFloatingPoint>(
    _ form: Form, inputs: Int, outputs: Int, as type: Scalar.Type
  ) throws {
    let (stored, values) = try matrix(form, inputs: inputs, outputs: outputs, as: type)
    let bias = try Tensor((0..<outputs).map { Scalar($0 % 7 - 3) }, shape: [outputs])
    let narrow = try Linear<Scalar>(stored, bias: bias)
    let wide = try Linear<Scalar>(weight: values, bias: bias)
    for rows in [1, 2, 9, 33] {
      let x = try Tensor((0..<rows * inputs).map { Scalar($0 * 31 % 64 - 32) / 16 }, shape: [rows, inputs])
      #expect(try narrow(x).elements == wide(x).elements, "\(rows) rows, \(inputs) inputs, \(outputs) outputs")
    }
  }

  @Test(arguments: Form.all)
  func productsAreThoseOfTheNumbers(form: Form) throws {
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        for (inputs, outputs) in [(1, 1), (7, 16), (16, 17), (40, 5), (256, 33), (391, 48), (1030, 70)] {
          try check(form, inputs: inputs, outputs: outputs, as: Float.self)
        }
      }
    }
    for (inputs, outputs) in [(1, 1), (40, 9), (391, 24)] {
      try check(form, inputs: inputs, outputs: outputs, as: Double.self)
    }
  }

  @Test func severalThreadsGiveTheSameBits() throws {
    let form = Form(bits: 4, blockSize: 32, hasZeroPoints: true)
    let (stored, _) = try matrix(form, inputs: 300, outputs: 1000, as: Float.self)
    let linear = try Linear<Float>(stored)
    for rows in [1, 40] {
      let x = try Tensor((0..<rows * 300).map { Float($0 % 13) - 6 }, shape: [rows, 300])
      let one = try Execution.with(threads: 1) { try linear(x).elements }
      #expect(try Execution.with(threads: 3) { try linear(x).elements } == one)
    }
  }

  @Test func whatDoesNotFitIsRefused() throws {
    let scales = try Tensor<Float>(repeating: 1, shape: [2, 3])
    func make(codes: [Int] = [2, 24], bits: Int = 4, blockSize: Int = 16, zeroPoints: [Int]? = nil, inputs: Int = 40)
      throws
    {
      _ = try BlockQuantizedMatrix<Float>(
        codes: Tensor(zeros: codes), bits: bits, blockSize: blockSize, scales: scales,
        zeroPoints: zeroPoints.map { try Tensor(zeros: $0) }, inputs: inputs)
    }
    try make()
    try make(zeroPoints: [2, 3])
    #expect(throws: TensorError.self) { try make(codes: [2, 23]) }
    #expect(throws: TensorError.self) { try make(codes: [48]) }
    #expect(throws: TensorError.self) { try make(bits: 3) }
    #expect(throws: TensorError.self) { try make(bits: 8) }
    #expect(throws: TensorError.self) { try make(blockSize: 24) }
    #expect(throws: TensorError.self) { try make(blockSize: 0) }
    #expect(throws: TensorError.self) { try make(zeroPoints: [1]) }
    #expect(throws: TensorError.self) { try make(inputs: 32) }
    #expect(throws: TensorError.self) { try make(inputs: 49) }
    #expect(throws: TensorError.self) { try make(inputs: 0) }
    #expect(throws: TensorError.self) {
      _ = try Linear<Float>(
        BlockQuantizedMatrix(
          codes: Tensor(zeros: [2, 24]), bits: 4, blockSize: 16, scales: scales, zeroPoints: nil, inputs: 40),
        bias: Tensor(zeros: [3]))
    }
  }
}
