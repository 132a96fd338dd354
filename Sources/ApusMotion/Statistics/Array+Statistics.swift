extension [Double] {
  /// The middle value, or the mean of the two in the middle; nil of nothing.
  var median: Double? {
    if isEmpty { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The standard deviation of the values as a whole population; nil of nothing.
  var populationDeviation: Double? {
    if isEmpty { return nil }
    let mean = reduce(0, +) / Double(count)
    var squares = 0.0
    for value in self { squares += (value - mean) * (value - mean) }
    return (squares / Double(count)).squareRoot()
  }
}
