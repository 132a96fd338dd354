// Counts of what a file claims, which need not be true: no sum or product of them may overflow.

extension Int {
  /// The sum of two numbers that are not negative; the largest number there is where that is too small.
  package func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }

  /// The product of two numbers that are not negative; the largest number there is where that is too small.
  package func multipliedClamped(by other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
