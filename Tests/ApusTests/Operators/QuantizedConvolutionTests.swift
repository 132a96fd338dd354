import ApusTestSupport
import Testing

@testable import Apus

/// Convolutions of bytes against a loop in 64 bits, over shapes chosen to leave rests everywhere.
@Suite struct QuantizedConvolutionTests {
  typealias Case = ConvolutionCase

  static let cases: [Case] = [
    Case(inputs: 8, outputs: 16, size: Size2D(height: 5, width: 29), kernel: 3, padding: 1),
    Case(batch: 2, inputs: 3, outputs: 13, size: Size2D(height: 11, width: 15), kernel: 3, stride: 2, padding: 1),
    Case(inputs: 5, outputs: 7, size: Size2D(height: 9, width: 11), kernel: 1),
    Case(inputs: 5, outputs: 3, size: Size2D(height: 9, width: 11), kernel: 1, stride: 2),
    Case(
      inputs: 6, outputs: 9, size: Size2D(height: 8, width: 6), kernel: Size2D(height: 2, width: 3),
      padding: Padding2D(top: 0, left: 2, bottom: 1, right: 0)),
    Case(
      inputs: 4, outputs: 8, size: Size2D(height: 20, width: 19), kernel: 3, padding: 4,
      dilation: Size2D(height: 2, width: 3)),
    Case(
      inputs: 4, outputs: 4, size: Size2D(height: 9, width: 40), kernel: 5, stride: Size2D(height: 1, width: 3),
      padding: 2, dilation: 2),
    Case(
      inputs: 2, outputs: 5, size: Size2D(height: 12, width: 13), kernel: 2, stride: Size2D(height: 3, width: 4),
      padding: 3),
    Case(batch: 2, inputs: 10, outputs: 10, size: Size2D(height: 7, width: 21), kernel: 3, padding: 1, groups: 10),
    Case(inputs: 5, outputs: 10, size: Size2D(height: 12, width: 9), kernel: 5, stride: 2, padding: 2, groups: 5),
    Case(inputs: 12, outputs: 24, size: Size2D(height: 5, width: 8), kernel: 3, padding: 1, groups: 4),
    // A vector of outputs and a few: the last vector begins among those of the first.
    Case(inputs: 3, outputs: 5, size: Size2D(height: 1, width: 19), kernel: Size2D(height: 1, width: 3)),
    Case(inputs: 5, outputs: 9, size: Size2D(height: 3, width: 7), kernel: Size2D(height: 1, width: 3)),
    // One channel a group: taps in the place of channels, of windows narrower and wider than a word, and than the map.
    Case(inputs: 7, outputs: 7, size: 7, kernel: 3, padding: 1, groups: 7),
    Case(
      batch: 2, inputs: 3, outputs: 6, size: Size2D(height: 14, width: 13), kernel: Size2D(height: 5, width: 7),
      stride: 2, padding: Padding2D(height: 2, width: 3), groups: 3),
    Case(
      inputs: 2, outputs: 4, size: Size2D(height: 3, width: 40), kernel: Size2D(height: 1, width: 9), padding: 2,
      dilation: Size2D(height: 1, width: 3), groups: 2),
    Case(inputs: 3, outputs: 3, size: Size2D(height: 5, width: 2), kernel: 5, stride: 3, padding: 4, groups: 3),
    // Rows and outputs of sixteen, and many small maps whose sums are written together.
    Case(inputs: 9, outputs: 9, size: 16, kernel: 3, padding: 1, groups: 9),
    Case(
      inputs: 2, outputs: 2, size: Size2D(height: 11, width: 16), kernel: Size2D(height: 3, width: 4), padding: 2,
      dilation: 2, groups: 2),
    Case(batch: 2, inputs: 150, outputs: 300, size: 4, kernel: 3, padding: 1, groups: 150),
    // Rows that are staged: sixteen outputs and rests, every step, several words a row of the kernel, several bands.
    Case(inputs: 3, outputs: 3, size: Size2D(height: 40, width: 37), kernel: 3, padding: 1, groups: 3),
    Case(inputs: 2, outputs: 4, size: Size2D(height: 33, width: 70), kernel: 5, stride: 2, padding: 2, groups: 2),
    Case(inputs: 2, outputs: 2, size: Size2D(height: 9, width: 18), kernel: 7, padding: 3, groups: 2),
    Case(
      inputs: 2, outputs: 2, size: Size2D(height: 5, width: 60), kernel: 3, stride: Size2D(height: 2, width: 3),
      padding: 2, dilation: 2, groups: 2),
    Case(
      inputs: 2, outputs: 2, size: Size2D(height: 12, width: 75), kernel: Size2D(height: 2, width: 6),
      stride: Size2D(height: 1, width: 4), groups: 2),
    Case(inputs: 2, outputs: 2, size: Size2D(height: 18, width: 41), kernel: 3, padding: 4, dilation: 4, groups: 2),
    Case(inputs: 2, outputs: 2, size: Size2D(height: 930, width: 9), kernel: 3, padding: 1, groups: 2),
    // Too wide for that.
    Case(
      inputs: 3, outputs: 6, size: Size2D(height: 2, width: 90), kernel: Size2D(height: 1, width: 3),
      stride: Size2D(height: 1, width: 9), dilation: Size2D(height: 1, width: 30), groups: 3),
    // So many outputs of so small a map that every tap has columns of its own.
    Case(inputs: 6, outputs: 64, size: 7, kernel: 3, padding: 1),
    Case(inputs: 4, outputs: 96, size: Size2D(height: 6, width: 9), kernel: 3, stride: 2, padding: 1),
    Case(inputs: 5, outputs: 72, size: Size2D(height: 6, width: 5), kernel: 3, padding: 2, dilation: 2),
    Case(inputs: 1, outputs: 4, size: Size2D(height: 6, width: 7), kernel: 3),
    Case(inputs: 16, outputs: 16, size: 1, kernel: 1),
    Case(inputs: 4, outputs: 3, size: Size2D(height: 2, width: 2), kernel: 5, padding: 4),
    // Several bands, and outputs in parts.
    Case(inputs: 8, outputs: 9, size: Size2D(height: 60, width: 50), kernel: 3, padding: 1),
    Case(inputs: 24, outputs: 40, size: Size2D(height: 1, width: 70), kernel: Size2D(height: 1, width: 35)),
  ]

  @Test(arguments: cases)
  func matchesNaiveLoop(_ c: Case) throws {
    try check(c, UInt8.self, UInt8.self)
    try check(c, Int8.self, Int8.self)
    try check(c, UInt8.self, Int8.self)
    try check(c, Int8.self, UInt8.self)
  }

  /// What saturates: great inputs, and weights of which some are beyond what pairs of products leave room for.
  @Test(arguments: cases)
  func fewGreatWeightsAreExact(_ c: Case) throws {
    let x = try randomIntegers(c.inputShape, seed: 1, as: UInt8.self)
    let w = try fewGreatIntegers(c.weightShape, seed: 2)
    try check(c, Tensor(x.elements.map { $0 | 0xC0 }, shape: x.shape), w)
  }

  /// Differences of weights and their zero point that no byte holds, of one channel a group.
  @Test(arguments: cases.filter { $0.inputs == $0.groups })
  func differencesOfBytesAreExact(_ c: Case) throws {
    let x = try randomIntegers(c.inputShape, seed: 1, as: UInt8.self)
    let shape = [c.outputs, 1, c.kernel.height, c.kernel.width]
    let w = try randomIntegers(shape, seed: 2, as: Int8.self).elements.map { $0 < 0 ? Int8.min : Int8.max }
    for zw in [Int8.min, Int8.max] {
      let great = try Tensor(x.elements.map { $0 | 0xE0 }, shape: x.shape)
      try check(c, great, Tensor(w, shape: shape), [Tensor([zw], shape: [1])])
    }
  }

  private func check<X: ByteScalar, W: ByteScalar>(_ c: Case, _: X.Type, _: W.Type) throws {
    let x = try randomIntegers(c.inputShape, seed: 1, as: X.self)
    let w = try randomIntegers(c.weightShape, seed: 2, as: W.self)
    try check(c, x, w)
  }

  private func check<X: ByteScalar, W: ByteScalar>(_ c: Case, _ x: Tensor<X>, _ w: Tensor<W>) throws {
    try check(c, x, w, [nil, Tensor<W>([W(99)], shape: [1]), randomIntegers([c.outputs], seed: 3)])
  }

  private func check<X: ByteScalar, W: ByteScalar>(
    _ c: Case, _ x: Tensor<X>, _ w: Tensor<W>, _ zeroPoints: [Tensor<W>?]
  ) throws {
    let zx = X(truncatingIfNeeded: 119)
    for zw in zeroPoints {
      let expected = try naiveConvolution(x, w, zx, zw, c)
      let results = try resultsByVariant {
        try IntegerConvolution(
          weight: w, zeroPoint: zw, stride: c.stride, padding: c.padding, dilation: c.dilation, groups: c.groups
        )(x, zeroPoint: zx)
      }
      for (variant, result) in results {
        #expect(result.shape == c.outputShape)
        #expect(try result.elements == expected, "\(variant), \(X.self), \(W.self)")
      }
    }
  }

  /// A limit makes another byte of a NaN than the end of a range does.
  @Test func limitsOfWhatIsNoNumberAreSteps() throws {
    let (x, w) = (try Tensor<UInt8>(zeros: [1, 2, 4, 4]), try Tensor<Int8>(zeros: [3, 2, 1, 1]))
    let (scale, bias) = (try Tensor<Float>([.infinity, 1, 2]), try Tensor<Float>([1, .nan, .infinity]))
    for limits in [(-1.0, 0.5), (0.5, -1), (.nan, 1), (-.infinity, .infinity)] {
      let activation = Activation.hardTanh(minimum: limits.0, maximum: limits.1)
      for variant in Execution.availableVariants {
        try Execution.with(variant: variant) {
          let layer = try IntegerConvolution(weight: w)
          let found = try layer.scaled(
            x, scale: scale, bias: bias, activation: activation, outputScale: 0.25, outputZeroPoint: Int8(3))
          let steps = try quantizeLinear(
            Apus.activation(layer.scaled(x, scale: scale, bias: bias), activation),
            scale: Tensor<Float>([0.25], shape: []), zeroPoint: Tensor<Int8>([3], shape: []))
          #expect(try found.elements == steps.elements, "\(variant), \(limits)")
        }
      }
    }
  }

  /// Scaling, requantising, bias and activation in the epilogue: bit for bit what the steps give in float32.
  @Test(arguments: cases)
  func epiloguesAreTheirSteps(_ c: Case) throws {
    let x = try randomIntegers(c.inputShape, seed: 1, as: UInt8.self)
    let w = try randomIntegers(c.weightShape, seed: 2, as: Int8.self)
    let whole = try randomIntegers([c.outputs], seed: 3, as: Int32.self)
    let scale = try randomTensor([c.outputs], seed: 4, in: 0.00001...0.001, as: Float.self)
    let bias = try randomTensor([c.outputs], seed: 5, as: Float.self)
    let zw = try randomIntegers([c.outputs], seed: 6, as: Int8.self)
    let exact = try naiveConvolution(x, w, 131, zw, c)
    let plane = c.outputShape[2] * c.outputShape[3]
    func output(_ index: Int) -> Int { index / plane % c.outputs }
    let (s, o, q) = (try scale.elements, try bias.elements, try whole.elements)
    let scaled = try Tensor(
      exact.indices.map { Float(exact[$0]) * s[output($0)] + o[output($0)] }, shape: c.outputShape)
    let bytes = exact.indices.map {
      requantized(exact[$0] &+ q[output($0)], s[output($0)], zeroPoint: 7, as: UInt8.self)
    }
    for variant in Execution.availableVariants {
      for threads in [1, 2, 7] {
        try Execution.with(threads: threads, variant: variant) {
          func make(bias: Tensor<Int32>? = nil) throws -> IntegerConvolution {
            try IntegerConvolution(
              weight: w, zeroPoint: zw, bias: bias, stride: c.stride, padding: c.padding, dilation: c.dilation,
              groups: c.groups)
          }
          let plain = try make().scaled(x, zeroPoint: 131, scale: scale, bias: bias)
          #expect(try plain.bytes == scaled.bytes, "\(variant)")
          let activated = try make().scaled(x, zeroPoint: 131, scale: scale, bias: bias, activation: .silu)
          #expect(try activated.bytes == silu(scaled).bytes, "\(variant)")
          for activation in [Activation.identity, .relu, .silu, .hardTanh(minimum: -0.3, maximum: 0.7)] {
            for zeroPoint in [UInt8.min, 90] {
              let found = try make().scaled(
                x, zeroPoint: 131, scale: scale, bias: bias, activation: activation, outputScale: 0.013,
                outputZeroPoint: zeroPoint)
              let steps = try quantizeLinear(
                Apus.activation(scaled, activation), scale: Tensor<Float>([0.013], shape: []),
                zeroPoint: Tensor([zeroPoint], shape: []))
              #expect(try found.elements == steps.elements, "\(variant), \(activation), \(zeroPoint)")
            }
          }
          let found = try make(bias: whole).requantized(x, zeroPoint: 131, scale: scale, outputZeroPoint: UInt8(7))
          #expect(try found.elements == bytes, "\(variant)")
        }
      }
    }
  }

  /// The example of ONNX's `ConvInteger`, without padding and with.
  @Test func paddingCountsAsTheZeroPoint() throws {
    let x = try Tensor<UInt8>([2, 3, 4, 5, 6, 7, 8, 9, 10], shape: [1, 1, 3, 3])
    let w = try Tensor<UInt8>([1, 1, 1, 1], shape: [1, 1, 2, 2])
    #expect(try IntegerConvolution(weight: w)(x, zeroPoint: 1).elements == [12, 16, 24, 28])
    let padded = try IntegerConvolution(weight: w, padding: 1)(x, zeroPoint: 1)
    #expect(try padded.elements == [1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9])
  }

  @Test func mapsOfOneAxisAreMapsOfHeightOne() throws {
    let x = try randomIntegers([2, 6, 37], seed: 1, as: UInt8.self)
    let w = try randomIntegers([5, 6, 4], seed: 2, as: Int8.self)
    let flat = try IntegerConvolution(
      weight: w, stride: Size2D(height: 1, width: 2), padding: Padding2D(top: 0, left: 1, bottom: 0, right: 2))(
        x, zeroPoint: 9)
    let c = Case(
      batch: 2, inputs: 6, outputs: 5, size: Size2D(height: 1, width: 37), kernel: Size2D(height: 1, width: 4),
      stride: Size2D(height: 1, width: 2), padding: Padding2D(top: 0, left: 1, bottom: 0, right: 2))
    let expected = try naiveConvolution(x.reshaped([2, 6, 1, 37]), w.reshaped([5, 6, 1, 4]), 9, nil, c)
    #expect(flat.shape == [2, 5, c.outputShape[3]])
    #expect(try flat.elements == expected)
  }

  @Test func shapesThatDoNotFitAreRefused() throws {
    let w = try Tensor<Int8>(zeros: [4, 3, 2, 2])
    let layer = try IntegerConvolution(weight: w)
    #expect(throws: TensorError.self) { try layer(Tensor<UInt8>(zeros: [1, 2, 5, 5])) }
    #expect(throws: TensorError.self) { try layer(Tensor<UInt8>(zeros: [1, 3, 5])) }
    #expect(throws: TensorError.self) { try layer(Tensor<UInt8>(zeros: [1, 3, 1, 5])) }
    #expect(throws: TensorError.self) { try IntegerConvolution(weight: w, groups: 3) }
    #expect(throws: TensorError.self) { try IntegerConvolution(weight: w, stride: 0) }
    #expect(throws: TensorError.self) { try IntegerConvolution(weight: w, zeroPoint: Tensor<Int8>(zeros: [3])) }
    #expect(throws: TensorError.self) { try IntegerConvolution(weight: w, bias: Tensor<Int32>(zeros: [3])) }
    #expect(throws: TensorError.self) { try IntegerConvolution(weight: Tensor<Int8>(zeros: [4, 3])) }
    #expect(throws: TensorError.self) {
      try layer.scaled(Tensor<UInt8>(zeros: [1, 3, 5, 5]), scale: Tensor<Float>(zeros: [3]))
    }
    #expect(try layer(Tensor<UInt8>(zeros: [0, 3, 5, 5])).shape == [0, 4, 4, 4])
  }

  /// The definition, in 64 bits.
  private func naiveConvolution<X: ByteScalar, W: ByteScalar>(
    _ x: Tensor<X>, _ w: Tensor<W>, _ zx: X, _ zw: Tensor<W>?, _ c: Case
  ) throws -> [Int32] {
    let input = try x.elements.map { Int($0) - Int(zx) }
    let points = try zw?.elements.map { Int($0) } ?? [0]
    let elements = try w.elements
    let weight = elements.indices.map { index in
      Int(elements[index]) - points[points.count == 1 ? 0 : index * c.outputs / elements.count]
    }
    let sums = c.naive(input, weight: weight, bias: [Int](repeating: 0, count: c.outputs))
    return sums.map { Int32(truncatingIfNeeded: $0) }
  }
}
