/// What a path does not show.
extension LiftPath {
  /// A bar that is faster than this share of its greatest speed is on its way: of a movement whose speed rises and
  /// falls as half a sine wave does, more than 2 % are left.
  private static let movingShare = 0.3

  /// How long the bar was out of sight, each time for longer than gaps are filled, in seconds between the frames that
  /// show it; at the start and at the end of the recording too.
  ///
  /// - Parameter limit: the longest gap in frames that is filled.
  func losses(limit: Int) -> [Double] {
    var losses: [Double] = []
    var first: Int?
    for index in 0...filled.count {
      if index < filled.count, filled[index] == nil {
        first = first ?? index
      } else if let start = first {
        first = nil
        // Inside, every short gap has been filled; at the ends nothing is.
        if start > 0, index < filled.count || index - start > limit {
          losses.append(timestamps[min(index, filled.count - 1)] - timestamps[start - 1])
        } else if start == 0, index - start > limit {
          losses.append(timestamps[min(index, filled.count - 1)] - timestamps[0])
        }
      }
    }
    return losses
  }

  /// Whether a repetition was not seen whole: the bar, or the frames, are missing on the way for longer than gaps are
  /// filled, or it is still moving in the first or the last frame that shows it.
  ///
  /// - Parameter path: the one that the repetition was found on; `velocity` is that path's, upwards, in px/s.
  func isInterrupted(_ span: RepSpan, path: [BarPoint?], velocity: [Double?]) -> Bool {
    let (first, way) = (span.start - 1, span.start...span.end)
    if path[first...span.end].contains(where: { $0 == nil }) || breaks[way].contains(true) { return true }
    let peak = velocity[way].reduce(0) { max($0, abs($1 ?? 0)) }
    func isMoving(_ index: Int) -> Bool { abs(velocity[index] ?? 0) > Self.movingShare * peak }
    let beginsUnseen = first == 0 || path[first - 1] == nil || breaks[first]
    let next = span.end + 1
    let endsUnseen = next == path.count || path[next] == nil || breaks[next]
    return beginsUnseen && isMoving(span.start) || endsUnseen && isMoving(span.end)
  }
}
