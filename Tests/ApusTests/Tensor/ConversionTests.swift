import Testing

@testable import Apus

@Suite("Conversion between element types")
struct ConversionTests {
  @Test("every half-precision number, both ways, on every variant")
  func halves() throws {
    let patterns = (0...UInt16.max).map { $0 }
    let x = try Tensor(patterns.map { Float16(bitPattern: $0) })
    for (variant, result) in try resultsByVariant({ try x.converted(to: Float.self) }) {
      let wrong = zip(patterns, try result.elements).first { pattern, value in
        let expected = Float(Float16(bitPattern: pattern))
        return expected.isNaN ? !value.isNaN : value.bitPattern != expected.bitPattern
      }
      #expect(wrong == nil, "\(variant)")
      let back = try Execution.with(variant: variant) { try result.converted(to: Float16.self).elements }
      let changed = zip(try x.elements, back).first { $0.isNaN ? !$1.isNaN : $0.bitPattern != $1.bitPattern }
      #expect(changed == nil, "\(variant)")
    }
  }

  @Test("rounding to sixteen bits: halfway, subnormal, overflowing")
  func narrowing() throws {
    var values: [Float] = [
      65519.9, 65520, 65536, -1e30, .infinity, .nan, 0, -0.0, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.002p0,
    ]
    var generator = SplitMix64(seed: 1)
    for exponent in -30...20 {
      for _ in 0..<20 {
        let value = Float(sign: .plus, exponent: exponent, significand: Float.random(in: 1..<2, using: &generator))
        // The number itself, and what lies exactly between two half-precision numbers.
        values += [value, -value, Float(bitPattern: value.bitPattern & 0xFFFF_F000 | 0x1000)]
      }
    }
    let x = try Tensor(values)
    for (variant, result) in try resultsByVariant({ try x.converted(to: Float16.self) }) {
      for (value, half) in zip(values, try result.elements) {
        let expected = Float16(value)
        #expect(half == expected || (half.isNaN && expected.isNaN), "\(value) \(variant)")
      }
    }
    for (variant, result) in try resultsByVariant({ try x.converted(to: BFloat16.self) }) {
      for (value, brain) in zip(values, try result.elements) {
        let expected = BFloat16(value)
        #expect(brain == expected || (Float(brain).isNaN && value.isNaN), "\(value) \(variant)")
      }
    }
    // From float64 in one rounding: by way of Float this would be 1.
    #expect(try Tensor<Double>([1 + 0x1p-11 + 0x1p-40]).converted(to: Float16.self).scalar == Float16(1 + 0x1p-10))
  }

  @Test("integers to floating point", arguments: [0, 1, 100, 1000])
  func wholeNumbers(count: Int) throws {
    var generator = SplitMix64(seed: 2)
    let values = (0..<count).map { _ in Int64.random(in: .min ... .max, using: &generator) }
    func check<I: TensorScalar & FixedWidthInteger>(_ type: I.Type) throws {
      let narrow = values.map { I(truncatingIfNeeded: $0) }
      let x = try Tensor(narrow)
      for (variant, result) in try resultsByVariant({ try x.converted(to: Float.self) }) {
        #expect(try result.elements == narrow.map { Float($0) }, "\(type) \(variant)")
      }
      for (variant, result) in try resultsByVariant({ try x.converted(to: Double.self) }) {
        #expect(try result.elements == narrow.map { Double($0) }, "\(type) \(variant)")
      }
      #expect(try x.converted(to: Int64.self).elements == narrow.map { Int64(truncatingIfNeeded: $0) })
      #expect(try x.converted(to: UInt8.self).elements == narrow.map { UInt8(truncatingIfNeeded: $0) })
      #expect(try x.converted(to: Bool.self).elements == narrow.map { $0 != 0 })
    }
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
  }

  @Test("floating point to integers: truncated, limited, NaN is zero")
  func truncation() throws {
    let values: [Double] = [
      0, -0.9, 1.9, -1.9, 127.5, 128, 255.9, 256, -129, 1e30, -1e30, .infinity, -.infinity, .nan, 0x1p53 + 2,
    ]
    func expected<I: FixedWidthInteger>(_ value: Double, _ type: I.Type) -> I {
      if value.isNaN { return 0 }
      let whole = value.rounded(.towardZero)
      return whole >= Double(I.max) ? I.max : whole <= Double(I.min) ? I.min : I(whole)
    }
    func check<I: TensorScalar & FixedWidthInteger>(_ type: I.Type) throws {
      for (variant, result) in try resultsByVariant({ try Tensor(values).converted(to: type) }) {
        #expect(try result.elements == values.map { expected($0, type) }, "\(type) \(variant)")
      }
      let floats = values.map { Float($0) }
      #expect(try Tensor(floats).converted(to: type).elements == floats.map { expected(Double($0), type) })
    }
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
    #expect(try Tensor<Float>([0, -0.0, 0.5, .nan]).converted(to: Bool.self).elements == [false, false, true, true])
    #expect(try Tensor([true, false]).converted(to: Float.self).elements == [1, 0])
  }

  @Test("between float32 and float64, and to itself without a copy")
  func precision() throws {
    let x: Tensor<Float> = try randomTensor([3, 1001], seed: 3)
    let wide = try x.converted(to: Double.self)
    #expect(try wide.elements == x.elements.map { Double($0) })
    #expect(try wide.converted(to: Float.self).bytes == x.bytes)
    let same = try x.converted(to: Float.self)
    #expect(same.storage === x.storage)
    #expect(try x.reshaped([1, 3003, 1]).channelBlocked.converted(to: Double.self).shape == [1, 3003, 1])
  }
}
