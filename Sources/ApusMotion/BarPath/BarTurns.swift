/// Where a bar turns: the lowest and the highest points of its path, in the order of time, with what is smaller than a
/// given way left out.
struct BarTurns: Sendable {
  struct Turn: Sendable, Equatable {
    var frame: Int
    /// Upwards, in pixels; only differences mean anything.
    var height: Double
  }

  /// Lows and highs in turn. The first is where the first movement begins, the last the farthest point of the last one.
  private(set) var all: [Turn] = []
  let lowest: Double
  let highest: Double

  var range: Double { highest - lowest }

  /// - Parameter least: two turns one after the other differ by at least this, which depends on the whole range.
  /// - Returns: nil for a path that does not move as much.
  init?(_ path: [BarPoint?], least: (_ range: Double) -> Double) {
    let heights = path.enumerated().compactMap { index, point in point.map { Turn(frame: index, height: -$0.y) } }
    guard let first = heights.first, let lowest = heights.map(\.height).min(),
      let highest = heights.map(\.height).max()
    else { return nil }
    (self.lowest, self.highest) = (lowest, highest)
    let least = least(highest - lowest)
    guard highest - lowest >= least, least > 0 else { return nil }
    var (low, high) = (first, first)
    var isRising: Bool?
    for point in heights {
      switch isRising {
      case nil:
        if point.height < low.height { low = point }
        if point.height > high.height { high = point }
        if point.height - low.height >= least {
          all.append(low)
          (isRising, high) = (true, point)
        } else if high.height - point.height >= least {
          all.append(high)
          (isRising, low) = (false, point)
        }
      case true?:
        if point.height > high.height {
          high = point
        } else if high.height - point.height >= least {
          all.append(high)
          (isRising, low) = (false, point)
        }
      case false?:
        if point.height < low.height {
          low = point
        } else if point.height - low.height >= least {
          all.append(low)
          (isRising, high) = (true, point)
        }
      }
    }
    if let isRising { all.append(isRising ? high : low) }
  }

  /// The turn's height as a share of the range, from 0 for the lowest.
  func level(_ turn: Turn) -> Double { (turn.height - lowest) / range }
}
