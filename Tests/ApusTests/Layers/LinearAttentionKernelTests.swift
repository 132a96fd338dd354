import ApusKernelInterface
import Testing

@testable import Apus

/// The kernel against the recurrence as it is written, in double precision, on odd sizes.
@Suite struct LinearAttentionKernelTests {
  @Test(arguments: [(1, 1), (4, 16), (7, 17), (13, 45), (64, 32)], [0, 1, nil])
  func attending(sizes: (keys: Int, values: Int), decayStep: Int?) throws {
    for corrects in [false, true] {
      try check(Float.self, sizes, decayStep, corrects, within: 2e-5)
      try check(Double.self, sizes, decayStep, corrects, within: 1e-13)
    }
  }

  private func check<Scalar: FloatingPointScalar>(
    _: Scalar.Type, _ sizes: (keys: Int, values: Int), _ decayStep: Int?, _ corrects: Bool, within limit: Double
  ) throws {
    let (keys, values) = sizes
    let queries = 3
    let state: Tensor<Scalar> = try randomTensor([keys, values], seed: 1)
    let key: Tensor<Scalar> = try randomTensor([keys], seed: 2)
    let value: Tensor<Scalar> = try randomTensor([values], seed: 3)
    let decay: Tensor<Scalar> = try randomTensor([keys], seed: 4, in: 0...1)
    let query: Tensor<Scalar> = try randomTensor([queries, keys], seed: 5)
    let (rate, scale) = ([Scalar(0.75)], Scalar(0.5))

    func numbers(_ tensor: Tensor<Scalar>) throws -> [Double] { try tensor.elements.map { Double($0) } }
    let (k, v, d, q) = try (numbers(key), numbers(value), numbers(decay), numbers(query))
    var expected = try numbers(state)
    for row in 0..<keys {
      for column in 0..<values { expected[row * values + column] *= decayStep.map { d[row * $0] } ?? 1 }
    }
    /// What the state says of a key or a query in a column.
    func read(_ features: ArraySlice<Double>, _ column: Int) -> Double {
      var sum = 0.0
      for (row, feature) in features.enumerated() { sum += feature * expected[row * values + column] }
      return sum
    }
    let update: [Double] = (0..<values).map { column in
      corrects ? 0.75 * (v[column] - read(k[...], column)) : v[column]
    }
    for row in 0..<keys {
      for column in 0..<values { expected[row * values + column] += k[row] * update[column] }
    }

    for variant in Execution.availableVariants {
      var next = try state.elements
      // One more than there is room for, which stays.
      var y = [Scalar](repeating: 7, count: queries * values + 1)
      Execution.with(variant: variant) {
        rate.withUnsafeBufferPointer { rate in
          Scalar.kernels.attendLinearly(
            LinearToken(
              keys: keys, values: values, key: key.pointer, value: value.pointer,
              decay: decayStep == nil ? nil : decay.pointer, decayStep: decayStep ?? 0,
              rate: corrects ? rate.baseAddress : nil, query: query.pointer, queries: queries, scale: scale),
            state: &next, &y)
        }
      }
      for (actual, exact) in zip(next, expected) { #expect(abs(Double(actual) - exact) <= limit, "\(variant)") }
      for index in 0..<queries {
        for column in 0..<values {
          let exact = 0.5 * read(q[index * keys..<(index + 1) * keys], column)
          #expect(abs(Double(y[index * values + column]) - exact) <= limit * Double(keys), "\(variant)")
        }
      }
      #expect(y[queries * values] == 7)
    }
    withExtendedLifetime((key, value, decay, query)) {}
  }
}
