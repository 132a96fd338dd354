import ApusMedia

/// Of boxes that show the same thing, keeps the one with the highest score.
///
/// From the highest score to the lowest, a box is kept unless its overlap with one that was kept before is greater than
/// the limit. Of equal scores the one that stands first comes first. O(n log n + n · kept).
package enum NonMaximumSuppression {
  /// - Returns: the indexes of the boxes that are kept, from the highest score to the lowest, at most `maximumCount`.
  package static func kept(
    boxes: [PixelBox], scores: [Float], classes: [Int], overlap: Float, isClassAgnostic: Bool, maximumCount: Int,
    candidateLimit: Int = .max
  ) -> [Int] {
    kept(
      boxes: boxes, scores: scores, classes: classes, overlap: overlap, isClassAgnostic: isClassAgnostic,
      maximumCount: maximumCount, candidateLimit: candidateLimit
    ) { $0.intersectionOverUnion($1) }
  }

  /// The same for boxes of any kind.
  /// - Parameter overlapOf: how much two of them overlap.
  @inline(__always)
  static func kept<Box>(
    boxes: [Box], scores: [Float], classes: [Int], overlap: Float, isClassAgnostic: Bool, maximumCount: Int,
    candidateLimit: Int, overlapOf: (Box, Box) -> Double
  ) -> [Int] {
    // The index breaks ties, since the sort is not stable by contract.
    let order = boxes.indices.sorted { scores[$0] != scores[$1] ? scores[$0] > scores[$1] : $0 < $1 }
    var kept: [Int] = []
    var keptByClass: [Int: [Box]] = [:]
    for index in order.prefix(candidateLimit) {
      guard kept.count < maximumCount else { break }
      let group = isClassAgnostic ? 0 : classes[index]
      let isHidden = keptByClass[group, default: []].contains {
        overlapOf(boxes[index], $0) > Double(overlap)
      }
      guard !isHidden else { continue }
      kept.append(index)
      keptByClass[group, default: []].append(boxes[index])
    }
    return kept
  }
}
