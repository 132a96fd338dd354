import Testing

@testable import Apus

/// Expected values are ONNX Runtime's, numpy's and hand computation.
@Suite struct QuantizeLinearTests {
  private static let x: [Float] = [0, 2, 3, 1000, -254, -1000, .nan, .infinity, -.infinity, 1, 5, 7]

  @Test func tiesGoToEvenAndTheRestSaturates() throws {
    try check([128, 129, 130, 255, 1, 0, 0, 255, 0, 128, 130, 132], zeroPoint: UInt8(128))
    try check([-5, -4, -3, 127, -128, -128, -128, 127, -128, -5, -3, -1], zeroPoint: Int8(-5))
    try check(
      [32767, 32768, 32769, 33267, 32640, 32267, 0, 65535, 0, 32767, 32769, 32771], zeroPoint: UInt16(32767))
    try check([-2, -1, 0, 498, -129, -502, -32768, 32767, -32768, -2, 0, 2], zeroPoint: Int16(-2))
  }

  private func check<Result: QuantizedScalar>(_ expected: [Result], zeroPoint: Result) throws {
    // Once as a rest, once in whole vectors.
    for copies in [1, 7] {
      let x = try Tensor((0..<copies).flatMap { _ in Self.x })
      let wanted = (0..<copies).flatMap { _ in expected }
      let scale = try Tensor<Float>([2], shape: []), point = try Tensor([zeroPoint], shape: [])
      for (variant, result) in try resultsByVariant({ try quantizeLinear(x, scale: scale, zeroPoint: point) }) {
        #expect(try result.elements == wanted, "\(variant)")
      }
    }
  }

  /// The quotient is what division gives: 0.3 / 0.1 is 3, and 0.3 times the rounded reciprocal may not be.
  @Test func quotientsAreDivided() throws {
    let x = try randomTensor([5000], seed: 3, in: -40...40, as: Float.self)
    for scale: Float in [0.1, 0.3, 0.007, 3] {
      let expected = try x.elements.map { Int8(clamping: Int(($0 / scale).rounded(.toNearestOrEven)) + 11) }
      let results = try resultsByVariant {
        try quantizeLinear(x, scale: Tensor([scale], shape: []), zeroPoint: Tensor([Int8(11)], shape: []))
      }
      for (variant, result) in results { #expect(try result.elements == expected, "\(variant)") }
    }
  }

  /// What lies half-way between two integers, and its neighbours, for scales of every size: as division has them.
  @Test(arguments: [Float(0.1), 0.0123, 1, 3.7, 5e-20, 2e-27, 1e-30, 8e19, 4e29, -0.25, 0, .infinity, .nan])
  func halvesAreDivided(scale: Float) throws {
    let x = (-150...150).flatMap { index -> [Float] in
      let half = (Float(index) + 0.5) * scale
      return [half, half.nextUp, half.nextDown, Float(index) * scale]
    }
    let expected = x.map { x -> UInt8 in
      let quotient = (x / scale).rounded(.toNearestOrEven)
      return quotient.isNaN ? 0 : UInt8(min(max(quotient, -113), 142) + 113)
    }
    let results = try resultsByVariant {
      try quantizeLinear(Tensor(x), scale: Tensor([scale], shape: []), zeroPoint: Tensor([UInt8(113)], shape: []))
    }
    for (variant, result) in results { #expect(try result.elements == expected, "\(variant)") }
  }

  /// One scale an index of the axis, for long and short runs and a last axis.
  @Test(arguments: [([2, 3, 70], 1), ([2, 3, 5], 1), ([4, 37], 1), ([4, 37], -2), ([300, 3], 1), ([3], 0)])
  func axesHaveTheirOwnScales(shape: [Int], axis: Int) throws {
    let resolved = axis < 0 ? axis + shape.count : axis
    let size = shape[resolved], inner = shape[(resolved + 1)...].reduce(1, *)
    let x = try randomTensor(shape, seed: 1, in: -3...3, as: Float.self)
    let scale = try randomTensor([size], seed: 2, in: 0.01...0.1, as: Float.self)
    let zeroPoint = try randomIntegers([size], seed: 3, as: UInt8.self)
    let (values, s, z) = (try x.elements, try scale.elements, try zeroPoint.elements)
    let expected = values.indices.map { i -> UInt8 in
      let index = i / inner % size
      return UInt8(clamping: Int((values[i] / s[index]).rounded(.toNearestOrEven)) + Int(z[index]))
    }
    let results = try resultsByVariant { try quantizeLinear(x, scale: scale, zeroPoint: zeroPoint, axis: axis) }
    for (variant, y) in results {
      #expect(try y.elements == expected, "\(variant)")
      let back = expected.indices.map { i -> Float in
        let index = i / inner % size
        return Float(Int(expected[i]) - Int(z[index])) * s[index]
      }
      let found = try dequantizeLinear(y, scale: scale, zeroPoint: zeroPoint, axis: axis)
      #expect(try found.elements == back, "\(variant)")
    }
  }

  /// Blocks along an axis, the last one shorter.
  @Test(arguments: [([4, 10], 1, 4), ([7, 6], 0, 3), ([2, 5, 20], 1, 2), ([3, 8], 1, 8), ([2, 3, 4], -1, 5)])
  func blocksHaveTheirOwnScales(shape: [Int], axis: Int, block: Int) throws {
    let resolved = axis < 0 ? axis + shape.count : axis
    let size = shape[resolved], inner = shape[(resolved + 1)...].reduce(1, *)
    let blocks = (size + block - 1) / block
    var blocked = shape
    blocked[resolved] = blocks
    let x = try randomTensor(shape, seed: 1, in: -3...3, as: Float.self)
    let scale = try randomTensor(blocked, seed: 2, in: 0.01...0.1, as: Float.self)
    let zeroPoint = try randomIntegers(blocked, seed: 3, as: Int8.self)
    let (values, s, z) = (try x.elements, try scale.elements, try zeroPoint.elements)
    func scaleIndex(_ i: Int) -> Int {
      (i / (inner * size) * blocks + i / inner % size / block) * inner + i % inner
    }
    let expected = values.indices.map { i -> Int8 in
      Int8(clamping: Int((values[i] / s[scaleIndex(i)]).rounded(.toNearestOrEven)) + Int(z[scaleIndex(i)]))
    }
    let results = try resultsByVariant {
      try quantizeLinear(x, scale: scale, zeroPoint: zeroPoint, axis: axis, blockSize: block)
    }
    for (variant, y) in results {
      #expect(try y.elements == expected, "\(variant)")
      let back = expected.indices.map { Float(Int(expected[$0]) - Int(z[scaleIndex($0)])) * s[scaleIndex($0)] }
      let found = try dequantizeLinear(y, scale: scale, zeroPoint: zeroPoint, axis: axis, blockSize: block)
      #expect(try found.elements == back, "\(variant)")
    }
  }

  @Test func everyIntegerTypeIsDequantized() throws {
    let half = try Tensor<Float>([0.5], shape: [])
    #expect(
      try dequantizeLinear(Tensor<Int8>([-128, 127]), scale: half, zeroPoint: Tensor([1], shape: [])).elements
        == [-64.5, 63])
    #expect(
      try dequantizeLinear(Tensor<UInt8>([0, 255]), scale: half, zeroPoint: Tensor([255], shape: [])).elements
        == [-127.5, 0])
    #expect(try dequantizeLinear(Tensor<Int16>([-32768, 32767]), scale: half).elements == [-16384, 16383.5])
    #expect(
      try dequantizeLinear(Tensor<UInt16>([0, 65535]), scale: half, zeroPoint: Tensor([1], shape: [])).elements
        == [-0.5, 32767])
    #expect(
      try dequantizeLinear(Tensor<Int32>([.min, 7, .max]), scale: half).elements
        == [-1_073_741_824, 3.5, 1_073_741_824])
    #expect(throws: TensorError.self) { try dequantizeLinear(Tensor<Int64>([1]), scale: half) }
  }

  @Test func shapesThatDoNotFitAreRefused() throws {
    let x = try Tensor<Float>(zeros: [2, 6])
    func quantize(_ scale: [Int], _ point: [Int]?, axis: Int = 1, block: Int = 0) throws {
      _ = try quantizeLinear(
        x, scale: Tensor(zeros: scale), zeroPoint: point.map { try Tensor<Int8>(zeros: $0) }, axis: axis,
        blockSize: block)
    }
    #expect(throws: TensorError.self) { try quantize([5], nil) }
    #expect(throws: TensorError.self) { try quantize([6], [2]) }
    #expect(throws: TensorError.self) { try quantize([6], nil, axis: 2) }
    #expect(throws: TensorError.self) { try quantize([2, 6], nil) }
    #expect(throws: TensorError.self) { try quantize([2, 2], nil, block: 4 - 2) }
    #expect(throws: TensorError.self) { try quantize([2, 2], nil, block: -3) }
    #expect(throws: TensorError.self) { try quantize([2, 2], [1], block: 3) }
    try quantize([2, 2], [2, 2], block: 3)
    #expect(
      try quantizeLinear(Tensor<Float>(zeros: [0, 6]), scale: Tensor(zeros: [6]), to: Int8.self).shape == [0, 6])
  }

  /// Values, scale and zero point as ONNX Runtime has them.
  @Test(
    arguments: [
      ([0, 2, -3, -2.5, 1.34, 0.5], [153, 255, 0, 26, 221, 179], 5 / 255, 153),
      ([0, 0, 0], [0, 0, 0], 1, 0),
      ([5, 1, 2], [255, 51, 102], 5 / 255, 0),
      ([-1, -2], [128, 0], 2 / 255, 255),
      ([.infinity, 1, -1], [0, 0, 0], .infinity, 0),
      ([3e38, -3e38, 1], [0, 0, 0], .infinity, 0),
      ([], [], 1, 0),
    ] as [([Float], [UInt8], Float, UInt8)])
  func rangesAreFound(x: [Float], values: [UInt8], scale: Float, zeroPoint: UInt8) throws {
    for variant in Execution.availableVariants {
      let result = try Execution.with(variant: variant) { try dynamicQuantizeLinear(Tensor(x)) }
      #expect(result.scale == scale && result.zeroPoint == zeroPoint, "\(variant): \(result.scale) \(result.zeroPoint)")
      #expect(try result.values.elements == values, "\(variant)")
    }
  }

  @Test func rangesOfLongTensorsAreFound() throws {
    var x = [Float](repeating: 0.25, count: 100_003)
    (x[50_001], x[100_002], x[7]) = (-3, 2.1, .nan)
    for variant in Execution.availableVariants {
      for threads in [1, 2, 7] {
        let result = try Execution.with(threads: threads, variant: variant) { try dynamicQuantizeLinear(Tensor(x)) }
        #expect(result.scale == Float(5.1) / 255)
        #expect(result.zeroPoint == 150)
        let y = try result.values.elements
        #expect((y[50_001], y[100_002], y[7], y[0]) == (0, 255, 0, 162))
      }
    }
  }
}
