import ApusTestSupport
import Testing

@testable import Apus

/// Every algorithm against a naive loop in float64, over shapes chosen to leave rests everywhere.
@Suite struct ConvolutionTests {
  typealias Case = ConvolutionCase

  static let cases: [Case] = [
    Case(inputs: 16, outputs: 32, size: Size2D(height: 5, width: 29), kernel: 3, padding: 1),
    Case(
      batch: 2, inputs: 48, outputs: 32, size: Size2D(height: 1, width: 53), kernel: Size2D(height: 1, width: 7),
      padding: Padding2D(height: 0, width: 3)),
    Case(
      batch: 2, inputs: 64, outputs: 48, size: Size2D(height: 1, width: 25), kernel: Size2D(height: 1, width: 5),
      stride: Size2D(height: 1, width: 2), padding: Padding2D(height: 0, width: 2)),
    Case(inputs: 32, outputs: 16, size: Size2D(height: 13, width: 17), kernel: 3, stride: 2, padding: 1),
    Case(inputs: 32, outputs: 48, size: Size2D(height: 9, width: 11), kernel: 1),
    Case(
      batch: 2, inputs: 32, outputs: 21, size: Size2D(height: 4, width: 7), kernel: 3,
      padding: Padding2D(top: 0, left: 2, bottom: 1, right: 0)),
    Case(inputs: 3, outputs: 16, size: Size2D(height: 11, width: 15), kernel: 3, stride: 2, padding: 1),
    Case(inputs: 5, outputs: 7, size: Size2D(height: 8, width: 6), kernel: Size2D(height: 2, width: 3)),
    Case(
      inputs: 16, outputs: 16, size: Size2D(height: 20, width: 19), kernel: 3, padding: 4,
      dilation: Size2D(height: 2, width: 3)),
    Case(
      inputs: 16, outputs: 16, size: Size2D(height: 9, width: 40), kernel: 5, stride: Size2D(height: 1, width: 3),
      padding: 2, dilation: 2),
    Case(batch: 2, inputs: 40, outputs: 40, size: Size2D(height: 7, width: 21), kernel: 3, padding: 1, groups: 40),
    Case(inputs: 32, outputs: 32, size: Size2D(height: 12, width: 9), kernel: 5, stride: 2, padding: 2, groups: 32),
    Case(inputs: 32, outputs: 64, size: Size2D(height: 6, width: 6), kernel: 3, padding: 1, groups: 2),
    Case(inputs: 12, outputs: 24, size: Size2D(height: 5, width: 8), kernel: 3, padding: 1, groups: 4),
    Case(inputs: 6, outputs: 12, size: Size2D(height: 5, width: 5), kernel: 3, groups: 6),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 4, width: 5), kernel: 3, padding: 1, groups: 16),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 3, width: 9), kernel: 3, padding: 1, groups: 16),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 6, width: 6), kernel: 5, padding: 2, groups: 16),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 5, width: 10), kernel: 5, padding: 2, groups: 16),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 7, width: 7), kernel: 7, padding: 3, groups: 16),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 4, width: 10), kernel: 7, padding: 3, groups: 16),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 9, width: 14), kernel: 7, padding: 3, groups: 16),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 8, width: 15), kernel: 7, padding: 3, groups: 16),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 3, width: 20), kernel: 7, padding: 3, groups: 16),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 5, width: 6), kernel: 7, padding: 3, groups: 16),
    Case(inputs: 16, outputs: 16, size: 1, kernel: 1),
    // Last blocks that are not whole, in and out.
    Case(inputs: 24, outputs: 40, size: Size2D(height: 7, width: 9), kernel: 3, padding: 1),
    Case(batch: 2, inputs: 9, outputs: 8, size: Size2D(height: 6, width: 15), kernel: 1),
    Case(inputs: 31, outputs: 17, size: Size2D(height: 9, width: 8), kernel: 3, stride: 2, padding: 1),
    Case(inputs: 24, outputs: 24, size: Size2D(height: 9, width: 17), kernel: 3, stride: 2, padding: 1, groups: 24),
    Case(inputs: 18, outputs: 18, size: Size2D(height: 4, width: 2), kernel: 5, padding: 2, groups: 18),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 8, width: 21), kernel: 3, padding: 2, dilation: 2, groups: 16),
    // Groups of a few channels, whole blocks and not.
    Case(inputs: 24, outputs: 24, size: Size2D(height: 9, width: 17), kernel: 3, padding: 1, groups: 12),
    Case(batch: 2, inputs: 32, outputs: 32, size: Size2D(height: 7, width: 12), kernel: 3, padding: 1, groups: 8),
    Case(inputs: 40, outputs: 40, size: Size2D(height: 11, width: 21), kernel: 3, stride: 2, padding: 1, groups: 5),
    Case(inputs: 24, outputs: 24, size: Size2D(height: 8, width: 19), kernel: 3, padding: 2, dilation: 2, groups: 6),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 9, width: 9), kernel: 5, padding: 2, groups: 2),
    // Planes of few channels, read pixel by pixel.
    Case(inputs: 3, outputs: 40, size: Size2D(height: 21, width: 19), kernel: 7, stride: 2, padding: 3),
    Case(inputs: 1, outputs: 8, size: Size2D(height: 5, width: 30), kernel: Size2D(height: 2, width: 19)),
    Case(inputs: 4, outputs: 16, size: Size2D(height: 6, width: 7), kernel: 5, padding: 4),
    Case(inputs: 7, outputs: 16, size: Size2D(height: 6, width: 7), kernel: 3, stride: Size2D(height: 2, width: 3)),
    Case(inputs: 3, outputs: 24, size: Size2D(height: 3, width: 2), kernel: 1),
    Case(inputs: 3, outputs: 40, size: Size2D(height: 20, width: 65), kernel: 4, stride: 4),
    Case(batch: 2, inputs: 3, outputs: 24, size: Size2D(height: 23, width: 61), kernel: 7, stride: 4, padding: 3),
    Case(inputs: 2, outputs: 16, size: Size2D(height: 13, width: 41), kernel: 3, stride: 2),
    Case(inputs: 1, outputs: 32, size: Size2D(height: 9, width: 33), kernel: 5),
    Case(inputs: 3, outputs: 16, size: Size2D(height: 14, width: 27), kernel: 3, padding: 2, dilation: 2),
    // Their terms as a list: whole tiles and what is left, at each step, with partial sums.
    Case(inputs: 3, outputs: 16, size: Size2D(height: 9, width: 121), kernel: 3, stride: 2, padding: 1),
    Case(batch: 2, inputs: 12, outputs: 12, size: Size2D(height: 7, width: 57), kernel: 3, padding: 1),
    Case(inputs: 3, outputs: 48, size: Size2D(height: 8, width: 66), kernel: 7, stride: 2, padding: 3),
    Case(inputs: 5, outputs: 14, size: Size2D(height: 11, width: 68), kernel: 5, dilation: 2),
    // Strides where the map lies.
    Case(inputs: 32, outputs: 40, size: Size2D(height: 13, width: 19), kernel: 1, stride: 2),
    Case(batch: 2, inputs: 24, outputs: 16, size: Size2D(height: 12, width: 23), kernel: 2, stride: 3),
    // Tiles that run on from row to row, and that fetch the next block's inputs.
    Case(batch: 2, inputs: 32, outputs: 32, size: 7, kernel: 3, padding: 1),
    Case(inputs: 144, outputs: 32, size: 14, kernel: 3, padding: 1),
    Case(inputs: 136, outputs: 16, size: Size2D(height: 15, width: 13), kernel: 3, stride: 2),
    Case(inputs: 144, outputs: 48, size: Size2D(height: 10, width: 9), kernel: 1),
    // Large enough to be cut into bands: staged, planes, and read where it lies.
    Case(inputs: 16, outputs: 16, size: Size2D(height: 130, width: 62), kernel: 3, padding: 1),
    Case(inputs: 3, outputs: 8, size: Size2D(height: 150, width: 90), kernel: 3, stride: 2, padding: 1),
    Case(inputs: 48, outputs: 40, size: Size2D(height: 70, width: 90), kernel: 1),
    Case(inputs: 16, outputs: 32, size: Size2D(height: 120, width: 64), kernel: Size2D(height: 3, width: 1)),
    // Few outputs, as planes: read where they lie, staged, cut into bands, in tiles of every number of planes.
    Case(batch: 2, inputs: 8, outputs: 1, size: Size2D(height: 19, width: 41), kernel: 3, padding: 1),
    Case(inputs: 40, outputs: 3, size: Size2D(height: 70, width: 77), kernel: 3, padding: 1),
    Case(inputs: 24, outputs: 5, size: Size2D(height: 21, width: 33), kernel: 1),
    Case(batch: 2, inputs: 64, outputs: 2, size: Size2D(height: 50, width: 64), kernel: 1),
    Case(inputs: 3, outputs: 7, size: Size2D(height: 9, width: 19), kernel: Size2D(height: 2, width: 3)),
    Case(
      inputs: 17, outputs: 4, size: Size2D(height: 12, width: 20), kernel: 3,
      padding: Padding2D(top: 5, left: 0, bottom: 1, right: 7), dilation: Size2D(height: 2, width: 3)),
    Case(
      batch: 2, inputs: 32, outputs: 1, size: Size2D(height: 1, width: 100), kernel: Size2D(height: 1, width: 7),
      padding: Padding2D(height: 0, width: 3)),
    Case(inputs: 160, outputs: 6, size: 18, kernel: 3, padding: 1),
    Case(inputs: 2, outputs: 1, size: Size2D(height: 300, width: 200), kernel: 3),
    Case(inputs: 8, outputs: 2, size: Size2D(height: 2, width: 16), kernel: 3, padding: 30),
    // Rows that are tiled one by one, and channels each by itself.
    Case(inputs: 3, outputs: 2, size: Size2D(height: 5, width: 200), kernel: Size2D(height: 1, width: 3)),
    Case(inputs: 24, outputs: 8, size: Size2D(height: 9, width: 131), kernel: 3, padding: 1),
    Case(batch: 2, inputs: 8, outputs: 8, size: Size2D(height: 30, width: 130), kernel: 1),
    Case(inputs: 8, outputs: 8, size: Size2D(height: 20, width: 40), kernel: 3, padding: 1, groups: 8),
    Case(batch: 2, inputs: 8, outputs: 8, size: Size2D(height: 60, width: 250), kernel: 3, padding: 1, groups: 8),
    Case(inputs: 8, outputs: 8, size: Size2D(height: 7, width: 140), kernel: 5, padding: 4, dilation: 2, groups: 8),
    Case(inputs: 8, outputs: 8, size: Size2D(height: 11, width: 19), kernel: 3, stride: 2, padding: 1, groups: 8),
    Case(inputs: 8, outputs: 8, size: Size2D(height: 9, width: 21), kernel: 3, padding: 1, groups: 4),
    Case(inputs: 8, outputs: 24, size: Size2D(height: 9, width: 23), kernel: 3, stride: 2, padding: 1),
    // Several outputs of each channel: in blocks, of which the last is not whole, of few channels, and as planes.
    Case(batch: 2, inputs: 20, outputs: 40, size: Size2D(height: 9, width: 17), kernel: 3, padding: 1, groups: 20),
    Case(inputs: 32, outputs: 96, size: Size2D(height: 13, width: 11), kernel: 7, stride: 2, padding: 3, groups: 32),
    Case(inputs: 3, outputs: 12, size: Size2D(height: 10, width: 21), kernel: 5, padding: 4, dilation: 2, groups: 3),
    Case(batch: 2, inputs: 2, outputs: 6, size: Size2D(height: 30, width: 19), kernel: 3, padding: 1, groups: 2),
    Case(inputs: 8, outputs: 16, size: Size2D(height: 22, width: 33), kernel: Size2D(height: 22, width: 1), groups: 8),
    // Few channels, which are neither planes nor blocks.
    Case(
      batch: 2, inputs: 4, outputs: 4, size: Size2D(height: 11, width: 19), kernel: 3, stride: 2, padding: 1, groups: 4),
    Case(inputs: 7, outputs: 7, size: Size2D(height: 6, width: 9), kernel: 3, padding: 1, groups: 7),
    Case(batch: 2, inputs: 4, outputs: 6, size: Size2D(height: 9, width: 21), kernel: 3, stride: 2, padding: 1),
    Case(inputs: 3, outputs: 5, size: Size2D(height: 7, width: 5), kernel: 3, padding: 1),
    // Groups of other sizes.
    Case(batch: 2, inputs: 48, outputs: 48, size: Size2D(height: 7, width: 9), kernel: 3, padding: 1, groups: 2),
    Case(inputs: 15, outputs: 15, size: Size2D(height: 8, width: 20), kernel: 3, padding: 1, groups: 5),
    Case(batch: 2, inputs: 32, outputs: 64, size: Size2D(height: 1, width: 30), kernel: 1, groups: 4),
    Case(inputs: 36, outputs: 12, size: Size2D(height: 9, width: 8), kernel: 3, stride: 2, padding: 1, groups: 3),
    Case(inputs: 4, outputs: 4, size: Size2D(height: 9, width: 21), kernel: 3, padding: 1, groups: 2),
    // Windows as wide as the map, of which rows and columns meet nothing but zeros.
    Case(inputs: 32, outputs: 24, size: Size2D(height: 9, width: 8), kernel: 3, padding: 12, dilation: 12),
    Case(batch: 2, inputs: 20, outputs: 18, size: Size2D(height: 7, width: 30), kernel: 3, padding: 8, dilation: 8),
    Case(inputs: 24, outputs: 40, size: 1, kernel: 3, padding: 1),
    // Windows that reach a map from its sides with some columns only.
    Case(inputs: 32, outputs: 24, size: Size2D(height: 8, width: 16), kernel: 3, padding: 6, dilation: 6),
    Case(batch: 2, inputs: 20, outputs: 3, size: Size2D(height: 9, width: 21), kernel: 5, padding: 14, dilation: 7),
    Case(
      inputs: 32, outputs: 32, size: Size2D(height: 11, width: 30), kernel: 3, stride: 3,
      padding: Padding2D(top: 0, left: 13, bottom: 4, right: 2), dilation: Size2D(height: 2, width: 8), groups: 2),
    Case(inputs: 16, outputs: 16, size: Size2D(height: 6, width: 11), kernel: 5, stride: 2, padding: 20, dilation: 10),
    Case(
      inputs: 32, outputs: 32, size: Size2D(height: 5, width: 6), kernel: Size2D(height: 4, width: 3), stride: 3,
      padding: Padding2D(top: 9, left: 0, bottom: 2, right: 11), dilation: Size2D(height: 4, width: 7), groups: 2),
    // Maps whose channels lie a multiple of 2 KB apart.
    Case(inputs: 16, outputs: 40, size: 32, kernel: 1),
    Case(batch: 2, inputs: 24, outputs: 24, size: 32, kernel: 3, padding: 1, groups: 24),
  ]

  @Test(arguments: cases)
  func matchesNaiveLoop(_ c: Case) throws {
    var random = SplitMix64(seed: 7)
    let x = try Tensor<Float>.random(c.inputShape, using: &random)
    let w = try Tensor<Float>.random(c.weightShape, using: &random)
    let b = try Tensor<Float>.random([c.outputs], using: &random)
    let expected = try c.naive(x.asDouble.elements, weight: w.asDouble.elements, bias: b.asDouble.elements)

    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        func convolve(threads: Int = 1) throws -> Tensor<Float> {
          try Execution.with(threads: threads) {
            try conv2d(
              x, weight: w, bias: b, stride: c.stride, padding: c.padding, dilation: c.dilation, groups: c.groups)
          }
        }
        let found = try convolve()
        #expect(found.shape == c.outputShape)
        #expect(try largestDifference(found.elements, expected) < 2e-5, "\(variant)")
        #expect(try convolve(threads: 2).elements == found.elements)
        #expect(try convolve(threads: 4).elements == found.elements)

        let doubles = try conv2d(
          x.asDouble, weight: w.asDouble, bias: b.asDouble,
          stride: c.stride, padding: c.padding, dilation: c.dilation, groups: c.groups)
        #expect(try largestDifference(doubles.elements, expected) < 1e-12, "\(variant)")
      }
    }
  }

  /// The activation in the epilogue gives what it gives afterwards, bit for bit; so does a result that is asked for in
  /// row-major order.
  @Test(arguments: cases)
  func fusedActivationIsExact(_ c: Case) throws {
    var random = SplitMix64(seed: 13)
    let x = try Tensor<Float>.random(c.inputShape, using: &random)
    let w = try Tensor<Float>.random(c.weightShape, using: &random)
    // Kernels hold sums within bounds themselves; the others are a pass over the result.
    let functions = [Activation.relu, .hardTanh(minimum: -0.25, maximum: 0.5), .silu, .leakyReLU(), .gelu()]
    for function in functions {
      for variant in Execution.availableVariants {
        try Execution.with(variant: variant) {
          let layer = try Conv2d(
            weight: w, stride: c.stride, padding: c.padding, dilation: c.dilation, groups: c.groups)
          let expected = try activation(layer(x), function)
          for threads in [1, 4] {
            let fused = try Execution.with(threads: threads) { try layer(x, activation: function) }
            #expect(fused.layout == expected.layout)
            #expect(try fused.bytes == expected.bytes, "\(variant)")
            let rows = try Execution.with(threads: threads) {
              try layer(x, activation: function, layout: .rowMajor)
            }
            #expect(rows.layout == .rowMajor)
            #expect(try rows.bytes == expected.rowMajor.bytes, "\(variant)")
          }
        }
      }
    }
    let doubles = try Conv2d(
      weight: w.asDouble, stride: c.stride, padding: c.padding, dilation: c.dilation, groups: c.groups)
    #expect(try doubles(x.asDouble, activation: .silu).bytes == silu(doubles(x.asDouble)).bytes)
  }

  /// A batch normalisation in the epilogue gives what it gives afterwards, bit for bit, and so does an activation behind it.
  @Test(arguments: cases)
  func fusedNormalizationIsExact(_ c: Case) throws {
    var random = SplitMix64(seed: 17)
    let x = try Tensor<Float>.random(c.inputShape, using: &random)
    let w = try Tensor<Float>.random(c.weightShape, using: &random)
    let vectors = try (0..<4).map { _ in try Tensor<Float>.random([c.outputs], using: &random) }
    func expectTheSame<Scalar: FloatingPointScalar>(_ type: Scalar.Type) throws {
      let variant = Execution.current.variant
      let (x, w) = (try x.converted(to: type), try w.converted(to: type))
      let numbers = try vectors.map { try $0.converted(to: type) }
      let normalization = try BatchNormalization(
        channels: c.outputs, runningMean: numbers[0], runningVariance: numbers[1] * numbers[1], weight: numbers[2],
        bias: numbers[3], epsilon: 1e-3)
      let parameters = try ConvolutionParameters(
        operation: "conv2d", kernel: c.kernel, stride: c.stride, padding: c.padding, dilation: c.dilation,
        groups: c.groups)
      let plain = try Convolution(weight: w, bias: numbers[0], parameters: parameters)
      let fused = try Convolution(weight: w, bias: numbers[0], normalization: normalization, parameters: parameters)
      for (function, threads) in [(Activation.identity, 1), (.silu, 4)] {
        let expected = try normalization(plain(x), activation: function)
        try Execution.with(threads: threads) {
          let result = try fused(x, activation: function)
          #expect(result.layout == expected.layout)
          #expect(try result.bytes == expected.bytes, "\(variant), \(type)")
          let rows = try fused(x, activation: function, layout: .rowMajor)
          #expect(try rows.bytes == expected.rowMajor.bytes, "\(variant), \(type)")
        }
      }
    }
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) { try expectTheSame(Float.self) }
    }
    // What is left to be done afterwards is no kernel's.
    try expectTheSame(Double.self)
  }

  @Test func refusesNormalizationsOfOtherChannels() throws {
    let zeros = try Tensor<Float>(zeros: [3])
    let normalization = try BatchNormalization(
      channels: 3, runningMean: zeros, runningVariance: zeros, weight: nil, bias: nil, epsilon: 1)
    #expect(throws: TensorError.self) {
      try Convolution(
        weight: Tensor(zeros: [4, 2, 3, 3]), bias: nil, normalization: normalization,
        parameters: ConvolutionParameters(operation: "conv2d", kernel: 3, stride: 1, padding: 0, dilation: 1, groups: 1)
      )
    }
  }

  /// Channels in blocks are read where they lie, at any stride, or staged; row-major ones become blocks first.
  @Test(arguments: cases)
  func blockedInputGivesTheSameBits(_ c: Case) throws {
    var random = SplitMix64(seed: 3)
    let x = try Tensor<Float>.random(c.inputShape, using: &random)
    let w = try Tensor<Float>.random(c.weightShape, using: &random)
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        func convolve(_ x: Tensor<Float>) throws -> [Float] {
          try conv2d(
            x, weight: w, stride: c.stride, padding: c.padding, dilation: c.dilation, groups: c.groups
          ).elements
        }
        let expected = try convolve(x)
        #expect(try convolve(x.channelBlocked) == expected, "\(variant)")
      }
    }
  }

  /// Few outputs are computed as planes, others in blocks; an output's bits do not tell with how many it was computed.
  @Test(arguments: cases.filter { $0.outputs <= 8 && $0.groups == 1 }, Execution.Precision.allCases)
  func planesHaveTheBitsOfBlocks(_ c: Case, _ precision: Execution.Precision) throws {
    var random = SplitMix64(seed: 5)
    let x = try Tensor<Float>.random(c.inputShape, using: &random)
    let w = try Tensor<Float>.random([9, c.inputs, c.kernel.height, c.kernel.width], using: &random)
    let b = try Tensor<Float>.random([9], using: &random)
    for variant in Execution.availableVariants {
      try Execution.with(precision: precision, variant: variant) {
        func convolve(outputs: Int) throws -> Tensor<Float> {
          try conv2d(
            x, weight: w.sliced(axis: 0, to: outputs), bias: b.sliced(axis: 0, to: outputs), stride: c.stride,
            padding: c.padding, dilation: c.dilation)
        }
        let blocks = try convolve(outputs: 9).rowMajor.sliced(axis: 1, to: c.outputs)
        #expect(try convolve(outputs: c.outputs).elements == blocks.elements, "\(variant)")
      }
    }
  }

  @Test func refusesWhatDoesNotFit() throws {
    let x = try Tensor<Float>(zeros: [1, 3, 4, 4])
    let w = try Tensor<Float>(zeros: [8, 3, 3, 3])
    #expect(throws: TensorError.self) { try conv2d(x, weight: Tensor(zeros: [8, 4, 3, 3])) }
    #expect(throws: TensorError.self) { try conv2d(x, weight: w, bias: Tensor(zeros: [7])) }
    #expect(throws: TensorError.self) { try conv2d(x, weight: w, stride: 0) }
    #expect(throws: TensorError.self) { try conv2d(x, weight: w, dilation: 2) }
    #expect(throws: TensorError.self) { try conv2d(x, weight: w, padding: -1) }
    #expect(throws: TensorError.self) { try conv2d(x, weight: w, groups: 3) }
    #expect(throws: TensorError.self) { try conv2d(x, weight: w, padding: Padding2D(height: .max, width: 0)) }
    #expect(throws: TensorError.self) { try conv1d(x, weight: w) }
  }

  /// PyTorch: "in_channels must be divisible by groups", and out_channels of a transposed one.
  @Test func refusesGroupsThatDoNotShareChannelsOutEvenly() throws {
    let one = Weights(["weight": try Tensor<Float>(zeros: [4, 2, 1])])
    let two = Weights(["weight": try Tensor<Float>(zeros: [4, 2, 1, 1]), "bias": try Tensor<Float>(zeros: [4])])
    for groups in [2, 0, -1, .min] {
      #expect(throws: TensorError.self) { try Conv1d<Float>(one, inputs: 5, outputs: 4, kernel: 1, groups: groups) }
      #expect(throws: TensorError.self) { try Conv2d<Float>(two, inputs: 5, outputs: 4, kernel: 1, groups: groups) }
      #expect(throws: TensorError.self) {
        try ConvTranspose1d<Float>(one, inputs: 4, outputs: 5, kernel: 1, groups: groups)
      }
      #expect(throws: TensorError.self) {
        try ConvTranspose2d<Float>(
          Weights(["weight": Tensor<Float>(zeros: [4, 2, 1, 1])]), inputs: 4, outputs: 5, kernel: 1, groups: groups)
      }
      #expect(throws: TensorError.self) {
        try Conv2d<Float>(
          two,
          foldingBatchNorm: Weights([
            "running_mean": Tensor<Float>(zeros: [4]), "running_var": Tensor<Float>(repeating: 1, shape: [4]),
          ]), inputs: 5, outputs: 4, kernel: 1, groups: groups)
      }
    }
    #expect(throws: Never.self) { try Conv2d<Float>(two, inputs: 4, outputs: 4, kernel: 1, groups: 2) }
  }

  /// What is staged around a map may be beyond counting, though the result is small.
  @Test func windowsFarLargerThanTheMap() throws {
    let dilation: Size2D = 0x4000_0000
    let padding: Padding2D = 0x2000_0000
    let x = try Tensor<Float>(repeating: 1, shape: [1, 16, 20, 20])
    for outputs in [1, 8, 16] {
      #expect(throws: TensorError.self) {
        try conv2d(
          x, weight: Tensor(repeating: 1, shape: [outputs, 16, 2, 2]), padding: padding, dilation: dilation)
      }
    }
    // Channels each by themselves are read where they lie.
    for channels in [8, 16] {
      let y = try conv2d(
        Tensor<Float>(repeating: 1, shape: [1, channels, 20, 20]),
        weight: Tensor(repeating: 1, shape: [channels, 1, 2, 2]), padding: padding, dilation: dilation, groups: channels
      )
      #expect(y.shape == [1, channels, 20, 20])
      #expect(try y.elements.allSatisfy { $0 == 0 })
    }
  }

  @Test func emptyBatchGivesEmptyResult() throws {
    let y = try conv2d(Tensor<Float>(zeros: [0, 16, 4, 4]), weight: Tensor(zeros: [16, 16, 3, 3]))
    #expect(y.shape == [0, 16, 2, 2])
  }
}
