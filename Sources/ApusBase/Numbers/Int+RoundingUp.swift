extension Int {
  /// How many parts of `size`, which is above 0, the number takes, a last one that is not full included.
  ///
  /// The number is not below 0, and so far from `Int.max` that `size` can be added.
  @inlinable
  package func dividedRoundingUp(by size: Int) -> Int { (self + size - 1) / size }

  /// The least multiple of `size`, which is above 0, that is no less than the number: of the same range as for
  /// ``dividedRoundingUp(by:)``.
  @inlinable
  package func roundedUp(toMultipleOf size: Int) -> Int { dividedRoundingUp(by: size) * size }
}
