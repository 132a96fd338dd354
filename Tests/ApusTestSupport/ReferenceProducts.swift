/// What a linear layer makes of `x`, `[rows, inputs]`: one product after the other is added to the bias.
///
/// - Parameters:
///   - weight: `[outputs, inputs]`.
///   - bias: `[outputs]`.
/// - Returns: `[rows, outputs]`.
package func referenceLinear(
  _ x: [Double], weight: [Double], bias: [Double], rows: Int, inputs: Int
) -> [Double] {
  (0..<rows).flatMap { row in
    bias.indices.map { output in
      var sum = bias[output]
      for term in 0..<inputs { sum += x[row * inputs + term] * weight[output * inputs + term] }
      return sum
    }
  }
}

@_specialize(where Number == Float)
@_specialize(where Number == Double)
package func largestDifference<Number: BinaryFloatingPoint>(_ a: [Number], _ b: [Double]) -> Double {
  zip(a, b).reduce(0) { max($0, abs(Double($1.0) - $1.1)) }
}
