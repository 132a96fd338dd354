import Apus
import ApusTestSupport
import Testing

@testable import ApusGraph
@testable import ApusONNX

/// Operators of com.microsoft that do what the standard's do, bit for bit, or what their formulas say.
@Suite struct MicrosoftNodesTests {
  /// The activation, its attributes in the order in which the fused nodes list them.
  static let functions: [(type: String, attributes: [(name: String, value: Float)])] = [
    ("Relu", []), ("Sigmoid", []), ("Tanh", []), ("Softplus", []), ("Softsign", []), ("HardSwish", []),
    ("LeakyRelu", [("alpha", 0.2)]), ("LeakyRelu", []), ("ThresholdedRelu", [("alpha", 0.75)]),
    ("ThresholdedRelu", []), ("Elu", [("alpha", 0.5)]), ("Selu", [("alpha", 1.5), ("gamma", 1.25)]), ("Selu", []),
    ("HardSigmoid", [("alpha", 0.3), ("beta", 0.25)]), ("HardSigmoid", []),
  ]

  @Test(arguments: functions.indices)
  func aFusedActivationIsANodeOfItsOwn(index: Int) throws {
    let (type, attributes) = Self.functions[index]
    let name = AttributeValue.string(Array(type.utf8))
    let own = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, AttributeValue.float($0.value)) })
    func activated(_ product: [GraphValue?]) throws -> GraphValue {
      try #require(runNode(type, product, own).first ?? nil)
    }

    let matrices = [try GraphValue.noise([5, 7]), try .noise([7, 9], seed: 2), try .noise([9], seed: 3)]
    let named = Dictionary(uniqueKeysWithValues: own.map { ("activation_\($0)", $1) })
    let fusedProduct = try runNode(
      "FusedGemm", domain: "com.microsoft", matrices, opset: 1, named.merging(["activation": name]) { $1 })
    #expect(try #require(fusedProduct.first ?? nil).hasSameBits(as: activated(runNode("Gemm", matrices))))

    let maps = [try GraphValue.noise([1, 3, 8, 8]), try .noise([4, 3, 3, 3], seed: 2), try .noise([4], seed: 3)]
    var parameters = ["activation": name]
    if !attributes.isEmpty { parameters["activation_params"] = .floats(attributes.map(\.value)) }
    let fusedMaps = try runNode("FusedConv", domain: "com.microsoft", maps, opset: 1, parameters)
    #expect(try #require(fusedMaps.first ?? nil).hasSameBits(as: activated(runNode("Conv", maps))))
  }

  /// Of -3. By hand: 0.2 · -3 + 0.9, 1.25 · 1.673263 · (e⁻³ - 1) and 1.050701 · 2 · (e⁻³ - 1).
  @Test(
    arguments: [
      ("HardSigmoid", "activation_beta", 0.9, 0.3), ("Selu", "activation_gamma", 1.25, -1.987_445_4),
      ("Selu", "activation_alpha", 2, -1.996_779_4),
    ] as [(type: String, attribute: String, value: Float, expected: Float)])
  func attributesOfAFusedProductAreKnownByTheirNames(
    type: String, attribute: String, value: Float, expected: Float
  ) throws {
    let matrices = [
      GraphValue(try Tensor<Float>([1, 2], shape: [1, 2])), GraphValue(try Tensor<Float>([1, -2], shape: [2, 1])),
    ]
    let node = try runNode(
      "FusedGemm", domain: "com.microsoft", matrices, opset: 1,
      ["activation": .string(Array(type.utf8)), attribute: .float(value)])
    let result = try #require(node[0]?.tensor(of: Float.self)?.elements.first)
    #expect(abs(result - expected) <= 1e-6)
  }

  @Test(arguments: [[6], [1], [1, 6], [5, 6], [3, 1, 1]])
  func scalesOfSimplifiedLayerNormalizationAreStretched(shape: [Int]) throws {
    let x = try GraphValue.noise([2, 3, 5, 6])
    let scale = try GraphValue.noise(shape, seed: 2)
    let attributes: [String: AttributeValue] = ["axis": .int(-1), "epsilon": .float(1e-4)]
    let simplified = try runNode(
      "SimplifiedLayerNormalization", domain: "com.microsoft", [x, scale], opset: 1, attributes)
    let standard = try runNode("RMSNormalization", [x, scale], opset: 23, attributes)
    #expect(try #require(simplified.first ?? nil).hasSameBits(as: #require(standard.first ?? nil)))
  }

  /// What ONNX Runtime's schema says of it.
  @Test func gatedNormsHaveAnEpsilon() throws {
    let inputs = [try GraphValue.noise([2, 8]), try .noise([4], seed: 2), try .noise([2, 8], seed: 3)]
    let plain = try runNode("GatedRMSNorm", domain: "com.microsoft", inputs, opset: 1)
    let given = try runNode("GatedRMSNorm", domain: "com.microsoft", inputs, opset: 1, ["epsilon": .float(1e-5)])
    #expect(try #require(plain.first ?? nil).hasSameBits(as: #require(given.first ?? nil)))
  }

  /// A gate and a value of two layers, of two halves of one, and beside each other.
  @Test(arguments: [false, true])
  func gatesOfOneLayerAreThoseOfTwo(isQuantized: Bool) throws {
    let (experts, hidden, features) = (3, 16, 16)
    let x = [try GraphValue.noise([5, features]), try .noise([5, experts], seed: 2)]
    func layer(_ rows: Int, seed: UInt64) throws -> [GraphValue] {
      let bias = try GraphValue.noise([experts, rows], seed: seed + 1)
      guard isQuantized else { return [try .noise([experts, rows, features], seed: seed), bias] }
      var generator = SplitMix64(seed: seed)
      let codes: [UInt8] = randomIntegers(experts * rows * features / 2, in: 0...255, using: &generator)
      let packed = GraphValue(try Tensor(codes, shape: [experts, rows, features / 2]))
      return [packed, try .noise([experts, rows, 1], seed: seed + 2), bias]
    }
    let (gates, values, last) = try (layer(hidden, seed: 3), layer(hidden, seed: 6), layer(features, seed: 9))
    var places: [Int64] = []
    for index in 0..<hidden { places += [Int64(index), Int64(index + hidden)] }
    let order = GraphValue(try Tensor(places))
    func joined(_ pair: (GraphValue, GraphValue)) throws -> GraphValue {
      try #require(runNode("Concat", [pair.0, pair.1], ["axis": .int(1)]).first ?? nil)
    }
    func mixed(_ value: GraphValue) throws -> GraphValue {
      try #require(runNode("Gather", [value, order], ["axis": .int(1)]).first ?? nil)
    }
    let halves = try zip(gates, values).map(joined)
    let interleaved = try halves.map(mixed)
    func result(_ layers: [GraphValue?], fusion: Int64) throws -> GraphValue {
      var attributes: [String: AttributeValue] = [
        "activation_type": .string(Array("swiglu".utf8)), "k": .int(2), "swiglu_fusion": .int(fusion),
        "activation_alpha": .float(1.5), "activation_beta": .float(0.5), "swiglu_limit": .float(0.75),
      ]
      if isQuantized { attributes["block_size"] = .int(16) }
      let node = try runNode(
        isQuantized ? "QMoE" : "MoE", domain: "com.microsoft", x + layers, opset: 1, attributes)
      return try #require(node.first ?? nil)
    }
    let two = try result(gates + last + values, fusion: 0)
    #expect(try result(halves + last, fusion: 2).hasSameBits(as: two))
    #expect(try result(interleaved + last, fusion: 1).hasSameBits(as: two))
  }

  /// Of many bytes a function is looked up, of few computed.
  @Test(arguments: ["QLinearSigmoid", "QLinearLeakyRelu", "QLinearConcat"], [true, false])
  func manyBytesBecomeWhatFewDo(type: String, isSigned: Bool) throws {
    func bytes(_ values: [Int], _ shape: [Int]) throws -> GraphValue {
      isSigned
        ? GraphValue(try Tensor(values.map { Int8(truncatingIfNeeded: $0) }, shape: shape))
        : GraphValue(try Tensor(values.map { UInt8(truncatingIfNeeded: $0) }, shape: shape))
    }
    func scale(_ value: Float) throws -> GraphValue { GraphValue(try Tensor([value], shape: [])) }
    func result(_ values: [Int], _ shape: [Int]) throws -> GraphValue {
      let operand = [try bytes(values, shape), try scale(0.043), try bytes([17], [])]
      let levels = [try scale(0.0071), try bytes([101], [])]
      let node =
        type == "QLinearConcat"
        ? try runNode(type, domain: "com.microsoft", levels + operand, opset: 1, ["axis": .int(0)])
        : try runNode(type, domain: "com.microsoft", operand + levels, opset: 1)
      return try #require(node.first ?? nil)
    }
    let values = (0..<6 * 1024).map { 7 * $0 + $0 / 256 }
    let rows = try (0..<6).map { try result(Array(values[1024 * $0..<1024 * ($0 + 1)]), [1, 1024]) }
    let few = try #require(runNode("Concat", rows, ["axis": .int(0)]).first ?? nil)
    #expect(try result(values, [6, 1024]).hasSameBits(as: few))
  }

  @Test func knownScalesAreScales() throws {
    func bytes(_ shape: [Int], seed: UInt64) throws -> GraphValue {
      var generator = SplitMix64(seed: seed)
      let count = try Shape.elementCount(shape)
      return GraphValue(try Tensor<UInt8>(randomIntegers(count, in: 0...255, using: &generator), shape: shape))
    }
    func scales(_ values: [Float]) throws -> GraphValue {
      GraphValue(try Tensor(values, shape: values.count == 1 ? [] : [values.count]))
    }
    let point = try bytes([], seed: 3)
    func node(x: [Int], w: [Int], columns: [Float]) throws -> [GraphValue?] {
      [
        try bytes(x, seed: 1), try scales([0.02]), point, try bytes(w, seed: 2), try scales(columns), point,
      ]
    }
    let result = [try scales([0.7]), point]
    let maps = try node(x: [1, 4, 5, 5], w: [3, 4, 2, 2], columns: [0.01, 0.02, 0.03]) + result
    let matrices = try node(x: [5, 8], w: [8, 3], columns: [0.01, 0.02, 0.03]) + [nil] + result
    for constants in [[1, 4, 6], [3, 4, 5], [1, 3, 4, 5, 6]] {
      let known = try runNode("QLinearConv", maps, constants: Set(constants))
      #expect(try #require(known.first ?? nil).hasSameBits(as: #require(runNode("QLinearConv", maps).first ?? nil)))
    }
    for constants in [[1, 4, 7], [3, 4, 5], [1, 3, 4, 5, 7]] {
      let known = try runNode("QGemm", domain: "com.microsoft", matrices, constants: Set(constants), opset: 1)
      let computed = try runNode("QGemm", domain: "com.microsoft", matrices, opset: 1)
      #expect(try #require(known.first ?? nil).hasSameBits(as: #require(computed.first ?? nil)))
    }
  }

  /// The zero point of a row that is one block fills the lowest bits of its byte alone.
  @Test(arguments: [2, 4, 8], [0, 1])
  func aZeroPointOfOneBlockIsPacked(bits: Int, axis: Int) throws {
    let (rows, columns) = (3, 16)
    var generator = SplitMix64(seed: 4)
    let stored = columns * bits / 8
    let bytes: [UInt8] = randomIntegers(rows * stored, in: 0...255, using: &generator)
    let points: [UInt8] = [0x85, 0x79, 0xE2]
    let scales: [Float] = [0.5, 2, 0.25]
    let inputs = [
      GraphValue(try Tensor(bytes, shape: [rows, stored])), try .whole(Array(0..<Int64(axis == 0 ? rows : columns))),
      GraphValue(try Tensor(scales, shape: [rows, 1])), GraphValue(try Tensor(points, shape: [rows, 1])),
    ]
    let node = try runNode(
      "GatherBlockQuantized", domain: "com.microsoft", inputs, opset: 1,
      ["bits": .int(Int64(bits)), "block_size": .int(16), "gather_axis": .int(Int64(axis))])
    let mask = 1 << bits - 1
    let expected = (0..<rows * columns).map { index in
      let (row, column) = (index / columns, index % columns)
      let byte = Int(bytes[row * stored + column * bits / 8])
      return Float((byte >> (column * bits % 8) & mask) - (Int(points[row]) & mask)) * scales[row]
    }
    let numbers = try Tensor(expected, shape: [rows, columns])
    #expect(try #require(node.first ?? nil).hasSameBits(as: GraphValue(numbers)))
  }

  /// ONNX Runtime adds the queries' part of the bias alone: keys and values in heads are those of a cache.
  @Test func theBiasOfCachedKeysIsThatOfQueries() throws {
    let query = try Tensor<Float>([0.5, -1, 2, 1.5, 0.25, -0.75, 1, -2], shape: [1, 2, 4])
    let bias: [Float] = [0.5, 1, -0.25, 2, 9, 8, 7, 6, -5, -4, -3, -2]
    let cache = [try GraphValue.noise([1, 2, 3, 2]), try .noise([1, 2, 3, 2], seed: 2)]
    func result(_ inputs: [GraphValue]) throws -> GraphValue {
      let node = try runNode(
        "MultiHeadAttention", domain: "com.microsoft", inputs, opset: 1, ["num_heads": .int(2)])
      return try #require(node.first ?? nil)
    }
    let own = try result([GraphValue(query)] + cache + [GraphValue(Tensor(bias))])
    let added = try query + Tensor(Array(bias[..<4]))
    #expect(try own.hasSameBits(as: result([GraphValue(added)] + cache)))
    #expect(throws: (any Error).self) {
      try result([GraphValue(query)] + cache + [GraphValue(Tensor(Array(bias[..<4])))])
    }
  }

  /// As ONNX Runtime ends ties, whichever way shapes are stretched, and of results that are of another type than operands.
  @Test(arguments: [[4, 8, 8], [4, 1, 8], [8], []], [true, false])
  func productsAreRoundedWithTheZeroPoint(shape: [Int], isSigned: Bool) throws {
    func scale(_ value: Float) throws -> GraphValue { GraphValue(try Tensor([value], shape: [])) }
    let zero = GraphValue(try Tensor<UInt8>(zeros: []))
    let operand = [GraphValue(try Tensor(Array(0...255) as [UInt8], shape: [4, 8, 8])), try scale(0.5), zero]
    let ones = [GraphValue(try Tensor<UInt8>(repeating: 1, shape: shape)), try scale(1), zero]
    let point = isSigned ? GraphValue(try Tensor<Int8>([3], shape: [])) : GraphValue(try Tensor<UInt8>([3], shape: []))
    let node = try runNode("QLinearMul", domain: "com.microsoft", operand + ones + [scale(1), point], opset: 1)
    let sums = (0...255).map { (Float($0) / 2 + 3).rounded(.toNearestOrEven) }
    let expected =
      isSigned
      ? GraphValue(try Tensor(sums.map { Int8(min(127, $0)) }, shape: [4, 8, 8]))
      : GraphValue(try Tensor(sums.map { UInt8($0) }, shape: [4, 8, 8]))
    #expect(try #require(node.first ?? nil).hasSameBits(as: expected))
  }

  /// Of four bytes with one scale the mean is a quarter of their sum, whatever that scale is: ties end at an even number of
  /// levels from the zero point, or at an even level where that is added before.
  @Test(arguments: [0.02, 0.3, 1.7] as [Float], [3, 117, 128] as [UInt8])
  func tiesOfMeansGoByTheirSums(scale: Float, point: UInt8) throws {
    let bytes = (0..<256).map { UInt8(truncatingIfNeeded: $0 / 4 * 37 + $0 % 4 * $0 * 11) }
    let differences = stride(from: 0, to: 256, by: 4).map { first in
      bytes[first..<(first + 4)].reduce(0) { $0 + Int($1) - Int(point) }
    }
    #expect(differences.count { $0 % 4 == 2 } > 8)
    func quarters(adding point: Int) -> [Int] {
      differences.map { sum in
        let sum = sum + 4 * point
        let (floor, rest) = (sum >> 2, sum & 3)
        return rest > 2 || rest == 2 && floor % 2 != 0 ? floor + 1 : floor
      }
    }
    let grid = [GraphValue(try Tensor([scale], shape: [])), GraphValue(try Tensor([point], shape: []))]
    for isLast in [false, true] {
      let maps = try Tensor(bytes, shape: [1, 64, 2, 2])
      let x = GraphValue(try isLast ? maps.permuted([0, 2, 3, 1]) : maps)
      func means(_ type: String, _ more: [String: AttributeValue] = [:]) throws -> [Int]? {
        let attributes = more.merging(["channels_last": .int(isLast ? 1 : 0)]) { $1 }
        let node = try runNode(type, domain: "com.microsoft", [x] + grid + grid, opset: 1, attributes)
        return try node[0]?.tensor(of: UInt8.self)?.elements.map { Int($0) }
      }
      let ofMaps = quarters(adding: 0).map { $0 + Int(point) }
      #expect(try means("QLinearGlobalAveragePool") == ofMaps)
      let ofWindows = quarters(adding: Int(point))
      #expect(try means("QLinearAveragePool", ["kernel_shape": .ints([2, 2])]) == ofWindows)
    }
  }

  /// Quarters that follow a rule.
  private func quarters(_ shape: [Int], step: Int = 7, period: Int = 11) throws -> GraphValue {
    let numbers = (0..<(try Shape.elementCount(shape))).map { Float($0 * step % period - period / 2) / 4 }
    return GraphValue(try Tensor(numbers, shape: shape))
  }

  private func row(_ numbers: [Float]) throws -> GraphValue { GraphValue(try Tensor(numbers)) }

  /// Whether inputs 1 and 2 are known before or not.
  private func expect(
    _ type: String, _ inputs: [GraphValue?], _ attributes: [String: AttributeValue] = [:], gives expected: [[Double]]
  ) throws {
    for constants in [Set<Int>(), [1, 2]] {
      let results = try runNode(
        type, domain: "com.microsoft", inputs, constants: constants, opset: 1, outputs: expected.count, attributes)
      for (result, expected) in zip(results, expected) {
        guard case .tensor(let tensor)? = result else { throw OperatorError("\(type) has no result") }
        let numbers = try tensor.converted(to: Double.self).elements
        #expect(
          numbers.count == expected.count && zip(numbers, expected).allSatisfy { abs($0 - $1) < 1e-5 }, "\(type)")
      }
    }
  }

  /// What is expected are PyTorch's group_norm and silu in float64, with the channels moved.
  @Test func groupsWithChannelsLastAreThoseOfPyTorch() throws {
    let maps = [try quarters([2, 2, 1, 4]), try row([1, 2, 0.5, -1]), try row([0, 0.25, -0.5, 1])]
    let plain = [
      -1.310543, 2.521608, -1.155272, -0.1358042, 0.786326, -0.9731737, -0.106837, 1.611587, -1.310543, 2.521608,
      -0.6386742, 2.386742, 0.786326, -0.9731737, 0.193371, 0.7226516,
    ]
    try expect("GroupNorm", maps, ["groups": .int(2), "activation": .int(0)], gives: [plain])
    let gated: [String: AttributeValue] = ["groups": .int(2), "activation": .int(1)]
    let logistic = [
      -0.2783541, 2.334109, -0.2767193, -0.06329847, 0.5402389, -0.2668913, -0.05056768, 1.34347, -0.2783541, 2.334109,
      -0.2206915, 2.185804, 0.5402389, -0.2668913, 0.1060046, 0.4864823,
    ]
    try expect("GroupNorm", maps, gated, gives: [logistic])
    let skipped = [
      [
        -0.274662, 2.767367, -0.2594259, 0.2314556, 0.1163215, 0.05781579, 0.08365106, 1.910124, -0.274662, 2.767367,
        -0.2778921, 0.7310586, 0.1163215, 0.05781579, -0.1887703, -0.1648146,
      ],
      [-2.25, 0.25, 0.25, 1.25, -0.75, -1, 1.75, 0, -0.25, 2.25, -1, 0.5, 1.25, 1, 0.5, 2],
    ]
    for shape in [[2, 4], [2, 1, 1, 4]] {
      let skip = [try quarters(shape, step: 5, period: 13), try row([0.5, 0, -0.25, 1])]
      try expect("SkipGroupNorm", maps + skip, gated, gives: skipped)
    }
  }

  /// What is expected are PyTorch's conv2d and gelu in float64, with the channels moved.
  @Test func fusionsForDiffusionAreThoseOfPyTorch() throws {
    let map = [
      1, -0.5, 3.125, -0.75, 2.875, -2.125, 2.625, -2.875, -1, -2.625, -0.25, 1.4375, -2.25, 0.4375, 2.6875, 1.9375,
    ]
    try expect(
      "NhwcConv", [quarters([1, 3, 4, 2]), quarters([2, 2, 3, 2], step: 5, period: 13), row([1, -0.5])],
      ["strides": .ints([1, 2]), "pads": .ints([1, 1, 1, 1]), "kernel_shape": .ints([2, 3])],
      gives: [map])
    try expect(
      "BiasSplitGelu", [quarters([1, 2, 4]), row([0.5, -0.25, 1, 0])], gives: [[-0.2592984, 0.2794844, 1.465875, 0]])
    try expect(
      "BiasAdd", [quarters([1, 2, 2]), row([0.5, -1]), quarters([1, 2, 2], step: 5, period: 13)],
      gives: [[-2.25, -0.75, 1, -0.75]])
    let product = [try quarters([2, 3]), try quarters([3, 2], step: 5, period: 13)]
    try expect("GemmFastGelu", product, gives: [[2.222799, -0.1634907, -0.06341163, -0.07734939]])
    try expect("GemmFastGelu", product + [row([0.5, -1])], gives: [[2.742277, -0.05099369, -0.1244934, -0.009200405]])
  }

  /// Of 24 inputs the second block of 16 is half a one, and 8 are less than one. All sums are exact.
  @Test(arguments: [2, 4, 8], [true, false])
  func expertsEndWithinABlock(bits: Int, hasPoints: Bool) throws {
    let (features, hidden, size, perByte) = (24, 8, 16, 8 / bits)
    var generator = SplitMix64(seed: 6)
    /// Codes, scales and zero points, and the numbers that they stand for.
    func layer(_ rows: Int, _ columns: Int) throws -> [GraphValue] {
      let blocks = (columns + size - 1) / size
      let stored = (blocks + perByte - 1) / perByte
      let codes: [UInt8] = randomIntegers(rows * columns / perByte, in: 0...255, using: &generator)
      let points: [UInt8] = randomIntegers(rows * stored, in: 0...255, using: &generator)
      let scales = (0..<rows * blocks).map { Float($0 % 2 + 1) / 2 }
      func code(_ bytes: [UInt8], _ index: Int) -> Int {
        Int(bytes[index / perByte]) >> (index % perByte * bits) & (1 << bits - 1)
      }
      let numbers = (0..<rows * columns).map { index in
        let (row, block) = (index / columns, index % columns / size)
        let point = hasPoints ? code(points, row * stored * perByte + block) : 1 << (bits - 1)
        return Float(code(codes, index) - point) * scales[row * blocks + block]
      }
      return [
        GraphValue(try Tensor(codes, shape: [1, rows, columns / perByte])),
        GraphValue(try Tensor(scales, shape: [1, rows, blocks])),
        GraphValue(try Tensor(points, shape: [1, rows, stored])),
        GraphValue(try Tensor(numbers, shape: [1, rows, columns])),
      ]
    }
    let (first, second) = try (layer(hidden, features), layer(features, hidden))
    let x = GraphValue(try Tensor((0..<2 * features).map { Float($0 % 7 - 3) }, shape: [2, features]))
    let router = GraphValue(try Tensor<Float>(zeros: [2, 1]))
    let none: [GraphValue?] = [nil, nil, nil, nil]
    let packed = [x, router, first[0], first[1], nil, second[0], second[1]] + none
    let points = hasPoints ? [first[2], second[2]] : []
    let identity: [String: AttributeValue] = ["activation_type": .string(Array("identity".utf8))]
    let settings = identity.merging(["expert_weight_bits": .int(Int64(bits)), "block_size": .int(16)]) { $1 }
    let plain = try runNode("MoE", domain: "com.microsoft", [x, router, first[3], nil, second[3]], opset: 1, identity)
    let expected = try #require(plain.first ?? nil)
    for constants in [[], Set(2..<13)] {
      let node = try runNode(
        "QMoE", domain: "com.microsoft", packed + points, constants: constants, opset: 1, settings)
      #expect(try #require(node.first ?? nil).hasSameBits(as: expected))
    }
  }

  /// The quotient 10.5027 is 10.5 in FLOAT16, and 10 then; ONNX Runtime has 11, and the standard's is that of FLOAT16.
  @Test func quotientsOfHalvesAreFloats() throws {
    func half(_ value: Float, _ shape: [Int]) throws -> GraphValue {
      try GraphValue(rounding: Tensor([value], shape: shape), to: .float16)
    }
    let inputs = [try half(8.5078125, [1]), try half(0.81005859375, []), GraphValue(try Tensor<UInt8>(zeros: []))]
    let own = try runNode("QuantizeLinear", domain: "com.microsoft", inputs, opset: 1)
    let standard = try runNode("QuantizeLinear", inputs)
    #expect(try #require(own.first ?? nil).hasSameBits(as: GraphValue(Tensor<UInt8>([11]))))
    #expect(try #require(standard.first ?? nil).hasSameBits(as: GraphValue(Tensor<UInt8>([10]))))
  }

  /// Of the lengths and the two lists of beginnings ONNX Runtime reads the lengths alone.
  @Test func lengthsMayBeFollowedByBeginnings() throws {
    let sides = try (1...3).map { try GraphValue.noise([2, 3, 8], seed: $0) }
    func result(_ mask: [Int32]) throws -> GraphValue {
      let inputs = sides + [nil, GraphValue(try Tensor(mask))]
      let node = try runNode(
        "MultiHeadAttention", domain: "com.microsoft", inputs, opset: 1, ["num_heads": .int(2)])
      return try #require(node.first ?? nil)
    }
    let lengths = try result([3, 2])
    #expect(try result([3, 2, 0, 3, 6, 0, 3, 5]).hasSameBits(as: lengths))
    #expect(try result([3, 2, 3, 2, 1, 1, 2, 2]).hasSameBits(as: lengths))
  }

  /// ONNX Runtime masks later keys for every query but the last. The values are NumPy's of that formula in float64, from
  /// which ONNX Runtime's are 2e-7 away.
  @Test(
    arguments: [
      (
        past: 0,
        [
          -3, -2, -1, 0, -0.400_291_92, 0.599_708_08, 1.349_915_98, -1.762_436_99,
          -0.546_757_7, 0.453_242_33, 0.281_880_65, -0.825_627_33,
        ]
      ),
      (
        past: 2,
        [
          -0.177_304_7, 0.822_695_31, -0.899_349_03, 0.100_650_97, -0.009_850_95, 0.990_149_12, 0.964_796_3,
          -0.580_099_06, -0.438_755_66, 0.561_244_31, 0.069_215_37, -0.057_215_91,
        ]
      ),
    ] as [(past: Int, expected: [Float])])
  func theLastOfFewerQueriesThanKeysAttendsToAll(past: Int, expected: [Float]) throws {
    func numbers(_ values: [Float], _ shape: [Int]) throws -> GraphValue {
      GraphValue(try Tensor(values, shape: shape))
    }
    var inputs: [GraphValue?] = [
      try numbers([0.5, -1, 2, 1.5, 0.25, -0.75, 1, -2, 0, 0.5, -0.5, 1], [1, 3, 4]),
      try numbers((0..<16).map { Float($0 % 5 - 2) / 2 }, [1, 4, 4]),
      try numbers((0..<16).map { Float($0 % 7 - 3) }, [1, 4, 4]),
    ]
    if past > 0 {
      let keys = try numbers((0..<8).map { Float($0 % 3 - 1) }, [1, 2, past, 2])
      inputs += [nil, nil, nil, keys, try numbers((0..<8).map { Float($0 % 4 - 1) }, [1, 2, past, 2])]
    }
    // With scores, attention goes in steps.
    for outputs in [1, 4] {
      let node = try runNode(
        "MultiHeadAttention", domain: "com.microsoft", inputs, opset: 1, outputs: outputs,
        ["num_heads": .int(2), "unidirectional": .int(1)])
      let result = try #require(node[0]?.tensor(of: Float.self)).elements
      try #require(result.count == expected.count)
      for (number, expected) in zip(result, expected) { #expect(abs(number - expected) <= 1e-6) }
    }
  }
}
