/// How fast a path goes up.
enum PathVelocity {
  /// `−(y_i − y_{i−1}) / (t_i − t_{i−1}) / scale`: positive is up, while y is measured downwards.
  ///
  /// - Parameter scale: pixels per cm for cm/s, 1 for px/s.
  /// - Returns: one value a point; nil for the first, next to a missing point, and across a break.
  static func upward(
    _ points: [BarPoint?], timestamps: [Double], scale: Double = 1, breaks: [Bool]? = nil
  ) -> [Double?] {
    points.indices.map { index in
      guard index > 0, breaks?[index] != true, let a = points[index - 1], let b = points[index] else { return nil }
      return (a.y - b.y) / (timestamps[index] - timestamps[index - 1]) / scale
    }
  }
}
