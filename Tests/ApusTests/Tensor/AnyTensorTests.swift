import Testing

@testable import Apus

@Suite("AnyTensor")
struct AnyTensorTests {
  @Test("every half widens to what the processor makes of it")
  func everyHalf() throws {
    let patterns = (0...UInt16.max).map { Float16(bitPattern: $0) }
    let wide = try AnyTensor(Tensor<Float16>(patterns)).converted(to: Float.self).elements
    let wider = try AnyTensor(Tensor<Float16>(patterns)).converted(to: Double.self).elements
    for (half, (single, double)) in zip(patterns, zip(wide, wider)) {
      if half.isNaN {
        #expect(single.isNaN && double.isNaN)
      } else {
        #expect(single.bitPattern == Float(half).bitPattern)
        #expect(double.bitPattern == Double(half).bitPattern)
      }
    }
  }

  @Test("erasing and restoring a type shares memory")
  func erasure() throws {
    func check<Scalar>(_ tensor: Tensor<Scalar>) throws {
      let erased = AnyTensor(tensor)
      #expect(erased.dataType == Scalar.dataType)
      #expect(erased.shape == tensor.shape)
      let restored = try #require(erased.tensor(of: Scalar.self))
      #expect(restored.pointer == tensor.pointer)
      #expect((erased.tensor(of: Float.self) != nil) == (Scalar.self == Float.self))
      #expect((erased.tensor(of: Int32.self) != nil) == (Scalar.self == Int32.self))
    }
    try check(Tensor<Double>([1, 2]))
    try check(Tensor<Float>([1, 2]))
    try check(Tensor<Float16>([1, 2]))
    try check(Tensor<BFloat16>([BFloat16(1), BFloat16(2)]))
    try check(Tensor<Int8>([1, 2]))
    try check(Tensor<Int16>([1, 2]))
    try check(Tensor<Int32>([1, 2]))
    try check(Tensor<Int64>([1, 2]))
    try check(Tensor<UInt8>([1, 2]))
    try check(Tensor<UInt16>([1, 2]))
    try check(Tensor<UInt32>([1, 2]))
    try check(Tensor<UInt64>([1, 2]))
    try check(Tensor<Bool>([true, false]))
  }

  @Test("conversion to floating point rounds to the nearest")
  func rounding() throws {
    let large = AnyTensor(try Tensor<Int64>([16_777_217, -1, .max, .min]))
    #expect(try large.converted(to: Float.self).elements == [16_777_216, -1, 0x1p63, -0x1p63])
    #expect(try large.converted(to: Double.self).elements == [16_777_217, -1, 0x1p63, -0x1p63])
    #expect(try AnyTensor(Tensor<UInt64>([.max])).converted(to: Float.self).elements == [0x1p64])
    #expect(try AnyTensor(Tensor<Bool>([true, false])).converted(to: Float.self).elements == [1, 0])
    #expect(try AnyTensor(Tensor<Double>([0.1, .infinity])).converted(to: Float.self).elements == [0.1, .infinity])
  }

  @Test("integers convert exactly or not at all")
  func exactness() throws {
    let tensor = AnyTensor(try Tensor<UInt64>([1, .max]))
    #expect(throws: TensorError.argument(operation: "convert", reason: "\(UInt64.max) does not fit in int64")) {
      try tensor.tensor(as: Int64.self, converting: true)
    }
    #expect(throws: TensorError.argument(operation: "convert", reason: "\(UInt64.max) does not fit in uint8")) {
      try tensor.tensor(as: UInt8.self, converting: true)
    }
    let small = AnyTensor(try Tensor<Int16>([0, 255]))
    #expect(try small.tensor(as: UInt8.self, converting: true)?.elements == [0, 255])
    #expect(throws: TensorError.argument(operation: "convert", reason: "255 does not fit in int8")) {
      try small.tensor(as: Int8.self, converting: true)
    }
    let limits = AnyTensor(try Tensor<Int64>([-128, 127]))
    #expect(try limits.tensor(as: Int8.self, converting: true)?.elements == [-128, 127])
    #expect(throws: TensorError.argument(operation: "convert", reason: "-128 does not fit in uint64")) {
      try limits.tensor(as: UInt64.self, converting: true)
    }
    let fractions = try AnyTensor(Tensor<Float>([1])).tensor(as: Int32.self, converting: true)
    #expect(fractions == nil)
    let unasked = try small.tensor(as: UInt8.self)
    #expect(unasked == nil)
  }
}
