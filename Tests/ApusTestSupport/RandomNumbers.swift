import ApusBase

/// Numbers evenly spread over `range`.
@_specialize(where Number == Float)
@_specialize(where Number == Double)
package func randomNumbers<Number: BinaryFloatingPoint>(
  _ count: Int, in range: ClosedRange<Number>, using generator: inout SplitMix64
) -> [Number] where Number.RawSignificand: FixedWidthInteger {
  (0..<count).map { _ in Number.random(in: range, using: &generator) }
}

/// The same of integers.
@_specialize(where Number == UInt8)
package func randomIntegers<Number: FixedWidthInteger>(
  _ count: Int, in range: ClosedRange<Number>, using generator: inout SplitMix64
) -> [Number] {
  (0..<count).map { _ in Number.random(in: range, using: &generator) }
}
