import ApusKernelInterface
import Testing

@testable import Apus

@Suite("Several functions of single elements in one pass")
struct ElementwiseProgramTests {
  struct Shapes: Sendable, CustomTestStringConvertible {
    let whole: [Int]
    let vector: [Int]
    var testDescription: String { "\(vector) over \(whole)" }
  }

  /// Vectors along the first, an inner and the last axis; maps that are whole blocks and that are not; more elements than
  /// a piece of work has.
  static let shapes = [
    Shapes(whole: [2, 19, 7, 9], vector: [19, 1, 1]), Shapes(whole: [1, 32, 50, 50], vector: [1, 32, 1, 1]),
    Shapes(whole: [3, 16, 1, 1], vector: [16, 1, 1]), Shapes(whole: [2, 40, 33], vector: [40, 1]),
    Shapes(whole: [2, 19, 7, 9], vector: [9]), Shapes(whole: [700, 33], vector: [33]),
    Shapes(whole: [5, 8, 3], vector: [5, 1, 1]), Shapes(whole: [4, 1, 3], vector: [3]),
  ]
  static let operations: [BinaryOperation] = [
    .add, .subtract, .multiply, .divide, .maximum, .minimum, .power, .scaleNegative,
  ]

  private func naive<Scalar: FloatingPointScalar>(_ operation: BinaryOperation, _ a: Scalar, _ b: Scalar) -> Scalar {
    switch operation {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    case .maximum: a.isNaN || b.isNaN ? .nan : max(a, b)
    case .minimum: a.isNaN || b.isNaN ? .nan : min(a, b)
    case .scaleNegative: a < 0 ? a * b : a
    case .power: .nan
    }
  }

  /// A value a channel, a column or a sample beside a tensor, on either side, in both layouts.
  @Test("vectors are stretched as broadcasting does it", arguments: shapes, operations)
  func vectors(shapes: Shapes, operation: BinaryOperation) throws {
    var x: Tensor<Float> = try randomTensor(shapes.whole, seed: 1)
    x = try concatenate([Tensor([Float.nan, -.infinity, 0]), x.reshaped([x.count])[3...]], axis: 0).reshaped(x.shape)
    let vector: Tensor<Float> = try randomTensor(shapes.vector, seed: 2)
    func expected(_ isFirst: Bool) throws -> Tensor<Float> {
      if case .power = operation { return isFirst ? try vector.pow(x) : try x.pow(vector) }
      return isFirst
        ? try naiveBroadcast(vector, x) { naive(operation, $0, $1) }
        : try naiveBroadcast(x, vector) { naive(operation, $0, $1) }
    }
    for isFirst in [false, true] {
      let step: [ElementwiseProgram.Step] = [
        .unary(.negate, .input(0)), .unary(.negate, .step(0)),
        isFirst ? .binary(operation, .input(1), .step(1)) : .binary(operation, .step(1), .input(1)),
      ]
      let program = try #require(ElementwiseProgram(step))
      let expected = try expected(isFirst)
      for layout in [TensorLayout.rowMajor, .channelBlocked] {
        let given = try layout == .rowMajor ? x : x.channelBlocked
        let canRun = program.canRun([(given.shape, given.layout), (vector.shape, vector.layout)])
        let isAlongChannels = shapes.whole.count - shapes.vector.count == 1 || shapes.vector.first == 1
        guard given.layout == .rowMajor || isAlongChannels else {
          #expect(!canRun)
          continue
        }
        #expect(canRun)
        for (variant, result) in try resultsByVariant({
          var inputs = [given, vector]
          return try program(overwriting: &inputs)
        }) {
          #expect(result.layout == given.layout)
          #expect(try result.rowMajor.hasSameNumbers(as: expected), "\(variant), \(layout)")
        }
      }
    }
  }

  @Test("what cannot be taken in one pass is refused")
  func refusals() throws {
    let program = try #require(ElementwiseProgram([.binary(.add, .input(0), .input(1))]))
    #expect(!program.canRun([([2, 3], .rowMajor), ([2, 3, 1], .rowMajor)]))
    #expect(!program.canRun([([4, 2, 3], .rowMajor), ([2, 3], .rowMajor)]))
    #expect(!program.canRun([([2, 3], .rowMajor), ([4], .rowMajor)]))
    // Of one shape, but not all that the steps ask for.
    let missing = try #require(ElementwiseProgram([.unary(.relu, .input(0)), .unary(.relu, .input(3))]))
    #expect(!missing.canRun([([2, 3], .rowMajor), ([2, 3], .rowMajor)]))
    var inputs = try [Tensor<Float>(zeros: [2, 3]), Tensor<Float>(zeros: [2])]
    #expect(throws: TensorError.self) { try program(overwriting: &inputs) }
    let apart = try #require(
      ElementwiseProgram([
        .binary(.add, .input(1), .input(2)), .binary(.multiply, .input(0), .step(0)),
      ]))
    #expect(!apart.canRun([([4, 3], .rowMajor), ([3], .rowMajor), ([3], .rowMajor)]))
  }

  /// Of many bytes what becomes of each is looked up; of few it is computed.
  @Test("functions of bytes are the same for many as for few", arguments: [false, true], [false, true])
  func functionsOfBytes(isSigned: Bool, isQuantized: Bool) throws {
    let bytes = (0..<5003).map { UInt8(truncatingIfNeeded: $0 * 89 + $0 / 256) }
    func levels(_ scale: Float, _ point: Int8) throws -> QuantizedLevels {
      let point: AnyTensor =
        isSigned
        ? AnyTensor(try Tensor([point], shape: [])) : AnyTensor(try Tensor([UInt8(bitPattern: point)], shape: []))
      return try #require(QuantizedLevels(scale: AnyTensor(Tensor([scale], shape: [])), zeroPoint: point))
    }
    let program = try #require(
      ElementwiseProgram(
        [
          .dequantize(.input(0), levels(0.04, 11)), .unary(.sigmoid, .step(0)),
          .requantize(.step(1), levels(0.004, 3)), .binary(.multiply, .step(0), .step(2)),
        ],
        quantizingTo: isQuantized ? levels(0.03, -5) : nil))
    func run(_ bytes: ArraySlice<UInt8>) throws -> AnyTensor {
      let input =
        isSigned ? AnyTensor(try Tensor(bytes.map { Int8(bitPattern: $0) })) : AnyTensor(try Tensor(Array(bytes)))
      return try program([input])
    }
    for variant in Execution.availableVariants {
      try Execution.with(variant: variant) {
        let few = try stride(from: 0, to: bytes.count, by: 500).map {
          try run(bytes[$0..<min($0 + 500, bytes.count)]).converted(to: Float.self).elements
        }
        let many = try run(bytes[...])
        #expect(many.dataType == (isQuantized ? isSigned ? .int8 : .uint8 : .float32))
        #expect(try many.converted(to: Float.self).elements == few.flatMap { $0 }, "\(variant)")
      }
    }
  }
}

extension Tensor<Float> {
  /// Whether shapes and all numbers are the same, any NaN the same as any other.
  fileprivate func hasSameNumbers(as other: Tensor<Float>) throws -> Bool {
    try shape == other.shape
      && zip(elements, other.elements).allSatisfy { $0.bitPattern == $1.bitPattern || $0.isNaN && $1.isNaN }
  }
}
