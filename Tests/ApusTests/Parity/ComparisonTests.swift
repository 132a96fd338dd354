import ApusTestSupport
import Testing

@testable import Apus

@Suite struct ComparisonTests {
  private func compare(
    _ actual: [Float], _ expected: [Float], tolerance: Tolerance? = nil, nanEqualsNaN: Bool = true
  ) throws -> Comparison {
    try Comparison(
      actual: Tensor(actual), expected: Tensor(expected), tolerance: tolerance, nanEqualsNaN: nanEqualsNaN)
  }

  @Test func equalTensorsAreEqualInEveryMeasure() throws {
    let comparison = try compare([1, -2, 0.5], [1, -2, 0.5])
    let differences = try #require(comparison.differences)
    #expect(comparison.isEqual)
    #expect(differences.mismatchedCount == 0)
    #expect(differences.largestAbsolute == nil)
    #expect(differences.largestULP == nil)
    #expect(differences.normalizedMeanSquare == 0)
    #expect(differences.signalToNoise == .infinity)
    #expect(differences.required == .init(absolute: 0, relative: 0, both: 0))
    let cosine = try #require(differences.cosine)
    #expect(abs(cosine - 1) < 1e-15)
  }

  @Test func measuresAreThoseOfTheirFormulas() throws {
    let actual = try Tensor<Double>([1, 2.5, 3, -4], shape: [2, 2])
    let expected = try Tensor<Double>([1, 2, 3.25, -4], shape: [2, 2])
    let tolerance = Tolerance(relative: 0, absolute: 0.3)
    let comparison = try Comparison(actual: actual, expected: expected, tolerance: tolerance)
    let differences = try #require(comparison.differences)
    #expect(!comparison.isEqual)
    #expect(differences.count == 4)
    #expect(differences.mismatchedCount == 1)
    #expect(differences.mismatchedPercent == 25)
    #expect(differences.largestAbsolute == .init(value: 0.5, index: [0, 1], actual: 2.5, expected: 2))
    #expect(differences.largestRelative == .init(value: 0.25, index: [0, 1], actual: 2.5, expected: 2))
    #expect(differences.meanAbsolute == 0.75 / 4)
    #expect(differences.rootMeanSquare == (0.3125 / 4).squareRoot())
    let expectedSquares = 1 + 4 + 3.25 * 3.25 + 16
    #expect(differences.normalizedMeanSquare == 0.3125 / expectedSquares)
    let decibels = -10 * logarithm10(0.3125 / expectedSquares)
    #expect(differences.signalToNoise == decibels)
    let product = 1 + 5 + 9.75 + 16
    let norms = ((1 + 6.25 + 9 + 16) * expectedSquares).squareRoot()
    let cosine = try #require(differences.cosine)
    #expect(abs(cosine - product / norms) < 1e-15)
  }

  @Test(arguments: [
    (DataType.float16, 1e-3, 1e-5), (.bfloat16, 1.6e-2, 1e-5), (.float32, 1.3e-6, 1e-5), (.float64, 1e-7, 1e-7),
    (.int8, 0, 0), (.int64, 0, 0), (.uint8, 0, 0), (.bool, 0, 0),
  ])
  func defaultTolerancesArePyTorchs(type: DataType, relative: Double, absolute: Double) {
    #expect(Tolerance.standard(for: type) == Tolerance(relative: relative, absolute: absolute))
  }

  @Test func mixedTypesTakeTheWiderTolerance() {
    #expect(Tolerance.standard(for: .float64, .float16) == .standard(for: .float16))
    #expect(Tolerance.standard(for: .int32, .float32) == .standard(for: .float32))
  }

  @Test func toleranceIsInclusiveAndCountsFromTheExpectedValue() throws {
    let tolerance = Tolerance(relative: 0.5, absolute: 1)
    // 1 + 0.5 · 4 = 3 is allowed around 4; around 7 it would be 4.5.
    #expect(try compare([7], [4], tolerance: tolerance).isEqual)
    #expect(try !compare([7.0625], [4], tolerance: tolerance).isEqual)
    #expect(try compare([4], [8], tolerance: tolerance).isEqual)
  }

  @Test(arguments: [-1, Double.nan, .infinity])
  func uselessTolerancesAreRefused(value: Double) throws {
    #expect(throws: TensorError.self) { try compare([1], [1], tolerance: Tolerance(relative: value, absolute: 0)) }
    #expect(throws: TensorError.self) { try compare([1], [1], tolerance: Tolerance(relative: 0, absolute: value)) }
  }

  @Test func differentShapesAreDifferentAndHaveNoDifferences() throws {
    let comparison = try Comparison(
      actual: Tensor<Float>([1, .nan], shape: [1, 2]), expected: Tensor<Float>([1, .infinity], shape: [2, 1]))
    #expect(!comparison.isEqual)
    #expect(comparison.differences == nil)
    #expect(comparison.actual.nanCount == 1)
    #expect(comparison.expected.infinityCount == 1)
    #expect(comparison.description.contains("shape [1, 2], expected [2, 1]"))
  }

  @Test func differentTypesAreDifferentUnlessAllowed() throws {
    let actual = try Tensor<Float>([1, 2])
    let expected = try Tensor<Double>([1, 2])
    #expect(try !Comparison(actual: actual, expected: expected).isEqual)
    #expect(try Comparison(actual: actual, expected: expected, checksDataType: false).isEqual)
  }

  @Test func nanAndInfinityAgreeOnlyWithTheirLike() throws {
    let values: [Float] = [.nan, .infinity, -.infinity, 1]
    #expect(try compare(values, values).isEqual)

    let strict = try compare(values, values, nanEqualsNaN: false)
    #expect(strict.differences?.mismatchedCount == 1)
    #expect(strict.differences?.required == .init())

    let other = try compare([.nan, .infinity, -.infinity, .nan], [.infinity, -.infinity, 3, .nan])
    let differences = try #require(other.differences)
    #expect(differences.mismatchedCount == 3)
    #expect(differences.nonFiniteMismatchCount == 3)
    #expect(differences.signalToNoise == -.infinity)
    #expect(differences.finiteCount == 0)
    #expect(differences.nonFinite?.index == [0])
    #expect(other.actual.nanCount == 2)
    #expect(other.actual.infinityCount == 2)
    #expect(other.expected.nanCount == 1)
    #expect(other.expected.infinityCount == 2)
    // What is not finite never enters a mean.
    #expect(differences.meanAbsolute == 0)
  }

  @Test func bigIntegersAreComparedExactly() throws {
    let limit: Int64 = 1 << 53
    let comparison = try Comparison(
      actual: Tensor<Int64>([limit + 1, .max, .min]), expected: Tensor<Int64>([limit, .max, .min]))
    let differences = try #require(comparison.differences)
    #expect(differences.mismatchedCount == 1)
    #expect(differences.largestAbsolute?.value == 1)
    #expect(differences.largestULP == nil)

    let extremes = try Comparison(actual: Tensor<Int64>([.max]), expected: Tensor<Int64>([.min]))
    #expect(extremes.differences?.largestAbsolute?.value == 0x1p64)
    let mixed = try Comparison(
      actual: Tensor<UInt64>([.max]), expected: Tensor<Int64>([.max]), checksDataType: false)
    #expect(mixed.differences?.largestAbsolute?.value == 0x1p63)
  }

  @Test func everyTypeIsReadAsItsValues() throws {
    func values<Scalar: TensorScalar>(_ elements: [Scalar]) throws -> [Double] {
      try Tensor<Scalar>(elements).withUnsafeBufferPointer { buffer in
        var values = [Double](repeating: -1, count: elements.count)
        values.withUnsafeMutableBufferPointer {
          if let base = $0.baseAddress {
            ElementSource(buffer, shape: [elements.count]).widen(from: 0, count: elements.count, into: base)
          }
        }
        return values
      }
    }
    #expect(try values([Int8.min, .max]) == [-128, 127])
    #expect(try values([Int16.min, .max]) == [-32768, 32767])
    #expect(try values([Int32.min, .max]) == [-2_147_483_648, 2_147_483_647])
    #expect(try values([Int64.min, 5]) == [-0x1p63, 5])
    #expect(try values([UInt8.max]) == [255])
    #expect(try values([UInt16.max]) == [65535])
    #expect(try values([UInt32.max]) == [4_294_967_295])
    #expect(try values([UInt64.max]) == [0x1p64])
    #expect(try values([false, true]) == [0, 1])
    #expect(try values([Float(1.5), -0.25]) == [1.5, -0.25])
    #expect(try values([BFloat16(1.5), BFloat16(-0.25)]) == [1.5, -0.25])
  }

  #if !(os(macOS) && arch(x86_64))
    @Test func everyHalfPrecisionPatternIsReadAsItsValue() throws {
      let all = (0...UInt16.max).map { Float16(bitPattern: $0) }
      let comparison = try Comparison(
        actual: Tensor<Float16>(all), expected: Tensor<Double>(all.map { Double($0) }), tolerance: .exact,
        checksDataType: false)
      #expect(comparison.isEqual)
      #expect(comparison.actual.nanCount == 2046)
      #expect(comparison.actual.infinityCount == 2)
    }
  #endif

  @Test func emptyAndSingleElementTensorsAreCompared() throws {
    let empty = try compare([], [])
    #expect(empty.isEqual)
    #expect(empty.differences?.count == 0)
    let single = try Comparison(
      actual: Tensor<Float>(repeating: 2, shape: []), expected: Tensor<Float>(repeating: 3, shape: []))
    #expect(single.differences?.largestAbsolute?.index == [])
  }

  @Test func manyElementsAreAllLookedAt() throws {
    // More than one block, and the only difference in the last element.
    let count = 3 * ElementSource.block + 17
    var elements = [Float](repeating: 0.25, count: count)
    let expected = try Tensor<Float>(elements, shape: [count / 5, 5])
    elements[count - 1] = 0.5
    let comparison = try Comparison(actual: Tensor<Float>(elements, shape: [count / 5, 5]), expected: expected)
    #expect(comparison.differences?.mismatchedCount == 1)
    #expect(comparison.differences?.largestAbsolute?.index == [count / 5 - 1, 4])
  }

  @Test(arguments: 0..<40)
  func requiredTolerancesPassAndSmallerOnesDoNot(seed: Int) throws {
    var generator = SplitMix64(seed: UInt64(seed))
    let scale = [1e-300, 1e-30, 1e-3, 1, 1e6, 1e30, 1e300][seed % 7]
    let expected = randomNumbers(64, in: -scale...scale, using: &generator)
    let actual = expected.map {
      $0 * .random(in: 0.999...1.001, using: &generator) + .random(in: -1e-4...1e-4, using: &generator) * scale
    }
    let base = Tolerance(relative: seed % 2 == 0 ? 0 : 1e-5, absolute: seed % 3 == 0 ? 0 : 1e-5 * scale)
    func passes(_ tolerance: Tolerance) throws -> Bool {
      try Comparison(actual: Tensor<Double>(actual), expected: Tensor<Double>(expected), tolerance: tolerance).isEqual
    }
    let comparison = try Comparison(
      actual: Tensor<Double>(actual), expected: Tensor<Double>(expected), tolerance: base)
    let required = try #require(comparison.differences?.required)
    let absolute = try #require(required.absolute)
    let relative = try #require(required.relative)
    let both = try #require(required.both)
    #expect(try passes(Tolerance(relative: base.relative, absolute: absolute)))
    #expect(try !passes(Tolerance(relative: base.relative, absolute: absolute * 0.999_999)))
    #expect(try passes(Tolerance(relative: relative, absolute: base.absolute)))
    #expect(try !passes(Tolerance(relative: relative * 0.999_999, absolute: base.absolute)))
    #expect(try passes(Tolerance(relative: both, absolute: both)))
    #expect(try !passes(Tolerance(relative: both * 0.999_999, absolute: both * 0.999_999)))
  }

  @Test func noRelativeToleranceCuresADifferenceFromZero() throws {
    let required = try #require(compare([0.5], [0]).differences?.required)
    #expect(required.relative == nil)
    let absolute = try #require(required.absolute)
    #expect(absolute >= 0.5 && absolute < 0.5 + 1e-12)
    let both = try #require(required.both)
    #expect(both >= 0.5 && both < 0.5 + 1e-12)
  }

  @Test func differencesTooLargeForFloat64AreReportedNotHidden() throws {
    let comparison = try Comparison(
      actual: Tensor<Double>([.greatestFiniteMagnitude]), expected: Tensor<Double>([-.greatestFiniteMagnitude]))
    #expect(!comparison.isEqual)
    #expect(comparison.differences?.largestAbsolute?.value == .infinity)
    #expect(comparison.differences?.required.absolute == nil)
  }
}
