/// Where a path cannot be followed from one frame to the next, since too much time lies between them.
struct PathBreaks: Sendable {
  /// The usual time between two frames in seconds: the median; nil with fewer than two frames.
  let interval: Double?
  /// Whether the path is broken between frame i − 1 and frame i.
  let isBreak: [Bool]

  /// - Parameters:
  ///   - timestamps: increasing, in seconds.
  ///   - limit: the longest gap in frames that may be filled; a pause in which more frames are lost is a break.
  init(timestamps: [Double], limit: Int) {
    let intervals = zip(timestamps, timestamps.dropFirst()).map { $1 - $0 }
    interval = intervals.isEmpty ? nil : intervals.sorted()[intervals.count / 2]
    var isBreak = [Bool](repeating: false, count: timestamps.count)
    if let interval {
      let longest = Double(max(limit, 1) + 1) * interval * (1 + 1e-6)
      for (index, seconds) in intervals.enumerated() { isBreak[index + 1] = seconds > longest }
    }
    self.isBreak = isBreak
  }
}
