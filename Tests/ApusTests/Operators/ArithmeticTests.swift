import Testing

@testable import Apus

@Suite("Arithmetic with broadcasting")
struct ArithmeticTests {
  private func evaluate<S: FloatingPointScalar>(_ name: String, _ a: Tensor<S>, _ b: Tensor<S>) throws -> Tensor<S> {
    switch name {
    case "add": try a + b
    case "subtract": try a - b
    case "multiply": try a * b
    case "divide": try a / b
    case "maximum": try maximum(a, b)
    case "minimum": try minimum(a, b)
    default: try a.pow(b)
    }
  }

  @Test("agrees with PyTorch", arguments: GoldenCase.all(in: "arithmetic"))
  func agrees(golden: GoldenCase) throws {
    let name = golden.name.prefix { $0 != "." }
    func both<S: FloatingPointScalar>(_ inputs: GoldenInputs<S>) throws -> Tensor<S> {
      try evaluate(String(name), inputs["a"], inputs["b"])
    }
    try golden.check(both, both)
  }

  /// Shapes whose results are larger than one piece of work, and odd ones.
  static let shapes: [([Int], [Int])] = [
    ([1], [1]), ([17], [17]), ([100_003], [100_003]), ([3, 40_000], [40_000]), ([40_000, 3], [3]),
    ([2, 5, 70, 70], [5, 1, 1]), ([300, 1], [1, 301]), ([4, 1, 50, 1, 7], [3, 1, 60, 1]), ([70_000], [1]),
    ([], [70_000]), ([2, 70_000], [2, 1]), ([0, 3], [3]), ([2, 0], [1, 1]),
  ]

  @Test("against a naive twin, the same bits on any number of threads", arguments: shapes)
  func naive(_ aShape: [Int], _ bShape: [Int]) throws {
    let a: Tensor<Float> = try randomTensor(aShape, seed: 1)
    let b: Tensor<Float> = try randomTensor(bShape, seed: 2)
    let expected = try naiveBroadcast(a, b) { $0 - $1 }
    for (variant, result) in try resultsByVariant({ try a - b }) {
      #expect(result.shape == expected.shape)
      #expect(try result.bytes == expected.bytes, "\(variant)")
    }
    let doubles = try naiveBroadcast(a.converted(to: Double.self), b.converted(to: Double.self)) { $0 / $1 }
    #expect(try (a.converted(to: Double.self) / b.converted(to: Double.self)).bytes == doubles.bytes)
  }

  @Test("Booleans combined and choosing, of every size of element")
  func truth() throws {
    let a = try Tensor([true, true, false, false])
    let b = try Tensor([true, false, true, false])
    for (variant, result) in try resultsByVariant({ try a.and(b) }) {
      #expect(try result.elements == [true, false, false, false], "\(variant)")
    }
    #expect(try a.or(b).elements == [true, true, true, false])
    #expect(try a.xor(b).elements == [false, true, true, false])
    #expect(try (!b).elements == [false, true, false, true])
    #expect(try a.reshaped([4, 1]).and(Tensor([true, false])).shape == [4, 2])
    #expect(try Tensor([false], shape: []).or(b).elements == [true, false, true, false])
    for (variant, result) in try resultsByVariant({
      try Tensor<Int16>(where: a, then: Tensor([-1, 2, 3, 4]), else: Tensor([9], shape: []))
    }) {
      #expect(try result.elements == [-1, 2, 9, 9], "\(variant)")
    }
    let wide = try Tensor<Int64>(where: a, then: Tensor([.min]), else: Tensor([1, 2, 3, 4]))
    #expect(try wide.elements == [.min, .min, 3, 4])
    let narrow = try Tensor<UInt8>(where: b, then: Tensor([7], shape: []), else: Tensor([255]))
    #expect(try narrow.elements == [7, 255, 7, 255])
    #expect(try Tensor<Bool>(where: a, then: b, else: !b).elements == [true, false, false, true])
  }

  /// A map and what goes with it: a value per channel, with and without a batch of its own, a map for all channels, a
  /// row, a column; channels that are not whole blocks.
  static let blockedShapes: [([Int], [Int])] = [
    ([2, 32, 5, 6], [32, 1, 1]), ([2, 32, 5, 6], [1, 32, 1, 1]), ([2, 20, 5, 6], [2, 20, 1, 1]),
    ([2, 20, 5, 6], [5, 6]), ([2, 20, 5, 6], [2, 1, 5, 1]), ([1, 20, 5, 6], [20, 1, 6]), ([2, 9, 7], [9, 1]),
    ([2, 20, 5, 6], [1]), ([3, 20, 1, 1], [1, 20, 4, 5]), ([1, 20, 4, 5], [3, 1, 1, 1]), ([0, 20, 5, 6], [20, 1, 1]),
  ]

  @Test("a channel-blocked map beside something smaller, against a naive twin", arguments: blockedShapes)
  func channelBlocked(_ aShape: [Int], _ bShape: [Int]) throws {
    let a: Tensor<Float> = try randomTensor(aShape, seed: 3)
    let b: Tensor<Float> = try randomTensor(bShape, seed: 4)
    let expected = try naiveBroadcast(a, b) { $0 - $1 }
    let reversed = try naiveBroadcast(b, a) { $0 - $1 }
    for (variant, result) in try resultsByVariant({ try a.channelBlocked - b }) {
      #expect(result.shape == expected.shape)
      #expect(try result.rowMajor.bytes == expected.bytes, "\(variant)")
    }
    #expect(try (b - a.channelBlocked).rowMajor.bytes == reversed.bytes)
    #expect(try (a.channelBlocked - b.channelBlocked).rowMajor.bytes == expected.bytes)
    if expected.shape == aShape { #expect(try (a.channelBlocked - b).layout == .channelBlocked) }
  }

  @Test("numbers on either side")
  func scalars() throws {
    let x = try Tensor<Float>([1, 2, 4, -8])
    #expect(try (x + 1).elements == [2, 3, 5, -7])
    #expect(try (1 - x).elements == [0, -1, -3, 9])
    #expect(try (x * 2 + 1).elements == [3, 5, 9, -15])
    #expect(try (8 / x).elements == [8, 4, 2, -1])
    #expect(try (x / 2).elements == [0.5, 1, 2, -4])
    #expect(try (-x).elements == [-1, -2, -4, 8])
    #expect(try (0.5 * x).elements == [0.5, 1, 2, -4])
  }

  @Test("maximum and minimum keep NaN from either side")
  func notANumber() throws {
    let a = try Tensor<Float>([.nan, 1, .nan, -1])
    let b = try Tensor<Float>([2, .nan, .nan, 3])
    for (_, result) in try resultsByVariant({ try maximum(a, b) }) {
      #expect(try result.elements.map(\.isNaN) == [true, true, true, false])
      #expect(try result.element(3) == 3)
    }
    for (_, result) in try resultsByVariant({ try minimum(a, b) }) {
      #expect(try result.elements.map(\.isNaN) == [true, true, true, false])
      #expect(try result.element(3) == -1)
    }
  }

  @Test("shapes that do not fit are both named")
  func mismatch() throws {
    let a = try Tensor<Float>(zeros: [2, 3])
    let b = try Tensor<Float>(zeros: [4])
    #expect {
      try a + b
    } throws: { error in
      "\(error)".contains("[2, 3]") && "\(error)".contains("[4]") && "\(error)".contains("add")
    }
  }

  @Test("channel-blocked operands of one shape keep the layout, others are converted")
  func layouts() throws {
    let a: Tensor<Float> = try randomTensor([2, 16, 3, 5], seed: 1)
    let b: Tensor<Float> = try randomTensor([2, 16, 3, 5], seed: 2)
    let sum = try a.channelBlocked + b.channelBlocked
    #expect(sum.layout == .channelBlocked)
    #expect(try sum.rowMajor.bytes == (a + b).bytes)
    let mixed = try a.channelBlocked + b
    #expect(try mixed.rowMajor.bytes == (a + b).bytes)
    let scaled = try a.channelBlocked * 2
    #expect(scaled.layout == .channelBlocked)
    #expect(try scaled.rowMajor.bytes == (a * 2).bytes)
    let perChannel: Tensor<Float> = try randomTensor([16, 1, 1], seed: 3)
    #expect(try (a.channelBlocked * perChannel).rowMajor.bytes == (a * perChannel).bytes)
  }

  @Test("comparisons and masks")
  func masks() throws {
    let a = try Tensor<Float>([1, 2, .nan, 4])
    let b = try Tensor<Float>([2])
    #expect(try a.lt(b).elements == [true, false, false, false])
    #expect(try a.le(b).elements == [true, true, false, false])
    #expect(try a.gt(b).elements == [false, false, false, true])
    #expect(try a.ge(b).elements == [false, true, false, true])
    #expect(try a.eq(b).elements == [false, true, false, false])
    #expect(try a.ne(b).elements == [true, false, true, true])
    let mask = try Tensor([true, false, true, false])
    #expect(try a.maskedFill(mask, with: 9).elements == [9, 2, 9, 4])
    let other = try Tensor<Float>([10, 20, 30, 40])
    #expect(try Tensor(where: mask, then: other, else: a).elements == [10, 2, 30, 4])
    #expect(throws: TensorError.self) { try a.maskedFill(Tensor([true, false]), with: 0) }
  }
}

/// Broadcasting one element at a time.
func naiveBroadcast<S: FloatingPointScalar>(
  _ a: Tensor<S>, _ b: Tensor<S>, _ body: (S, S) -> S
) throws -> Tensor<S> {
  let shape = try Shape.broadcast(a.shape, b.shape, operation: "naive")
  let strides = Shape.strides(shape)
  let (first, second) = (try a.elements, try b.elements)
  func place(_ index: Int, _ own: [Int]) -> Int {
    var place = 0
    let missing = shape.count - own.count
    let ownStrides = Shape.strides(own)
    for axis in own.indices where own[axis] > 1 {
      place += index / strides[axis + missing] % shape[axis + missing] * ownStrides[axis]
    }
    return place
  }
  let count = shape.reduce(1, *)
  return try Tensor((0..<count).map { body(first[place($0, a.shape)], second[place($0, b.shape)]) }, shape: shape)
}
