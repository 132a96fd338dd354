/// Fills short gaps in a path.
enum GapFill {
  /// Puts points on the straight line between its ends into every gap of up to `limit` frames:
  /// `p = a + (b − a) · (t − t_a) / (t_b − t_a)`.
  ///
  /// A gap has an end on both sides: what is missing at the start and at the end stays missing, and so does a gap
  /// that the path's breaks run through.
  ///
  /// - Returns: the path, and which points were filled in.
  static func fill(
    _ points: [BarPoint?], timestamps: [Double], limit: Int, breaks: [Bool]? = nil
  ) -> (points: [BarPoint?], isFilled: [Bool]) {
    var result = points
    var isFilled = [Bool](repeating: false, count: points.count)
    var last: Int?
    for index in points.indices {
      guard let end = points[index] else { continue }
      if let start = last, index - start > 1, index - start - 1 <= limit, let a = points[start],
        breaks.map({ !$0[(start + 1)...index].contains(true) }) ?? true
      {
        for gap in (start + 1)..<index {
          let share = (timestamps[gap] - timestamps[start]) / (timestamps[index] - timestamps[start])
          result[gap] = BarPoint(x: a.x + (end.x - a.x) * share, y: a.y + (end.y - a.y) * share)
          isFilled[gap] = true
        }
      }
      last = index
    }
    return (result, isFilled)
  }
}
