import ApusPlatform
import Testing

@testable import Apus

/// The functions by the name their golden cases have.
private let activations: [String: Activation] = [
  "relu": .relu, "relu6": .relu6, "leakyReLU": .leakyReLU(negativeSlope: 0.1), "elu": .elu(),
  "eluAlpha": .elu(alpha: 0.5), "sigmoid": .sigmoid, "logSigmoid": .logSigmoid, "tanh": .tanh, "silu": .silu,
  "gelu": .gelu(), "geluTanh": .gelu(approximate: .tanh), "mish": .mish, "softplus": .softplus(),
  "softplusBeta": .softplus(beta: 2, threshold: 5), "hardSigmoid": .hardSigmoid, "hardSwish": .hardSwish,
  "hardTanh": .hardTanh(minimum: -0.5, maximum: 0.75),
]

private func apply<S: FloatingPointScalar>(_ name: String, _ x: Tensor<S>) throws -> Tensor<S>? {
  switch name {
  case "negate": try -x
  case "abs": try x.abs()
  case "sign": try x.sign()
  case "reciprocal": try x.reciprocal()
  case "square": try x.square()
  case "sqrt": try x.sqrt()
  case "rsqrt": try x.rsqrt()
  case "floor": try x.floor()
  case "ceil": try x.ceil()
  case "round": try x.round()
  case "exp": try x.exp()
  case "expm1": try x.expm1()
  case "log": try x.log()
  case "log1p": try x.log1p()
  case "erf": try x.erf()
  case "powCube": try x.pow(3)
  case "powHalf": try x.pow(0.5)
  case "powReal": try x.pow(1.7)
  case "clamp": try x.clamp(min: -0.25, max: 1.25)
  default: nil
  }
}

@Suite("Activations and elementary functions")
struct ActivationTests {
  @Test("activations agree with PyTorch", arguments: GoldenCase.all(in: "activation", prefix: "activation"))
  func activationsAgree(golden: GoldenCase) throws {
    let function = try #require(activations[golden.name.split(separator: ".").dropFirst().first.map(String.init) ?? ""])
    func evaluate<S: FloatingPointScalar>(_ inputs: GoldenInputs<S>) throws -> Tensor<S> {
      try activation(inputs["x"], function)
    }
    try golden.check(evaluate, evaluate)
  }

  @Test("elementary functions agree with PyTorch", arguments: GoldenCase.all(in: "activation", prefix: "math"))
  func mathAgrees(golden: GoldenCase) throws {
    func evaluate<S: FloatingPointScalar>(_ inputs: GoldenInputs<S>) throws -> Tensor<S> {
      try #require(try apply(String(golden.name.dropFirst(5)), inputs["x"]))
    }
    try golden.check(evaluate, evaluate)
  }

  /// Where the exponential is infinite, softplus is x.
  @Test func softplusOfLargeNumbersIsTheNumber() throws {
    let function = Activation.softplus(beta: 1, threshold: .infinity)
    let large = try activation(Tensor<Double>([699, 701, 65_504, 1e300, .infinity, -65_504]), function)
    #expect(try large.elements == [699, 701, 65_504, 1e300, .infinity, 0])
    let single = try activation(Tensor<Float>([80, 89, 65_504, 1e38, .infinity, -65_504]), function)
    #expect(try single.elements == [80, 89, 65_504, 1e38, .infinity, 0])
    #expect(try activation(Tensor<Double>([.nan]), function).elements[0].isNaN)
  }

  static let oddCounts = [0, 1, 15, 16, 17, 31, 100, 1000]

  /// What each function does one element at a time, in float64.
  static let functions: [(Activation, @Sendable (Double) -> Double)] = [
    (.relu, { max($0, 0) }), (.relu6, { min(max($0, 0), 6) }), (.leakyReLU(), { $0 < 0 ? 0.01 * $0 : $0 }),
    (.hardSigmoid, { min(max($0 + 3, 0), 6) / 6 }), (.hardSwish, { $0 * min(max($0 + 3, 0), 6) / 6 }),
    (.hardTanh(), { min(max($0, -1), 1) }), (.identity, { $0 }),
  ]

  @Test("against a naive loop on odd sizes", arguments: oddCounts)
  func naive(count: Int) throws {
    let x: Tensor<Float> = try randomTensor([count], seed: 3, in: -8...8)
    for (function, naive) in Self.functions {
      for (variant, result) in try resultsByVariant({ try activation(x, function) }) {
        for (value, input) in zip(try result.elements, try x.elements) {
          let expected = naive(Double(input))
          #expect((Double(value) - expected).magnitude <= 3e-7 * expected.magnitude, "\(function) \(variant) \(input)")
        }
      }
    }
  }

  @Test("an element's result does not depend on its place", arguments: Array(activations.keys).sorted())
  func placeIndependence(name: String) throws {
    let function = try #require(activations[name])
    let elements = try randomTensor([70], seed: 11, in: -6...6, as: Float.self).elements
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let whole = try activation(Tensor(elements), function).elements.map(\.bitPattern)
        for start in 0..<37 {
          let part = try activation(Tensor(Array(elements[start...])), function).elements.map(\.bitPattern)
          #expect(part == Array(whole[start...]), "\(variant) from \(start)")
        }
      }
    }
  }

  /// What an epilogue does to a few columns of a product.
  @Test("parts of rows, and nothing between them", arguments: [1, 5, 16, 17, 33, 64])
  func partsOfRows(count: Int) throws {
    let (rows, step) = (3, 70)
    let elements = try randomTensor([rows * step], seed: 13, in: -6...6, as: Float.self).elements
    let functions = activations.values.compactMap(\.operation) + [.sin, .exp, .power(1.7), .floor]
    for variant in Execution.availableVariants {
      Execution.with(variant: variant) {
        for operation in functions {
          var expected = elements
          var found = elements
          let kernels = Float.kernels
          expected.withUnsafeMutableBufferPointer { y in
            guard let y = y.baseAddress else { return }
            for row in 0..<rows { kernels.unary(operation, y + row * step, y + row * step, count: count) }
          }
          found.withUnsafeMutableBufferPointer { y in
            guard let y = y.baseAddress else { return }
            kernels.unary(operation, y, rows: rows, count: count, rowStep: step)
          }
          #expect(found.map(\.bitPattern) == expected.map(\.bitPattern), "\(operation) \(variant)")
        }
      }
    }
  }

  /// GELU in steps of one rounding each, in every order.
  @Test(arguments: GELUProduct.Half.allCases)
  func writtenGELU(half: GELUProduct.Half) throws {
    let x: Tensor<Float> = try randomTensor([100], seed: 17, in: -6...6)
    let factor = GELUProduct(factor: 0.5.squareRoot(), half: half)
    let divisor = GELUProduct(divisor: 2.0.squareRoot(), half: half)
    for steps in [factor, divisor] {
      for (variant, result) in try resultsByVariant({ try activation(x, .geluProduct(steps)) }) {
        for (value, input) in zip(try result.elements, try x.elements) {
          let expected = Double(input) * (1 + erf(Double(input) * 0.5.squareRoot())) / 2
          // 1 + erf cancels below zero, as it does in the graphs that write it out.
          #expect((Double(value) - expected).magnitude <= 1.5e-7 * Double(input).magnitude, "\(variant) \(input)")
        }
      }
    }
  }

  @Test func whatIsNoNumberBecomesOne() throws {
    let x: [Float] = [.nan, -0.0, .infinity, -.infinity, 3, -.nan]
    let expected: [Float] = [0.5, -0.0, .infinity, -.infinity, 3, 0.5]
    for (_, result) in try resultsByVariant({ try activation(Tensor(x), .nanToNum(0.5)) }) {
      #expect(try result.elements.map(\.bitPattern) == expected.map(\.bitPattern))
    }
  }

  @Test("large tensors: the same bits on 1, 2 and 4 threads")
  func threads() throws {
    let x: Tensor<Float> = try randomTensor([3, 50_001], seed: 5, in: -9...9)
    for function in activations.values {
      for (_, result) in try resultsByVariant({ try activation(x, function) }) { #expect(result.shape == x.shape) }
    }
  }

  private static let infinity = Float.infinity
  /// Results at -∞, -1e30, -200, -0, 0, 1e30, ∞ and NaN: those of PyTorch 2.13.
  static let specials: [(String, [Float])] = [
    ("relu", [0, 0, 0, -0.0, 0, 1e30, infinity, .nan]),
    ("leakyReLU", [-infinity, -1e29, -20, -0.0, 0, 1e30, infinity, .nan]),
    ("elu", [-1, -1, -1, -0.0, 0, 1e30, infinity, .nan]),
    ("sigmoid", [0, 0, 0, 0.5, 0.5, 1, 1, .nan]),
    ("logSigmoid", [-infinity, -1e30, -200, -0.6931472, -0.6931472, 0, 0, .nan]),
    ("tanh", [-1, -1, -1, -0.0, 0, 1, 1, .nan]),
    ("silu", [.nan, -0.0, -0.0, -0.0, 0, 1e30, infinity, .nan]),
    ("geluTanh", [.nan, -0.0, -0.0, -0.0, 0, 1e30, infinity, .nan]),
    ("gelu", [.nan, -0.0, -0.0, -0.0, 0, 1e30, infinity, .nan]),
    ("mish", [.nan, -0.0, -0.0, -0.0, 0, 1e30, infinity, .nan]),
    ("softplus", [0, 0, 0, 0.6931472, 0.6931472, 1e30, infinity, .nan]),
    ("hardSigmoid", [0, 0, 0, 0.5, 0.5, 1, 1, .nan]),
    ("hardSwish", [.nan, -0.0, -0.0, -0.0, 0, 1e30, infinity, .nan]),
    ("relu6", [0, 0, 0, -0.0, 0, 6, 6, .nan]),
  ]

  @Test("infinities, zeros, huge numbers and NaN as PyTorch has them", arguments: specials)
  func special(name: String, expected: [Float]) throws {
    let function = try #require(activations[name])
    let x: [Float] = [-Self.infinity, -1e30, -200, -0.0, 0, 1e30, Self.infinity, .nan]
    for (variant, result) in try resultsByVariant({ try activation(Tensor(x), function) }) {
      for (index, value) in try result.elements.enumerated() {
        #expect(Self.isSame(value, expected[index]), "\(name)(\(x[index])) = \(value), \(variant)")
      }
    }
    let double = try activation(Tensor(x.map { Double($0) }), function)
    for (index, value) in try double.elements.enumerated() {
      #expect(Self.isSame(Float(value), expected[index]), "\(name)(\(x[index])) = \(value), float64")
    }
  }

  private static func isSame(_ a: Float, _ b: Float) -> Bool {
    (a.isNaN && b.isNaN) || a == b || (a - b).magnitude <= 1e-6 * b.magnitude
  }

  @Test("exp and log at the ends of their ranges")
  func ends() throws {
    for (variant, result) in try resultsByVariant({
      try Tensor<Float>([-.infinity, -110, -103, -87.5, 0, 88.7, 88.8, .infinity, .nan]).exp()
    }) {
      let e = try result.elements
      #expect(e[0] == 0 && e[1] == 0 && e[2] == .leastNonzeroMagnitude && e[4] == 1, "\(variant)")
      #expect((e[3] / Float(exp(-87.5)) - 1).magnitude < 1e-6, "\(variant): \(e[3])")
      #expect((e[5] / Float(exp(Double(Float(88.7)))) - 1).magnitude < 1e-6, "\(variant): \(e[5])")
      #expect(e[6] == .infinity && e[7] == .infinity && e[8].isNaN, "\(variant)")
    }
    for (variant, result) in try resultsByVariant({
      try Tensor<Float>([0, -0.0, -1, .leastNonzeroMagnitude, 1, .greatestFiniteMagnitude, .infinity, .nan]).log()
    }) {
      let e = try result.elements
      #expect(e[0] == -.infinity && e[1] == -.infinity && e[2].isNaN && e[4] == 0, "\(variant)")
      #expect((e[3] + 103.27893).magnitude < 1e-5 && (e[5] - 88.72284).magnitude < 1e-5, "\(variant)")
      #expect(e[6] == .infinity && e[7].isNaN, "\(variant)")
    }
  }

  /// Angles close to zero, over many turns, close to where the functions vanish, and too large for the kernel.
  static let angles: [Float] = {
    let nearZero: [Float] = (0..<4001).map { Float($0 - 2000) / 100 }
    let zerosOfFunctions: [Float] = (0..<2000).map { Float($0) * .pi / 2 }
    return nearZero + zerosOfFunctions
      + [1e-30, 1e-4, 1e4, 12345.678, 1e6, 1_048_576, -1_048_575.9, 1_048_577, 1e9, -3e37]
  }()

  @Test("sine and cosine are within a unit in the last place")
  func sineAndCosine() throws {
    for (variant, result) in try resultsByVariant({ try Tensor(Self.angles).sin() }) {
      for (angle, value) in zip(Self.angles, try result.elements) {
        let exact = Float(sin(Double(angle)))
        #expect((value - exact).magnitude <= exact.ulp, "\(variant): sin \(angle)")
      }
    }
    for (variant, result) in try resultsByVariant({ try Tensor(Self.angles).cos() }) {
      for (angle, value) in zip(Self.angles, try result.elements) {
        let exact = Float(cos(Double(angle)))
        #expect((value - exact).magnitude <= exact.ulp, "\(variant): cos \(angle)")
      }
    }
    let special = try Tensor<Float>([-0.0, .infinity, -.infinity, .nan])
    let sines = try special.sin().elements
    #expect(sines[0] == 0 && sines[0].sign == .minus && sines[1...].allSatisfy(\.isNaN))
    let cosines = try special.cos().elements
    #expect(cosines[0] == 1 && cosines[1...].allSatisfy(\.isNaN))
  }

  @Test func negationTurnsTheSignOfZeros() throws {
    for (variant, result) in try resultsByVariant({ try -Tensor<Float>([0, -0.0, 1, -.infinity]) }) {
      #expect(try result.elements.map(\.sign) == [.minus, .plus, .minus, .plus], "\(variant)")
    }
  }

  /// PyTorch's torch.clamp.
  @Test func aBoundThatIsNoNumberMakesEverythingNaN() throws {
    func check<S: FloatingPointScalar>(_ type: S.Type) throws {
      let x = try Tensor<S>([0, 5, -5, .infinity, .nan])
      for result in try [
        x.clamp(min: .nan), x.clamp(max: .nan), x.clamp(min: .nan, max: 1), x.clamp(min: 1, max: .nan),
      ] {
        #expect(try result.elements.allSatisfy(\.isNaN))
      }
      #expect(try x.clamp(min: -1, max: 2).elements.prefix(4) == [0, 2, -1, 2])
    }
    try check(Float.self)
    try check(Double.self)
  }

  @Test("arctangent is within a unit in the last place")
  func arctangent() throws {
    let magnitudes = (-3000...3000).map { Float(exp2(Double($0) / 50)) } + (0...4000).map { Float($0) / 1000 }
    let slopes = magnitudes + magnitudes.map { -$0 } + [.infinity, -.infinity, .greatestFiniteMagnitude]
    for (variant, result) in try resultsByVariant({ try Tensor(slopes).atan() }) {
      for (slope, value) in zip(slopes, try result.elements) {
        let exact = Float(atan(Double(slope)))
        #expect((value - exact).magnitude <= exact.ulp && value.sign == slope.sign, "\(variant): atan \(slope)")
      }
    }
    #expect(try Tensor<Float>([.nan]).atan().elements[0].isNaN)
  }

  @Test("an angle's sine does not depend on the angles beside it")
  func neighboursOfAnAngle() throws {
    let alone = try Tensor<Float>([0.5, -7.25, 1000]).sin().elements
    let together = try Tensor<Float>([0.5, 1e30, -7.25, 1000]).sin().elements
    #expect(alone == [together[0], together[2], together[3]])
  }

  @Test("channel-blocked tensors stay so")
  func layoutIsKept() throws {
    let x = try randomTensor([2, 32, 5, 3], seed: 8, as: Float.self)
    let y = try silu(x.channelBlocked)
    #expect(y.layout == .channelBlocked)
    #expect(try y.rowMajor.bytes == silu(x).bytes)
  }
}
