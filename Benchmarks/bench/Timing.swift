import ApusPlatform

/// Nanoseconds since some moment in the past.
func nanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// How long a call took, of many.
struct Timing {
  /// Seconds a call.
  let median: Double
  let minimum: Double
  /// Calls timed, not counting those for warming up.
  let calls: Int

  /// Runs `body` for about `budget` seconds.
  ///
  /// Caches, the pool and the processor's clock warm up for a fifth of the budget. Calls are then timed one by one, or
  /// in batches of at least 20 µs, so that reading the clock costs nothing; at least five batches are timed.
  static func of(budget: Double, _ body: () throws -> Void) rethrows -> Timing {
    try body()
    let warmUp = try calls(for: budget / 5, body)
    let batch = max(1, Int((20e-6 / warmUp.secondsPerCall).rounded(.up)))
    var samples: [Double] = []
    let start = nanoseconds()
    repeat {
      let seconds = try time(batch, body)
      samples.append(seconds / Double(batch))
    } while samples.count < 5 || Double(nanoseconds() - start) < budget * 1e9
    return Timing(samples, calls: samples.count * batch)
  }

  /// Times exactly `count` calls, one by one.
  static func of(calls count: Int, _ body: () throws -> Void) rethrows -> Timing {
    var samples: [Double] = []
    samples.reserveCapacity(count)
    for _ in 0..<max(1, count) { samples.append(try time(1, body)) }
    return Timing(samples, calls: samples.count)
  }

  private init(_ samples: [Double], calls: Int) {
    let sorted = samples.sorted()
    let middle = sorted.count / 2
    median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    minimum = sorted[0]
    self.calls = calls
  }

  private static func calls(
    for budget: Double, _ body: () throws -> Void
  ) rethrows -> (count: Int, secondsPerCall: Double) {
    let start = nanoseconds()
    var count = 0
    var elapsed = 0.0
    repeat {
      try body()
      count += 1
      elapsed = Double(nanoseconds() - start) * 1e-9
    } while elapsed < budget
    return (count, elapsed / Double(count))
  }

  private static func time(_ calls: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = nanoseconds()
    for _ in 0..<calls { try body() }
    return Double(nanoseconds() - start) * 1e-9
  }
}
