import Apus
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Values and steps come from ml_dtypes and the reference implementation of ONNX: see `onnx_coding.py`.
@Suite struct ReadingCodingTests {
  private static let file = try? SafetensorsFile(path: onnxFixture("coding.safetensors"))
  static let floats: [ElementType] = [
    .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .float4e2m1, .float6e2m3, .float6e3m2,
  ]
  static let integers: [ElementType] = [.int4, .uint4, .int2, .uint2]

  private func fixture<Scalar: TensorScalar>(_ name: String, of: Scalar.Type = Scalar.self) throws -> [Scalar] {
    try #require(Self.file).tensor(named: name, as: Scalar.self).elements
  }

  private func fixture<Scalar: TensorScalar>(
    _ type: ElementType, _ name: String, of: Scalar.Type = Scalar.self
  ) throws -> [Scalar] {
    try fixture("\(type)".lowercased() + name)
  }

  @Test(arguments: floats + integers + [.float8e8m0])
  func everyCodeHasItsValue(_ type: ElementType) throws {
    let expected = try fixture(type, ".values", of: Float.self)
    let codes = try Tensor<UInt8>((0..<expected.count).map { UInt8($0) })
    let values = try CodedTensor(elementType: type, codes: codes).widened().elements
    for (code, (value, expected)) in zip(values, expected).enumerated() {
      #expect(value.bitPattern == expected.bitPattern || (value.isNaN && expected.isNaN), "code \(code)")
    }
  }

  @Test(arguments: floats, [false, true])
  func everyFloatIsRoundedAsTheReferenceRoundsIt(_ type: ElementType, saturate: Bool) throws {
    let rows = try fixture(type, ".\(saturate ? "saturating." : "")steps", of: Int64.self)
    var (inputs, expected): ([Float], [UInt8]) = ([], [])
    func add(_ bits: Int64, _ code: Int64) {
      inputs.append(Float(bitPattern: UInt32(bits)))
      expected.append(UInt8(code))
    }
    let count = rows.count / 2
    for row in 0..<count {
      let (first, code) = (rows[2 * row], rows[2 * row + 1])
      let last = row + 1 < count ? rows[2 * row + 2] - 1 : 0xFFFF_FFFF
      // Both ends, and a few in between.
      for step in 0...8 { add(first + (last - first) * Int64(step) / 8, code) }
    }
    let codes = try CodedTensor(rounding: Tensor(inputs), to: type, saturate: saturate).codes.elements
    for (input, (code, expected)) in zip(inputs, zip(codes, expected)) where code != expected {
      Issue.record("\(input) (\(input.bitPattern)) became \(code), not \(expected)")
    }
  }

  @Test(arguments: integers)
  func integersKeepTheLowBitsOfTheWholePart(_ type: ElementType) throws {
    let numbers = try Tensor(fixture(type, ".numbers", of: Float.self))
    #expect(
      try CodedTensor(rounding: numbers, to: type).codes.elements == fixture(type, ".codes"))
    let whole = try Tensor(fixture(type, ".whole", of: Int64.self))
    #expect(
      try CodedTensor(wrapping: whole, to: type).codes.elements == fixture(type, ".whole.codes"))
    let none = try Tensor<Float>([.nan, .infinity, -.infinity, 1e30, -1e30, 0x1p31, -0x1p31])
    #expect(try CodedTensor(rounding: none, to: type).codes.elements == [0, 0, 0, 0, 0, 0, 0])
  }

  @Test(arguments: CodedTensor.RoundMode.allCases, [false, true])
  func powersOfTwoAreRoundedEachWay(_ mode: CodedTensor.RoundMode, saturate: Bool) throws {
    let numbers = try Tensor(fixture("float8e8m0.numbers", of: Float.self))
    let codes = try CodedTensor(rounding: numbers, to: .float8e8m0, saturate: saturate, roundMode: mode).codes.elements
    #expect(try codes == fixture("float8e8m0.\(mode)\(saturate ? ".saturating" : "")"))
  }

  @Test func powersOfTwoEndAsTheTablesOfTheStandardSay() throws {
    func codes(_ values: [Float], _ mode: CodedTensor.RoundMode, saturate: Bool) throws -> [UInt8] {
      try CodedTensor(rounding: Tensor(values), to: .float8e8m0, saturate: saturate, roundMode: mode).codes.elements
    }
    let ends: [Float] = [0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, .nan]
    #expect(try codes(ends, .up, saturate: true) == [0, 0, 0xFE, 0xFE, 0xFF])
    #expect(try codes(ends, .nearest, saturate: false) == [0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    // The smallest powers, 2^-127 and 2^-126, and what lies between: half way is 1.5 * 2^-127.
    let small: [Float] = [0x1p-127, 0x1.4p-127, 0x1.8p-127, 0x1.cp-127, 0x1p-126]
    #expect(try codes(small, .up, saturate: true) == [0, 1, 1, 1, 1])
    #expect(try codes(small, .down, saturate: true) == [0, 0, 0, 0, 1])
    #expect(try codes(small, .nearest, saturate: false) == [0, 0, 1, 1, 1])
  }

  @Test func otherTypesAreNotCoded() throws {
    #expect(throws: TensorError.self) { try CodedTensor(rounding: Tensor<Float>([1]), to: .float) }
    #expect(throws: TensorError.self) { try CodedTensor(wrapping: Tensor<Int64>([1]), to: .float8e5m2) }
    #expect(throws: TensorError.self) {
      try CodedTensor(elementType: .int8, codes: Tensor<UInt8>([1])).widened()
    }
  }
}
